"""CTA by CTA gives what the whole recording at once gives: the fast way against the general one."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measured import logged, rebuilt
from numpy.typing import NDArray

from visualizer.arrays.ordering import distinct, order_by
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.programs.registry import find_program
from visualizer.reconstruction import agent_events
from visualizer.reconstruction.agent_events import split
from visualizer.reconstruction.cta_spans import Span, spans_of
from visualizer.recording.trace import Trace
from visualizer.sources.simulator.simulate import simulate

RUNS = st.fixed_dictionaries(
    {
        "stages": st.integers(1, 4),
        "tiles": st.integers(1, 10),
        "consumer_warps": st.integers(1, 3),
        "arrive_per_warp": st.booleans(),
        "ctas": st.integers(1, 4),
        "consumer_arrivals": st.sampled_from((None, None, 10, 48)),
        "producer_delay": st.sampled_from((0, 700, 2000)),
        "consumer_delay": st.sampled_from((0, 700, 2000)),
    }
)
FAULTS = ("F01", "F06", "F08", "F14", "F20", "F24", "F28")


def ordered(trace: Trace) -> NDArray[np.void]:
    """The events; those of one time in order of CTAs, which is all that the two ways may do differently."""
    return trace.events[np.lexsort((trace.agent_cta[trace.events["agent"]], trace.events["time"]))]


def both(trace: Trace, events: NDArray[np.void], lost: NDArray[np.int64] | None = None) -> tuple[Trace, Trace]:
    """The Trace of the logged events made CTA by CTA, and made as one part."""
    by_cta = rebuilt(trace, events, lost)
    everything = Span(slice(0, len(trace.agents)), slice(0, len(trace.barriers)))
    with mock.patch.object(agent_events, "spans_of", return_value=[everything]):
        return by_cta, rebuilt(trace, events, lost)


def assert_same(by_cta: Trace, at_once: Trace) -> None:
    np.testing.assert_array_equal(ordered(by_cta), ordered(at_once))
    assert by_cta.meta.reconcile == at_once.meta.reconcile
    assert by_cta.meta.events_dropped == at_once.meta.events_dropped


@settings(max_examples=25, deadline=None)
@given(config=RUNS, seed=st.integers(0, 1000), tokens=st.booleans(), share=st.sampled_from((1.0, 1.0, 0.9, 0.3)))
def test_any_recording_is_the_same_by_cta_and_at_once(
    config: dict[str, Any], seed: int, tokens: bool, share: float
) -> None:
    config = {name: value for name, value in config.items() if value is not None}
    trace = simulate(lesson(LessonConfig(**config)), seed=seed)
    events = logged(trace, seed, tokens=tokens)
    lost = np.zeros(len(trace.agents), np.int64)
    if share < 1:
        loser = int(events["agent"][-1])
        mine = np.flatnonzero(events["agent"] == loser)
        gone = mine[int(len(mine) * share) :]
        events, lost[loser] = np.delete(events, gone), len(gone)
    assert_same(*both(trace, events, lost))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_hang_is_the_same_by_cta_and_at_once(fault: str) -> None:
    trace = simulate(find_program("lesson", {"ctas": 3, "tiles": 8}, fault=fault))
    assert_same(*both(trace, logged(trace, 1)))


def test_agents_that_reach_into_another_cta_are_not_taken_apart() -> None:
    trace = simulate(lesson(LessonConfig(ctas=2)))
    events = logged(trace)
    lost = np.zeros(len(trace.agents), np.int64)
    assert len(split(events, lost, trace.agents, trace.barriers).spans) == 2
    remote = np.flatnonzero(events["barrier"] >= len(trace.barriers) // 2)[0]
    events["barrier"][remote] = 0
    found = split(events, lost, trace.agents, trace.barriers)
    assert len(found.spans) == 1
    np.testing.assert_array_equal(found.whole, events)


def test_tables_out_of_order_are_one_part() -> None:
    trace = simulate(lesson(LessonConfig(ctas=2)))
    assert len(spans_of(trace.agents, trace.barriers)) == 2
    assert len(spans_of(trace.agents[::-1], trace.barriers)) == 1


COLUMN = st.sampled_from((3, 1 << 20, 1 << 62))


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 2)), max_size=40), COLUMN)
def test_order_by_is_lexsort(rows: list[tuple[int, int]], scale: int) -> None:
    first = np.array([row[0] for row in rows], np.int64) * (scale // 8)
    second = np.array([row[1] for row in rows], np.uint8)
    np.testing.assert_array_equal(order_by(first, second), np.lexsort((second, first)))
    np.testing.assert_array_equal(distinct(first), np.unique(first))
