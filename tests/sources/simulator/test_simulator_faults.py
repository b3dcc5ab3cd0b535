"""The simulator where programs go wrong: deadlocks named, undefined behaviour as an ending, and the exact wait rule."""

from __future__ import annotations

import pytest
from simulated import EXACT, kinds_of, replay, rows, run

from visualizer.programs.meetings import BarSync, Sync
from visualizer.programs.operations import Arrive, Exit, ExpectTx, Init, Operation, Wait
from visualizer.programs.program import Program, ProgramAgent
from visualizer.recording.schema import EventKind
from visualizer.recording.tables import Agent, Barrier, Ending
from visualizer.recording.trace import Trace
from visualizer.sources.simulator.latency import Latencies
from visualizer.sources.simulator.simulate import simulate

K = EventKind
SEEDS = range(5)


def simulate_warps(*warps: tuple[Operation, ...], count: int = 1, latencies: Latencies = EXACT) -> Trace:
    """A program of one barrier, `flag`, and the given operations per warp."""
    agents = tuple(ProgramAgent(Agent(f"w{w}", "other", 0, w), operations) for w, operations in enumerate(warps))
    return simulate(
        Program("test", {}, agents, (), (Barrier("flag", 0, "other", -1, count, 0),), ()), latencies=latencies
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_a_producer_starting_in_phase_0_deadlocks_before_it_issues_anything(seed: int) -> None:
    trace = run(seed, producer_phase=0)
    assert trace.meta.ending == Ending(
        "deadlock",
        "producer waits on empty[0] with parity 0, but the barrier stays in phase #0 (parity 0) with 96 of 96"
        " arrivals and 0 bytes missing: nothing that could complete it is left to happen",
    )
    assert not rows(trace, K.COPY_ISSUE)
    assert not rows(trace, K.EXIT)
    for agent in ("producer", "consumer.w1", "consumer.w2", "consumer.w3"):
        assert kinds_of(trace, agent)[-1] == K.WAIT_BEGIN, "who is blocked has a wait without an end"


@pytest.mark.parametrize("seed", SEEDS)
def test_counting_32_producers_while_one_lane_arrives_deadlocks_with_31_missing(seed: int) -> None:
    trace = run(seed, producer_arrivals=32)
    assert trace.meta.ending.kind == "deadlock"
    assert trace.meta.ending.detail.startswith(
        "consumer.w1 waits on full[0] with parity 0, but the barrier stays in phase #0 (parity 0) with 31 of 32"
        " arrivals and 0 bytes missing"
    )
    barriers = replay(trace)
    assert [(b.phase, b.pending, b.tx) for b in barriers[:3]] == [(0, 31, 0)] * 3
    assert len(rows(trace, K.COPY_DONE)) == 3, "every stage is filled, and nobody learns of it"


def test_expecting_more_bytes_than_come_deadlocks_with_the_rest_outstanding() -> None:
    trace = run(transaction_bytes=16384 + 64)
    assert trace.meta.ending.kind == "deadlock"
    assert "0 of 1 arrivals and 64 bytes missing" in trace.meta.ending.detail
    assert not rows(trace, K.PHASE_COMPLETE)


def test_expecting_fewer_bytes_than_come_releases_nobody_at_the_right_time() -> None:
    for seed in SEEDS:
        trace = run(seed, transaction_bytes=8192 - 64)
        assert trace.meta.ending.kind == "deadlock", "no step of a copy brings the count to exactly 0"
        assert "0 of 1 arrivals and -8256 bytes missing" in trace.meta.ending.detail


def test_expecting_one_consumer_too_many_leaves_1_missing_on_every_empty_barrier() -> None:
    trace = run(consumer_arrivals=97)
    assert trace.meta.ending.kind == "deadlock"
    assert trace.meta.ending.detail.startswith("producer waits on empty[0] with parity 0")
    assert "in phase #0 (parity 0) with 1 of 97 arrivals and 0 bytes missing" in trace.meta.ending.detail
    assert [b.pending for b in replay(trace)[3:]] == [1, 1, 1]


def test_a_hang_in_the_tail_names_the_producer_and_not_who_waited_before_and_left() -> None:
    trace = run(consumer_arrivals=97, tiles=3)
    assert trace.meta.ending.detail.startswith("producer waits on empty[0] with parity 0")
    assert [trace.agents[e["agent"]].name for e in rows(trace, K.EXIT)].count("producer") == 0
    assert len(rows(trace, K.EXIT)) == 3


def test_acquiring_a_stage_whose_copy_is_in_flight_is_undefined() -> None:
    trace = run(consumer_phase=1, latencies=Latencies(copy_latency=5000))
    assert trace.meta.ending == Ending(
        "crash", "undefined behaviour: producer on full[0]: arrive(1) while only 0 of 1 arrivals are missing"
    )
    assert replay(trace)[0].pending == 0, "the events up to it are kept, and are legal"


def test_a_warps_lanes_arrive_one_by_one_across_a_phase() -> None:
    trace = simulate_warps((Init(0, 48), Arrive(0, 32), Arrive(0, 32), Exit()), count=48)
    assert trace.meta.ending == Ending("completed")
    kinds = [(EventKind(e["kind"]), int(e["amount"])) for e in trace.events[1:5]]
    assert kinds == [(K.ARRIVE, 32), (K.ARRIVE, 16), (K.PHASE_COMPLETE, 0), (K.ARRIVE, 16)]
    (barrier,) = replay(trace)
    assert (barrier.phase, barrier.pending) == (1, 32)


def test_no_arrive_completes_more_phases_than_a_cta_has_lanes() -> None:
    trace = simulate_warps((Init(0, 1), Arrive(0, 2**20 - 1), Exit()))
    assert trace.meta.ending.kind == "crash"
    assert "while only 1 of 1 arrivals are missing" in trace.meta.ending.detail
    assert len(rows(trace, K.PHASE_COMPLETE)) == 1024


@pytest.mark.parametrize(("arrivals", "ending"), [(1, "completed"), (2, "deadlock"), (3, "completed")])
def test_a_wait_that_misses_a_phase_goes_on_waiting(arrivals: int, ending: str) -> None:
    """After two flips within one wake-up the parity is what it was, so the waiter must not pass."""
    hurried = (Init(0, 1), Sync(), Wait(0, 1), *[Arrive(0)] * arrivals, Exit())
    trace = simulate_warps(hurried, (Sync(), Wait(0, 0), Exit()), latencies=Latencies(jitter=0, wake_up=1000))
    assert len(rows(trace, K.PHASE_COMPLETE)) == arrivals
    assert trace.meta.ending.kind == ending
    if ending == "deadlock":
        assert trace.meta.ending.detail.startswith("w1 waits on flag with parity 0, but the barrier stays in phase #2")
    replay(trace)


def test_expect_tx_alone_is_no_arrival_and_keeps_the_phase_open() -> None:
    trace = simulate_warps((Init(0, 1), ExpectTx(0, 64), Arrive(0), Wait(0, 0), Exit()))
    assert trace.meta.ending.kind == "deadlock"
    assert "with 0 of 1 arrivals and 64 bytes missing" in trace.meta.ending.detail
    replay(trace)


@pytest.mark.parametrize(("operation", "word"), [(Arrive(0), "arrive"), (Wait(0, 0), "test_wait")])
def test_using_a_barrier_before_init_is_undefined(operation: Operation, word: str) -> None:
    trace = simulate_warps((operation, Exit()))
    assert trace.meta.ending == Ending(
        "crash", f"undefined behaviour: w0 on flag: {word} on a barrier that was not initialised"
    )
    assert not rows(trace, K.EXIT)


def test_a_sync_that_one_agent_never_reaches_is_a_deadlock() -> None:
    trace = simulate_warps((Init(0, 1), Sync(), Sync(), Exit()), (Sync(), Wait(0, 0), Exit()))
    assert trace.meta.ending.kind == "deadlock"
    assert not rows(trace, K.EXIT)


def test_who_has_left_is_waited_for_nowhere() -> None:
    for sync in (Sync(), Sync(cluster=True), BarSync()):
        trace = simulate_warps((Init(0, 1), sync, sync, Exit()), (sync, Exit()))
        assert trace.meta.ending == Ending("completed")
