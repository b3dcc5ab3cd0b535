"""Runs a program without a GPU: exact barrier semantics, estimated durations, and a Trace like any other source's.

A discrete-event loop over agents and copies in flight. What may happen is decided by semantics.Mbarrier alone; the
latency model and the seed only decide when, so every schedule it produces is one that the hardware is allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from random import Random

from visualizer import __version__
from visualizer.programs.accesses import (
    ProxyFence,
    Read,
    ReadAsync,
    RetireReads,
    Store,
    StoreCommit,
    StoreWait,
    WaitStores,
    WgmmaCommit,
    WgmmaWait,
    Write,
)
from visualizer.programs.lesson import NAME as LESSON
from visualizer.programs.meetings import BarArrive, BarSync, SetMaxNReg, Sync, SyncWarp
from visualizer.programs.operations import (
    Advance,
    Arrive,
    ArriveDrop,
    ArriveExpectTx,
    CompleteTx,
    Copy,
    CpAsync,
    CpAsyncArrive,
    Delay,
    Exit,
    ExpectTx,
    Fence,
    Init,
    Inval,
    Operation,
    TryWait,
    Wait,
    WaitGroup,
)
from visualizer.programs.program import Program
from visualizer.programs.tensor import MmaIssue, Take, TensorCommit
from visualizer.recording.facts import Source
from visualizer.recording.schema import PS_PER_NS, EventFlag, EventKind
from visualizer.recording.tables import Meta
from visualizer.recording.trace import Trace
from visualizer.semantics.mbarrier import lane_by_lane
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.sources.simulator.accesses import Accesses
from visualizer.sources.simulator.latency import Latencies
from visualizer.sources.simulator.machine import PARKED


def simulate(
    program: Program,
    *,
    seed: int = 0,
    latencies: Latencies | None = None,
    progress: Progress | None = None,
    cancelled: CancelCheck | None = None,
) -> Trace:
    """Run `program` to its end, be it completion, deadlock or undefined behaviour; the ending is in the Trace's meta.

    The same program, seed and latencies give the same events. Raises Cancelled once `cancelled()` is true.
    """
    latencies = latencies or Latencies()
    run = _Run(program, Random(seed), latencies)
    ending = run.to_the_end(progress or (lambda fraction, what: None), cancelled or (lambda: False))
    meta = Meta(
        program=program.name,
        config=dict(program.config),
        source=_source(program, seed, latencies),
        ending=ending,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        versions={"phasescope": __version__},
    )
    files = dict(program.source_files)
    return Trace(meta, run.agents, program.barriers, program.sites, run.log.events(), files, rings=program.rings)


def _source(program: Program, seed: int, latencies: Latencies) -> Source:
    source: Source = {"kind": "simulator", "seed": seed, "latencies": latencies.as_dict()}
    if program.name == LESSON:
        return source  # whose warps' reads were measured
    reads = (op for agent in program.agents for op in agent.operations if isinstance(op, Read | ReadAsync))
    guessed = sum(read.takes < 0 for read in reads)
    return {**source, "guessed_reads": guessed} if guessed else source


class _Run(Accesses):
    """What each operation does, when, and what it logs."""

    def __init__(self, program: Program, random: Random, latencies: Latencies) -> None:
        super().__init__(program, random, latencies)
        self._instant: dict[type, Callable[..., int]] = {
            Init: self._init,
            Inval: self._inval,
            Fence: self._fence,
            Arrive: self._arrive,
            ArriveDrop: self._arrive_drop,
            ArriveExpectTx: self._arrive_expect_tx,
            ExpectTx: self._expect_tx,
            CompleteTx: self._complete_tx,
            Copy: self._copy,
            Write: self._write,
            ProxyFence: self._fence_proxy,
            CpAsyncArrive: self._cp_async_arrive,
            CpAsync: self._cp_async,
            BarArrive: self._bar_arrive,
            ReadAsync: self._read_async,
            WgmmaCommit: self._commit,
            Store: self._store,
            StoreCommit: self._commit,
            MmaIssue: self._hand_over,
            TensorCommit: self._hand_over,
            Delay: self._delay,
            Advance: self._advance,
            Exit: self._exit,
        }
        ctas = dict.fromkeys(warp.agent.cta for warp in program.agents)
        start = {cta: int(self._random() * latencies.start_skew * PS_PER_NS) for cta in ctas}
        operations = {warp.agent.name: warp.operations for warp in program.agents}
        for row, agent in enumerate(self.agents):
            if agent.name in operations:
                self._running[row] = self._perform(row, operations[agent.name])
                self._schedule(start[agent.cta], row, self._running[row])

    def _perform(self, row: int, operations: tuple[Operation, ...]) -> Iterator[int]:
        instant = self._instant
        for operation in operations:
            self._done += 1
            if type(operation) is Wait:
                yield from self._wait(row, operation)
            elif type(operation) is TryWait:
                yield from self._try_wait(row, operation)
            elif type(operation) is Read:
                yield from self._read(row, operation)
            elif type(operation) is RetireReads:
                yield from self._finish_reading(row, self._readers[row].but_latest(operation.keep), operation.site)
            elif type(operation) is WgmmaWait or type(operation) is StoreWait:
                yield from self._wait_for_groups(row, operation)
            elif type(operation) is WaitGroup:
                yield from self._wait_group(row, operation)
            elif type(operation) is WaitStores:
                yield from self._finish_reading(row, self._stores[row].but_latest(operation.keep), operation.site)
            elif type(operation) is Sync or type(operation) is BarSync or type(operation) is SyncWarp:
                yield from self._sync(row, operation)
            elif type(operation) is SetMaxNReg:
                yield from self._set_registers(row, operation)
            elif type(operation) is Take:
                yield from self._take(row)
            else:
                yield instant[type(operation)](row, operation)

    def _wait(self, row: int, wait: Wait) -> Iterator[int]:
        """The first test takes effect `test_wait` after the wait begins; a blocked wait tests again at each flip."""
        index, parity = wait.barrier, wait.parity
        barrier = self._barriers[index]
        remote = self._is_remote(row, index)
        self.log.add(self._now, EventKind.WAIT_BEGIN, row, index, wait.tile, wait.site, parity=parity)
        began = self._now
        yield self._now + self._duration(self._latencies.test_wait)
        flags = 0
        self._acting_on = index
        while not barrier.test_wait_parity(parity, remote=remote):
            flags = int(EventFlag.BLOCKED)
            self._blocked[row] = (began, index, parity)
            self._waiters[index].append(row)
            yield PARKED
            self._acting_on = index
        self._blocked.pop(row, None)
        self.log.add(self._now, EventKind.WAIT_END, row, index, wait.tile, wait.site, parity=parity, flags=flags)
        yield self._now + self._duration(0)

    def _try_wait(self, row: int, test: TryWait) -> Iterator[int]:
        """One test. True is a wait that passed at once; false stands for itself, and the agent goes on."""
        index, parity = test.barrier, test.parity
        yield self._now + self._duration(self._latencies.test_wait)
        self._acting_on = index
        passed = self._barriers[index].test_wait_parity(parity, remote=self._is_remote(row, index))
        for kind in (EventKind.WAIT_BEGIN, EventKind.WAIT_END) if passed else (EventKind.TEST_FAILED,):
            self.log.add(self._now, kind, row, index, test.tile, test.site, parity=parity)
        yield self._now + self._duration(0)

    def _init(self, row: int, init: Init) -> int:
        self._acting_on = init.barrier
        self._barriers[init.barrier].init(init.count)
        self.log.add(self._now, EventKind.INIT, row, init.barrier, -1, init.site, amount=init.count)
        return self._now + self._duration(self._latencies.init)

    def _inval(self, row: int, inval: Inval) -> int:
        self._acting_on = inval.barrier
        self._barriers[inval.barrier].inval()
        self.log.add(self._now, EventKind.INVAL, row, inval.barrier, -1, inval.site)
        return self._now + self._duration(self._latencies.init)

    def _fence(self, row: int, fence: Fence) -> int:
        self.log.add(self._now, EventKind.FENCE, row, -1, -1, fence.site)
        return self._now + self._duration(self._latencies.publish)

    def _arrive(self, row: int, arrive: Arrive) -> int:
        barrier = self._barriers[arrive.barrier]
        if arrive.no_complete:
            act = partial(barrier.arrive, no_complete=True)
            self._act(EventKind.ARRIVE, act, arrive.count, row, arrive.barrier, arrive.tile, arrive.site)
            return self._now + self._duration(self._latencies.arrive)
        for count in lane_by_lane(barrier, arrive.count):
            self._act(EventKind.ARRIVE, barrier.arrive, count, row, arrive.barrier, arrive.tile, arrive.site)
        return self._now + self._duration(self._latencies.arrive)

    def _arrive_drop(self, row: int, drop: ArriveDrop) -> int:
        act = self._barriers[drop.barrier].arrive_drop
        self._act(EventKind.ARRIVE_DROP, act, drop.count, row, drop.barrier, drop.tile, drop.site)
        return self._now + self._duration(self._latencies.arrive)

    def _arrive_expect_tx(self, row: int, arrive: ArriveExpectTx) -> int:
        act = self._barriers[arrive.barrier].arrive_expect_tx
        self._act(EventKind.ARRIVE_EXPECT_TX, act, arrive.bytes, row, arrive.barrier, arrive.tile, arrive.site)
        return self._now + self._duration(self._latencies.arrive)

    def _expect_tx(self, row: int, expect: ExpectTx) -> int:
        act = self._barriers[expect.barrier].expect_tx
        self._act(EventKind.EXPECT_TX, act, expect.bytes, row, expect.barrier, expect.tile, expect.site)
        return self._now + self._duration(self._latencies.arrive)

    def _complete_tx(self, row: int, complete: CompleteTx) -> int:
        act = self._barriers[complete.barrier].complete_tx
        self._act(EventKind.COMPLETE_TX, act, complete.bytes, row, complete.barrier, complete.tile, complete.site)
        return self._now + self._duration(self._latencies.arrive)

    def _delay(self, row: int, delay: Delay) -> int:
        return self._now + delay.ns * PS_PER_NS

    def _advance(self, row: int, advance: Advance) -> int:
        kind, tile, state = EventKind.ADVANCE, advance.tile, advance.state
        cursor = {"stage": state.index, "ring": advance.ring, "parity": state.phase, "amount": state.count}
        self.log.add(self._now, kind, row, -1, tile, advance.site, **cursor)
        return self._now + self._duration(self._latencies.advance)

    def _exit(self, row: int, leave: Exit) -> int:
        self.log.add(self._now, EventKind.EXIT, row, -1, -1, leave.site)
        return self._now
