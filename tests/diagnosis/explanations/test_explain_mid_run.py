"""What is said of barriers that a recording finds in the middle of the run: no count that nobody made, no fresh one."""

from __future__ import annotations

import numpy as np
import pytest
from mid_run import EMPTY, FULL, mid_run

from visualizer.diagnosis.arrived import arrived_of, landed_at, number_of, parity_of
from visualizer.diagnosis.explanations.explain import explain
from visualizer.language import speaking
from visualizer.recording.schema import EventKind
from visualizer.replay.barrier_columns import Counting
from visualizer.replay.history import History
from visualizer.replay.step_document import step_document


@pytest.fixture(scope="module")
def history() -> History:
    return mid_run()


def first(history: History, kind: EventKind, barrier: int) -> str:
    """What is said of the first such event on the barrier."""
    events = history.trace.events
    return explain(history, int(np.flatnonzero((events["kind"] == kind) & (events["barrier"] == barrier))[0]))


def test_a_phase_counts_from_the_recordings_beginning(history: History) -> None:
    assert history.barriers.counting[FULL] == Counting.BEGINNING
    end = history.barrier_at(FULL, history.steps - 1)
    assert end.phase > 0
    assert (number_of(end), parity_of(end)) == (f"?+{end.phase}", str(end.parity))
    completes = first(history, EventKind.PHASE_COMPLETE, FULL)
    assert completes.startswith("Phase #?+0 of CTA0.full[0] completes")
    assert step_document(history, 0)["barriers"]["CTA0.0x400"]["counting"] == "beginning"


def test_what_nobody_tells_is_not_counted(history: History) -> None:
    now = history.barrier_at(EMPTY, history.steps - 1)
    assert (number_of(now), parity_of(now), arrived_of(now)) == ("?", "?", "?")
    assert landed_at(history, EMPTY, history.steps - 1).text == ""
    unknown = "In which phase the barrier is, nothing in the recording tells."
    assert first(history, EventKind.ARRIVE, EMPTY) == f"consumer0 arrives once on CTA0.empty[0]. {unknown}"
    assert first(history, EventKind.WAIT_BEGIN, EMPTY).startswith(
        f"producer waits on CTA0.empty[0] with parity 1. {unknown}"
    )
    assert step_document(history, 0)["barriers"]["CTA0.0x410"]["counting"] == "nothing"


def test_no_barrier_is_called_fresh_nor_in_a_phase_that_nobody_counted(history: History) -> None:
    told = [explain(history, step) for step in range(history.steps)]
    assert not [text for text in told if "on the fresh barrier" in text or "is fresh" in text]
    assert not [text for text in told if "#" in text.replace("#?", "")]
    passed = [text for text in told if "passes its wait on CTA0.full[1]" in text]
    assert "whether a phase had completed before it, or the barrier was fresh, is not known" in passed[0]
    assert "phase #?+1 completed at step" in passed[-1]


def test_every_kind_of_event_is_told_in_chinese(history: History) -> None:
    with speaking("zh"):
        told = [explain(history, step) for step in range(history.steps)]
    assert not [text for text in told if "recording" in text or "waits" in text]
