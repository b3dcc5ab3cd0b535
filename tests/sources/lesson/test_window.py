"""A window of a run is sound by itself: the state it begins with follows from the tile number, for every role alike."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measured import logged, rebuilt, simulated

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.explanations.explain import explain
from visualizer.reconstruction.violations import violations
from visualizer.recording.file import load, save
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.lesson.window import Window, begin, bounds, cut, in_part, with_left_out

TILES = 24


def windowed(trace: Trace, window: Window, seed: int = 0) -> Trace:
    """What a kernel that logs only `window` gives."""
    events = logged(trace, seed)
    tiles = trace.meta.config["tiles"]
    first, last = bounds(events, trace.agents, window, tiles)
    events = events[in_part(events, trace.agents, trace.barriers, first, last, tiles)]
    roles = np.array([agent.role for agent in trace.agents])
    events = events[np.isin(roles[events["agent"]], window.roles)]
    agents, barriers = begin(trace.agents, trace.barriers, first)
    events = with_left_out(events, agents, barriers, window.roles)
    meta = replace(trace.meta, window=window.as_dict(int(first.min()), last, tiles, trace.ctas))
    part = Trace(meta, agents, barriers, trace.sites, trace.events[:0], trace.source_files)
    return rebuilt(part, events)


def is_sound(trace: Trace) -> None:
    assert len(trace)
    assert not any(violations(trace).values()), violations(trace)
    assert diagnose(History(trace)).findings == ()


@settings(max_examples=25, deadline=None)
@given(
    first=st.integers(0, TILES - 1),
    length=st.integers(1, TILES),
    stages=st.integers(1, 4),
    delays=st.sampled_from([(0, 0), (2000, 0), (0, 2000)]),
    seed=st.integers(0, 99),
)
def test_a_window_is_sound_simulated_and_measured(
    first: int, length: int, stages: int, delays: tuple[int, int], seed: int
) -> None:
    trace = simulated(
        seed, tiles=TILES, stages=stages, ctas=2, producer_delay=delays[0], consumer_delay=delays[1], consumer_warps=2
    )
    window = Window(first, min(first + length, TILES) - 1)
    is_sound(cut(trace, window, TILES, 2))
    is_sound(windowed(trace, window, seed))


def test_every_role_shows_the_same_tiles_and_the_lap_before_only_its_releases() -> None:
    trace = windowed(simulated(tiles=TILES), Window(10, 13))
    tiles = {role: set[int]() for role in ("producer", "consumer", "copy_engine")}
    lead_in = []
    for event in trace.events[(trace.events["tile"] >= 0) & (trace.events["kind"] != EventKind.PHASE_COMPLETE)]:
        if event["tile"] < 10:
            lead_in.append((int(event["tile"]), EventKind(event["kind"])))
        else:
            tiles[trace.agents[event["agent"]].role].add(int(event["tile"]))
    assert set(map(frozenset, tiles.values())) == {frozenset({10, 11, 12, 13})}
    assert sorted(set(lead_in)) == [(tile, EventKind.ARRIVE) for tile in (7, 8, 9)]


def test_the_first_state_is_that_of_the_first_tile() -> None:
    trace = windowed(simulated(tiles=TILES), Window(10, 13))
    state = History(trace).state_at(len(trace.barriers) - 1)
    # Tile 10 is the fourth of stage 1; tiles 7, 8 and 9 have still to be released on stages 1, 2 and 0.
    assert state.barrier_phase.tolist() == [4, 3, 3, 3, 2, 2]
    assert state.barrier_pending.tolist() == [1, 1, 1, 96, 96, 96]
    producer = trace.agents[trace.agent_index["producer"]].start
    assert producer is not None
    assert (producer.index, producer.phase, producer.count) == (1, 0, 10)


@pytest.mark.parametrize("first", [1, 2, 3, 4])
def test_a_window_in_the_first_laps(first: int) -> None:
    trace = windowed(simulated(tiles=TILES), Window(first, first + 3))
    is_sound(trace)
    inits = trace.events[trace.events["kind"] == EventKind.INIT]
    assert (inits["flags"] & EventFlag.DERIVED).all()


def test_a_window_from_tile_0_has_the_real_inits() -> None:
    trace = windowed(simulated(tiles=TILES), Window(0, 3))
    assert not (trace.events["flags"][trace.events["kind"] == EventKind.INIT] & EventFlag.DERIVED).any()


def test_what_was_left_out_is_counted() -> None:
    whole = simulated(tiles=TILES, ctas=5)
    trace = cut(whole, Window(10, 13, every_cta=2, roles=("producer",)), TILES, 5)
    assert trace.meta.window == {
        "tiles": TILES,
        "first": 10,
        "last": 13,
        "tiles_before": 10,
        "tiles_after": 10,
        "keep_last": 0,
        "every_cta": 2,
        "ctas": 5,
        "ctas_left_out": 2,
        "roles_left_out": ["consumer"],
    }
    assert {agent.cta for agent in trace.agents} == {0, 2, 4} == {barrier.cta for barrier in trace.barriers}
    assert cut(whole, Window(), TILES, 5) is whole
    assert cut(whole, Window(keep_last=TILES), TILES, 5).meta.window == {}


@settings(max_examples=10, deadline=None)
@given(keep=st.integers(1, TILES), seed=st.integers(0, 9))
def test_keep_last_is_the_window_at_the_end(keep: int, seed: int) -> None:
    whole = simulated(seed, tiles=TILES)
    ring, window = cut(whole, Window(keep_last=keep), TILES, 1), cut(whole, Window(TILES - keep), TILES, 1)
    assert np.array_equal(ring.events, window.events)
    assert (ring.events["kind"] == EventKind.EXIT).sum() == 4
    is_sound(ring)


@pytest.mark.parametrize("role", ["producer", "consumer"])
@pytest.mark.parametrize("window", [(0, TILES - 1), (10, 13)])
def test_phases_of_a_role_left_out_are_those_that_waits_prove(role: str, window: tuple[int, int]) -> None:
    whole = simulated(tiles=TILES, consumer_delay=1000)
    trace = windowed(whole, Window(*window, roles=(role,)))
    assert not any(violations(trace).values()), violations(trace)
    made = trace.events[(trace.events["flags"] & EventFlag.ESTIMATED > 0) & (trace.events["kind"] == EventKind.ARRIVE)]
    assert len(made)
    assert role not in {trace.agents[agent].role for agent in made["agent"]}
    state, wanted = History(trace).state_at(len(trace) - 1), History(cut(whole, Window(*window), TILES, 1))
    kind = "full" if role == "consumer" else "empty"
    mine = [row for row, barrier in enumerate(trace.barriers) if barrier.kind == kind]
    lag = wanted.state_at(wanted.steps - 1).barrier_phase[mine] - state.barrier_phase[mine]
    # A release is proved by the next use of its stage: the last lap's are not, unless the tail waits for them.
    assert set(lag.tolist()) <= ({0} if kind == "full" or window[1] == TILES - 1 else {1})
    assert diagnose(History(trace)).findings == ()


def test_the_tables_survive_the_file(tmp_path: Path) -> None:
    trace = cut(simulated(tiles=TILES), Window(10, 13), TILES, 1)
    save(trace, tmp_path / "w.pscope")
    loaded = load(tmp_path / "w.pscope")
    assert loaded.meta.window == trace.meta.window
    assert loaded.barriers == trace.barriers


def test_the_beginning_is_told_as_what_it_is() -> None:
    history = History(cut(simulated(tiles=TILES), Window(10, 13), TILES, 1))
    assert explain(history, 0) == (
        "The recording begins after the init: by then full[0] is in phase #4, arrived 0/1, as follows"
        " from the number of the first tile."
    )
