"""Runs a program without a GPU: exact barrier semantics, estimated durations, and a Trace like any other source's.

A discrete-event loop over agents and copies in flight. What may happen is decided by semantics.Mbarrier alone; the
latency model and the seed only decide when, so every schedule it produces is one that the hardware is allowed.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from random import Random

from visualizer import __version__
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
    NamedSync,
    Operation,
    ProxyFence,
    Read,
    ReadAsync,
    RetireReads,
    Store,
    Sync,
    TryWait,
    Wait,
    WaitGroup,
    WaitStores,
    Write,
)
from visualizer.programs.program import Program
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.tables import Agent, Meta
from visualizer.recording.trace import Trace
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.sources.simulator.latency import Latencies
from visualizer.sources.simulator.machine import PARKED, PS_PER_NS
from visualizer.sources.simulator.syncs import Syncs


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
        source={"kind": "simulator", "seed": seed, "latencies": latencies.as_dict()},
        ending=ending,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        versions={"phasescope": __version__},
    )
    files = dict(program.source_files)
    return Trace(meta, run.agents, program.barriers, program.sites, run.log.events(), files, rings=program.rings)


class _Run(Syncs):
    """What each operation does, when, and what it logs."""

    def __init__(self, program: Program, random: Random, latencies: Latencies) -> None:
        super().__init__(program, random, latencies)
        # Per agent row, oldest first: when each asynchronous reader or store will have read its stage, and which it is.
        self._readers: defaultdict[int, deque[tuple[int, ReadAsync | Store]]] = defaultdict(deque)
        self._stores: defaultdict[int, deque[tuple[int, ReadAsync | Store]]] = defaultdict(deque)

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
            ReadAsync: self._read_async,
            Store: self._store,
            Delay: self._delay,
            Advance: self._advance,
            Exit: self._exit,
        }
        ctas = dict.fromkeys(warp.agent.cta for warp in program.agents)
        start = {cta: int(self._random() * latencies.start_skew * PS_PER_NS) for cta in ctas}
        operations = {warp.agent.name: warp.operations for warp in program.agents}
        for row, agent in enumerate(self.agents):
            if agent.name in operations:
                self._running[row] = self._perform(row, agent, operations[agent.name])
                self._schedule(start[agent.cta], row, self._running[row])

    def _perform(self, row: int, agent: Agent, operations: tuple[Operation, ...]) -> Iterator[int]:
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
                yield from self._finish_reading(row, self._readers[row], operation)
            elif type(operation) is WaitGroup:
                yield from self._wait_group(row, operation)
            elif type(operation) is WaitStores:
                yield from self._finish_reading(row, self._stores[row], operation)
            elif type(operation) is Sync or type(operation) is NamedSync:
                yield from self._sync(row, agent.cta, operation)
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

    def _write(self, row: int, write: Write) -> int:
        """The warp's lanes store about as fast as they read."""
        kind, where = EventKind.WRITE, {"stage": write.stage, "ring": write.ring}
        self.log.add(self._now, kind, row, -1, write.tile, write.site, **where, amount=write.bytes)
        return self._now + self._duration(write.bytes / self._latencies.read_bandwidth)

    def _fence_proxy(self, row: int, fence: ProxyFence) -> int:
        self.log.add(self._now, EventKind.PROXY_FENCE, row, -1, -1, fence.site)
        return self._now + self._duration(self._latencies.init)

    def _read(self, row: int, read: Read) -> Iterator[int]:
        self._reads(EventKind.READ_BEGIN, row, read, read.site)
        reading = self._duration(read.bytes / self._latencies.read_bandwidth)
        yield self._now + reading + read.work * PS_PER_NS
        self._reads(EventKind.READ_END, row, read, read.site)
        yield self._now + self._duration(0)

    def _reads(self, kind: EventKind, row: int, read: Read | ReadAsync | Store, site: int) -> None:
        self.log.add(self._now, kind, row, -1, read.tile, site, stage=read.stage, ring=read.ring)

    def _read_async(self, row: int, read: ReadAsync) -> int:
        """wgmma: readers of one agent work one after another while the agent goes on."""
        duration = self._duration(read.bytes / self._latencies.read_bandwidth) + read.work * PS_PER_NS
        return self._begin_reading(row, self._readers[row], read, duration)

    def _store(self, row: int, store: Store) -> int:
        duration = self._duration(store.bytes / self._latencies.copy_bandwidth)
        return self._begin_reading(row, self._stores[row], store, duration)

    def _begin_reading(
        self, row: int, unfinished: deque[tuple[int, ReadAsync | Store]], read: ReadAsync | Store, duration: int
    ) -> int:
        self._reads(EventKind.READ_BEGIN, row, read, read.site)
        start = max(self._now, unfinished[-1][0] if unfinished else 0)
        unfinished.append((start + duration, read))
        return self._now + self._duration(self._latencies.issue_copy)

    def _finish_reading(
        self, row: int, unfinished: deque[tuple[int, ReadAsync | Store]], wait: RetireReads | WaitStores
    ) -> Iterator[int]:
        while len(unfinished) > wait.keep:
            done, read = unfinished.popleft()
            yield max(self._now + self._duration(0), done)
            self._reads(EventKind.READ_END, row, read, wait.site)
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
        """Lanes arrive one by one, so a warp's arrivals may complete a phase and go on into the next one."""
        barrier = self._barriers[arrive.barrier]
        if arrive.no_complete:
            act = partial(barrier.arrive, no_complete=True)
            self._act(EventKind.ARRIVE, act, arrive.count, row, arrive.barrier, arrive.tile, arrive.site)
            return self._now + self._duration(self._latencies.arrive)
        left = arrive.count
        while left:
            amount = min(left, max(barrier.pending, 1))
            self._act(EventKind.ARRIVE, barrier.arrive, amount, row, arrive.barrier, arrive.tile, arrive.site)
            left -= amount
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
