"""Arrivals are held against uses: the fault is what one use has too many, too few, or elsewhere."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from ring_programs import (
    BYTES,
    Barriers,
    Tile,
    by_all_lanes,
    is_sound,
    left_out,
    not_armed,
    only_arrive,
    only_read,
    ring,
    simulated,
    twice,
    use,
    witnessed,
    wrong_stage,
)

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import Finding, Report
from visualizer.diagnosis.uses.deviations import Deviation, find_deviations
from visualizer.diagnosis.uses.intents import find_intents
from visualizer.diagnosis.uses.uses import find_uses
from visualizer.programs.agent_builder import AgentBuilder
from visualizer.programs.program import Program
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate


def line_of(program: Program, agent: str, tile: int, operation: str, which: int = -1) -> int:
    """The line of the agent's operation of this name for the tile."""
    (operations,) = [a.operations for a in program.agents if a.agent.name == agent]
    mine = [o for o in operations if getattr(o, "tile", -1) == tile and type(o).__name__ == operation]
    return program.sites[mine[which].site].line


def deviations(history: History) -> list[Deviation]:
    return find_deviations(history, find_uses(history, find_intents(history)))


def first_error(report: Report) -> Finding:
    return report.findings[0]


@pytest.mark.parametrize("consumers", [1, 2, 3])
@pytest.mark.parametrize("tile", [1, 2, 3])
def test_a_second_release_in_one_use_is_named_with_its_line(consumers: int, tile: int) -> None:
    program = ring(consumers, tiles=8, change={("C0", tile): twice})
    for report in simulated(program):
        first = first_error(report)
        assert (first.verdict, first.agent, first.barrier, first.tile) == (
            "COUNT MISMATCH", "C0", f"empty[{tile % 2}]", tile,
        )  # fmt: skip
        assert first.site is not None
        assert first.site.line == line_of(program, "C0", tile, "Arrive")
        assert "C0 arrives 2 times" in first.cause
        assert "init" not in first.cause
    assert is_sound(ring(consumers, tiles=8, change={("C0", tile): use}))


@pytest.mark.parametrize("tile", [2, 3])
def test_a_release_on_another_stages_barrier(tile: int) -> None:
    for report in simulated(ring(tiles=8, change={("C0", tile): wrong_stage})):
        root, extra = report.every[:2]
        assert (root.verdict, root.agent, root.barrier) == ("STARVED", "P", f"empty[{tile % 2}]")
        assert (extra.verdict, extra.agent, extra.barrier) == ("COUNT MISMATCH", "C0", f"empty[{1 - tile % 2}]")
        for finding in (root, extra):
            assert f"where it owes an arrival on empty[{tile % 2}]" in finding.cause
            assert finding.first_divergence == extra.step


@pytest.mark.parametrize("tile", [2, 3])
def test_a_tile_that_one_consumer_leaves_out_altogether(tile: int) -> None:
    """The cycle of waits that follows is no cause."""
    program = ring(2, tiles=8, change={("C1", tile): left_out})
    for report in [*simulated(program), *witnessed(program)]:
        first = first_error(report)
        assert (first.verdict, first.agent, first.barrier) == ("STARVED", "P", f"empty[{tile % 2}]")
        assert f"C1 leaves out use {tile // 2 + 1} of this stage" in first.cause
        assert (first.blamed, len(report.findings)) == ("C1", 1)
        assert {f.severity for f in first.effects} <= {"note"}
    assert is_sound(ring(2, tiles=8, change={("C1", tile): only_arrive})), "waiting and arriving is how to skip a tile"


@pytest.mark.parametrize("tile", [2, 3, 4])
def test_a_phase_that_the_producer_did_not_arm(tile: int) -> None:
    program = ring(tiles=8, change={("P", tile): not_armed})
    for report in simulated(program):
        root = first_error(report)
        assert root.verdict == "STARVED"
        assert (root.agent, root.barrier) == ("C0", f"full[{tile % 2}]")
        assert f"P makes 0 of 1 arrival on full[{tile % 2}] for its use {tile // 2 + 1}" in root.cause
        assert root.first_divergence is not None


@pytest.mark.parametrize("tile", [1, 2, 3])
def test_a_release_left_out_is_found_by_its_use(tile: int) -> None:
    for report in simulated(ring(2, tiles=8, change={("C1", tile): only_read})):
        first = first_error(report)
        assert (first.verdict, first.agent, first.barrier) == ("STARVED", "P", f"empty[{tile % 2}]")
        assert f"C1 read tile {tile} from stage {tile % 2} and never arrived" in first.cause


SOUND: dict[str, Callable[[], Program]] = {
    "one consumer": ring,
    "three stages": lambda: ring(2, stages=3, tiles=9),
    "one stage": lambda: ring(2, stages=1),
    "an arrival of a warp at a time": lambda: ring(empty_count=32, change={("C0", t): by_all_lanes for t in range(6)}),
    "turns at arriving for both": lambda: ring(2, empty_count=2, change=_turns()),
    "the last release left out": lambda: ring(tiles=5, change={("C0", 4): only_read}),
}


def _turns() -> dict[tuple[str, int], Tile]:
    """After a bar.sync of the two, one of them arrives for both, in turn."""

    def one(number: int) -> Tile:
        def tile_done(c: AgentBuilder, tile: int, full: Barriers, empty: Barriers) -> None:
            c.wait(full[c.index], c.phase)
            c.read(c.index, BYTES)
            c.named_sync(1, 2)
            if tile // 2 % 2 == number:
                c.arrive(empty[c.index], count=2)
            c.advance()

        return tile_done

    return {(f"C{n}", tile): one(n) for n in range(2) for tile in range(6)}


@pytest.mark.parametrize("what", SOUND)
def test_sound_programs_have_no_deviation(what: str) -> None:
    program = SOUND[what]()
    for seed in range(6):
        history = History(simulate(program, seed=seed))
        assert deviations(history) == []
        assert diagnose(history, program).findings == ()


@pytest.mark.parametrize("amount", [-(2**31), -1, 0, 2**31 - 1])
def test_counts_that_cannot_be_cost_nothing(amount: int) -> None:
    """A file may say any number of arrivals; a table of as many entries would take 16 GB."""
    trace = simulate(next(iter(SOUND.values()))())
    events = trace.events.copy()
    events["amount"][events["kind"] == EventKind.ARRIVE] = amount
    history = History(replace(trace, events=events))
    assert isinstance(deviations(history), list)


def test_uses_of_any_number_cost_what_is_there() -> None:
    """A cursor may be advanced to any count; a table of all uses before it would take gigabytes."""
    trace = simulate(next(iter(SOUND.values()))())
    events = trace.events.copy()
    advances = np.flatnonzero(events["kind"] == EventKind.ADVANCE)
    events["amount"][advances[len(advances) // 2 :]] += 2**31 - 1000
    history = History(replace(trace, events=events))
    tracemalloc.start()
    try:
        deviations(history)
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()
