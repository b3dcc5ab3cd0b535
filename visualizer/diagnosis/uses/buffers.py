"""What the rules about buffers have in common: fills, reads and uses, found once for a diagnosis."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from visualizer.arrays.ordering import search
from visualizer.diagnosis.uses.accesses import Fills, Reads, find_fills, find_reads
from visualizer.diagnosis.uses.deviations import Deviation, find_deviations
from visualizer.diagnosis.uses.intents import Intents
from visualizer.diagnosis.uses.uses import Uses, find_uses
from visualizer.replay.history import History
from visualizer.replay.step_index import Steps


class Buffers:
    """Columns over the whole history, each found when first asked for."""

    def __init__(self, history: History, intents: Intents) -> None:
        self._history, self._intents = history, intents

    @cached_property
    def fills(self) -> Fills:
        return find_fills(self._history)

    @cached_property
    def reads(self) -> Reads:
        return find_reads(self._history)

    @cached_property
    def uses(self) -> Uses:
        return find_uses(self._history, self._intents)

    @cached_property
    def deviations(self) -> list[Deviation]:
        """Where agents arrive more or less often than in their other uses of a stage."""
        return find_deviations(self._history, self.uses)

    def latest_fill(self, reads: Reads) -> Steps:
        """The copy issued last to the stage of each of these reads before it, a row of `fills`; -1: none."""
        fills = self.fills
        before = search(fills.keys, reads.place * self._history.steps + reads.begin) - 1
        written = (before >= 0) & (np.append(fills.place, -1)[before] == reads.place)
        return np.where(written, before, -1)

    def uses_of(self, reads: Reads) -> Steps:
        """Which use of its stage each of these reads is in, by the wait its agent began last; -1: it never waited."""
        uses, structure, steps = self.uses, self._history.structure, self._history.steps
        slot_of_place = np.full(structure.places, -1, np.int64)
        rows = np.flatnonzero(structure.place_of >= 0)
        slot_of_place[structure.place_of[rows]] = uses.slot[rows]
        slot = slot_of_place[reads.place]
        lane = reads.agent * 2 * uses.slots + slot
        at = search(uses.lane * steps + uses.begin, lane * steps + reads.begin) - 1
        mine = (slot >= 0) & (at >= 0)
        mine &= np.append(uses.lane, -1)[at] == lane
        return np.where(mine, np.append(uses.number, -1)[at], -1)
