"""An undefined operation is told with who did it, on which barrier, its own line, and who had arrived: in a run and in
an explored schedule alike."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ring_programs import BYTES, SEEDS, Barriers, is_sound, ring

from visualizer.diagnosis.diagnose import diagnose
from visualizer.programs.agent_builder import AgentBuilder
from visualizer.programs.operations import ArriveExpectTx
from visualizer.replay.history import History
from visualizer.sources.explorer import explore, witness_trace
from visualizer.sources.simulator.simulate import simulate


def armed_twice(p: AgentBuilder, tile: int, full: Barriers, empty: Barriers) -> None:
    p.wait(empty[p.index], p.phase)
    p.arrive_expect_tx(full[p.index], BYTES // 2)
    p.arrive_expect_tx(full[p.index], BYTES // 2)
    p.copy(full[p.index], p.index, BYTES)
    p.advance()


@pytest.mark.parametrize("tile", [0, 1, 3])
def test_an_arrival_too_many_is_told_with_its_own_line(tile: int) -> None:
    program = ring(change={("P", tile): armed_twice})
    operations = next(a.operations for a in program.agents if a.agent.name == "P")
    twice = [o for o in operations if isinstance(o, ArriveExpectTx) and o.tile == tile][1]
    found = explore(program, schedules=20)
    runs = [History(simulate(program, seed=seed)) for seed in SEEDS]
    runs.append(History(witness_trace(found, found.witnesses["over-arrival"])))
    for run in runs:
        finding = diagnose(run, program).findings[0]
        assert (finding.verdict, finding.agent, finding.barrier) == ("OVER-ARRIVAL", "P", f"full[{tile % 2}]")
        assert finding.site is not None
        assert finding.site.line == program.sites[twice.site].line
        assert [(a.agent, a.arrivals) for a in finding.arrived] == [("P", 1)]
        alone = diagnose(run).findings[0]
        assert (alone.verdict, alone.agent, alone.site) == ("OVER-ARRIVAL", "P", None), "its line is in no event"


def test_a_crash_on_a_barrier_that_no_table_has_is_told_all_the_same() -> None:
    trace = simulate(ring(change={("P", 0): armed_twice}))
    barriers = [replace(barrier, name=f"0x{row * 8:x}") for row, barrier in enumerate(trace.barriers)]
    finding = diagnose(History(replace(trace, barriers=barriers))).findings[0]
    assert (finding.verdict, finding.agent, finding.barrier) == ("OVER-ARRIVAL", "P", None)
    assert "are missing" in finding.cause
    of_before = replace(trace.meta.ending, detail=trace.meta.ending.detail.replace("are missing", "are pending"))
    old = replace(trace, meta=replace(trace.meta, ending=of_before))
    assert diagnose(History(old)).findings[0].verdict == "OVER-ARRIVAL"


def test_two_arrivals_that_are_counted_are_sound() -> None:
    plain = {("P", tile): armed_twice for tile in range(6)}
    assert is_sound(ring(full_count=2, change=plain))
