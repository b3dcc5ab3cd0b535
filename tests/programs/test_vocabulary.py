"""The operations beyond one ring of mbarriers, each in a small program: simulated, explored and told of alike."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.explanations.explain import explain
from visualizer.programs.agent_builder import AgentBuilder, BarrierHandle
from visualizer.programs.builder import Builder
from visualizer.programs.errors import ProgramError
from visualizer.programs.program import Program
from visualizer.recording.schema import SYNCWARP, EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.explorer import explore_exhaustively, witness_trace
from visualizer.sources.simulator.latency import Latencies
from visualizer.sources.simulator.simulate import simulate

WILD = Latencies(jitter=0.95)


def runs(program: Program) -> list[Trace]:
    return [simulate(program, seed=seed, latencies=WILD) for seed in range(4)]


def assert_sound(program: Program) -> None:
    for trace in runs(program):
        assert trace.meta.ending.kind == "completed"
        for given in (program, None):
            assert not diagnose(History(trace), given).findings
    found = explore_exhaustively(program)
    assert found.is_complete
    assert found.is_clean


def assert_stuck(program: Program) -> None:
    for trace in runs(program):
        assert trace.meta.ending.kind == "deadlock"
    found = explore_exhaustively(program)
    assert found.is_complete
    assert (found.clean, found.deadlock) == (0, found.schedules)
    witness = witness_trace(found, found.witnesses["deadlock"])
    assert witness.meta.ending.kind == "deadlock"


def kinds(trace: Trace) -> list[EventKind]:
    return [EventKind(kind) for kind in trace.events["kind"]]


def lanes(*, sync: bool, count: int = 1) -> Program:
    """Lanes 1..31 write what lane 0 then stores; only lane 0 arrives."""
    b = Builder("lanes")
    (full,) = b.barriers("full", 1, count=count)
    writer = b.agent("w0.rest", role="producer", warp=0, threads=31)
    leader = b.agent("w0.lane0", role="producer", warp=0, threads=1)
    reader = b.agent("reader", role="consumer", warp=1)
    leader.init_all()
    for agent in (leader, writer, reader):
        agent.sync()
    writer.write(0, 64)
    if sync:
        writer.syncwarp()
        leader.syncwarp()
    leader.arrive(full)
    reader.wait(full, 0)
    reader.read(0, 64)
    return b.build()


def test_lanes_of_a_warp_meet_at_syncwarp() -> None:
    assert_sound(lanes(sync=True))
    trace = simulate(lanes(sync=True))
    syncs = trace.events[trace.events["kind"] == EventKind.SYNC_BEGIN]
    assert syncs["token"].tolist() == [SYNCWARP, SYNCWARP]
    assert [agent.warp for agent in trace.agents[:3]] == [0, 0, 1]
    assert "other lanes of its warp" in explain(History(trace), kinds(trace).index(EventKind.SYNC_BEGIN))


def test_without_it_one_lane_s_arrival_says_nothing_of_the_others() -> None:
    found = explore_exhaustively(lanes(sync=False))
    assert found.races["read-before-data"]


def registers(first: int, second: int) -> Program:
    b = Builder("registers", registers=168)
    p = b.agent("producer", warpgroup=0, threads=128)
    p.setmaxnreg_dec(first)
    for n in range(2):
        b.agent(f"consumer{n}", warpgroup=n + 1, threads=128).setmaxnreg_inc(second)
    return b.build()


def test_who_asks_for_registers_waits_until_others_gave_as_many() -> None:
    assert_sound(registers(40, 232))
    assert_stuck(registers(48, 240))
    trace = simulate(registers(40, 232))
    ending = simulate(registers(48, 240)).meta.ending.detail
    assert "waits for 9216 registers (setmaxnreg.inc), and its CTA has 6144: left by others 15360, taken 9216" in ending
    found = explore_exhaustively(registers(48, 240))
    assert found.witnesses["deadlock"].detail.endswith(" for registers")
    order = [kind for kind in kinds(trace) if kind in (EventKind.SETMAXNREG_DEC, EventKind.SETMAXNREG_INC_END)]
    assert order == [EventKind.SETMAXNREG_DEC, EventKind.SETMAXNREG_INC_END, EventKind.SETMAXNREG_INC_END]
    assert "asks for 232 registers" in explain(History(trace), kinds(trace).index(EventKind.SETMAXNREG_INC_BEGIN))


def test_two_who_ask_for_what_is_there_for_one() -> None:
    """Which of them gets it, the schedule decides; the other waits for ever."""
    b = Builder("one", registers=64)
    b.agent("p").setmaxnreg_dec(24)
    for n in range(2):
        b.agent(f"c{n}").setmaxnreg_inc(104)
    assert_stuck(b.build())
    found = explore_exhaustively(b.build())
    assert {blocked[0][0] for blocked in found.blocked} == {"c0", "c1"}


def clusters(*, all_come: bool) -> Program:
    b = Builder("clusters", ctas=4, cluster=2)
    for cta in range(4):
        agent = b.agent("w", cta=cta)
        if cta != 3 or all_come:
            agent.cluster_sync()
        if cta == 3 and not all_come:
            flag = b.barrier("flag", count=1, cta=cta)
            agent.init(flag)
            agent.wait(flag, 0)
    return b.build()


def test_a_cluster_s_barrier_is_that_of_its_ctas() -> None:
    assert_sound(clusters(all_come=True))
    trace = simulate(clusters(all_come=False))
    passed = trace.events["agent"][trace.events["kind"] == EventKind.CLUSTER_WAIT_END]
    assert {trace.agents[agent].cta for agent in passed} == {0, 1}
    assert_stuck(clusters(all_come=False))


@pytest.mark.parametrize("sync", ["sync", "syncthreads", "cluster_sync"])
def test_who_has_left_is_not_waited_for(sync: str) -> None:
    b = Builder("leaves")
    stays, leaves = b.agent("stays"), b.agent("leaves")
    for agent in (stays, leaves):
        getattr(agent, sync)()
    getattr(stays, sync)()
    assert_sound(b.build())


def test_sync_and_syncthreads_are_one_barrier() -> None:
    b = Builder("one")
    for name, method in (("a", "sync"), ("b", "syncthreads")):
        getattr(b.agent(name), method)()
    assert_sound(b.build())


def pieces(sizes: tuple[int, ...]) -> Program:
    """The barrier expects 4096 bytes of 6144: as F15, unless the pieces come out even."""
    b = Builder("pieces")
    (full,) = b.barriers("full", 1, count=1)
    p = b.agent("p", role="producer")
    p.init_all()
    p.arrive_expect_tx(full, 4096)
    p.copy(full, 0, 6144, pieces=sizes)
    p.wait(full, 0)
    return b.build()


def test_bytes_complete_in_the_pieces_that_are_given() -> None:
    assert [trace.meta.ending.kind for trace in runs(pieces((2048, 2048, 2048)))] == ["completed"] * 4
    assert not explore_exhaustively(pieces((4096, 2048))).deadlock
    assert_stuck(pieces((6144,)))
    assert_stuck(pieces((1024, 5120)))
    trace = simulate(pieces((2048, 4096)))
    assert trace.events["amount"][trace.events["kind"] == EventKind.COMPLETE_TX].tolist() == [2048, 4096]


def test_a_read_takes_the_time_that_is_given() -> None:
    b = Builder("time")
    b.barriers("full", 1, count=1)
    c = b.agent("c", role="consumer")
    c.init_all()
    c.read(0, 1 << 16, ns=700, work=50)
    events = simulate(b.build(), latencies=WILD).events
    begin, end = (events["time"][events["kind"] == kind][0] for kind in (EventKind.READ_BEGIN, EventKind.READ_END))
    assert round((end - begin) / 1000) == 750


def blackwell(change: Callable[[AgentBuilder, BarrierHandle, BarrierHandle], None]) -> Program:
    """Two CTAs work as a pair: each loads its half, both halves' bytes come on the leader's barrier."""
    b = Builder("pair", ctas=2)
    full = [b.barriers("full", 1, count=1, cta=cta) for cta in range(2)]
    empty = [b.barriers("empty", 1, count=1, cta=cta) for cta in range(2)]
    producers = [b.agent("producer", role="producer", cta=cta, stages=1, phase=1) for cta in range(2)]
    mma = b.agent("mma", role="mma", cta=0, stages=1)
    for agent in (*producers, mma):
        if agent is not mma:
            agent.init_all()
        agent.cluster_sync()
    for cta, p in enumerate(producers):
        for _ in p.tiles(2):
            p.wait(empty[cta][0], p.phase)
            if cta == 0:
                p.arrive_expect_tx(full[0][0], 8192)
            p.copy(full[0][0], 0, 4096)
            p.advance()
        p.wait(empty[cta][0], p.phase)  # tail
    for _ in mma.tiles(2):
        mma.wait(full[0][0], mma.phase)
        mma.mma(0, 4096)
        change(mma, empty[0][0], empty[1][0])
        mma.advance()
    for agent in (*producers, mma):
        agent.cluster_sync()
    return b.build()


def test_a_pair_s_bytes_and_a_commit_to_both() -> None:
    assert_sound(blackwell(lambda mma, own, peer: mma.commit(own, peer)))
    assert_stuck(blackwell(lambda mma, own, peer: mma.commit(own)))


def test_a_stage_that_is_released_before_the_tensor_core_has_read_it() -> None:
    def early(mma: AgentBuilder, own: BarrierHandle, peer: BarrierHandle) -> None:
        mma.arrive(own)
        mma.arrive(peer)

    assert explore_exhaustively(blackwell(early)).races["write-after-read"]


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda b: b.agent("x", warp=0, threads=32), "warp 0 has 32 lanes, of which 32 are agents already"),
        (lambda b: b.agent("x", warp=32), "warp is 32; it must be 0..31"),
        (lambda b: Builder("y", ctas=3, cluster=2), "3 CTAs are no whole number of clusters of 2"),
        (lambda b: b.agent("x").setmaxnreg_inc(24), "how many registers a thread has at first is not told"),
        (lambda b: Builder("y", registers=168).agent("x").setmaxnreg_inc(40), "registers is 40; it must be 168..256"),
        (lambda b: Builder("y", registers=168).agent("x").setmaxnreg_dec(44), "setmaxnreg takes multiples of 8"),
        (lambda b: b.agent("x").commit(), "commit needs a barrier to arrive on"),
        (lambda b: (b.agent("x").mma(0, 1), b.agent("z").mma(0, 1)), "z hands work to the tensor core, as x does"),
        (lambda b: b.agent("x").copy(b.barrier("q", count=1), 0, 8, pieces=[4]), "the pieces are 4 bytes together"),
    ],
)
def test_what_cannot_be_is_refused(make: Callable[[Builder], object], why: str) -> None:
    b = Builder("x")
    b.agent("first")
    with pytest.raises(ProgramError, match=why):
        make(b)


def test_nobody_reaches_into_another_cluster() -> None:
    b = Builder("x", ctas=4, cluster=2)
    far = b.barrier("far", count=1, cta=2)
    with pytest.raises(ProgramError, match=r"CTA2\.far is of another cluster, which nobody reaches"):
        b.agent("a").arrive(far)
