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
from visualizer.programs.groups import Groups
from visualizer.programs.program import Program
from visualizer.recording.schema import EventKind
from visualizer.sources.simulator.latency import Latencies
from visualizer.sources.simulator.machine import PS_PER_NS
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
        self._read_until: defaultdict[tuple[int, type], int] = defaultdict(int)  # by the latest of them

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
