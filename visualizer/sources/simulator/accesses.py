"""What agents do with stage buffers in the simulator: write and read them, or have wgmma or a store read them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from random import Random

from visualizer.programs.accesses import (
    ProxyFence,
    Read,
    ReadAsync,
    Store,
    StoreCommit,
    StoreWait,
    WgmmaCommit,
    WgmmaWait,
    Write,
)
from visualizer.programs.async_groups import Groups
from visualizer.programs.program import Program
from visualizer.programs.tensor import MmaIssue, TensorCommit
from visualizer.recording.schema import PS_PER_NS, EventKind
from visualizer.sources.simulator.latency import Latencies
from visualizer.sources.simulator.machine import PARKED
from visualizer.sources.simulator.syncs import Syncs

_Reading = Groups[tuple[int, ReadAsync | Store]]  # with the time (ps) by which it has read


def group_events(operation: WgmmaCommit | WgmmaWait | StoreCommit | StoreWait) -> tuple[EventKind, ...]:
    """The kinds of the events that an operation on groups leaves."""
    if isinstance(operation, WgmmaCommit):
        return (EventKind.WGMMA_COMMIT,)
    if isinstance(operation, StoreCommit):
        return (EventKind.STORE_COMMIT,)
    if isinstance(operation, WgmmaWait):
        return EventKind.WGMMA_WAIT_BEGIN, EventKind.WGMMA_WAIT_END
    return EventKind.STORE_WAIT_BEGIN, EventKind.STORE_WAIT_END


class Accesses(Syncs):
    """The operations of a run on stage buffers that are no copies."""

    def __init__(self, program: Program, random: Random, latencies: Latencies) -> None:
        super().__init__(program, random, latencies)
        # Per agent row, when each asynchronous reader or store will have read its stage, and which it is.
        self._readers: defaultdict[int, _Reading] = defaultdict(Groups)
        self._stores: defaultdict[int, _Reading] = defaultdict(Groups)
        self._handed: defaultdict[int, int] = defaultdict(int)  # by CTA: what its tensor core has not taken yet
        self._idle_cores: dict[int, int] = {}  # by CTA: its tensor core, waiting for work
        self._read_until: defaultdict[tuple[int, type], int] = defaultdict(int)  # by the latest of them

    def _write(self, row: int, write: Write) -> int:
        """The warp's lanes store about as fast as they read."""
        kind, where = EventKind.WRITE, {"stage": write.stage, "ring": write.ring}
        self.log.add(self._now, kind, row, -1, write.tile, write.site, **where, amount=write.bytes)
        if self.agents[row].role == "tensor_core":
            return self._now + self._duration(0)  # it is part of the tcgen05.mma that read
        if write.takes >= 0:
            return self._now + write.takes * PS_PER_NS + 1
        return self._now + self._duration(write.bytes / self._latencies.read_bandwidth)

    def _fence_proxy(self, row: int, fence: ProxyFence) -> int:
        self.log.add(self._now, EventKind.PROXY_FENCE, row, -1, -1, fence.site)
        return self._now + self._duration(self._latencies.init)

    def _read(self, row: int, read: Read) -> Iterator[int]:
        self._reads(EventKind.READ_BEGIN, row, read, read.site)
        yield self._now + self._reading(row, read)
        self._reads(EventKind.READ_END, row, read, read.site)
        yield self._now + self._duration(0)

    def _reads(self, kind: EventKind, row: int, read: Read | ReadAsync | Store, site: int) -> None:
        self.log.add(self._now, kind, row, -1, read.tile, site, stage=read.stage, ring=read.ring)

    def _reading(self, row: int, read: Read | ReadAsync) -> int:
        """How long the read lasts (ps): as long as the program says, else a guess by its bytes."""
        if read.takes >= 0:
            return (read.takes + read.work) * PS_PER_NS + 1
        tensor_core = self.agents[row].role == "tensor_core"
        bandwidth = self._latencies.tensor_bandwidth if tensor_core else self._latencies.read_bandwidth
        return self._duration(read.bytes / bandwidth) + read.work * PS_PER_NS

    def _hand_over(self, row: int, work: MmaIssue | TensorCommit) -> int:
        """The warp goes on; the CTA's tensor core may."""
        if isinstance(work, MmaIssue):
            where = {"stage": work.stage, "ring": work.ring, "amount": work.bytes}
            self.log.add(self._now, EventKind.MMA_ISSUE, row, -1, work.tile, work.site, **where)
        else:
            self.log.add(self._now, EventKind.TENSOR_COMMIT, row, work.barrier, work.tile, work.site, amount=1)
        if isinstance(work, MmaIssue) or not work.is_further:
            cta = self._agent_cta[row]
            self._handed[cta] += 1
            if (core := self._idle_cores.pop(cta, None)) is not None:
                self._schedule(self._now + self._duration(0), core, self._running[core])
        return self._now + self._duration(self._latencies.issue_copy)

    def _take(self, row: int) -> Iterator[int]:
        cta = self._agent_cta[row]
        if not self._handed[cta]:
            self._idle_cores[cta] = row
            yield PARKED
        self._handed[cta] -= 1
        yield self._now + self._duration(0)

    def _read_async(self, row: int, read: ReadAsync) -> int:
        """wgmma: readers of one agent work one after another while the agent goes on."""
        return self._begin_reading(row, self._readers[row], read, self._reading(row, read))

    def _store(self, row: int, store: Store) -> int:
        duration = self._duration(store.bytes / self._latencies.copy_bandwidth)
        return self._begin_reading(row, self._stores[row], store, duration)

    def _begin_reading(self, row: int, unfinished: _Reading, read: ReadAsync | Store, duration: int) -> int:
        self._reads(EventKind.READ_BEGIN, row, read, read.site)
        done = max(self._now, self._read_until[row, type(read)]) + duration
        self._read_until[row, type(read)] = done
        unfinished.start((done, read))
        return self._now + self._duration(self._latencies.issue_copy)

    def _finish_reading(self, row: int, finished: list[tuple[int, ReadAsync | Store]], site: int) -> Iterator[int]:
        for done, read in finished:
            yield max(self._now + self._duration(0), done)
            self._reads(EventKind.READ_END, row, read, site)
        yield self._now + self._duration(0)

    def _commit(self, row: int, commit: WgmmaCommit | StoreCommit) -> int:
        (self._readers if isinstance(commit, WgmmaCommit) else self._stores)[row].commit()
        (kind,) = group_events(commit)
        self.log.add(self._now, kind, row, -1, -1, commit.site)
        return self._now + self._duration(0)

    def _wait_for_groups(self, row: int, wait: WgmmaWait | StoreWait) -> Iterator[int]:
        """The reads of the groups end, as far as anybody knows, when the wait has seen them done."""
        begin, end = group_events(wait)
        unfinished = self._readers[row] if isinstance(wait, WgmmaWait) else self._stores[row]
        finished = unfinished.but_latest_groups(wait.keep)
        self.log.add(self._now, begin, row, -1, -1, wait.site, amount=wait.keep)
        yield max([self._now + self._duration(0), *(done for done, _ in finished)])
        self.log.add(self._now, end, row, -1, -1, wait.site, amount=wait.keep)
        for _, read in finished:
            self._reads(EventKind.READ_END, row, read, wait.site)
        yield self._now + self._duration(0)
