"""What agents write into buffers themselves: who must have waited, and where a fence.proxy.async must lie."""

from __future__ import annotations

from dataclasses import replace

import pytest
from advised import applied
from random_programs import random_program
from written_programs import (
    BYTES,
    TILES,
    apart,
    by_turns,
    epilogue,
    filled_by_warps,
    multiply,
    started,
    still_read,
    store,
    together,
)

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import Finding
from visualizer.programs.accesses import ProxyFence, ReadAsync, Store, Write
from visualizer.programs.agent_builder import AgentBuilder, BarrierHandle
from visualizer.programs.builder import Builder
from visualizer.programs.program import Program
from visualizer.replay.history import History
from visualizer.sources.explorer import explore, explore_exhaustively, witness_trace
from visualizer.sources.simulator.simulate import simulate

SEEDS = range(5)


def findings(program: Program, seed: int = 1) -> list[Finding]:
    """Those of a run, which its recording alone has as well."""
    history = History(simulate(program, seed=seed))
    told, alone = diagnose(history, program), diagnose(history)
    assert [(f.verdict, f.agent, f.step) for f in told.every] == [(f.verdict, f.agent, f.step) for f in alone.every]
    return list(told.every)


SOUND = {
    "fenced by the writer": filled_by_warps(),
    "fenced by the reader": filled_by_warps(fence=False, late_fence=True),
    "read by threads": filled_by_warps(fence=False, asynchronous=False),
    "together": epilogue(together),
    "each its part": epilogue(apart),
    "alone": epilogue(by_turns, writers=1),
}


@pytest.mark.parametrize("what", SOUND)
def test_what_is_sound_has_no_finding(what: str) -> None:
    for seed in SEEDS:
        assert findings(SOUND[what], seed) == []


FAULTY = {
    "wgmma of what a producer wrote": (filled_by_warps(fence=False), "P"),
    "a store of what another wrote": (epilogue(lambda c, n, stage: together(c, n, stage, unfenced=1)), "C1"),
    "a store of its own": (epilogue(lambda c, n, stage: together(c, n, stage, unfenced=0)), "C0"),
}


@pytest.mark.parametrize("what", FAULTY)
def test_a_missing_fence_is_told_with_the_line_of_the_write(what: str) -> None:
    program, writer = FAULTY[what]
    for seed in SEEDS:
        (found,) = findings(program, seed)
        assert (found.verdict, found.severity, found.agent, found.blamed) == (
            "MISSING FENCE",
            "warning",
            writer,
            writer,
        )
        assert found.site is not None
        assert found.site.op == "write"
        assert "no fence.proxy.async in between" in found.cause


@pytest.mark.parametrize("what", SOUND)
def test_what_is_sound_is_proved(what: str) -> None:
    found = explore_exhaustively(SOUND[what])
    assert found.is_complete
    assert found.is_clean
    assert found.not_judged == ()


@pytest.mark.parametrize("what", FAULTY)
def test_a_missing_fence_is_an_outcome_of_schedules(what: str) -> None:
    """Of some at least: of those in which the write comes first. The witness is told as a run is."""
    program, writer = FAULTY[what]
    (told,) = findings(program)
    for found in (explore_exhaustively(program), explore(program, schedules=20)):
        assert not found.is_clean
        assert set(found.witnesses) == {"missing-fence"}
        report = diagnose(History(witness_trace(found, found.witnesses["missing-fence"])), program)
        first = report.findings[0]
        assert (first.verdict, first.agent, first.barrier, first.site) == (
            "MISSING FENCE",
            writer,
            told.barrier,
            told.site,
        )


def test_the_fences_that_are_advised_make_the_program_sound() -> None:
    program, _ = FAULTY["wgmma of what a producer wrote"]
    for tile in range(TILES):
        history = History(simulate(program, seed=1))
        found = diagnose(history, program).findings
        assert [f.tile for f in found] == [tile]
        assert found[0].advice is not None
        program = applied(program, history, found[0].advice)
    assert findings(program) == []


def test_a_fence_before_the_write_is_none() -> None:
    def tile(c: AgentBuilder, n: int, stage: int) -> None:
        c.fence_proxy()
        c.write(stage, BYTES, ring="out")
        store(c, stage)

    assert {f.verdict for f in findings(epilogue(tile, writers=1))} == {"MISSING FENCE"}


@pytest.mark.parametrize("seed", [300052, 300056, *range(12)])
def test_programs_without_their_fences(seed: int) -> None:
    """In the first two an agent does its first tiles otherwise than the others, which is not the cause."""
    program = random_program(seed)
    agents = [
        replace(agent, operations=tuple(o for o in agent.operations if not isinstance(o, ProxyFence)))
        for agent in program.agents
    ]
    written = {(a.agent.cta, o.ring) for a in agents for o in a.operations if isinstance(o, Write)}
    handed = {(a.agent.cta, o.ring) for a in agents for o in a.operations if isinstance(o, ReadAsync | Store)}
    found = {finding.verdict for finding in findings(replace(program, agents=tuple(agents)), seed)}
    assert found == ({"MISSING FENCE"} if written & handed else set())
    explored = explore(replace(program, agents=tuple(agents)), schedules=3)
    assert set(explored.witnesses) == ({"missing-fence"} if found else set())


def test_a_store_of_what_another_may_not_have_written() -> None:
    verdicts = {f.verdict for s in SEEDS for f in findings(epilogue(lambda c, n, k: together(c, n, k, meet=False)), s)}
    assert "READ BEFORE DATA" in verdicts


def test_a_write_over_what_its_own_store_still_reads() -> None:
    found = findings(epilogue(still_read, writers=1))
    assert {f.verdict for f in found} == {"WRITE AFTER READ"}
    assert "while its asynchronous read of tile 0" in found[0].cause


def test_a_producer_that_writes_without_acquiring() -> None:
    def program(acquires: bool) -> Program:
        b, p, c, full, empty = started("unacquired")
        for _ in p.tiles(TILES):
            _write_then_acquire(p, full, empty, acquires)
        for _ in c.tiles(TILES):
            c.wait(full[c.index], c.phase)
            c.read(c.index, BYTES)
            c.arrive(empty[c.index])
            c.advance()
        return b.build()

    assert findings(program(acquires=True)) == []
    assert "WRITE AFTER READ" in {f.verdict for s in SEEDS for f in findings(program(acquires=False), s)}


def _write_then_acquire(p: AgentBuilder, full: list[BarrierHandle], empty: list[BarrierHandle], acquires: bool) -> None:
    if acquires:
        p.wait(empty[p.index], p.phase)
    p.write(p.index, BYTES)
    if not acquires:
        p.wait(empty[p.index], p.phase)
    p.arrive(full[p.index])
    p.advance()


def test_a_buffer_that_is_changed_in_place() -> None:
    """A copy, which a consumer converts where it lies, and hands to wgmma."""

    def program(fence: bool) -> Program:
        b, p, c, full, empty = started("converted")
        for _ in p.tiles(TILES):
            p.wait(empty[p.index], p.phase)
            p.arrive_expect_tx(full[p.index], BYTES)
            p.copy(full[p.index], p.index, BYTES)
            p.advance()
        for _ in c.tiles(TILES):
            c.wait(full[c.index], c.phase)
            c.read(c.index, BYTES)
            c.write(c.index, BYTES)
            if fence:
                c.fence_proxy()
            multiply(c)
            c.arrive(empty[c.index])
            c.advance()
        return b.build()

    assert findings(program(fence=True)) == []
    assert {f.verdict for f in findings(program(fence=False))} == {"MISSING FENCE"}
    proof = explore_exhaustively(program(fence=True))
    assert proof.is_complete
    assert proof.is_clean
    assert set(explore_exhaustively(program(fence=False)).witnesses) == {"missing-fence"}


def fences_by_another(*, before: bool) -> Program:
    """F executes the fence for P's write and C's wgmma: on the way from one to the other, or beside it."""
    b = Builder("by another")
    full, fenced = b.barriers("full", 1, count=1), b.barrier("fenced", count=1)
    p, f, c = (b.agent(name) for name in "PFC")
    p.init_all()
    for agent in (p, f, c):
        agent.sync()
        agent.tile = 0
    p.write(0, BYTES)
    p.arrive(full[0])
    if before:
        f.wait(full[0], 0)
    f.fence_proxy()
    f.arrive(fenced)
    c.wait(full[0], 0)
    c.wait(fenced, 0)
    multiply(c)
    return b.build()


@pytest.mark.parametrize("reduce", [True, False])
def test_a_fence_of_another_agent_counts_where_it_lies_in_between(reduce: bool) -> None:
    sound, faulty = fences_by_another(before=True), fences_by_another(before=False)
    assert findings(sound) == []
    assert {f.verdict for f in findings(faulty)} == {"MISSING FENCE"}
    assert explore_exhaustively(sound, reduce=reduce).is_clean
    assert set(explore_exhaustively(faulty, reduce=reduce).witnesses) == {"missing-fence"}


def test_a_schedule_of_the_explorer_is_judged_alike() -> None:
    program = epilogue(lambda c, n, stage: together(c, n, stage, meet=False))
    found = explore(program, schedules=40)
    assert found.witnesses
    for witness in found.witnesses.values():
        report = diagnose(History(witness_trace(found, witness)), program)
        assert "READ BEFORE DATA" in {f.verdict for f in report.every}
