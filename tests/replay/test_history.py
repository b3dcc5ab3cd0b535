"""What a history gathers of a recording as a whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hung_kernels import hung

from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.agent_columns import AgentActivity
from visualizer.replay.history import History


def test_a_completion_of_no_barrier_is_none(lesson_trace: Trace) -> None:
    """As a damaged file may have it."""
    events = lesson_trace.events.copy()
    first = int(np.flatnonzero(events["kind"] == EventKind.PHASE_COMPLETE)[0])
    events["barrier"][first] = -1
    whole = History(lesson_trace).completion_steps.tolist()
    assert History(replace(lesson_trace, events=events)).completion_steps.tolist() == whole[1:]


def test_a_warp_of_which_one_lane_waits_has_not_left() -> None:
    """Its other lanes did: in its lane and in every list it still waits."""
    history = History(hung("gemm", "F01", as_logged=True))
    events = history.trace.events
    waiting = set(history.waits.agent[history.waits.over < 0].tolist())
    held = sorted(waiting & set(events["agent"][events["kind"] == EventKind.EXIT].tolist()))
    assert held
    activity = history.state_at(history.steps - 1).agent_activity
    for agent in held:
        assert activity[agent] == AgentActivity.WAITING
        assert history.agent_spans(agent).state[-1] == AgentActivity.WAITING
        assert agent not in history.left
