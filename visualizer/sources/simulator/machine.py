"""The event loop under the simulator: agents, barriers, time, and how a run ends. What operations do is not here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from heapq import heappop, heappush, heappushpop
from random import Random

from visualizer.language import endings
from visualizer.programs.program import Program
from visualizer.recording.schema import PS_PER_NS, EventKind
from visualizer.recording.tables import Ending
from visualizer.semantics.mbarrier import Mbarrier, UndefinedBehaviour
from visualizer.sources.errors import Cancelled
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.sources.simulator.event_log import EventLog
from visualizer.sources.simulator.latency import Latencies

PARKED = -1
"""What an agent yields when something else will wake it."""
_FINISHED = -2
_CHECK_EVERY = 1 << 12  # turns of the event loop between two looks at progress and cancelling


class Machine:
    """State of one simulated run. An agent is a generator that yields the time (ps) at which it goes on."""

    def __init__(self, program: Program, random: Random, latencies: Latencies) -> None:
        self._program = program
        self.log = EventLog(program.barriers, program.rings)
        self._random = random.random
        self._latencies = latencies
        self._spread = 2 * latencies.jitter
        self._least = 1 - latencies.jitter

        warps = [agent.agent for agent in program.agents]
        self.agents = tuple(sorted([*warps, *program.copy_engines], key=lambda agent: agent.cta))
        self._barriers = [Mbarrier() for _ in program.barriers]
        self._waiters: list[list[int]] = [[] for _ in program.barriers]
        self._blocked: dict[int, tuple[int, int, int]] = {}  # agent row -> when its wait began, barrier, parity
        self._acting_on = 0
        self._barrier_cta = [barrier.cta for barrier in program.barriers]
        self._agent_cta = [agent.cta for agent in self.agents]
        self._alive = Counter(agent.cta for agent in warps)  # agents of each CTA that have not left

        self._total = sum(len(agent.operations) for agent in program.agents)
        self._done = 0
        self._now = 0
        self._order = 0
        self._heap: list[tuple[int, int, int, Iterator[int]]] = []
        self._running: dict[int, Iterator[int]] = {}

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
            return Ending("crash", endings.UNDEFINED.format(agent=self.agents[row].name, barrier=barrier, what=error))
        return self._deadlock() if self._running else Ending("completed")

    def _finish(self, row: int, process: Iterator[int]) -> None:
        """An agent is done; a copy that landed is not an agent."""
        if self._running.get(row) is process:
            del self._running[row]
            self._alive[self._agent_cta[row]] -= 1
            self._leaves(row)

    def _leaves(self, row: int) -> None:
        """An agent has left the kernel."""

    def _deadlock(self) -> Ending:
        """Name the agent that has waited longest: what it waits for is what went wrong first."""
        if not self._blocked:
            return Ending("deadlock", self._stuck_elsewhere())
        row = min(self._blocked, key=lambda row: (self._blocked[row][0], row))
        _, index, parity = self._blocked[row]
        barrier = self._barriers[index]
        return Ending(
            "deadlock",
            endings.WAITS_FOR_EVER.format(
                agent=self.agents[row].name,
                barrier=self._program.barriers[index].name,
                parity=parity,
                phase=barrier.phase,
                now=barrier.parity,
                missing=barrier.pending,
                expected=barrier.expected,
                bytes=barrier.tx,
            ),
        )

    def _stuck_elsewhere(self) -> str:
        """Why nobody goes on although nobody waits on an mbarrier."""
        names = ", ".join(self.agents[row].name for row in self._running if self.agents[row].warp >= 0)
        return endings.SYNC_FOR_EVER.format(agents=names)

    def _is_remote(self, row: int, index: int) -> bool:
        return self._barrier_cta[index] != self._agent_cta[row]

    def _act(
        self,
        kind: EventKind,
        act: Callable[[int], object],
        amount: int,
        row: int,
        index: int,
        tile: int,
        site: int,
    ) -> None:
        """Do something to a barrier; if that completed its phase, log it and let the waiters test again."""
        self._acting_on = index
        if self._is_remote(row, index) and not self._alive[self._barrier_cta[index]]:
            raise UndefinedBehaviour("exited-cta", endings.CTA_LEFT.format(cta=self._barrier_cta[index]))
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
        return int(ns * PS_PER_NS * (self._least + self._spread * self._random())) + 1
