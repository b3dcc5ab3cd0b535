"""Groups of wgmma, named barriers by threads and arrivals by hardware in the explorer and in its witnesses."""

from __future__ import annotations

import numpy as np

from visualizer.programs.builder import Builder
from visualizer.reconstruction.violations import violations
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.replay.history import History
from visualizer.sources.explorer import explore, explore_exhaustively, witness_trace

K = EventKind


def groups_and_promises(*, stuck: bool = False) -> Builder:
    """A producer that copies by cp.async, and a warpgroup that reads in groups and frees by a named barrier."""
    b = Builder("test")
    full, never = b.barriers("full", 2, count=33), b.barrier("never", count=1)
    p, c = b.agent("P"), b.agent("C", threads=128)
    p.init_all()
    p.syncthreads()
    c.syncthreads()
    for lap in range(2):
        for stage in range(2):
            p.tile = c.tile = 2 * lap + stage
            if lap:
                p.bar_sync(1 + stage, 160)
            p.cp_async(stage, 2048)
            p.cp_async(stage, 2048)
            p.cp_async_mbarrier_arrive(full[stage], 32)
            p.cp_async_mbarrier_arrive(full[stage], 7, no_inc=False)
            p.arrive(full[stage])
            c.wait(full[stage], lap)
            c.read_async(stage, 4096)
            c.wgmma_commit()
            c.wgmma_wait()
            if not lap:
                c.bar_arrive(1 + stage, 160)
    if stuck:
        c.wait(never, 0)
    return b


def test_groups_named_barriers_and_cp_async_are_explored() -> None:
    program = groups_and_promises().build()
    found = explore_exhaustively(program)
    assert found.is_clean
    assert found.is_complete
    assert explore(program, schedules=50).clean == 50
    full = explore_exhaustively(program, reduce=False)
    assert full.is_clean
    assert found.states < full.states


def test_a_stage_that_is_read_before_its_cp_async_are_known_to_be_in_is_found() -> None:
    b = Builder("test")
    full = b.barriers("full", 1, count=1)
    p, c = b.agent("P"), b.agent("C")
    p.init_all()
    for a in (p, c):
        a.sync()
        a.tile = 0
    p.cp_async_arrive(full[0], 0, 64, no_inc=False)
    p.arrive(full[0])
    p.cp_async(0, 64)  # too late for that arrival
    p.cp_async_mbarrier_arrive(full[0])
    c.wait(full[0], 0)
    c.read(0, 64)
    for reduce in (True, False):
        assert "read-before-data" in explore_exhaustively(b.build(), reduce=reduce).witnesses


def test_a_witness_tells_of_groups_arrivals_by_hardware_and_named_barriers() -> None:
    found = explore(groups_and_promises(stuck=True).build(), schedules=3)
    trace = witness_trace(found, found.witnesses["deadlock"])
    own = {name: [K(e["kind"]) for e in trace.events if trace.agents[e["agent"]].name == name] for name in ("P", "C")}
    assert [kind for kind in own["P"] if kind in (K.CP_ASYNC_ARRIVE, K.CP_ASYNC_ARRIVE_NOINC)][:2] == [
        K.CP_ASYNC_ARRIVE_NOINC, K.CP_ASYNC_ARRIVE
    ]  # fmt: skip
    read = [K.READ_BEGIN, K.WGMMA_COMMIT, K.WGMMA_WAIT_BEGIN, K.WGMMA_WAIT_END, K.READ_END]
    assert own["C"][:8] == [K.SYNC_BEGIN, K.SYNC_END, K.WAIT_BEGIN, K.WAIT_END, *read[:4]]
    assert [kind for kind in own["C"] if kind in read] == read * 4
    assert own["C"].count(K.SYNC_ARRIVE) == 2
    assert not any(violations(trace).values())
    copies = trace.events[np.isin(trace.events["kind"], (K.COPY_ISSUE, K.COPY_DONE))]
    assert len(copies) == 16
    assert (copies["flags"] & EventFlag.BY_ARRIVAL != 0).all()
    assert History(trace).steps == len(trace)
