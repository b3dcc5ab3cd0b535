"""What is said of __syncthreads, named barriers, groups and arrivals that are left to the hardware."""

from __future__ import annotations

from visualizer.diagnosis.explanations.explain import explain
from visualizer.programs.builder import Builder
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate


def sentences() -> dict[str, str]:
    """The first sentence about each kind of event of agent A."""
    b = Builder("test")
    (full,) = b.barriers("full", 1, count=2)
    a = b.agent("A", threads=64)
    a.init_all()
    a.syncthreads()
    a.bar_sync(2, 64)
    a.tile = 0
    a.cp_async(0, 512)
    a.cp_async_mbarrier_arrive(full, 32, no_inc=False)
    a.cp_async_mbarrier_arrive(full, 1)
    a.arrive(full)
    a.wait(full, 0)
    a.read_async(0, 512)
    a.wgmma_commit()
    a.wgmma_wait(1)
    history = History(simulate(b.build()))
    agent = history.trace.agent_index["A"]
    found: dict[str, str] = {}
    for step in range(history.steps):
        if history.trace.events["agent"][step] == agent:
            found.setdefault(EventKind(history.kinds[step]).name, explain(history, step))
    return found


def test_each_is_told_by_its_instruction() -> None:
    told = sentences()
    assert told["SYNC_BEGIN"] == "A waits at __syncthreads (bar.sync 0) for every thread of the CTA."
    assert told["SYNC_END"] == "A passes __syncthreads: every thread of the CTA has come."
    assert told["COPY_ISSUE"].startswith(
        "A issues a copy of tile 0 into stage 0 by cp.async: 512 bytes, of which an arrival on full[0] will tell"
        " (cp.async.mbarrier.arrive). It lands at step "
    )
    assert told["CP_ASYNC_ARRIVE"] == (
        "A leaves 32 arrivals on full[0] to the hardware, once its cp.async so far are done"
        " (cp.async.mbarrier.arrive): pending goes up by as many first, 2 -> 34, so that together they"
        " count for nothing."
    )
    assert told["CP_ASYNC_ARRIVE_NOINC"] == (
        "A leaves 1 arrival on full[0] to the hardware, once its cp.async so far are done"
        " (cp.async.mbarrier.arrive.noinc): it counts towards what the phase takes."
    )
    assert "arrived 33 -> 34 of 34" in told["ARRIVE"]
    assert "of 34" in told["ARRIVE"]  # what the phase takes by now
    assert "wgmma.commit_group" in told["WGMMA_COMMIT"]
    assert told["WGMMA_WAIT_BEGIN"] == "A waits until at most 1 of its wgmma groups is under way (wgmma.wait_group)."
