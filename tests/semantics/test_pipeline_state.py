"""PipelineState: the lesson's transitions and advance(n) as n increments."""

from __future__ import annotations

from functools import reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visualizer.semantics.pipeline_state import PipelineState, make_producer_start_state


def triple(state: PipelineState) -> tuple[int, int, int]:
    return state.index, state.phase, state.count


def test_the_lessons_transitions_with_3_stages() -> None:
    state = PipelineState(3)
    seen = [triple(state)]
    for _ in range(6):
        state = state.increment()
        seen.append(triple(state))
    assert seen == [(0, 0, 0), (1, 0, 1), (2, 0, 2), (0, 1, 3), (1, 1, 4), (2, 1, 5), (0, 0, 6)]


def test_the_producer_starts_in_phase_1_of_empty_buffers() -> None:
    state = make_producer_start_state(3)
    assert triple(state) == (0, 1, 0)
    assert triple(state.advance(3)) == (0, 0, 3)


def test_one_stage_flips_at_every_step() -> None:
    state = PipelineState(1)
    assert [triple(state.advance(n)) for n in range(3)] == [(0, 0, 0), (0, 1, 1), (0, 0, 2)]


@settings(max_examples=100, deadline=None)
@given(stages=st.integers(1, 9), start=st.integers(0, 40), phase=st.integers(0, 1), tiles=st.integers(0, 60))
def test_advance_is_that_many_increments(stages: int, start: int, phase: int, tiles: int) -> None:
    state = reduce(lambda s, _: s.increment(), range(start), PipelineState(stages, phase=phase))
    one_by_one = reduce(lambda s, _: s.increment(), range(tiles), state)
    assert state.advance(tiles) == one_by_one
    assert one_by_one.index == (start + tiles) % stages
    assert one_by_one.phase == (phase + (start + tiles) // stages) % 2


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"stages": 0}, "at least 1 stage"),
        ({"stages": 3, "index": 3}, "outside 0..2"),
        ({"stages": 3, "index": -1}, "outside 0..2"),
        ({"stages": 3, "phase": 2}, "one bit"),
    ],
)
def test_states_that_cannot_be_are_refused(values: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PipelineState(**values)


def test_advance_does_not_go_back() -> None:
    with pytest.raises(ValueError, match="forward only"):
        PipelineState(3).advance(-1)
