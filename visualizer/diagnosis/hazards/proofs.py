"""The short proofs that accesses of a stage are in order, as in every sound pipeline: passes over columns, no loop.

A proof that fails tells nothing: the agents may know of each other in other ways (races.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import distinct_rows, order_by, search
from visualizer.diagnosis.uses.accesses import NEVER, Fills, Reads
from visualizer.diagnosis.uses.intents import Intents
from visualizer.replay.history import History
from visualizer.replay.step_index import Steps


class Proofs:
    """The short proofs of order, for all accesses at once."""

    def __init__(self, history: History, intents: Intents, relied: NDArray[np.int64]) -> None:
        self._history = history
        self._barriers = len(history.trace.barriers)
        self._waits = waits = intents.waits
        passed = waits.by_barrier[waits.end[waits.by_barrier] >= 0]
        lane = waits.agent[passed] * self._barriers + waits.barrier[passed]
        self._wait_keys, self._relied = lane * history.steps + waits.end[passed], relied[passed]
        structure = history.structure
        kinds, placed = np.array(structure.kinds, str), structure.place_of >= 0
        self._full, self._empty = np.full((2, structure.places), -1, np.int64)
        full = np.flatnonzero(placed & (kinds == "full"))
        self._full[structure.place_of[full]] = full
        self._is_empty = placed & (kinds == "empty")
        empty = np.flatnonzero(self._is_empty)[::-1]
        self._empty[structure.place_of[empty]] = empty  # of several the first

    @cached_property
    def _arrivals(self) -> tuple[Steps, Steps]:
        """Keys by agent, barrier and step, ascending, and the phases of the arrivals."""
        arrivals = self._history.arrivals
        order = order_by(arrivals.agent, arrivals.barrier)
        keys = (arrivals.agent * self._barriers + arrivals.barrier) * self._history.steps + arrivals.step
        return keys[order], arrivals.phase[order]

    def empties_waited_on(self, agent: Steps, place: Steps) -> Iterator[tuple[Steps, Steps]]:
        """The empty barriers of each place that its agent ever waits on: which rows have a first and which it is, then
        which have a second, .."""
        waits, structure = self._waits, self._history.structure
        on = self._is_empty[waits.barrier]
        theirs, empty = distinct_rows(
            waits.agent[on] * structure.places + structure.place_of[waits.barrier[on]], waits.barrier[on]
        )
        wanted = agent * structure.places + place
        first, last = np.searchsorted(theirs, wanted), np.searchsorted(theirs, wanted, side="right")
        while len(rows := np.flatnonzero(first < last)):
            yield rows, empty[first[rows]].astype(np.int64)
            first += 1

    def unordered_reads(self, copies: Fills, reads: Reads) -> tuple[NDArray[np.bool_], Steps]:
        """Reads without proof that every copy issued to the stage before them had landed, or that the next one waits
        for them; and the step at which each would collide."""
        steps = self._history.steps
        after = search(copies.keys, reads.place * steps + reads.begin)
        before = after - 1
        written = (before >= 0) & (copies.place[np.maximum(before, 0)] == reads.place)
        latest = latest_phases(copies, self._full)
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
        """Copies that fill a stage again with no read since the fill before, or, of a stage that is read, beside
        another issuing agent."""
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
        is_read = np.bincount(reads.place, minlength=len(self._full)) > 0
        beside = same_row & (copies.agent != copies.agent[previous]) & is_read[copies.place]
        unordered: NDArray[np.bool_] = unread | beside
        return unordered

    def _after_landing(self, copies: Fills, rows: Steps) -> NDArray[np.bool_]:
        """Whether the agent of each of these copies knew that those before it in the stage had landed, as it does
        where reads leave no event: the last phase that it waited for of the stage's empty barrier, its own CTA's where
        copies are multicast, took an arrival by an agent of the buffer's CTA that had waited for them. (rows,)"""
        trace, place, agent = self._history.trace, copies.place[rows], copies.agent[rows]
        if not len(rows) or not len(self._told[0]):
            return np.zeros(len(rows), bool)
        empty = np.append(self._empty, -1)[self._in_cta(place, trace.agent_cta[agent])]
        released = self.relied_by(agent, empty, copies.issue[rows]) - 1
        cta = self._cta_of_place[place]
        keys, knows = self._told
        wanted = self._told_key(np.maximum(empty, 0), released, cta)
        last = np.maximum(np.searchsorted(keys, wanted, side="right") - 1, 0)
        known: NDArray[np.bool_] = (empty >= 0) & (released >= 0) & (keys[last] == wanted)
        return known & (knows[last] > latest_phases(copies, self._full)[rows - 1])

    @cached_property
    def _told(self) -> tuple[Steps, NDArray[np.int64]]:
        """Of each phase of an empty barrier and each CTA, by `_told_key`: how many phases of that CTA's full barrier of
        the same stage somebody knew to have completed who then arrived in it."""
        arrivals, trace = self._history.arrivals, self._history.trace
        rows = np.flatnonzero(self._is_empty[arrivals.barrier])
        agent, barrier = arrivals.agent[rows], arrivals.barrier[rows]
        cta = trace.agent_cta[agent].astype(np.int64)
        full = np.append(self._full, -1)[self._in_cta(self._history.structure.place_of[barrier], cta)]
        knows = self.relied_by(agent, full, arrivals.step[rows])
        keys = self._told_key(barrier, arrivals.phase[rows], cta)
        order = order_by(keys, knows)
        keys, knows = keys[order], knows[order]
        last = np.append(keys[1:] != keys[:-1], True)[: len(keys)]
        return keys[last], knows[last]

    def _told_key(self, barrier: Steps, phase: Steps, cta: Steps) -> Steps:
        # A phase has arrivals, which are fewer than steps: no two phases of a barrier share a key.
        return (barrier * len(self._ring_at) + cta) * self._phases + np.clip(phase, -1, self._phases - 1)

    @cached_property
    def _phases(self) -> int:
        return int(self._history.arrivals.phase.max(initial=0)) + 2

    @cached_property
    def _cta_of_place(self) -> Steps:
        rings = self._history.structure.rings
        return np.repeat([ring.cta for ring in rings], [ring.stages for ring in rings]).astype(np.int64)

    @cached_property
    def _ring_at(self) -> Steps:
        """The ring of each CTA and name; -1: there is none. Shape (CTAs, names)."""
        structure, trace = self._history.structure, self._history.trace
        ctas = max(int(trace.agent_cta.max(initial=0)), *(ring.cta for ring in structure.rings)) + 1
        return structure.ring_rows(ctas).astype(np.int64)

    def _in_cta(self, place: Steps, cta: NDArray[np.integer]) -> Steps:
        """The same stage of the ring of that name in these CTAs; -1: it has none."""
        structure = self._history.structure
        first, stages = structure.first_place, np.diff(structure.first_place)
        names = np.array([structure.names.index(ring.name) for ring in structure.rings], np.int64)
        ring = np.searchsorted(first, place, side="right") - 1
        stage = place - first[ring]
        there = self._ring_at[cta, names[ring]]
        return np.where((there >= 0) & (stage < stages[there]), first[there] + stage, -1)

    def relied_by(self, agent: Steps, barrier: Steps, step: Steps) -> NDArray[np.int64]:
        """What the agent's latest wait on the barrier before the step may rely on; 0 if there was none."""
        lane = (agent * self._barriers + np.maximum(barrier, 0)) * self._history.steps
        position = search(self._wait_keys, lane + step) - 1
        known = (position >= 0) & (barrier >= 0)
        if not len(self._wait_keys):
            return np.zeros(len(agent), np.int64)
        known &= self._wait_keys[np.maximum(position, 0)] >= lane
        return np.where(known, self._relied[np.maximum(position, 0)], 0)


def latest_phases(copies: Fills, full: Steps) -> NDArray[np.int64]:
    """The latest phase of the stage's full barrier, (places,), in which each copy or one before it in the stage landed;
    NEVER from the first on that came on another barrier. Shape (copies,)."""
    latest = np.where(copies.barrier != full[copies.place], NEVER, copies.phase)
    starts = np.flatnonzero(np.diff(copies.place, prepend=-1))
    for start, stop in zip(starts, np.append(starts[1:], len(latest)), strict=True):
        latest[start:stop] = np.maximum.accumulate(latest[start:stop])
    return latest
