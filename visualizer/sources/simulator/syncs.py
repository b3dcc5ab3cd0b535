"""Where agents meet in the simulator: __syncthreads, named barriers, the cluster's barrier; and what is told of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from random import Random

from visualizer.language import endings
from visualizer.programs.meetings import BarArrive, BarSync, Meeting, SetMaxNReg, Sync, SyncWarp
from visualizer.programs.program import Program
from visualizer.recording.schema import SYNCWARP, EventKind
from visualizer.recording.tables import Agent
from visualizer.semantics.warp import WARP_THREADS
from visualizer.sources.simulator.copies import CopyEngines
from visualizer.sources.simulator.latency import Latencies
from visualizer.sources.simulator.machine import PARKED

SyncEvents = tuple[tuple[EventKind, ...], tuple[EventKind, ...], int, int]


def sync_events(sync: Meeting, warp: int) -> SyncEvents:
    """Kinds of the events when an agent of this warp comes and when it passes, their token and their amount.

    A Sync of the CTA has none: the lesson's kernel logs one event, FENCE, for it and the fence before it.
    """
    if isinstance(sync, BarSync):
        return (EventKind.SYNC_BEGIN,), (EventKind.SYNC_END,), sync.id, sync.threads
    if isinstance(sync, SyncWarp):
        return (EventKind.SYNC_BEGIN,), (EventKind.SYNC_END,), SYNCWARP + warp, WARP_THREADS
    if isinstance(sync, BarArrive):
        return (EventKind.SYNC_ARRIVE,), (), sync.id, sync.threads
    if sync.cluster:
        return (EventKind.CLUSTER_ARRIVE, EventKind.CLUSTER_WAIT_BEGIN), (EventKind.CLUSTER_WAIT_END,), 0, 0
    return (), (), 0, 0


class Syncs(CopyEngines):
    """The operations of a run that wait for other agents: to come to the same point, or to free registers."""

    def __init__(self, program: Program, random: Random, latencies: Latencies) -> None:
        super().__init__(program, random, latencies)
        told = {warp.agent.name: warp for warp in program.agents}
        self._threads = [told[agent.name].threads if agent.name in told else 0 for agent in self.agents]
        self._waiting_at: defaultdict[object, list[int]] = defaultdict(list)
        self._come: defaultdict[object, int] = defaultdict(int)  # threads
        self._live: defaultdict[object, int] = defaultdict(int)  # threads that have not left, where all are waited for
        self._places = [meeting_places(program, agent) for agent in self.agents]
        for row, places in enumerate(self._places):
            for place in places:
                self._live[place] += self._threads[row]
        self._free: defaultdict[int, int] = defaultdict(int)  # registers of each CTA that no thread has
        self._given: defaultdict[int, int] = defaultdict(int)  # registers of each CTA that its agents ever left to it
        self._asking: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)  # (agent row, registers), by CTA

    def _sync(self, row: int, sync: Sync | BarSync | SyncWarp) -> Iterator[int]:
        self._waiting_at[self._place(row, sync)].append(row)
        passed = self._comes(row, sync)
        yield PARKED
        self._tell(row, sync, passed)

    def _bar_arrive(self, row: int, arrive: BarArrive) -> int:
        self._comes(row, arrive)
        return self._now + self._duration(self._latencies.arrive)

    def _set_registers(self, row: int, change: SetMaxNReg) -> Iterator[int]:
        """.inc waits for its turn: the CTA gives to who asked first."""
        cta, registers = self._agent_cta[row], change.change * self._threads[row]
        asks = change.change > 0
        self._note(row, EventKind.SETMAXNREG_INC_BEGIN if asks else EventKind.SETMAXNREG_DEC, change)
        if asks:
            self._asking[cta].append((row, registers))
        else:
            self._free[cta] -= registers
            self._given[cta] -= registers
        waiting = self._asking[cta]
        while waiting and waiting[0][1] <= self._free[cta]:
            first, wanted = waiting.pop(0)
            self._free[cta] -= wanted
            self._schedule(self._now + self._duration(self._latencies.wake_up), first, self._running[first])
        if asks:
            yield PARKED
            self._note(row, EventKind.SETMAXNREG_INC_END, change)
        yield self._now + self._duration(0)

    def _stuck_elsewhere(self) -> str:
        """Registers first: who waits for them keeps others waiting at syncs."""
        asking = next((waiting[0] for _, waiting in sorted(self._asking.items()) if waiting), None)
        if asking is None:
            return super()._stuck_elsewhere()
        row, wanted = asking
        cta = self._agent_cta[row]
        free, given = self._free[cta], self._given[cta]
        agent = self.agents[row].name
        return endings.REGISTERS_FOR_EVER.format(agent=agent, wanted=wanted, free=free, given=given, taken=given - free)

    def _leaves(self, row: int) -> None:
        """Who has left is waited for no more."""
        for place in self._places[row]:
            self._live[place] -= self._threads[row]
            self._let_go(place, self._live[place])

    def _comes(self, row: int, sync: Meeting) -> tuple[EventKind, ...]:
        """An agent comes to where others do, and if it is the last of them, those that wait go on. The kinds of the
        events when it passes."""
        come, passed, _, _ = sync_events(sync, self.agents[row].warp)
        self._tell(row, sync, come)
        place = self._place(row, sync)
        self._come[place] += self._threads[row]
        counted = sync.threads if isinstance(sync, BarSync | BarArrive) else 0
        self._let_go(place, counted or self._live[place])
        return passed

    def _let_go(self, place: object, size: int) -> None:
        if not self._come[place] or self._come[place] < size:
            return
        self._come[place] -= size
        for waiting in sorted(self._waiting_at[place]):
            self._schedule(self._now + self._duration(0), waiting, self._running[waiting])
        self._waiting_at[place].clear()

    def _place(self, row: int, sync: Meeting) -> object:
        return meeting_place(self._program, self.agents[row], sync)

    def _tell(self, row: int, sync: Meeting, kinds: tuple[EventKind, ...]) -> None:
        _, _, token, amount = sync_events(sync, self.agents[row].warp)
        for kind in kinds:
            self.log.add(self._now, kind, row, -1, -1, sync.site, token=token, amount=amount)

    def _note(self, row: int, kind: EventKind, change: SetMaxNReg) -> None:
        self.log.add(self._now, kind, row, -1, -1, change.site, amount=change.registers)


def meeting_place(program: Program, agent: Agent, sync: Meeting) -> tuple[str, int, int]:
    """What tells apart the points at which agents meet: a cluster's, a CTA's numbered barriers, a warp's.

    `__syncthreads` and the Sync of a CTA are both its barrier 0.
    """
    if isinstance(sync, SyncWarp):
        return "warp", agent.cta, agent.warp
    if isinstance(sync, Sync) and sync.cluster:
        return "cluster", program.cluster_of(agent.cta), 0
    counted = isinstance(sync, BarSync | BarArrive) and sync.threads > 0
    return "counted" if counted else "CTA", agent.cta, 0 if isinstance(sync, Sync) else sync.id


def meeting_places(program: Program, agent: Agent) -> list[tuple[str, int, int]]:
    """Where the agent is waited for until it leaves."""
    if agent.warp < 0:
        return []
    return [meeting_place(program, agent, sync) for sync in (SyncWarp(), Sync(cluster=True), Sync())]
