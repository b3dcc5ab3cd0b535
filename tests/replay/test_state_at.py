"""History's state at every step is what a straightforward replay through the executable specification says."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_replay import NaiveReplay, cut, handmade, run, with_watchdog

from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import AgentActivity, History, StageState, State
from visualizer.sources.lesson import window

CONFIGS = st.fixed_dictionaries(
    {
        "stages": st.integers(1, 4),
        "tiles": st.integers(1, 6),
        "tile_columns": st.sampled_from([64, 128]),
        "consumer_warps": st.integers(1, 3),
        "arrive_per_warp": st.booleans(),
        "ctas": st.integers(1, 2),
        "producer_delay": st.sampled_from([0, 900]),
        "consumer_delay": st.sampled_from([0, 900]),
        "producer_phase": st.sampled_from([1, 1, 1, 0]),
        "consumer_phase": st.sampled_from([0, 0, 0, 1]),
        "producer_arrivals": st.sampled_from([0, 0, 0, 2]),
        "transaction_bytes": st.sampled_from([0, 0, 0, 8192, 32768]),
    }
)


def check_every_step(trace: Trace) -> None:
    history, naive = History(trace), NaiveReplay(trace)
    for step in range(len(trace)):
        naive.take(trace.events[step])
        naive.agrees(history, step)


@settings(max_examples=40, deadline=None)
@given(CONFIGS, st.integers(0, 1000))
def test_state_equals_a_replay_through_the_specification(config: dict[str, int], seed: int) -> None:
    check_every_step(run(seed, **config))


@settings(max_examples=15, deadline=None)
@given(CONFIGS, st.integers(1, 60))
def test_state_is_right_in_a_recording_that_was_cut_short(config: dict[str, int], events: int) -> None:
    check_every_step(cut(run(**config), events))


@settings(max_examples=6, deadline=None)
@given(first=st.integers(0, 11), stages=st.integers(1, 4), seed=st.integers(0, 9))
def test_state_in_a_window_equals_a_replay_from_its_first_state(first: int, stages: int, seed: int) -> None:
    whole = run(seed, tiles=16, stages=stages, ctas=3)
    check_every_step(window.cut(whole, window.Window(first, first + 3, every_cta=2), 16, 3))


@pytest.mark.parametrize("fault", [{"producer_phase": 0}, {"producer_arrivals": 32}, {"consumer_arrivals": 97}])
def test_agents_that_timed_out_stay_so_when_they_leave(fault: dict[str, int]) -> None:
    trace = with_watchdog(run(**fault))
    check_every_step(trace)
    last = History(trace).state_at(len(trace) - 1)
    assert AgentActivity.TIMED_OUT in last.agent_activity
    assert AgentActivity.WAITING not in last.agent_activity


def test_forward_and_backward_give_identical_states(lesson_history: History) -> None:
    forward = [lesson_history.state_at(step) for step in range(lesson_history.steps)]
    backward = [lesson_history.state_at(step) for step in reversed(range(lesson_history.steps))]
    for there, back in zip(forward, reversed(backward), strict=True):
        for column in fields(State):
            np.testing.assert_array_equal(getattr(there, column.name), getattr(back, column.name))


def test_before_an_entitys_first_event_it_has_its_start_values(lesson_history: History) -> None:
    state = lesson_history.state_at(0)
    assert state.barrier_valid.tolist() == [True, False, False, False, False, False]
    assert state.agent_activity.tolist() == [
        AgentActivity.RUNNING,
        *[AgentActivity.NOT_STARTED] * 3,
        AgentActivity.IDLE,
    ]
    assert state.cursor_phase.tolist() == [1, 0, 0, 0, -1]
    assert state.stage_state.tolist() == [StageState.EMPTY] * 3


def test_an_arrive_shows_pending_0_until_the_phase_completion(lesson_history: History) -> None:
    trace = lesson_history.trace
    completion = next(
        step
        for step in lesson_history.completion_steps
        if trace.barriers[trace.events["barrier"][step]].name == "empty[0]"
    )
    empty = trace.barrier_index["empty[0]"]
    before, after = lesson_history.state_at(completion - 1), lesson_history.state_at(completion)
    assert (before.barrier_phase[empty], before.barrier_pending[empty]) == (0, 0)
    assert (after.barrier_phase[empty], after.barrier_pending[empty]) == (1, 96)


@pytest.mark.parametrize("step", [-1, 262, 10**9])
def test_a_step_outside_the_recording_is_an_index_error(lesson_history: History, step: int) -> None:
    with pytest.raises(IndexError, match=r"outside 0\.\.261"):
        lesson_history.state_at(step)


def test_an_empty_recording_has_no_steps_and_no_spans() -> None:
    history = History(cut(run(tiles=1), 0))
    assert history.steps == 0
    assert len(history.agent_spans(0)) == len(history.stage_spans(0)) == len(history.copy_spans(0)) == 0
    assert len(history.barrier_curve(0).step) == 0
    with pytest.raises(IndexError):
        history.state_at(0)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5), st.integers(1, 3)), max_size=60))
def test_barriers_of_any_program_follow_the_specification(operations: list[tuple[int, int, int]]) -> None:
    """Random legal operations, drops and re-inits included, on three barriers with several agents' events between."""
    events: list[dict[str, int]] = []
    specification = NaiveReplay(handmade(barriers=3))
    for row, choice, amount in operations:
        barrier = specification.barriers[row]
        if not barrier.valid:
            event = {"kind": EventKind.INIT, "amount": amount + 1}
        elif choice == 0:
            event = {"kind": EventKind.INVAL}
        elif choice == 1 and barrier.expected > amount and barrier.pending >= amount:
            event = {"kind": EventKind.ARRIVE_DROP, "amount": amount}
        elif choice == 2:
            event = {"kind": EventKind.EXPECT_TX, "amount": 64 * amount}
        elif choice == 3:
            event = {"kind": EventKind.COMPLETE_TX, "amount": 64 * amount}
        elif choice == 4 and barrier.pending:
            event = {"kind": EventKind.ARRIVE_EXPECT_TX, "amount": 64 * amount}
        elif barrier.pending:
            event = {"kind": EventKind.ARRIVE, "amount": min(amount, barrier.pending)}
        else:
            continue
        events.append({**event, "barrier": row})
        phase = barrier.phase
        specification._barrier(handmade(events[-1], barriers=3).events[0])
        if barrier.phase != phase and event["kind"] != EventKind.INIT:
            specification.flip_due.discard(row)
            events.append({"kind": EventKind.PHASE_COMPLETE, "barrier": row, "amount": phase, "parity": phase & 1})
        events.append({"kind": EventKind.READ_BEGIN})
    check_every_step(handmade(*events, barriers=3))
