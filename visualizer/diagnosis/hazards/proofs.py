"""The short proofs that accesses of a stage are in order, as in every sound pipeline: passes over columns, no loop.

A proof that fails tells nothing: the agents may know of each other in other ways (vector_clocks.py).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import order_by, search
from visualizer.diagnosis.uses.accesses import NEVER, Fills, Reads
from visualizer.diagnosis.uses.intents import Intents
from visualizer.replay.history import History
from visualizer.replay.step_index import Steps


class Proofs:
    """The short proofs of order, for all accesses at once."""

    def __init__(self, history: History, intents: Intents, relied: NDArray[np.int64]) -> None:
        self._history = history
        self._barriers = len(history.trace.barriers)
        waits = intents.waits
        passed = waits.by_barrier[waits.end[waits.by_barrier] >= 0]
        lane = waits.agent[passed] * self._barriers + waits.barrier[passed]
        self._wait_keys, self._relied = lane * history.steps + waits.end[passed], relied[passed]
        structure = history.structure
        self._full = np.full(structure.places, -1, np.int64)
        self._empties = [self._full.copy()]
        for row, (kind, place) in enumerate(zip(structure.kinds, structure.place_of.tolist(), strict=True)):
            if place >= 0 and kind == "full":
                self._full[place] = row
            elif place >= 0 and kind == "empty":
                if all(table[place] >= 0 for table in self._empties):
                    self._empties.append(np.full(structure.places, -1, np.int64))
                next(table for table in self._empties if table[place] < 0)[place] = row
        self._empty = self._empties[0]

    @cached_property
    def _arrivals(self) -> tuple[Steps, Steps]:
        """Keys by agent, barrier and step, ascending, and the phases of the arrivals."""
        arrivals = self._history.arrivals
        order = order_by(arrivals.agent, arrivals.barrier)
        keys = (arrivals.agent * self._barriers + arrivals.barrier) * self._history.steps + arrivals.step
        return keys[order], arrivals.phase[order]

    def empties_of(self, place: Steps) -> list[Steps]:
        """The empty barriers of each place: the first of each, the second of those that have one, ..; -1: none."""
        return [table[place] for table in self._empties]

    def unordered_reads(self, copies: Fills, reads: Reads) -> tuple[NDArray[np.bool_], Steps]:
        """Reads without proof that every copy issued to the stage before them had landed, or that the next one waits
        for them; and the step at which each would collide."""
        steps = self._history.steps
        after = search(copies.keys, reads.place * steps + reads.begin)
        before = after - 1
        written = (before >= 0) & (copies.place[np.maximum(before, 0)] == reads.place)
        elsewhere = copies.barrier != self._full[copies.place]
        latest = np.where(elsewhere, NEVER, copies.phase)
        starts = np.flatnonzero(np.diff(copies.place, prepend=-1))
        for start, stop in zip(starts, np.append(starts[1:], len(latest)), strict=True):
            latest[start:stop] = np.maximum.accumulate(latest[start:stop])
        knows = self.relied_by(reads.asker, self._full[reads.place], reads.asked)
        has_copies = np.bincount(copies.place, minlength=len(self._full))[reads.place] > 0
        early = has_copies & ~(written & (knows > latest[np.maximum(before, 0)]))

        following = np.minimum(after, len(copies.place) - 1)
        rewritten = (after < len(copies.place)) & (copies.place[following] == reads.place)
        empty = self._empty[reads.place]
        lane = (reads.agent * self._barriers + np.maximum(empty, 0)) * steps
        ended = np.where(reads.end == NEVER, 0, reads.end)
        keys, phases = self._arrivals
        release = search(keys, lane + ended)
        known = np.append(keys, NEVER)[release] < lane + steps
        phase = np.where(known, np.append(phases, NEVER)[release], NEVER)
        writer_knows = self.relied_by(copies.agent[following], empty, copies.issue[following])
        ordered = (empty >= 0) & (reads.end != NEVER) & (writer_knows > phase)
        raced = rewritten & ~ordered
        collision = np.where(raced, copies.issue[following], reads.begin)
        return early | raced, collision

    def unordered_copies(self, copies: Fills, reads: Reads) -> NDArray[np.bool_]:
        """Copies that fill a stage again with no read since the fill before, or beside another issuing agent."""
        steps = self._history.steps
        same_row = np.diff(copies.place, prepend=-1) == 0
        previous = np.maximum(np.arange(len(copies.place)) - 1, 0)
        phase = self._history.barriers.phase_at(np.maximum(copies.barrier, 0), copies.issue)
        same_fill = np.where(copies.tile < 0, phase == phase[previous], copies.tile == copies.tile[previous])
        keys = np.sort(reads.place * steps + reads.begin)
        read_between = np.searchsorted(keys, copies.keys) > np.searchsorted(keys, copies.keys[previous])
        unread = same_row & ~same_fill & ~read_between
        refills = np.flatnonzero(unread)
        unread[refills] = ~self._after_landing(copies, refills)
        unordered: NDArray[np.bool_] = unread | (same_row & (copies.agent != copies.agent[previous]))
        return unordered

    def _after_landing(self, copies: Fills, rows: Steps) -> NDArray[np.bool_]:
        """Whether the agent of each of these copies knew that the one before it in the stage had landed, as it does
        where reads leave no event: the last phase of the empty barrier that it waited for took an arrival by an agent
        that had waited for that copy. Shape (rows,)."""
        arrivals, place, before = self._history.arrivals, copies.place[rows], rows - 1
        if not len(rows) or not len(arrivals):
            return np.zeros(len(rows), bool)
        empty, full = self._empty[place], self._full[place]
        released = self.relied_by(copies.agent[rows], empty, copies.issue[rows]) - 1
        span = max(int(arrivals.phase.max()), int(released.max())) + 2
        keys, wanted = arrivals.barrier * span + arrivals.phase, empty * span + released
        last = np.maximum(np.searchsorted(keys, wanted, side="right") - 1, 0)
        step = arrivals.step[last]
        known: NDArray[np.bool_] = (released >= 0) & (keys[last] == wanted) & (copies.barrier[before] == full)
        known &= (copies.issue[before] < step) & (step < copies.issue[rows])
        return known & (self.relied_by(arrivals.agent[last], full, step) > copies.phase[before])

    def relied_by(self, agent: Steps, barrier: Steps, step: Steps) -> NDArray[np.int64]:
        """What the agent's latest wait on the barrier before the step may rely on; 0 if there was none."""
        lane = (agent * self._barriers + np.maximum(barrier, 0)) * self._history.steps
        position = search(self._wait_keys, lane + step) - 1
        known = (position >= 0) & (barrier >= 0)
        if not len(self._wait_keys):
            return np.zeros(len(agent), np.int64)
        known &= self._wait_keys[np.maximum(position, 0)] >= lane
        return np.where(known, self._relied[np.maximum(position, 0)], 0)
