"""Where agents meet in the simulator: __syncthreads, named barriers, the cluster's barrier; and what is told of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from random import Random

from visualizer.programs.operations import WARP_THREADS, NamedSync, Sync
from visualizer.programs.program import Program
from visualizer.recording.schema import EventKind
from visualizer.sources.simulator.copies import CopyEngines
from visualizer.sources.simulator.latency import Latencies
from visualizer.sources.simulator.machine import PARKED

SyncEvents = tuple[tuple[EventKind, ...], tuple[EventKind, ...], int, int]


def sync_events(sync: Sync | NamedSync) -> SyncEvents:
    """Kinds of the events when an agent comes and when it passes, their token and their amount.

    A plain __syncthreads has none: the lesson's kernel logs one event, FENCE, for it and the fence before it.
    """
    if isinstance(sync, NamedSync):
        return (EventKind.SYNC_BEGIN,), (EventKind.SYNC_END,), sync.id, sync.agents * WARP_THREADS
    if sync.cluster:
        return (EventKind.CLUSTER_ARRIVE, EventKind.CLUSTER_WAIT_BEGIN), (EventKind.CLUSTER_WAIT_END,), 0, 0
    return (), (), 0, 0


class Syncs(CopyEngines):
    """The operations of a run that wait for other agents to come to the same point."""

    def __init__(self, program: Program, random: Random, latencies: Latencies) -> None:
        super().__init__(program, random, latencies)
        self._at_sync: defaultdict[object, list[int]] = defaultdict(list)
        self._sync_size: defaultdict[object, int] = defaultdict(int)
        for warp in program.agents:
            for place in {_place(warp.agent.cta, op) for op in warp.operations if type(op) is Sync}:
                self._sync_size[place] += 1

    def _sync(self, row: int, cta: int, sync: Sync | NamedSync) -> Iterator[int]:
        come, passed, token, amount = sync_events(sync)
        for kind in come:
            self.log.add(self._now, kind, row, -1, -1, sync.site, token=token, amount=amount)
        place = _place(cta, sync)
        present = self._at_sync[place]
        present.append(row)
        size = sync.agents if isinstance(sync, NamedSync) else self._sync_size[place]
        if len(present) == size:
            for waiting in sorted(present):
                self._schedule(self._now + self._duration(0), waiting, self._running[waiting])
            present.clear()
        yield PARKED
        for kind in passed:
            self.log.add(self._now, kind, row, -1, -1, sync.site, token=token, amount=amount)


def _place(cta: int, sync: Sync | NamedSync) -> object:
    """What tells apart the points at which agents meet: the cluster, a CTA, or a CTA's named barrier."""
    if isinstance(sync, NamedSync):
        return cta, sync.id
    return None if sync.cluster else cta
