"""Lanes of many CTAs share what they are drawn from, and keep apart what is theirs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.views.timeline.lanes.lane_store import LaneStore


@pytest.fixture(scope="module")
def store() -> LaneStore:
    """Of CTAs that have so few events that several share a part."""
    return LaneStore(History(simulate(lesson(LessonConfig(ctas=40, tiles=1)))))


def test_a_ctas_flips_are_those_of_its_own_barriers(store: LaneStore) -> None:
    trace = store.history.trace
    completed = (trace.events["kind"] == EventKind.PHASE_COMPLETE) & (trace.events["barrier"] >= 0)
    for cta in (0, 1, 39):
        own = np.flatnonzero(completed & (trace.barrier_cta[trace.events["barrier"]] == cta))
        lane = store.lanes[store.row_of[f"CTA{cta}"]]
        assert store.steps(lane).tolist() == own.tolist()
        assert store.summary(lane).flips.times.tolist() == trace.events["time"][own].tolist()


def test_what_is_asked_of_a_state_is_asked_once_for_all_lanes(store: LaneStore) -> None:
    asked = []
    state = store.history.state_at(100)
    answers = [store.at_state(state, lambda state: asked.append(state.step) or len(asked)) for _ in range(5)]
    assert (asked, answers) == ([100], [1] * 5)
    other = store.history.state_at(101)
    assert store.at_state(other, lambda state: state.step) == 101


def test_an_agent_may_be_called_as_what_is_kept_of_another() -> None:
    trace = simulate(lesson(LessonConfig(tiles=2)))
    last = trace.agents[-1]
    store = LaneStore(History(replace(trace, agents=(*trace.agents[:-1], replace(last, name="producer events")))))
    producer, other = (store.lanes[store.row_of[key]] for key in ("producer", "producer events"))
    assert len(store.steps(producer))
    assert store.copies(other).rows if other.kind == "copy" else store.intervals(other)
