"""A ring with one producer and some consumers in which single tiles may be done differently; what its runs are said
to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import Report
from visualizer.programs.agent_builder import AgentBuilder, BarrierHandle
from visualizer.programs.builder import Builder
from visualizer.programs.program import Program
from visualizer.replay.history import History
from visualizer.sources.explorer import explore, witness_trace
from visualizer.sources.simulator.simulate import simulate

BYTES = 4096
SEEDS = range(4)

Barriers = list[BarrierHandle]
Tile = Callable[[AgentBuilder, int, Barriers, Barriers], None]
"""What an agent does for a tile: (agent, tile, full, empty). It advances its cursor itself."""


def fill(p: AgentBuilder, tile: int, full: Barriers, empty: Barriers) -> None:
    p.wait(empty[p.index], p.phase)
    p.arrive_expect_tx(full[p.index], BYTES)
    p.copy(full[p.index], p.index, BYTES)
    p.advance()


def use(c: AgentBuilder, tile: int, full: Barriers, empty: Barriers) -> None:
    c.wait(full[c.index], c.phase)
    c.read(c.index, BYTES)
    c.arrive(empty[c.index])
    c.advance()


def only_read(c: AgentBuilder, tile: int, full: Barriers, empty: Barriers) -> None:
    c.wait(full[c.index], c.phase)
    c.read(c.index, BYTES)
    c.advance()


def twice(c: AgentBuilder, tile: int, full: Barriers, empty: Barriers) -> None:
    c.wait(full[c.index], c.phase)
    c.read(c.index, BYTES)
    c.arrive(empty[c.index])
    c.arrive(empty[c.index])
    c.advance()


def wrong_stage(c: AgentBuilder, tile: int, full: Barriers, empty: Barriers) -> None:
    c.wait(full[c.index], c.phase)
    c.read(c.index, BYTES)
    c.arrive(empty[1 - c.index])
    c.advance()


def left_out(c: AgentBuilder, tile: int, full: Barriers, empty: Barriers) -> None:
    c.advance()


def only_arrive(c: AgentBuilder, tile: int, full: Barriers, empty: Barriers) -> None:
    c.wait(full[c.index], c.phase)
    c.arrive(empty[c.index])
    c.advance()


def by_all_lanes(c: AgentBuilder, tile: int, full: Barriers, empty: Barriers) -> None:
    c.wait(full[c.index], c.phase)
    c.read(c.index, BYTES)
    c.arrive(empty[c.index], count=32)
    c.advance()


def not_armed(p: AgentBuilder, tile: int, full: Barriers, empty: Barriers) -> None:
    p.wait(empty[p.index], p.phase)
    p.copy(full[p.index], p.index, BYTES)
    p.advance()


def ring(
    consumers: int = 1,
    *,
    stages: int = 2,
    tiles: int = 6,
    full_count: int = 1,
    empty_count: int | None = None,
    change: Mapping[tuple[str, int], Tile] | None = None,
    end: Callable[[AgentBuilder], None] | None = None,
) -> Program:
    """The pipeline; `change` says what an agent ("P", "C0", ..) does for a tile in place of what all do."""
    b = Builder("ring")
    full = b.barriers("full", stages, count=full_count)
    empty = b.barriers("empty", stages, count=consumers if empty_count is None else empty_count)
    names = ["P", *(f"C{n}" for n in range(consumers))]
    for name in names:
        role = "producer" if name == "P" else "consumer"
        agent = b.agent(name, role=role, stages=stages, phase=int(name == "P"))
        if name == "P":
            agent.init_all()
        agent.sync()
        for tile in agent.tiles(tiles):
            what = (change or {}).get((name, tile), fill if name == "P" else use)
            what(agent, tile, full, empty)
        if end is not None:
            end(agent)
    return b.build()


def simulated(program: Program) -> list[Report]:
    """What is said of some runs, with the program and without."""
    runs = [History(simulate(program, seed=seed)) for seed in SEEDS]
    return [diagnose(run, given) for run in runs for given in (program, None)]


def witnessed(program: Program, schedules: int = 100) -> list[Report]:
    """What is said of the explorer's witnesses, with the program and without."""
    found = explore(program, schedules=schedules)
    runs = [History(witness_trace(found, witness)) for witness in found.witnesses.values()]
    return [diagnose(run, given) for run in runs for given in (program, None)]


def is_sound(program: Program) -> bool:
    """Whether nothing is said of it and no random schedule ends badly."""
    return all(report.clean for report in simulated(program)) and explore(program, schedules=50).is_clean
