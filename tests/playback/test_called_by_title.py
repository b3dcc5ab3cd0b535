"""What somebody types finds barriers and warps by what people call them and by what the recording knows: an address."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from stranger_traces import stranger

from visualizer.playback.breakpoints import Breakpoint, evaluated, query_at
from visualizer.playback.lane_steps import lane_key, lane_steps, lane_title
from visualizer.playback.query.complete import complete
from visualizer.playback.query.error import QueryError
from visualizer.playback.query.evaluate import matching_steps
from visualizer.playback.query.events import Events
from visualizer.playback.query.parse import parse
from visualizer.playback.query.search import find_steps
from visualizer.playback.stories.edit import rule_of
from visualizer.playback.stories.find import find_focus
from visualizer.playback.stories.model import Chapter, FocusRule, Source, Step, Story, Text
from visualizer.playback.stories.numbers import Scene, fill
from visualizer.playback.stories.recordings import Recordings
from visualizer.playback.stories.telling import Telling
from visualizer.replay.history import History


@pytest.fixture(scope="module")
def history() -> History:
    """Two rings without names and twelve warps without roles, in one CTA."""
    return History(stranger())


@pytest.fixture(scope="module")
def two_ctas() -> History:
    return History(stranger(ctas=2))


def found(history: History, text: str) -> list[int]:
    return find_steps(text, Events(history)).tolist()


def on(history: History, *names: str) -> list[int]:
    """The steps of events on barriers with these recorded names."""
    rows = [history.trace.barrier_index[name] for name in names]
    return np.flatnonzero(np.isin(history.trace.events["barrier"], rows)).tolist()


@pytest.mark.parametrize(
    "query",
    [
        'barrier == "ring1.full[0]"',
        "barrier == Ring1.Full[0]",
        'barrier == "0x410"',
        "barrier == 0x410",
        'barrier in (0x410, "ring1.full[0]")',
        'barrier ~ "0x41?" and barrier ~ "*full[0]"',
        "0x410",
        "ring1.full[0]",
    ],
)
def test_a_barrier_goes_by_its_title_and_by_its_address(history: History, query: str) -> None:
    assert found(history, query) == on(history, "0x410") != []


def test_names_without_a_cta_stand_for_every_ctas(two_ctas: History) -> None:
    both = on(two_ctas, "CTA0.0x410", "CTA1.0x410")
    assert found(two_ctas, 'barrier == "ring1.full[0]"') == found(two_ctas, "barrier == 0x410") == both
    one = on(two_ctas, "CTA1.0x410")
    assert found(two_ctas, "barrier == CTA1.ring1.full[0]") == found(two_ctas, "barrier == CTA1.0x410") == one


def test_a_pattern_and_its_opposite_share_the_events_that_have_a_barrier(history: History) -> None:
    named, others = found(history, 'barrier ~ "*.full[*]"'), found(history, 'barrier !~ "*.full[*]"')
    assert named == on(history, "0x400", "0x408", "0x410", "0x418", "0x420")
    assert sorted(named + others) == found(history, "not barrier == none")


def test_warps_go_by_their_role_too(history: History) -> None:
    own = np.flatnonzero(history.trace.events["agent"] == history.trace.agent_index["warp0"]).tolist()
    assert found(history, "agent == warp0.producer") == found(history, "agent == warp0") == own


def test_a_wrong_name_is_answered_with_those_that_people_say(history: History) -> None:
    with pytest.raises(QueryError, match=r"no barrier ring1\.ful\[0\].*Did you mean ring1\.full\[0\]\?"):
        matching_steps(parse("barrier == ring1.ful[0]"), Events(history))
    with pytest.raises(QueryError, match=r"no barrier 0x999"):
        matching_steps(parse("barrier == 0x999"), Events(history))
    with pytest.raises(QueryError):
        parse("tile == 0x10")


def test_the_line_completes_titles_and_addresses(history: History) -> None:
    offered = complete("barrier == ", 11, history).options
    assert offered[0] == "ring0.full[0]"
    assert {"ring1.empty[2]", "0x410", "none"} <= set(offered)
    assert complete("barrier == 0x41", 15, history) == replace(
        complete("barrier == ", 11, history), options=("0x410", "0x418")
    )
    assert complete('barrier == "ring1.f', 19, history).options[0] == "ring1.full[0]"
    assert complete("tile == 0", 9, history).options == ("and", "or")


def test_break_here_and_a_storys_rule_say_the_title_and_find_the_event(history: History) -> None:
    step = on(history, "0x410")[3]
    query = query_at(history, step)
    assert query.startswith('barrier == "ring1.full[0]" and kind == ')
    assert step in evaluated(Breakpoint(query), Events(history)).hits.tolist()
    rule = rule_of(history, step)
    assert "0x" not in rule.find
    assert find_focus(history, rule) == step


def test_a_lane_goes_by_both(history: History, two_ctas: History) -> None:
    assert [lane_key(history, name) for name in ("ring1.full[0]", "0x410", "warp0.producer", "warp0", "no")] == [
        "0x410", "0x410", "warp0", "warp0", "no",
    ]  # fmt: skip
    assert [lane_title(history, key) for key in ("0x410", "warp0", "ring[ring0]")] == [
        "ring1.full[0]", "warp0.producer", "ring[ring0]",
    ]  # fmt: skip
    assert lane_key(two_ctas, "CTA1.ring0.empty[1]") == "CTA1.0x430"
    assert lane_steps(history, lane_key(history, "ring1.full[0]")) == lane_steps(history, "0x410")


def test_a_story_speaks_of_titles(history: History) -> None:
    class Given(Recordings):
        def history(self, source: Source) -> History:
            return history

    text = Text("x", "x")
    step = Step(FocusRule(step=90), text, lane="ring1.full[0]", highlight=("ring0.full[1]", "warp0.producer", "0x428"))
    telling = Telling(Story(text, (Chapter("one", text, Source(program="lesson"), (step,)),)), Given())
    told = telling.told(0, 0)
    assert told.focus.lane == "0x410"
    assert told.step.highlight == ("0x408", "warp0", "0x428")


def test_placeholders_take_and_tell_titles(history: History) -> None:
    step = on(history, "0x410")[3]
    scene = Scene(history, step, lambda: pytest.fail("no report"), lambda name: pytest.fail("no other"))
    assert fill("{event.barrier}", scene) == "ring1.full[0]"
    for field in ("pending", "phase"):
        assert fill(f"{{ring1.full[0].{field}}}", scene) == fill(f"{{0x410.{field}}}", scene)
    waits = next(
        s for s in range(history.steps) if history.state_at(s).agent_barrier[history.trace.agent_index["warp0"]] >= 0
    )
    told = fill("{warp0.producer.barrier} {warp0.barrier}", replace(scene, step=waits)).split()
    assert told[0] == told[1] in history.barrier_titles
