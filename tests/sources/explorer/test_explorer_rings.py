"""Rings in the explorer: no false finding, the true one in the right ring, and the reduction loses nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import numpy as np
from hypothesis import given, settings
from test_explorer_reduction import compare
from two_rings import TwoRings, two_rings

from visualizer.programs.accesses import Read, Write
from visualizer.programs.builder import Builder
from visualizer.programs.mutations import without
from visualizer.programs.operations import Arrive, Inval, Operation, TryWait, Wait
from visualizer.programs.program import Program, ProgramAgent
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.replay.history import History
from visualizer.sources.explorer import explore, explore_exhaustively, witness_trace

K = EventKind


@settings(max_examples=30, deadline=None)
@given(kind=two_rings)
def test_a_sound_pipeline_of_two_rings_is_clean_in_every_schedule(kind: TwoRings) -> None:
    found = explore(kind.program(), schedules=10)
    assert found.clean == 10, found.witnesses
    all_of_it = explore_exhaustively(replace(kind, tiles=min(kind.tiles, 4)).program())
    assert all_of_it.is_complete
    assert all_of_it.is_clean


def without_v_acquire(program: Program) -> Program:
    """The producer fills V's stages without waiting until they are empty."""
    empty = {row for row, barrier in enumerate(program.barriers) if barrier.name.startswith("v_empty")}
    return without(program, ["P"], lambda op: isinstance(op, Wait) and op.barrier in empty)


def test_a_race_in_one_ring_is_found_there_and_its_witness_knows_the_ring() -> None:
    for writes in (False, True):
        program = without_v_acquire(TwoRings(k_stages=3, v_stages=2, tiles=3, consumers=1, writes=writes).program())
        found = explore_exhaustively(program)
        assert found.is_complete
        assert "write-after-read" in found.witnesses
        trace = witness_trace(found, found.witnesses["write-after-read"])
        assert trace.rings == ("k", "v")
        until = trace.events[: trace.meta.source["step"] + 1]
        shown = until[until["kind"] == (K.WRITE if writes else K.COPY_ISSUE)][-1]
        assert trace.rings[shown["ring"]] == "v"
        at = (until["ring"] == shown["ring"]) & (until["stage"] == shown["stage"])
        assert np.sum(at & (until["kind"] == K.READ_BEGIN)) == np.sum(at & (until["kind"] == K.READ_END)) + 1
        sizes = np.array([3, 2])
        assert (trace.events["stage"] < sizes[trace.events["ring"]]).all()
        assert {agent.name: dict(agent.more_starts).keys() for agent in trace.agents}["C0"] == {"v"}


def broken(count: int) -> Iterator[Program]:
    """Small programs of two rings with one or two operations dropped, doubled, or replaced by a rarer one."""
    for seed in range(count):
        random = Random(seed)
        kind = TwoRings(
            k_stages=random.choice((1, 2)),
            v_stages=1,
            tiles=2,
            consumers=1,
            tries=random.random() < 0.3,
            writes=random.random() < 0.6,
        )
        program = kind.program()
        for _ in range(random.choice((1, 2))):
            agents = list(program.agents)
            at = random.randrange(len(agents))
            operations = list(agents[at].operations)
            where = random.randrange(len(operations))
            operations[where : where + 1] = changed(operations[where], random)
            agents[at] = ProgramAgent(agents[at].agent, tuple(operations))
            program = replace(program, agents=tuple(agents))
        yield program


def changed(operation: Operation, random: Random) -> list[Operation]:
    if isinstance(operation, Wait) and random.random() < 0.5:
        return [TryWait(operation.barrier, operation.parity, operation.tile)]
    if isinstance(operation, Read | Write) and random.random() < 0.5:
        return [Write(operation.stage, operation.bytes, operation.tile, ring=1 - operation.ring)]
    if isinstance(operation, Arrive) and random.random() < 0.3:
        return [operation, Inval(operation.barrier)]
    return random.choice(([], [operation, operation]))


def test_the_reduced_search_agrees_with_the_full_one_on_broken_programs() -> None:
    compared, bad, reduced, full = compare(broken(150))
    assert compared > 100
    assert 40 < bad < compared
    assert reduced < full / 2


def test_a_witness_tells_of_tries_writes_syncs_and_multicasts() -> None:
    b = Builder("test", ctas=2)
    full = [b.barriers("full", 1, count=1, cta=cta)[0] for cta in range(2)]
    for cta in range(2):
        a = b.agent("A", cta=cta)
        a.init_all()
        a.cluster_sync()
        a.named_sync(3, 1)
        a.try_wait(full[cta], 0)
        a.try_wait(full[cta], 1)
        a.arrive_expect_tx(full[cta], 4096)
        if cta == 0:
            a.copy(full[0], 0, 4096, multicast=full)
        a.wait(full[cta], 0)
        a.cluster_sync()
        a.write(0, 64)
        a.fence_proxy()
        a.wait(full[cta], 1)
    found = explore(b.build(), schedules=5)
    trace = witness_trace(found, found.witnesses["deadlock"])
    row = trace.agent_index["CTA0.A"]
    own = [K(e["kind"]) for e in trace.events if e["agent"] == row and e["kind"] not in (K.INIT, K.FENCE)]
    meeting = [K.CLUSTER_ARRIVE, K.CLUSTER_WAIT_BEGIN, K.CLUSTER_WAIT_END]
    assert own == [
        *meeting, K.SYNC_BEGIN, K.SYNC_END, K.TEST_FAILED, K.WAIT_BEGIN, K.WAIT_END, K.ARRIVE_EXPECT_TX,
        K.COPY_ISSUE, K.COPY_ISSUE, K.WAIT_BEGIN, K.WAIT_END, *meeting, K.WRITE, K.PROXY_FENCE, K.WAIT_BEGIN,
    ]  # fmt: skip
    issued = trace.events[trace.events["kind"] == K.COPY_ISSUE]
    assert (issued["flags"] & EventFlag.SAME_COPY != 0).tolist() == [False, True]
    synced = trace.events[trace.events["kind"] == K.SYNC_BEGIN]
    assert set(zip(synced["token"].tolist(), synced["amount"].tolist(), strict=True)) == {(3, 32)}
    assert History(trace).steps == len(trace)


def test_a_try_on_a_barrier_that_is_not_initialised_is_undefined() -> None:
    b = Builder("test")
    flag = b.barrier("flag", count=1)
    b.agent("A").init(flag)
    b.agent("B").try_wait(flag, 1)
    found = explore_exhaustively(b.build())
    assert (found.other, found.clean) == (1, 1)
    assert set(found.rules) == {"invalid-object"}
