"""Where agents meet in the simulator: __syncthreads, named barriers, the cluster's barrier; and what is told of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from random import Random

from visualizer.programs.operations import BarArrive, BarSync, Sync
from visualizer.programs.program import Program
from visualizer.recording.schema import EventKind
from visualizer.sources.simulator.copies import CopyEngines
from visualizer.sources.simulator.latency import Latencies
from visualizer.sources.simulator.machine import PARKED

Meeting = Sync | BarSync | BarArrive
SyncEvents = tuple[tuple[EventKind, ...], tuple[EventKind, ...], int, int]


def sync_events(sync: Meeting) -> SyncEvents:
    """Kinds of the events when an agent comes and when it passes, their token and their amount.

    A Sync of the CTA has none: the lesson's kernel logs one event, FENCE, for it and the fence before it.
    """
    if isinstance(sync, BarSync):
        return (EventKind.SYNC_BEGIN,), (EventKind.SYNC_END,), sync.id, sync.threads
    if isinstance(sync, BarArrive):
        return (EventKind.SYNC_ARRIVE,), (), sync.id, sync.threads
    if sync.cluster:
        return (EventKind.CLUSTER_ARRIVE, EventKind.CLUSTER_WAIT_BEGIN), (EventKind.CLUSTER_WAIT_END,), 0, 0
    return (), (), 0, 0


def threads_of_all(program: Program) -> dict[tuple[int, int], int]:
    """By CTA and id, the threads that a BarSync without a count waits for: those of all agents that have one."""
    threads: defaultdict[tuple[int, int], int] = defaultdict(int)
    for warp in program.agents:
        for id in {op.id for op in warp.operations if isinstance(op, BarSync) and not op.threads}:
            threads[warp.agent.cta, id] += warp.threads
    return threads


class Syncs(CopyEngines):
    """The operations of a run that wait for other agents to come to the same point."""

    def __init__(self, program: Program, random: Random, latencies: Latencies) -> None:
        super().__init__(program, random, latencies)
        threads = {warp.agent.name: warp.threads for warp in program.agents}
        self._threads = [threads.get(agent.name, 0) for agent in self.agents]
        self._waiting_at: defaultdict[object, list[int]] = defaultdict(list)
        self._come: defaultdict[object, int] = defaultdict(int)  # threads, or agents at a Sync
        self._all_threads = threads_of_all(program)
        self._all_agents: defaultdict[object, int] = defaultdict(int)
        for warp in program.agents:
            for place in {_place(warp.agent.cta, op) for op in warp.operations if type(op) is Sync}:
                self._all_agents[place] += 1

    def _sync(self, row: int, cta: int, sync: Sync | BarSync) -> Iterator[int]:
        self._waiting_at[_place(cta, sync)].append(row)
        passed = self._comes(row, cta, sync)
        yield PARKED
        self._tell(row, sync, passed)

    def _bar_arrive(self, row: int, arrive: BarArrive) -> int:
        self._comes(row, self._agent_cta[row], arrive)
        return self._now + self._duration(self._latencies.arrive)

    def _comes(self, row: int, cta: int, sync: Meeting) -> tuple[EventKind, ...]:
        """An agent comes to where others do, and if it is the last of them, those that wait go on. The kinds of the
        events when it passes."""
        come, passed, _, _ = sync_events(sync)
        self._tell(row, sync, come)
        place = _place(cta, sync)
        self._come[place] += 1 if isinstance(sync, Sync) else self._threads[row]
        size = self._all_agents[place] if isinstance(sync, Sync) else sync.threads or self._all_threads[cta, sync.id]
        if self._come[place] >= size:
            self._come[place] -= size
            for waiting in sorted(self._waiting_at[place]):
                self._schedule(self._now + self._duration(0), waiting, self._running[waiting])
            self._waiting_at[place].clear()
        return passed

    def _tell(self, row: int, sync: Meeting, kinds: tuple[EventKind, ...]) -> None:
        _, _, token, amount = sync_events(sync)
        for kind in kinds:
            self.log.add(self._now, kind, row, -1, -1, sync.site, token=token, amount=amount)


def _place(cta: int, sync: Meeting) -> object:
    """What tells apart the points at which agents meet: the cluster, a CTA, or a CTA's named barrier."""
    if not isinstance(sync, Sync):
        return cta, sync.id
    return None if sync.cluster else cta
