"""What an agent has done with the stages of a ring by the end of a recording: read them, released them, come round.

Strangers' kernels record no reads. There a use of a stage is a wait for its full barrier that was passed.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from visualizer.diagnosis.uses.intents import Intents
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.replay.step_index import Steps
from visualizer.structure.model import Ring


class StagesUsed:
    """`slot`: of each barrier, (barriers,), ring name and stage as one number; -1: in no ring. Agent, barrier and wait
    numbers are rows of their tables."""

    def __init__(self, history: History, intents: Intents, slot: Steps) -> None:
        self._history, self._intents, self._slot = history, intents, slot

    def last_read(self, agent: int, row: int) -> int | None:
        """The step of the agent's latest READ_END of the stage that a barrier guards; None: there is none."""
        history = self._history
        place = int(history.structure.place_of[row])
        if place < 0:
            return None
        steps = np.flatnonzero((history.kinds == EventKind.READ_END) & (history.trace.events["agent"] == agent))
        steps = steps[history.event_places.of(steps) == place]
        return int(steps[-1]) if len(steps) else None

    def last_arrival(self, agent: int, row: int) -> int:
        """The step of the agent's latest arrival on a barrier; -1: there is none."""
        arrivals = self._history.arrivals
        steps = arrivals.step[(arrivals.agent == agent) & (arrivals.barrier == row)]
        return int(steps[-1]) if len(steps) else -1

    def held(self, agent: int, ring: Ring) -> list[int]:
        """The stages of a ring that the agent has read and not released since."""
        held = []
        for stage, row in enumerate(row for rows in ring.empty for row in rows[:1]):
            read = self.last_read(agent, row)
            if read is not None and read > self.last_arrival(agent, row):
                held.append(stage)
        return held

    def passed(self, agent: int, barriers: Collection[int]) -> Steps:
        """The agent's waits for these barriers that it passed, in order."""
        waits = self._intents.waits  # by agent
        first, last = np.searchsorted(waits.agent, (agent, agent + 1)).tolist()
        passed = (waits.end[first:last] >= 0) & np.isin(waits.barrier[first:last], list(barriers))
        found: Steps = first + np.flatnonzero(passed)
        return found

    def is_needed_again(self, agent: int, row: int, wait: int) -> bool:
        """Whether `wait`, at which the agent is blocked, is for a later fill of the stage that a barrier says is empty,
        where the agent has used an earlier one and not arrived on the barrier since."""
        full = int(self._intents.waits.barrier[wait])
        if self._history.structure.kinds[full] != "full" or not 0 <= self._slot[full] == self._slot[row]:
            return False
        passed, wanted = self.passed(agent, (full,)), self._intents.wanted
        if not len(passed) or wanted[passed[-1]] >= wanted[wait]:
            return False
        return self.last_arrival(agent, row) < int(self._intents.waits.begin[passed[-1]])
