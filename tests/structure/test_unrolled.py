"""Loops that a compiler unrolled, as TileLang's are: each of their instructions is there several times.

Those of one line count as one; where lines are not known, what nothing links is unknown, and never a wrong ring.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visualizer.programs.agent_builder import AgentBuilder, BarrierHandle
from visualizer.programs.builder import Builder
from visualizer.recording.tables import Site
from visualizer.recording.trace import Trace
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.forget import forget
from visualizer.structure.infer import infer

Stages = tuple[tuple[int, ...], ...]
LANES = 32
WARPS = 4


@dataclass(frozen=True)
class Ring:
    full: list[BarrierHandle]
    empty: list[BarrierHandle]
    copies: int  # that fill a stage, as many boxes of a tile

    def at(self, tile: int) -> tuple[BarrierHandle, BarrierHandle, int]:
        """The barriers of a tile's stage, and the parity that says that it is full."""
        lap, stage = divmod(tile, len(self.full))
        return self.full[stage], self.empty[stage], lap & 1


def warpgroups(
    stages: tuple[int, ...], tiles: int, copies: int = 1, *, fulls_first: bool = True, elected: bool = False
) -> Trace:
    """As TileLang has it: one array of barriers, on all of which all lanes of a warpgroup arrive; of the producers' one
    warp expects the bytes. `stages` of each ring. `elected`: the other producers only wait, and a stage's second part
    is expected after the copies of its first."""
    b = Builder("warpgroups")
    made: dict[tuple[int, str], list[BarrierHandle]] = {}
    order = [(ring, kind) for ring in range(len(stages)) for kind in ("full", "empty")]
    for ring, kind in sorted(order, key=lambda one: one[1] == "empty") if fulls_first else order:
        made[ring, kind] = [
            b.barrier(f"{kind}{ring}[{n}]", count=1 if elected and kind == "full" else WARPS * LANES)
            for n in range(stages[ring])
        ]
    rings = [Ring(made[ring, "full"], made[ring, "empty"], copies) for ring in range(len(stages))]
    producers = [b.agent(f"p{warp}", role="producer") for warp in range(WARPS)]
    consumers = [b.agent(f"c{warp}", role="consumer") for warp in range(WARPS)]
    producers[0].init_all()
    for agent in producers + consumers:
        agent.sync()
    for agent in producers:
        for tile in agent.tiles(tiles):
            for ring in rings:
                _fill(agent, ring, tile, loads=agent is producers[0], elected=elected)
    for agent in consumers:
        for tile in agent.tiles(tiles):
            for ring in rings:
                full, empty, parity = ring.at(tile)
                agent.wait(full, parity)
                agent.arrive(empty, LANES)
    return simulate(b.build())


def _fill(agent: AgentBuilder, ring: Ring, tile: int, *, loads: bool, elected: bool) -> None:
    full, empty, parity = ring.at(tile)
    agent.wait(empty, parity ^ 1)
    if loads:
        agent.expect_tx(full, 4096 * ring.copies)
        for _ in range(ring.copies):
            agent.copy(full, 0, 4096)
    if loads and elected:
        agent.arrive_expect_tx(full, 2048)
        agent.copy(full, 0, 2048)
    elif not elected:
        agent.arrive(full, LANES)


def unrolled(trace: Trace, times: int, *, lines: bool) -> Trace:
    """The trace of a loop of which an iteration does so many tiles, each by instructions of its own; each array has its
    own as well. `lines`: the lines that they came from are known."""
    events = np.array(trace.events)
    events["site"][events["barrier"] < 0] = -1
    array = [barrier.name.split("[")[0] for barrier in trace.barriers]
    made: dict[tuple[int, str, int], int] = {}
    for row in np.flatnonzero(events["site"] >= 0).tolist():
        site, barrier, tile = (int(events[name][row]) for name in ("site", "barrier", "tile"))
        events["site"][row] = made.setdefault((site, array[barrier], tile % times), len(made))
    line_of: dict[tuple[int, str], int] = {}
    line = [line_of.setdefault(one[:2], len(line_of)) for one in made]
    file = "gemm.cu" if lines else "gemm.ptx"
    sites = [Site(file, 1 + (line[row] if lines else row), "") for row in range(len(made))]
    return forget(replace(trace, events=events, sites=sites))


def rings_of(trace: Trace, stages: tuple[int, ...]) -> set[tuple[Stages, Stages]]:
    """Full and empty barriers of each ring, by stage."""
    row_of = {barrier.name: row for row, barrier in enumerate(trace.barriers)}

    def rows(kind: str, ring: int) -> Stages:
        return tuple((row_of[f"{kind}{ring}[{stage}]"],) for stage in range(stages[ring]))

    return {(rows("full", ring), rows("empty", ring)) for ring in range(len(stages))}


def found_in(trace: Trace) -> set[tuple[Stages, Stages]]:
    return {(ring.full, ring.empty) for ring in infer(trace).rings}


@pytest.mark.parametrize("times", [1, 2, 3, 12])
def test_a_loop_that_is_unrolled_is_known_by_its_lines(times: int) -> None:
    trace = warpgroups((3,), tiles=12)
    assert found_in(unrolled(trace, times, lines=True)) == rings_of(trace, (3,))


def test_who_only_waits_beside_a_producer_is_none() -> None:
    trace = warpgroups((3,), tiles=7, elected=True)
    structure = infer(unrolled(trace, 1, lines=True))
    (ring,) = structure.rings
    assert {(ring.full, ring.empty)} == rings_of(trace, (3,))
    assert [trace.agents[row].name for row in ring.producers] == ["p0"]
    assert len(ring.consumers) == WARPS
    assert structure.roles[:WARPS] == ("producer", "other", "other", "other")


@pytest.mark.parametrize("times", [3, 12])
def test_where_nothing_links_its_instructions_it_is_unknown(times: int) -> None:
    assert found_in(unrolled(warpgroups((3,), tiles=12), times, lines=False)) == set()


@settings(max_examples=40, deadline=None)
@given(
    stages=st.lists(st.integers(1, 4), min_size=1, max_size=2).map(tuple),
    tiles=st.integers(1, 14),
    copies=st.integers(1, 3),
    times=st.integers(1, 14),
    lines=st.booleans(),
    fulls_first=st.booleans(),
    elected=st.booleans(),
)
def test_of_an_unrolled_loop_nothing_wrong_is_said(
    stages: tuple[int, ...], tiles: int, copies: int, times: int, lines: bool, fulls_first: bool, elected: bool
) -> None:
    trace = warpgroups(stages, tiles, copies, fulls_first=fulls_first, elected=elected)
    assert found_in(unrolled(trace, times, lines=lines)) <= rings_of(trace, stages)


@settings(max_examples=20, deadline=None)
@given(
    stages=st.lists(st.integers(2, 4), min_size=1, max_size=2).map(tuple),
    laps=st.integers(2, 4),
    copies=st.integers(1, 3),
    times=st.integers(1, 14),
    fulls_first=st.booleans(),
    elected=st.booleans(),
)
def test_it_is_found_once_it_went_round(
    stages: tuple[int, ...], laps: int, copies: int, times: int, fulls_first: bool, elected: bool
) -> None:
    trace = warpgroups(stages, 1 + laps * max(stages), copies, fulls_first=fulls_first, elected=elected)
    assert found_in(unrolled(trace, times, lines=True)) == rings_of(trace, stages)
