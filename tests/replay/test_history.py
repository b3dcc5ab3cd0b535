"""What a history gathers of a recording as a whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History


def test_a_completion_of_no_barrier_is_none(lesson_trace: Trace) -> None:
    """As a damaged file may have it."""
    events = lesson_trace.events.copy()
    first = int(np.flatnonzero(events["kind"] == EventKind.PHASE_COMPLETE)[0])
    events["barrier"][first] = -1
    whole = History(lesson_trace).completion_steps.tolist()
    assert History(replace(lesson_trace, events=events)).completion_steps.tolist() == whole[1:]
