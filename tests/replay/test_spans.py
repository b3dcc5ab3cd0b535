"""Spans and curves: the lanes' pictures agree with the state at every step, and nothing short gets lost."""

from __future__ import annotations

import numpy as np
import pytest
from naive_replay import cut, run, with_watchdog

from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import AgentActivity, History, StageState

TRACES = {
    "lesson": run(),
    "two CTAs": run(ctas=2, tiles=4, tile_columns=128),
    "deadlock": run(producer_phase=0),
    "timeout": with_watchdog(run(producer_arrivals=32)),
    "cut": cut(run(), 60),
}


@pytest.fixture(params=TRACES.values(), ids=TRACES.keys())
def trace(request: pytest.FixtureRequest) -> Trace:
    return request.param


def test_agent_spans_agree_with_the_state_at_every_step(trace: Trace) -> None:
    history = History(trace)
    for row, agent in enumerate(trace.agents):
        if agent.role == "copy_engine":
            continue
        spans = history.agent_spans(row)
        for step in range(len(trace)):
            state = history.state_at(step)
            activity = state.agent_activity[row]
            held = np.flatnonzero((spans.first_step <= step) & (step < spans.last_step))
            if not len(held):
                at_the_end = step == len(trace) - 1 or activity in (AgentActivity.NOT_STARTED, AgentActivity.EXITED)
                assert at_the_end, (agent.name, step)
                continue
            assert len(held) == 1
            assert spans.state[held[0]] == activity
            assert spans.barrier[held[0]] == state.agent_barrier[row]


def test_stage_spans_cover_all_time_and_agree_with_the_state(trace: Trace) -> None:
    history = History(trace)
    for row in range(trace.ctas * trace.stages):
        spans = history.stage_spans(row)
        assert spans.start[0] == 0
        assert spans.end[-1] == trace.duration_ps
        np.testing.assert_array_equal(spans.end[:-1], spans.start[1:])
        for step in range(len(trace)):
            state = history.state_at(step)
            held = np.searchsorted(spans.first_step, step, side="right") - 1
            assert (spans.state[held], spans.tile[held]) == (state.stage_state[row], state.stage_tile[row])


def test_each_stage_of_the_lesson_goes_round_in_order(lesson_history: History) -> None:
    spans = lesson_history.stage_spans(0)
    round_ = [StageState.EMPTY, StageState.FILLING, StageState.FULL, StageState.READING]
    assert spans.state.tolist() == round_ * 3 + [StageState.EMPTY]
    assert spans.tile.tolist() == [-1, 0, 0, 0, -1, 3, 3, 3, -1, 6, 6, 6, -1]


def test_copies_run_from_issue_to_landing(lesson_history: History) -> None:
    trace = lesson_history.trace
    spans = lesson_history.copy_spans(0)
    assert spans.tile.tolist() == list(range(8))
    assert (trace.events["kind"][spans.first_step] == EventKind.COPY_ISSUE).all()
    assert (trace.events["kind"][spans.last_step] == EventKind.COPY_DONE).all()
    np.testing.assert_array_equal(trace.events["tile"][spans.last_step], spans.tile)
    assert (spans.end > spans.start).all()


def test_two_copies_of_one_tile_are_two_spans() -> None:
    trace = run(tiles=4, tile_columns=128)
    spans = History(trace).copy_spans(0)
    assert spans.tile.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert len(set(spans.last_step.tolist())) == 8


def test_a_copy_that_never_lands_lasts_to_the_end() -> None:
    trace = run()
    issue = int(np.flatnonzero(trace.events["kind"] == EventKind.COPY_ISSUE)[0])
    short = cut(trace, issue + 2)
    spans = History(short).copy_spans(0)
    assert spans.last_step.tolist() == [issue + 1]
    assert spans.end.tolist() == [short.duration_ps]


def test_a_barriers_curve_has_its_state_after_each_change(trace: Trace) -> None:
    history = History(trace)
    for row in range(len(trace.barriers)):
        curve = history.barrier_curve(row)
        np.testing.assert_array_equal(curve.time, trace.events["time"][curve.step])
        for at, step in enumerate(curve.step):
            state = history.state_at(int(step))
            assert curve.phase[at] == state.barrier_phase[row]
            assert curve.pending[at] == state.barrier_pending[row]
            assert curve.expected[at] == state.barrier_expected[row]
            assert curve.tx[at] == state.barrier_tx[row]


def test_one_barrier_alone_is_the_same_as_in_the_whole_state(lesson_history: History) -> None:
    for step in range(lesson_history.steps):
        state = lesson_history.state_at(step)
        for row in range(len(lesson_history.trace.barriers)):
            one = lesson_history.barrier_at(row, step)
            assert (one.valid, one.phase, one.pending) == (
                state.barrier_valid[row],
                state.barrier_phase[row],
                state.barrier_pending[row],
            )
            assert one.arrived == one.needed - one.pending >= 0
    assert not lesson_history.barrier_at(0, -1).valid
