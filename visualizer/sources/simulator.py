"""Runs a program without a GPU: exact barrier semantics, estimated durations, and a Trace like any other source's.

A discrete-event loop over agents and copies in flight. What may happen is decided by semantics.Mbarrier alone; the
latency model and the seed only decide when, so every schedule it produces is one that the hardware is allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from heapq import heappop, heappush, heappushpop
from random import Random

from visualizer import __version__
from visualizer.programs.operations import (
    Advance,
    Arrive,
    ArriveExpectTx,
    Copy,
    Delay,
    Exit,
    ExpectTx,
    Fence,
    Init,
    Operation,
    Read,
    Sync,
    Wait,
)
from visualizer.programs.program import Program
from visualizer.semantics.mbarrier import Mbarrier, UndefinedBehaviour
from visualizer.semantics.word import TX_GRANULE
from visualizer.sources.errors import Cancelled
from visualizer.sources.event_log import EventLog
from visualizer.sources.latency import Latencies
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.trace.schema import EventFlag, EventKind
from visualizer.trace.tables import Agent, Ending, Meta
from visualizer.trace.trace import Trace

_PS_PER_NS = 1000
_PARKED = -1  # what an agent yields when something else will wake it
_FINISHED = -2
_CHECK_EVERY = 1 << 12  # turns of the event loop between two looks at progress and cancelling
_LARGEST_STEP = 3  # granules of 2048 bytes one complete_tx brings at most; H200 showed 4096, 6144, 4096, 2048


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
    return Trace(meta, run.agents, program.barriers, program.sites, run.log.events(), dict(program.source_files))


class _Run:
    """State of one simulated run. An agent is a generator that yields the time (ps) at which it goes on."""

    def __init__(self, program: Program, random: Random, latencies: Latencies) -> None:
        self._program = program
        self.log = EventLog(program.barriers)
        self._random = random.random
        self._latencies = latencies
        self._spread = 2 * latencies.jitter
        self._least = 1 - latencies.jitter

        operations = {agent.agent.name: agent.operations for agent in program.agents}
        warps = [agent.agent for agent in program.agents]
        self.agents = tuple(sorted([*warps, *program.copy_engines], key=lambda agent: agent.cta))
        self._engine_row = {a.cta: row for row, a in enumerate(self.agents) if a.role == "copy_engine"}
        self._engine_free: dict[int, int] = dict.fromkeys(self._engine_row, 0)
        self._in_l2: set[int] = {-1}

        self._barriers = [Mbarrier() for _ in program.barriers]
        self._waiters: list[list[int]] = [[] for _ in program.barriers]
        self._blocked: dict[int, tuple[int, int, int]] = {}  # agent row -> when its wait began, barrier, parity
        self._acting_on = 0

        self._at_sync: dict[int, list[int]] = {agent.cta: [] for agent in warps}
        self._sync_size = dict.fromkeys(self._at_sync, 0)
        for name, agent in ((agent.agent.name, agent.agent) for agent in program.agents):
            self._sync_size[agent.cta] += any(type(operation) is Sync for operation in operations[name])

        self._total = sum(map(len, operations.values()))
        self._done = 0
        self._now = 0
        self._order = 0
        self._heap: list[tuple[int, int, int, Iterator[int]]] = []

        self._instant: dict[type, Callable[..., int]] = {
            Init: self._init,
            Fence: self._fence,
            Arrive: self._arrive,
            ArriveExpectTx: self._arrive_expect_tx,
            ExpectTx: self._expect_tx,
            Copy: self._copy,
            Delay: self._delay,
            Advance: self._advance,
            Exit: self._exit,
        }
        start = {cta: int(self._random() * latencies.start_skew * _PS_PER_NS) for cta in self._at_sync}
        self._running: dict[int, Iterator[int]] = {}
        for row, agent in enumerate(self.agents):
            if agent.name in operations:
                self._running[row] = self._perform(row, agent, operations[agent.name])
                self._schedule(start[agent.cta], row, self._running[row])

    def to_the_end(self, progress: Progress, cancelled: CancelCheck) -> Ending:
        """Run until nobody can go on. How it ended."""
        heap = self._heap
        turns = 0
        row = 0
        try:
            while heap:
                self._now, _, row, process = heappop(heap)
                while (resume := next(process, _FINISHED)) >= 0:
                    self._order += 1
                    self._now, _, row, process = heappushpop(heap, (resume, self._order, row, process))
                    if turns % _CHECK_EVERY == 0:
                        progress(self._done / self._total, "simulating")
                        if cancelled():
                            raise Cancelled
                    turns += 1
                if resume == _FINISHED:
                    self._finish(row, process)
        except UndefinedBehaviour as error:
            barrier = self._program.barriers[self._acting_on].name
            return Ending("crash", f"undefined behaviour: {self.agents[row].name} on {barrier}: {error}")
        return self._deadlock() if self._running else Ending("completed")

    def _finish(self, row: int, process: Iterator[int]) -> None:
        """An agent is done; a copy that landed is not an agent."""
        if self._running.get(row) is process:
            del self._running[row]

    def _deadlock(self) -> Ending:
        """Name the agent that has waited longest: what it waits for is what went wrong first."""
        if not self._blocked:
            names = ", ".join(self.agents[row].name for row in self._running)
            return Ending("deadlock", f"{names} wait at __syncthreads, which not every agent of the CTA reaches")
        row = min(self._blocked, key=lambda row: (self._blocked[row][0], row))
        _, index, parity = self._blocked[row]
        barrier = self._barriers[index]
        return Ending(
            "deadlock",
            f"{self.agents[row].name} waits on {self._program.barriers[index].name} with parity {parity}, but the"
            f" barrier stays in phase #{barrier.phase} (parity {barrier.parity}) with {barrier.pending} of"
            f" {barrier.expected} arrivals and {barrier.tx} bytes pending: nothing that could complete it is left"
            " to happen",
        )

    def _perform(self, row: int, agent: Agent, operations: tuple[Operation, ...]) -> Iterator[int]:
        instant = self._instant
        for operation in operations:
            self._done += 1
            if type(operation) is Wait:
                yield from self._wait(row, operation)
            elif type(operation) is Read:
                yield from self._read(row, operation)
            elif type(operation) is Sync:
                self._sync(row, agent.cta)
                yield _PARKED
            else:
                yield instant[type(operation)](row, operation)

    def _wait(self, row: int, wait: Wait) -> Iterator[int]:
        """The first test takes effect `test_wait` after the wait begins; a blocked wait tests again at each flip."""
        index, parity = wait.barrier, wait.parity
        barrier = self._barriers[index]
        self.log.add(self._now, EventKind.WAIT_BEGIN, row, index, wait.tile, wait.site, parity=parity)
        began = self._now
        yield self._now + self._duration(self._latencies.test_wait)
        flags = 0
        self._acting_on = index
        while not barrier.test_wait_parity(parity):
            flags = int(EventFlag.BLOCKED)
            self._blocked[row] = (began, index, parity)
            self._waiters[index].append(row)
            yield _PARKED
            self._acting_on = index
        self._blocked.pop(row, None)
        self.log.add(self._now, EventKind.WAIT_END, row, index, wait.tile, wait.site, parity=parity, flags=flags)
        yield self._now + self._duration(0)

    def _read(self, row: int, read: Read) -> Iterator[int]:
        self.log.add(self._now, EventKind.READ_BEGIN, row, -1, read.tile, read.site, stage=read.stage)
        reading = self._duration(read.bytes / self._latencies.read_bandwidth)
        yield self._now + reading + read.work * _PS_PER_NS
        self.log.add(self._now, EventKind.READ_END, row, -1, read.tile, read.site, stage=read.stage)
        yield self._now + self._duration(0)

    def _sync(self, row: int, cta: int) -> None:
        present = self._at_sync[cta]
        present.append(row)
        if len(present) == self._sync_size[cta]:
            for waiting in sorted(present):
                self._schedule(self._now + self._duration(0), waiting, self._running[waiting])
            present.clear()

    def _init(self, row: int, init: Init) -> int:
        self._acting_on = init.barrier
        self._barriers[init.barrier].init(init.count)
        self.log.add(self._now, EventKind.INIT, row, init.barrier, -1, init.site, amount=init.count)
        return self._now + self._duration(self._latencies.init)

    def _fence(self, row: int, fence: Fence) -> int:
        self.log.add(self._now, EventKind.FENCE, row, -1, -1, fence.site)
        return self._now + self._duration(self._latencies.publish)

    def _arrive(self, row: int, arrive: Arrive) -> int:
        """Lanes arrive one by one, so a warp's arrivals may complete a phase and go on into the next one."""
        barrier = self._barriers[arrive.barrier]
        left = arrive.count
        while left:
            amount = min(left, max(barrier.pending, 1))
            self._act(EventKind.ARRIVE, barrier.arrive, amount, row, arrive.barrier, arrive.tile, arrive.site)
            left -= amount
        return self._now + self._duration(self._latencies.arrive)

    def _arrive_expect_tx(self, row: int, arrive: ArriveExpectTx) -> int:
        act = self._barriers[arrive.barrier].arrive_expect_tx
        self._act(EventKind.ARRIVE_EXPECT_TX, act, arrive.bytes, row, arrive.barrier, arrive.tile, arrive.site)
        return self._now + self._duration(self._latencies.arrive)

    def _expect_tx(self, row: int, expect: ExpectTx) -> int:
        act = self._barriers[expect.barrier].expect_tx
        self._act(EventKind.EXPECT_TX, act, expect.bytes, row, expect.barrier, expect.tile, expect.site)
        return self._now + self._duration(self._latencies.arrive)

    def _copy(self, row: int, copy: Copy) -> int:
        """Hand the copy to the engine, which brings copies in one after another at its bandwidth."""
        kind, index, tile = EventKind.COPY_ISSUE, copy.barrier, copy.tile
        self.log.add(self._now, kind, row, index, tile, copy.site, stage=copy.stage, amount=copy.bytes)
        latency = self._latencies.copy_latency
        if copy.source not in self._in_l2:
            self._in_l2.add(copy.source)
            latency += self._latencies.copy_first_touch
        cta = self.agents[row].cta
        start = max(self._now + self._duration(latency), self._engine_free[cta])
        transfer = self._duration(copy.bytes / self._latencies.copy_bandwidth)
        self._engine_free[cta] = start + transfer
        engine = self._engine_row[cta]
        landing = self._land(engine, copy, start, transfer)
        self._schedule(next(landing), engine, landing)
        return self._now + self._duration(self._latencies.issue_copy)

    def _land(self, engine: int, copy: Copy, start: int, transfer: int) -> Iterator[int]:
        """The bytes arrive in a few steps of whole granules; yields when each is in."""
        complete_tx = self._barriers[copy.barrier].complete_tx
        landed = 0
        while landed < copy.bytes:
            step = min(copy.bytes - landed, TX_GRANULE * (1 + int(_LARGEST_STEP * self._random())))
            landed += step
            yield start + transfer * landed // copy.bytes
            self._act(EventKind.COMPLETE_TX, complete_tx, step, engine, copy.barrier, copy.tile, -1)
        kind, index, tile = EventKind.COPY_DONE, copy.barrier, copy.tile
        self.log.add(self._now, kind, engine, index, tile, -1, stage=copy.stage, amount=copy.bytes)

    def _delay(self, row: int, delay: Delay) -> int:
        return self._now + delay.ns * _PS_PER_NS

    def _advance(self, row: int, advance: Advance) -> int:
        kind, tile, state = EventKind.ADVANCE, advance.tile, advance.state
        cursor = {"stage": state.index, "parity": state.phase, "amount": state.count}
        self.log.add(self._now, kind, row, -1, tile, advance.site, **cursor)
        return self._now + self._duration(self._latencies.advance)

    def _exit(self, row: int, leave: Exit) -> int:
        self.log.add(self._now, EventKind.EXIT, row, -1, -1, leave.site)
        return self._now

    def _act(
        self, kind: EventKind, act: Callable[[int], object], amount: int, row: int, index: int, tile: int, site: int
    ) -> None:
        """Do something to a barrier; if that completed its phase, log it and let the waiters test again."""
        self._acting_on = index
        barrier = self._barriers[index]
        phase = barrier.phase
        act(amount)
        self.log.add(self._now, kind, row, index, tile, site, amount=amount)
        if barrier.phase == phase:
            return
        kind = EventKind.PHASE_COMPLETE
        self.log.add(self._now, kind, row, index, tile, site, amount=phase, parity=phase & 1)
        for waiting in self._waiters[index]:
            self._schedule(self._now + self._duration(self._latencies.wake_up), waiting, self._running[waiting])
        self._waiters[index].clear()

    def _schedule(self, time: int, row: int, process: Iterator[int]) -> None:
        self._order += 1
        heappush(self._heap, (time, self._order, row, process))

    def _duration(self, ns: float) -> int:
        """`ns` with jitter, in ps; at least 1, so that what depends on something is later than it."""
        return int(ns * _PS_PER_NS * (self._least + self._spread * self._random())) + 1
