"""What the rules call a use of a stage: an agent's wait for it, and the arrivals that belong to that wait.

An agent uses a stage when it waits for it: a consumer on its full barrier, to release it on the empty one; a producer
on its empty barrier, to arrive on the full one. What it arrives between one use and the next belongs to the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import order_by, search
from visualizer.diagnosis.uses.intents import Intents
from visualizer.replay.history import History
from visualizer.replay.step_index import Steps

SIDES = {"empty": 0, "full": 1}
"""Whose arrivals come on a barrier of this kind: those of who waits on the full barriers, or on the empty ones."""


@dataclass(frozen=True, eq=False)
class Uses:
    """Uses by lane (agent, side, ring and stage) and begin, (uses,); and of each of History.arrivals its use."""

    lane: Steps
    number: Steps
    begin: Steps
    of_arrival: Steps  # (arrivals,): row of these columns; -1: before the agent's first use, or it has none there
    belongs: NDArray[np.bool_]  # (arrivals,): whether its agent uses the stage at all
    slot: Steps  # (barriers,): ring name and stage as one number, the same in every CTA; -1: in no ring
    slots: int
    lanes: int

    def of(self, agent: int, side: int, slot: int) -> slice:
        """The uses of one lane."""
        lane = (agent * 2 + side) * self.slots + slot
        return slice(self._starts[lane], self._starts[lane + 1])

    @cached_property
    def _starts(self) -> list[int]:
        """The first use of each lane, and behind the last all."""
        lanes: list[int] = np.searchsorted(self.lane, np.arange(self.lanes + 1)).tolist()
        return lanes


def find_uses(history: History, intents: Intents) -> Uses:
    """The uses of every stage by every agent."""
    structure, waits, arrivals = history.structure, intents.waits, history.arrivals
    other = {"full": "empty", "empty": "full"}
    side = np.array([SIDES.get(other.get(kind, ""), -1) for kind in structure.kinds], np.int64)
    slot, slots = _slots(history)
    keep = np.flatnonzero((side[waits.barrier] >= 0) & (slot[waits.barrier] >= 0))
    row = waits.barrier[keep]
    lane = (waits.agent[keep] * 2 + side[row]) * slots + slot[row]
    number = intents.wanted[keep] + side[row]
    order = order_by(lane, waits.begin[keep])
    lane, number, begin = lane[order], number[order], waits.begin[keep][order]
    new = np.ones(len(lane), bool)
    new[1:] = (lane[1:] != lane[:-1]) | (number[1:] != number[:-1])
    lane, number, begin = lane[new], number[new], begin[new]

    gives = np.array([SIDES.get(kind, -1) for kind in structure.kinds], np.int64)[arrivals.barrier]
    known = (gives >= 0) & (slot[arrivals.barrier] >= 0)
    arrival_lane = np.where(known, (arrivals.agent * 2 + gives) * slots + slot[arrivals.barrier], -1)
    at = search(lane * history.steps + begin, arrival_lane * history.steps + arrivals.step) - 1
    mine = known & (at >= 0)
    mine &= np.append(lane, -1)[at] == arrival_lane
    lanes = len(history.trace.agents) * 2 * slots
    is_used = np.zeros(lanes + 1, bool)  # the last, which -1 finds: none
    is_used[lane] = True
    return Uses(lane, number, begin, np.where(mine, at, -1), is_used[arrival_lane], slot, slots, lanes)


def _slots(history: History) -> tuple[Steps, int]:
    structure = history.structure
    names = np.array([structure.names.index(ring.name) for ring in structure.rings] + [0], np.int64)
    most = max((ring.stages for ring in structure.rings), default=1)
    slot = names[structure.ring_of] * most + structure.stage_of
    return np.where((structure.ring_of >= 0) & (structure.stage_of >= 0), slot, -1), len(structure.names) * most
