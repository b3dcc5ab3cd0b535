"""From what agents logged, the phases, completing agents and copies that the simulator knows come back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measured import flips, logged, rebuilt, sequences, simulated

from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.programs.registry import find_program
from visualizer.reconstruction.violations import violations
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.sources.simulator.latency import Latencies
from visualizer.sources.simulator.simulate import simulate

SOUND = st.fixed_dictionaries(
    {
        "stages": st.integers(1, 5),
        "tiles": st.integers(1, 12),
        "consumer_warps": st.integers(1, 4),
        "arrive_per_warp": st.booleans(),
        "ctas": st.integers(1, 2),
        "tile_rows": st.sampled_from((8, 64)),
        "tile_columns": st.sampled_from((64, 192)),
        "producer_delay": st.sampled_from((0, 700, 2000)),
        "consumer_delay": st.sampled_from((0, 700, 2000)),
    }
)


def warps(trace: Any) -> dict[int, Any]:
    found = sequences(trace)
    return {row: found[row] for row in found if trace.agents[row].role != "copy_engine"}


@settings(max_examples=30, deadline=None)
@given(config=SOUND, seed=st.integers(0, 1000))
def test_a_sound_run_comes_back(config: dict[str, Any], seed: int) -> None:
    trace = simulated(seed, **config)
    result = rebuilt(trace, logged(trace, seed))
    assert flips(result) == flips(trace)
    assert warps(result) == warps(trace)
    assert not any(violations(result).values())
    assert result.meta.reconcile["unresolved"] == 0
    assert result.meta.reconcile["max_ns"] < 200
    done = result.events["kind"] == EventKind.COPY_DONE
    assert done.sum() == (trace.events["kind"] == EventKind.COPY_DONE).sum()
    assert (result.events["flags"][done] & EventFlag.DERIVED).all()


@pytest.mark.parametrize("config", [{"producer_phase": 0}, {"producer_arrivals": 32}, {"consumer_arrivals": 97}])
def test_a_deadlock_completes_no_more_than_it_did(config: dict[str, int]) -> None:
    trace = simulated(**config)
    result = rebuilt(trace, logged(trace))
    assert flips(result) == flips(trace)
    assert warps(result) == warps(trace)
    assert not any(violations(result).values())


@pytest.mark.parametrize("expected", [8192, 32768])
def test_bytes_that_disagree_complete_only_what_is_proven(expected: int) -> None:
    trace = simulated(transaction_bytes=expected)
    result = rebuilt(trace, logged(trace))
    assert flips(result) == flips(trace)
    assert not any(violations(result).values())


def test_bytes_that_were_in_early_land_before_the_arrival_that_completes() -> None:
    # Copies of 1024 bytes, three a tile, where 2048 are expected: tile 1 leaves all that tile 2 waits for.
    config = LessonConfig(stages=1, tiles=4, consumer_warps=2, tile_rows=8, tile_columns=192, transaction_bytes=2048)
    trace = simulate(lesson(config), latencies=Latencies(copy_latency=700, copy_first_touch=0))
    full = [trace.agents[agent].role for barrier, *_, agent, _ in flips(trace) if barrier == 0]
    assert full == ["copy_engine", "copy_engine", "producer", "copy_engine"]
    result = rebuilt(trace, logged(trace, jitter=2000))
    assert not any(violations(result).values())
    assert [flip[:2] for flip in flips(result)] == [flip[:2] for flip in flips(trace)]


def test_an_arrive_that_spans_phases_is_split() -> None:
    trace = simulated(consumer_arrivals=48, tiles=3)
    result = rebuilt(trace, logged(trace, jitter=0))
    pieces = result.events["amount"][result.events["kind"] == EventKind.ARRIVE]
    assert sorted(set(pieces.tolist())) == [16, 32]
    assert flips(result) == flips(trace)


def test_a_blocked_wait_shows_when_the_copy_landed() -> None:
    trace = simulated(producer_delay=3000)
    result = rebuilt(trace, logged(trace, jitter=0))
    assert result.meta.reconcile["copies_observed"] == 8
    kinds = result.events["kind"]
    full = np.array([b.kind == "full" for b in result.barriers])[result.events["barrier"]]
    for tile in range(8):
        rows = result.events[full & (result.events["tile"] == tile)]
        landed = rows[rows["kind"] == EventKind.COMPLETE_TX]["time"][0]
        assert landed == rows[rows["kind"] == EventKind.WAIT_END]["time"].min() - 1
    assert not (result.events["flags"][kinds == EventKind.COPY_DONE] & EventFlag.ESTIMATED).any()


def test_a_wait_with_the_wrong_parity_says_nothing_about_when_a_copy_landed() -> None:
    # F08: consumers never flip their parity and block on full[0] until they give up, though tile 3 is in it.
    trace = simulate(find_program("lesson", fault="F08"))
    events = logged(trace, jitter=0)
    last = np.flatnonzero(np.diff(events["agent"], append=-1) != 0)
    stuck = last[events["kind"][last] == EventKind.WAIT_BEGIN]
    given_up = events[stuck].copy()
    given_up["kind"] = EventKind.TIMEOUT
    given_up["time"] += 50_000_000_000
    given_up["measured"] = given_up["time"]
    result = rebuilt(trace, np.insert(events, stuck + 1, given_up))
    landed = result.events["time"][result.events["kind"] == EventKind.COPY_DONE]
    truth = trace.events["time"][trace.events["kind"] == EventKind.COPY_DONE]
    assert len(landed) == len(truth)
    assert (np.abs(landed - truth) < 500_000).all()
