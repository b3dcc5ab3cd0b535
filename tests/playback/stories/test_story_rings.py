"""A story's numbers of a recording with several rings: each can be named, and a bare name says which there are."""

from __future__ import annotations

from functools import cache

import pytest
from two_ring_traces import two_rings

from visualizer.playback.stories.errors import StoryError
from visualizer.playback.stories.numbers import Scene, fill
from visualizer.programs.attention import attention
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.forget import forget


@cache
def scene(which: str) -> Scene:
    """After the landing of V's, or the last ring's, second copy."""
    traces = {
        "two": lambda: two_rings(),
        "four": lambda: two_rings(ctas=2),
        "attention": lambda: simulate(attention()),
        "lesson": lambda: simulate(lesson(LessonConfig())),
        "stranger": lambda: forget(simulate(lesson(LessonConfig()))),
    }
    trace: Trace = traces[which]()
    events = trace.events
    ring = trace.rings.index("v") if "v" in trace.rings else len(trace.rings) - 1
    landed = (events["kind"] == EventKind.COPY_DONE) & (events["ring"] == ring)
    steps = landed.nonzero()[0]

    def nothing(name: str = "") -> None:
        raise AssertionError

    return Scene(History(trace), int(steps[1]), nothing, nothing)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("which", "text", "filled"),
    [
        ("two", "{K.stage[1].tile} {V.stage[1].tile} {V.stage[1].state}", "1 1 full"),
        ("two", "{K.full[0].phase} {V.full[1].phase}", "1 1"),
        ("two", "{producer.index} {producer.K.index} {producer.V.index} {producer.V.phase}", "2 2 1 1"),
        ("four", "{CTA1.V.full[0].expected} {CTA0.V.empty[0].expected} {CTA0.producer.V.count}", "1 2 0"),
        ("attention", "{k.full[0].expected} {k_full[0].expected} {v.empty[2].expected}", "1 1 8"),
        ("attention", "{v.stage[1].tile} {q.stage[0].state}", "1 reading"),
        ("lesson", "{full[1].phase} {stage[1].state} {producer.index}", "1 full 2"),
        ("stranger", "{full[1].expected} {ring0.full[1].expected} {ring0.stage[1].state}", "1 1 full"),
    ],
)
def test_what_a_ring_has_is_named_by_it(which: str, text: str, filled: str) -> None:
    assert fill(text, scene(which)) == filled


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{stage[0].tile}", r"say which: there are K.stage\[0\], V.stage\[0\]"),
        ("{full[0].phase}", r"say which: there are K.full\[0\], V.full\[0\]"),
        ("{stage[7].tile}", r"nothing named 'stage\[7\]'"),
        ("{producer.Q.index}", "nothing named 'producer.Q'"),
    ],
)
def test_what_is_not_told_of_one_ring_is_refused(text: str, why: str) -> None:
    with pytest.raises(StoryError, match=why):
        fill(text, scene("two"))
