"""The kernel that a GPU's cp.async arrivals are recorded of: compiled, its operations found; and its program runs."""

from __future__ import annotations

import pytest
from assembler import for_any_ptxas, needs_ptxas
from cp_async_ring import SOURCE, STAGES, TILES, done_on_barriers, program
from nvrtc import compile_kernel

from visualizer.diagnosis.diagnose import diagnose
from visualizer.recording.schema import EventKind as E
from visualizer.replay.history import History
from visualizer.sources.attach.log_format import Keep
from visualizer.sources.attach.ptx.twin import instrument
from visualizer.sources.attach.ptxas import assemble
from visualizer.sources.simulator.simulate import simulate


@needs_ptxas
@pytest.mark.parametrize("no_inc", [True, False], ids=["noinc", "without noinc"])
def test_attach_records_its_arrivals(no_inc: bool) -> None:
    text = for_any_ptxas(compile_kernel(str(SOURCE), "-lineinfo", f"-DNO_INC={int(no_inc)}"))
    result = instrument(text, "cp_async_ring", "barriers", Keep.FIRST)
    kinds = {kind for site in result.sites for kind in site.form.kinds}
    assert (E.CP_ASYNC_ARRIVE_NOINC if no_inc else E.CP_ASYNC_ARRIVE) in kinds
    assert assemble(result.ptx, "sm_90a").spilled == 0


@pytest.mark.parametrize("no_inc", [True, False], ids=["noinc", "without noinc"])
def test_its_program_runs_to_its_end(no_inc: bool) -> None:
    trace = simulate(program(no_inc))
    assert trace.meta.ending.kind == "completed"
    assert diagnose(History(trace)).findings == ()
    producer, consumer, completed = done_on_barriers(trace)
    arrivals = [event for event in producer if event[0] in (E.CP_ASYNC_ARRIVE, E.CP_ASYNC_ARRIVE_NOINC)]
    assert [place for _, place, _, _ in arrivals] == [tile % STAGES for tile in range(TILES)]
    assert {amount for *_, amount in arrivals} == {32}
    assert len([event for event in consumer if event[0] is E.ARRIVE]) == TILES
    assert len(completed) == 2 * TILES
