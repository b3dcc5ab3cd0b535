"""The operations that the lesson does not have: what each does to barriers, when its agent goes on, what it logs."""

from __future__ import annotations

import pytest
from simulated import EXACT, replay, rows

from visualizer.programs.builder import Builder
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.tables import Ending
from visualizer.recording.trace import Trace
from visualizer.replay.agent_columns import AgentActivity
from visualizer.replay.history import History
from visualizer.replay.stage_columns import StageState
from visualizer.sources.simulator.simulate import simulate

K = EventKind
CRASH = "undefined behaviour: "


def run(builder: Builder, seed: int = 0) -> Trace:
    return simulate(builder.build(), seed=seed, latencies=EXACT)


def kinds(trace: Trace, agent: str) -> list[tuple[EventKind, int]]:
    """The agent's events and their amounts, but for INIT, FENCE and EXIT."""
    row = trace.agent_index[agent]
    skipped = (K.INIT, K.FENCE, K.EXIT)
    return [(K(e["kind"]), int(e["amount"])) for e in trace.events if e["agent"] == row and e["kind"] not in skipped]


def test_a_barrier_may_be_initialised_again_after_inval_only() -> None:
    b = Builder("test")
    flag = b.barrier("flag", count=1)
    a = b.agent("A")
    a.init(flag)
    a.inval(flag)
    a.init(flag, 3)
    a.inval(flag)
    a.arrive(flag)
    trace = run(b)
    assert [K(e["kind"]) for e in trace.events] == [K.INIT, K.INVAL, K.INIT, K.INVAL]
    assert trace.meta.ending == Ending("crash", CRASH + "A on flag: arrive on a barrier that was not initialised")


def test_arrive_drop_lowers_the_later_phases() -> None:
    b = Builder("test")
    flag = b.barrier("flag", count=3)
    a = b.agent("A")
    a.init(flag)
    a.arrive_drop(flag, 2)
    a.arrive(flag)
    a.arrive(flag)
    trace = run(b)
    assert kinds(trace, "A") == [
        (K.ARRIVE_DROP, 2), (K.ARRIVE, 1), (K.PHASE_COMPLETE, 0), (K.ARRIVE, 1), (K.PHASE_COMPLETE, 1)
    ]  # fmt: skip
    state = History(trace).state_at(len(trace) - 1)
    assert (state.barrier_phase[0], state.barrier_expected[0]) == (2, 1)


def test_an_agent_may_complete_bytes_itself() -> None:
    b = Builder("test")
    flag = b.barrier("flag", count=1)
    a = b.agent("A")
    a.init(flag)
    a.arrive_expect_tx(flag, 64)
    a.complete_tx(flag, 64)
    trace = run(b)
    assert kinds(trace, "A") == [(K.ARRIVE_EXPECT_TX, 64), (K.COMPLETE_TX, 64), (K.PHASE_COMPLETE, 0)]


def test_an_arrival_that_must_not_complete_is_undefined_where_it_would() -> None:
    b = Builder("test")
    flag = b.barrier("flag", count=2)
    a = b.agent("A")
    a.init(flag)
    a.arrive(flag, no_complete=True)
    a.arrive(flag, no_complete=True)
    trace = run(b)
    assert kinds(trace, "A") == [(K.ARRIVE, 1)]
    assert trace.meta.ending == Ending("crash", CRASH + "A on flag: a noComplete arrive would complete the phase")


def cluster() -> Builder:
    return Builder("test", ctas=2)


def test_a_multicast_lands_in_every_cta_with_all_its_bytes() -> None:
    b = cluster()
    full = [b.barriers("full", 1, count=1, cta=cta)[0] for cta in range(2)]
    for cta in range(2):
        a = b.agent("A", cta=cta)
        a.init_all()
        a.cluster_sync()
        a.tile = 7
        a.arrive_expect_tx(full[cta], 4096)
        if cta == 0:
            a.copy(full[0], 0, 4096, multicast=full)
        a.wait(full[cta], 0)
    trace = run(b)
    assert trace.meta.ending == Ending("completed")
    for kind in (K.COPY_ISSUE, K.COPY_DONE):
        assert sorted((int(e["barrier"]), int(e["amount"]), int(e["tile"])) for e in rows(trace, kind)) == [
            (0, 4096, 7), (1, 4096, 7)
        ]  # fmt: skip
    first, further = rows(trace, K.COPY_ISSUE)
    assert (first["flags"], further["flags"]) == (0, EventFlag.SAME_COPY)
    assert {trace.agents[e["agent"]].name for e in rows(trace, K.COPY_DONE)} == {"CTA0.tma"}
    assert [(barrier.phase, barrier.tx) for barrier in replay(trace)] == [(1, 0), (1, 0)]


def test_a_remote_arrive_releases_the_peer_and_a_remote_wait_is_undefined() -> None:
    b = cluster()
    flags = [b.barrier("flag", count=1, cta=cta) for cta in range(2)]
    agents = [b.agent("A", cta=cta) for cta in range(2)]
    for a in agents:
        a.init_all()
        a.cluster_sync()
    agents[0].arrive(flags[1])
    agents[1].wait(flags[1], 0)
    agents[1].wait(flags[0], 1)
    trace = run(b)
    assert len(rows(trace, K.WAIT_END)) == 1
    assert trace.meta.ending.detail.startswith(
        CRASH + "CTA1.A on CTA0.flag: a wait is legal on a barrier of the own CTA"
    )


def test_an_arrival_at_a_cta_that_has_left_is_undefined() -> None:
    b = cluster()
    flags = [b.barrier("flag", count=1, cta=cta) for cta in range(2)]
    agents = [b.agent("A", cta=cta) for cta in range(2)]
    for a in agents:
        a.init_all()
        a.cluster_sync()
    agents[0].delay(5000)
    agents[0].arrive(flags[1])
    trace = run(b)
    assert trace.meta.ending == Ending("crash", CRASH + "CTA0.A on CTA1.flag: every agent of CTA 1 has left the kernel")


@pytest.mark.parametrize("no_inc", [True, False])
def test_cp_async_arrives_after_its_bytes_and_counts_for_nothing_without_noinc(no_inc: bool) -> None:
    b = Builder("test")
    (full,) = b.barriers("full", 1, count=32)
    a = b.agent("A")
    a.init_all()
    a.cp_async_arrive(full, 0, 4096, 32, no_inc=no_inc)
    a.wait(full, 0)
    trace = run(b)
    (done,) = rows(trace, K.COPY_DONE)
    (arrival,) = rows(trace, K.ARRIVE)
    assert (int(arrival["amount"]), trace.agents[arrival["agent"]].name) == (32, "tma")
    assert arrival["time"] >= done["time"]
    promise = K.CP_ASYNC_ARRIVE_NOINC if no_inc else K.CP_ASYNC_ARRIVE
    (promised,) = rows(trace, promise)
    assert (int(promised["amount"]), trace.agents[promised["agent"]].name) == (32, "A")
    pending = History(trace).barriers.curve(trace, int(promised["barrier"])).pending.tolist()
    if no_inc:
        assert trace.meta.ending == Ending("completed")
        assert pending == [32, 0, 32]
    else:
        assert "with 32 of 32 arrivals and 0 bytes missing" in trace.meta.ending.detail
        assert pending == [32, 64, 32]


def test_one_arrival_tells_of_all_cp_async_before_it() -> None:
    b = Builder("test")
    full = b.barriers("full", 2, count=1)
    a = b.agent("A")
    a.init_all()
    a.cp_async(0, 4096)
    a.cp_async(1, 4096)
    a.cp_async_mbarrier_arrive(full[1])
    a.cp_async(0, 4096)
    a.wait_group()
    a.wait(full[1], 0)
    trace = run(b)
    assert trace.meta.ending == Ending("completed")
    issued, landed = rows(trace, K.COPY_ISSUE), rows(trace, K.COPY_DONE)
    for copies in (issued, landed):
        assert [int(e["barrier"]) for e in copies] == [1, 1, -1]
        assert [bool(e["flags"] & EventFlag.BY_ARRIVAL) for e in copies] == [True, True, False]
    (arrival,) = rows(trace, K.ARRIVE)
    assert landed[1]["time"] < arrival["time"]


def test_hardware_that_arrives_after_no_cp_async_does_so_at_once() -> None:
    b = Builder("test")
    (full,) = b.barriers("full", 1, count=2)
    a = b.agent("A")
    a.init_all()
    a.cp_async_mbarrier_arrive(full)
    a.cp_async_mbarrier_arrive(full)
    a.wait(full, 0)
    assert run(b).meta.ending == Ending("completed")


@pytest.mark.parametrize(("start", "finish"), [("read_async", "retire_reads"), ("store", "wait_stores")])
def test_asynchronous_readers_end_in_order_when_they_are_waited_for(start: str, finish: str) -> None:
    b = Builder("test")
    b.barriers("full", 3, count=1)
    a = b.agent("A")
    for stage in a.tiles(3):
        getattr(a, start)(stage, 16384)
        if stage == 1:
            getattr(a, finish)(keep=1)
    getattr(a, finish)()
    getattr(a, finish)()
    trace = run(b)
    events = [(K(e["kind"]), int(e["stage"]), int(e["tile"])) for e in trace.events if e["kind"] != K.EXIT]
    assert events == [
        (K.READ_BEGIN, 0, 0), (K.READ_BEGIN, 1, 1), (K.READ_END, 0, 0), (K.READ_BEGIN, 2, 2),
        (K.READ_END, 1, 1), (K.READ_END, 2, 2),
    ]  # fmt: skip
    first, last = rows(trace, K.READ_BEGIN)[0], rows(trace, K.READ_END)[-1]
    assert last["time"] - first["time"] > 3 * (rows(trace, K.READ_BEGIN)[1]["time"] - first["time"])


def test_a_reader_that_nobody_waits_for_has_no_end() -> None:
    b = Builder("test")
    b.barriers("full", 1, count=1)
    b.agent("A").read_async(0, 64, work=1_000_000)
    trace = run(b)
    assert [K(e["kind"]) for e in trace.events] == [K.READ_BEGIN, K.EXIT]
    assert trace.meta.ending == Ending("completed")


def test_a_named_barrier_lets_as_many_pass_as_it_counts() -> None:
    b = Builder("test")
    flag = b.barrier("flag", count=1)
    first, second, other = (b.agent(name) for name in "ABC")
    first.init(flag)
    for a in (first, second):
        a.delay(100)
        a.named_sync(1, 2)
    second.arrive(flag)
    other.named_sync(2, 1)
    trace = run(b)
    assert trace.meta.ending == Ending("completed")
    assert kinds(trace, "A") == [(K.SYNC_BEGIN, 64), (K.SYNC_END, 64)]
    assert {int(e["token"]) for e in rows(trace, K.SYNC_BEGIN, agent="A")} == {1}
    last_to_come = max(int(e["time"]) for name in "AB" for e in rows(trace, K.SYNC_BEGIN, agent=name))
    assert all(e["time"] > last_to_come for name in "AB" for e in rows(trace, K.SYNC_END, agent=name))
    (arrival,) = rows(trace, K.ARRIVE)
    assert arrival["time"] >= rows(trace, K.INIT)[0]["time"] + 100_000


def test_a_named_barrier_counts_threads_and_those_that_arrive_do_not_wait() -> None:
    b = Builder("test")
    warp, group = b.agent("A"), b.agent("B", threads=128)
    warp.bar_arrive(3, 160)
    group.delay(500)
    group.bar_sync(3, 160)
    warp.syncthreads()
    group.syncthreads()
    trace = run(b)
    assert trace.meta.ending == Ending("completed")
    whole = [(K.SYNC_BEGIN, 0), (K.SYNC_END, 0)]
    assert kinds(trace, "A") == [(K.SYNC_ARRIVE, 160), *whole]
    assert kinds(trace, "B") == [(K.SYNC_BEGIN, 160), (K.SYNC_END, 160), *whole]
    assert [int(e["token"]) for e in rows(trace, K.SYNC_BEGIN, agent="B")] == [3, 0]
    assert rows(trace, K.SYNC_BEGIN, agent="A")[0]["time"] < rows(trace, K.SYNC_BEGIN, agent="B")[0]["time"]


def test_a_thread_count_that_is_not_reached_is_a_deadlock() -> None:
    b = Builder("test")
    b.agent("A").bar_sync(3, 160)
    b.agent("B").bar_sync(3, 160)
    assert run(b).meta.ending.kind == "deadlock"


@pytest.mark.parametrize("keep", [0, 1])
@pytest.mark.parametrize("what", ["wgmma", "store"])
def test_reads_end_with_the_group_that_a_wait_has_seen_done(what: str, keep: int) -> None:
    b = Builder("test")
    b.barriers("full", 3, count=1)
    a = b.agent("A")
    start = a.read_async if what == "wgmma" else a.store
    for stages in ((0, 1), (2,)):
        for stage in stages:
            start(stage, 16384)
        getattr(a, f"{what}_commit")()
    getattr(a, f"{what}_wait")(keep)
    start(0, 64)  # in no group: nobody waits for it
    getattr(a, f"{what}_wait")()
    trace = run(b)
    names = [K(e["kind"]).name.removeprefix(f"{what.upper()}_") for e in trace.events][:-1]
    reads, ends = ["READ_BEGIN", "READ_BEGIN", "COMMIT", "READ_BEGIN", "COMMIT"], ["READ_END"] * (3 - keep)
    waits = ["WAIT_BEGIN", "WAIT_END"]
    assert names == [*reads, *waits, *ends, "READ_BEGIN", *waits, *["READ_END"] * keep]
    begin = rows(trace, K[f"{what.upper()}_WAIT_BEGIN"])[0]
    assert int(begin["amount"]) == keep
    end = rows(trace, K[f"{what.upper()}_WAIT_END"])[0]
    assert all(int(e["time"]) == int(end["time"]) for e in rows(trace, K.READ_END)[: 3 - keep])
    history = History(trace)
    assert history.state_at(6 - 1).agent_activity[0] == AgentActivity.WAITING


def test_a_named_barrier_that_too_few_reach_is_a_deadlock() -> None:
    b = Builder("test")
    b.agent("A").named_sync(1, 2)
    b.agent("B").named_sync(2, 2)
    trace = run(b)
    assert trace.meta.ending == Ending(
        "deadlock", "A, B wait at __syncthreads or a named barrier, which not every agent that it counts reaches"
    )


def test_a_copy_completes_on_one_stage_s_barrier_and_fills_another() -> None:
    b = Builder("test")
    full = b.barriers("full", 2, count=1)
    a = b.agent("A")
    a.init_all()
    a.arrive_expect_tx(full[0], 64)
    a.copy(full[0], 1, 64, pieces=[64])
    a.wait(full[0], 0)
    trace = run(b)
    assert [int(e["stage"]) for kind in (K.COPY_ISSUE, K.COPY_DONE) for e in rows(trace, kind)] == [1, 1]
    assert [int(e["amount"]) for e in rows(trace, K.COMPLETE_TX)] == [64]
    issue = next(step for step, e in enumerate(trace.events) if e["kind"] == K.COPY_ISSUE)
    assert list(History(trace).state_at(issue).stage_state) == [StageState.EMPTY, StageState.FILLING]


def test_a_try_of_a_wait_is_one_test_and_the_agent_goes_on() -> None:
    b = Builder("test")
    flag = b.barrier("flag", count=1)
    a = b.agent("A")
    a.init(flag)
    a.try_wait(flag, 0)
    a.arrive(flag)
    a.try_wait(flag, 0)
    a.wait(flag, 0)
    trace = run(b)
    assert kinds(trace, "A") == [
        (K.TEST_FAILED, 0), (K.ARRIVE, 1), (K.PHASE_COMPLETE, 0),
        (K.WAIT_BEGIN, 0), (K.WAIT_END, 0), (K.WAIT_BEGIN, 0), (K.WAIT_END, 0),
    ]  # fmt: skip
    assert [int(e["parity"]) for e in rows(trace, K.TEST_FAILED)] == [0]
    assert not any(e["flags"] & EventFlag.BLOCKED for e in rows(trace, K.WAIT_END))


def test_a_try_is_undefined_where_a_wait_is() -> None:
    b = Builder("test")
    b.agent("A").try_wait(b.barrier("flag", count=1), 0)
    assert run(b).meta.ending.kind == "crash"


def test_an_agent_writes_a_stage_itself() -> None:
    b = Builder("test")
    b.barriers("out", 2, count=1)
    a = b.agent("A")
    a.tile = 3
    a.write(1, 4096)
    a.fence_proxy()
    a.store(1, 4096)
    a.wait_stores()
    trace = run(b)
    assert kinds(trace, "A") == [(K.WRITE, 4096), (K.PROXY_FENCE, 0), (K.READ_BEGIN, 0), (K.READ_END, 0)]
    (written,) = rows(trace, K.WRITE)
    assert (written["stage"], written["tile"], written["barrier"]) == (1, 3, -1)


def test_the_cluster_s_barrier_leaves_events_and_syncthreads_none() -> None:
    b = cluster()
    agents = [b.agent("A", cta=cta) for cta in range(2)]
    agents[1].delay(100)  # more than CTAs start apart
    for a in agents:
        a.cluster_sync()
        a.sync()
    trace = run(b)
    for name in ("CTA0.A", "CTA1.A"):
        assert kinds(trace, name) == [(K.CLUSTER_ARRIVE, 0), (K.CLUSTER_WAIT_BEGIN, 0), (K.CLUSTER_WAIT_END, 0)]
    passed = rows(trace, K.CLUSTER_WAIT_END)
    assert min(int(e["time"]) for e in passed) > max(int(e["time"]) for e in rows(trace, K.CLUSTER_ARRIVE)) >= 90_000
