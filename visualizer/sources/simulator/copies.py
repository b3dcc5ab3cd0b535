"""Copies in the simulator: what a TMA engine and cp.async bring in, when it lands, and whom that concerns."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from random import Random

from visualizer.programs.operations import Copy, CpAsync, CpAsyncArrive, WaitGroup
from visualizer.programs.program import Program
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.semantics.word import TX_GRANULE
from visualizer.sources.simulator.latency import Latencies
from visualizer.sources.simulator.machine import Machine

_LARGEST_STEP = 3  # granules of 2048 bytes one complete_tx brings at most; H200 showed 4096, 6144, 4096, 2048


class CopyEngines(Machine):
    """The copy operations of a run. Each CTA has one engine, which writes one copy after another at its bandwidth."""

    def __init__(self, program: Program, random: Random, latencies: Latencies) -> None:
        super().__init__(program, random, latencies)
        self._engine_row = {a.cta: row for row, a in enumerate(self.agents) if a.role == "copy_engine"}
        self._engine_free: dict[int, int] = dict.fromkeys(self._engine_row, 0)
        self._in_l2: set[int] = {-1}
        # Per agent row, oldest first: when each of its cp.async groups will have landed.
        self._groups: defaultdict[int, deque[int]] = defaultdict(deque)

    def _copy(self, row: int, copy: Copy) -> int:
        """Hand the copy to the engine, which brings copies in one after another at its bandwidth."""
        targets = [barrier for barrier, _ in copy.destinations] or [copy.barrier]
        for target in targets:
            self._issued(row, target, copy, EventFlag.SAME_COPY if target != targets[0] else 0)
        latency = self._latencies.copy_latency
        if copy.source not in self._in_l2:
            self._in_l2.add(copy.source)
            latency += self._latencies.copy_first_touch
        start, transfer = self._reserve(self.agents[row].cta, latency, copy.bytes)
        engine = self._engine_row[self.agents[row].cta]
        for target in targets:
            landing = self._land(engine, copy, target, start, transfer)
            self._schedule(next(landing), engine, landing)
        return self._now + self._duration(self._latencies.issue_copy)

    def _issued(self, row: int, target: int, copy: Copy | CpAsync, flags: int = 0) -> None:
        kind, where = EventKind.COPY_ISSUE, {"stage": copy.stage, "ring": copy.ring}
        self.log.add(self._now, kind, row, target, copy.tile, copy.site, **where, amount=copy.bytes, flags=flags)

    def _landed(self, engine: int, target: int, copy: Copy | CpAsync, flags: int = 0) -> None:
        kind, where = EventKind.COPY_DONE, {"stage": copy.stage, "ring": copy.ring}
        self.log.add(self._now, kind, engine, target, copy.tile, -1, **where, amount=copy.bytes, flags=flags)

    def _reserve(self, cta: int, latency: float, size: int) -> tuple[int, int]:
        """When the engine of `cta` begins to write the next `size` bytes, and for how long (ps)."""
        start = max(self._now + self._duration(latency), self._engine_free[cta])
        transfer = self._duration(size / self._latencies.copy_bandwidth)
        self._engine_free[cta] = start + transfer
        return start, transfer

    def _land(self, engine: int, copy: Copy, target: int, start: int, transfer: int) -> Iterator[int]:
        """The bytes arrive in a few steps of whole granules; yields when each is in."""
        complete_tx = self._barriers[target].complete_tx
        landed, pieces = 0, iter(copy.pieces)
        while landed < copy.bytes:
            step = next(pieces, 0) or min(copy.bytes - landed, TX_GRANULE * (1 + int(_LARGEST_STEP * self._random())))
            landed += step
            yield start + transfer * landed // copy.bytes
            self._act(EventKind.COMPLETE_TX, complete_tx, step, engine, target, copy.tile, -1)
        self._landed(engine, target, copy)

    def _cp_async(self, row: int, copy: CpAsync) -> int:
        """The warp's lanes copy; it goes on at once. Groups of one warp land in the order in which they were issued."""
        self._issued(row, copy.barrier, copy, EventFlag.BY_ARRIVAL if copy.barrier >= 0 else 0)
        cta = self.agents[row].cta
        start, transfer = self._reserve(cta, self._latencies.copy_latency, copy.bytes)
        landing = self._land_group(self._engine_row[cta], copy, start + transfer)
        self._schedule(next(landing), self._engine_row[cta], landing)
        self._groups[row].append(start + transfer)
        return self._now + self._duration(self._latencies.issue_copy)

    def _land_group(self, engine: int, copy: CpAsync, done: int) -> Iterator[int]:
        yield done
        self._landed(engine, copy.barrier, copy, EventFlag.BY_ARRIVAL if copy.barrier >= 0 else 0)

    def _cp_async_arrive(self, row: int, arrive: CpAsyncArrive) -> int:
        """The hardware arrives when the warp's copies so far have landed; nobody waits for that here."""
        index, count, tile, site = arrive.barrier, arrive.count, arrive.tile, arrive.site
        if arrive.no_inc:
            self.log.add(self._now, EventKind.CP_ASYNC_ARRIVE_NOINC, row, index, tile, site, amount=count)
        else:
            raises = self._barriers[index].increase_pending
            self._act(EventKind.CP_ASYNC_ARRIVE, raises, count, row, index, tile, site)
        landed = max(self._now, self._groups[row][-1] if self._groups[row] else 0)
        engine = self._engine_row[self.agents[row].cta]
        coming = self._hardware_arrival(engine, arrive, landed + self._duration(0))
        self._schedule(next(coming), engine, coming)
        return self._now + self._duration(self._latencies.arrive)

    def _hardware_arrival(self, engine: int, arrive: CpAsyncArrive, when: int) -> Iterator[int]:
        yield when
        act = self._barriers[arrive.barrier].arrive
        self._act(EventKind.ARRIVE, act, arrive.count, engine, arrive.barrier, arrive.tile, arrive.site)

    def _wait_group(self, row: int, wait: WaitGroup) -> Iterator[int]:
        """A wait without a barrier: it looks at what this warp itself has issued."""
        self.log.add(self._now, EventKind.WAIT_BEGIN, row, -1, wait.tile, wait.site)
        groups = self._groups[row]
        landed = self._now
        while len(groups) > wait.keep:
            landed = groups.popleft()
        blocked = landed > self._now
        yield max(landed, self._now) + self._duration(self._latencies.wake_up if blocked else self._latencies.test_wait)
        flags = EventFlag.BLOCKED if blocked else 0
        self.log.add(self._now, EventKind.WAIT_END, row, -1, wait.tile, wait.site, flags=flags)
        yield self._now + self._duration(0)
