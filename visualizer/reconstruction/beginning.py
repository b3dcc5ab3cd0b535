"""A recording that begins in the middle: what agents did from a time on, made to begin with whole phases.

The events of all agents are there from that time on, but barriers are in the middle of phases and nobody recorded
their inits. What belongs to a phase whose beginning is not recorded is left out, and so are waits that it held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, order_by
from visualizer.reconstruction.logged import Logged
from visualizer.reconstruction.placing import BarrierUse, Place, place
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.tables import Barrier

Bools = NDArray[np.bool_]

_OPENS = (EventKind.WAIT_BEGIN, EventKind.TEST_FAILED)
_CLOSES = (EventKind.WAIT_END, EventKind.TIMEOUT)
_BY_ENGINES = (EventKind.TENSOR_COMMIT, EventKind.CP_ASYNC_ARRIVE_NOINC)
_ARRIVES = (EventKind.ARRIVE, EventKind.ARRIVE_EXPECT_TX, *_BY_ENGINES)
_EXPECTS = (EventKind.EXPECT_TX, EventKind.ARRIVE_EXPECT_TX)
_BRINGS = (EventKind.COPY_ISSUE, EventKind.COMPLETE_TX)


def begin(logged: Logged, barriers: Sequence[Barrier], since: int) -> tuple[Logged, list[Barrier]]:
    """The events from `since` (ps) on that belong to phases whose beginning is recorded, and `barriers`, those of the
    span, with the count and the phase that each begins with; a count of 0 where nothing tells.
    """
    kept = logged.time >= since
    closes = np.isin(logged.kind, _CLOSES)
    kept[1:] &= kept[:-1] | ~closes[1:] | (logged.agent[1:] != logged.agent[:-1])
    told = _told(logged, ~kept, len(barriers))
    logged = logged.only(np.flatnonzero(kept))

    rows = np.flatnonzero(logged.barrier >= 0)
    rows = rows[order_by(logged.barrier[rows])]
    edges = np.searchsorted(logged.barrier[rows], np.arange(len(barriers) + 1)).tolist()
    drop = np.zeros(len(logged), bool)
    parts: dict[int, _Part] = {}
    for number in range(len(barriers)):
        own = rows[edges[number] : edges[number + 1]]
        inits = own[logged.kind[own] == EventKind.INIT]
        if len(inits):
            drop[own[logged.time[own] < logged.time[inits].min()]] = True
        elif len(own):
            parts[number] = _Part(logged, own)
    placed = list(barriers)
    for number, found in _places(parts, told, barriers).items():
        placed[number] = replace(barriers[number], init_count=found.count, first_phase=found.parity)
        drop[parts[number].rows[parts[number].before(found)]] = True
    return logged.only(np.flatnonzero(~drop)), placed


def _places(parts: dict[int, _Part], told: list[int], barriers: Sequence[Barrier]) -> dict[int, Place]:
    """Where each barrier was, of those of which it can be told. What one tells of its count holds for all that the same
    instructions use, in this CTA and others, if they agree; where those are not known, for all at its offset.
    """
    found = {number: place(part.use, told[number]) for number, part in parts.items() if not part.changes}
    alike = {number: parts[number].sites or barriers[number].offset for number in found}
    counts: dict[tuple[int, ...] | int, set[int]] = {}
    for number, one in found.items():
        if one and one.count:
            counts.setdefault(alike[number], set()).add(one.count)
    for number, one in found.items():
        agreed = counts.get(alike[number], set())
        if not told[number] and len(agreed) == 1 and not (one and one.count):
            found[number] = place(parts[number].use, *agreed) or one
    return {number: one for number, one in found.items() if one}


def _told(logged: Logged, lost: Bools, barriers: int) -> list[int]:
    """The count that the last init of each barrier gave it, among the events that are left out; 0: there is none."""
    inits = np.flatnonzero(lost & (logged.kind == EventKind.INIT) & (logged.barrier >= 0))
    inits = inits[order_by(logged.time[inits])]
    told = np.zeros(barriers, np.int64)
    told[logged.barrier[inits]] = logged.amount[inits]
    counts: list[int] = told.tolist()
    return counts


class _Part:
    """The events on one barrier, agent by agent in program order."""

    def __init__(self, logged: Logged, rows: Ints) -> None:
        self.rows = rows
        self.kind, self.time, self.agent = logged.kind[rows], logged.time[rows], logged.agent[rows]
        self.amount = logged.amount[rows].astype(np.int64)
        self.parity = logged.parity[rows].astype(np.int64) & 1
        self.flags = logged.flags[rows]
        self.site = logged.log.column("site", logged.rows(rows))
        kind = self.kind
        self.changes = bool((kind == EventKind.ARRIVE_DROP).any())
        arrives = np.flatnonzero(np.isin(kind, _ARRIVES))
        self.arrivals = arrives[order_by(self.time[arrives])]
        whole = np.where(kind == EventKind.ARRIVE_EXPECT_TX, 1, self.amount)
        self.given = whole[self.arrivals]
        # A wait's end is the event behind its begin: agents do one thing at a time.
        self.begins = np.flatnonzero(np.isin(kind, _OPENS))
        following = np.minimum(self.begins + 1, len(rows) - 1)
        same = (self.agent[following] == self.agent[self.begins]) & (kind[self.begins] == EventKind.WAIT_BEGIN)
        self.ended = same & (kind[following] == EventKind.WAIT_END)
        timed_out = same & (kind[following] == EventKind.TIMEOUT)
        self.closes = np.where(self.ended | timed_out, following, self.begins)
        self.blocked = self.ended & ((self.flags[following] & EventFlag.BLOCKED) != 0)
        self.late = bool(np.isin(kind, (*_BRINGS, *_EXPECTS, *_BY_ENGINES, EventKind.CP_ASYNC_ARRIVE)).any())

    @property
    def sites(self) -> tuple[int, ...]:
        """The instructions that arrive and wait; (): not all are known."""
        of = np.concatenate([self.arrivals, self.begins])
        sites: list[int] = np.unique(self.site[of]).tolist()
        return tuple(sites) if sites and sites[0] >= 0 else ()

    @property
    def use(self) -> BarrierUse:
        ends = self.closes[self.ended]
        refused = self.begins[self.blocked | (self.kind[self.begins] == EventKind.TEST_FAILED)]
        hung = self.closes[~self.ended & (self.kind[self.begins] == EventKind.WAIT_BEGIN)]
        refused = np.concatenate([refused, hung])
        at = self.arrivals
        return BarrierUse(
            self.time[at],
            self.agent[at],
            self.given,
            self.time[ends],
            self.agent[ends],
            self.parity[ends],
            self.time[refused],
            self.parity[refused],
            self.late,
        )

    def before(self, found: Place) -> Bools:
        """Which of the events belong to a phase before the first whole one."""
        gone = np.zeros(len(self.kind), bool)
        ends = np.cumsum(self.given)
        skipped = self.arrivals[ends <= found.skip]
        gone[skipped] = True
        opened = int(self.time[skipped].max(initial=-1))
        expects = np.flatnonzero(np.isin(self.kind, (EventKind.EXPECT_TX, EventKind.CP_ASYNC_ARRIVE)))
        gone[expects] = self._next_is(gone, expects, opened)

        at = self.time[self.closes]
        current = found.current(np.append(0, ends)[np.searchsorted(self.time[self.arrivals], at, side="right")])
        # Where bytes came late, or a clock was read early, it was one phase back.
        current -= ((current + found.parity + self.parity[self.begins] + ~self.ended) & 1) ^ 1
        met = current - self.ended
        out = (met < -1) | ((met == -1) & (self.blocked | ~self.ended))
        gone[self.begins[out]] = gone[self.closes[out]] = True
        self._drop_bytes(gone, found, ends, met)
        return gone

    def _next_is(self, gone: Bools, rows: Ints, opened: int) -> Bools:
        """Whether what comes before an arrival, at each of `rows`, belongs to one that is left out."""
        own = np.sort(self.arrivals)
        following = np.append(own, -1)[np.searchsorted(own, rows)]
        same = (following >= 0) & (self.agent[following] == self.agent[rows])
        return np.where(same, gone[following], self.time[rows] <= opened)

    def _drop_bytes(self, gone: Bools, found: Place, ends: Ints, met: Ints) -> None:
        """Leave out copies of phases that began before: what was issued by when a wait passed, and not expected by its
        phase or one before it."""
        copies = np.flatnonzero(np.isin(self.kind, _BRINGS) & ((self.flags & np.uint8(EventFlag.BY_ARRIVAL)) == 0))
        if not len(copies):
            return
        copies = copies[order_by(self.time[copies])]
        brought = np.cumsum(self.amount[copies])
        expects = np.flatnonzero(np.isin(self.kind, _EXPECTS) & ~gone)
        positions = np.searchsorted(self.time[self.arrivals], self.time[expects])
        phase = found.current(np.append(0, ends)[positions])
        order = order_by(phase)
        phase, expected = phase[order], np.append(0, np.cumsum(self.amount[expects[order]]))
        proofs = np.flatnonzero(self.ended & (met >= 0))
        issued = np.append(0, brought)[np.searchsorted(self.time[copies], self.time[self.closes[proofs]], side="right")]
        due = expected[np.searchsorted(phase, met[proofs], side="right")]
        if len(proofs):
            surplus = int((issued - due).min())
        else:
            opened = int(self.time[expects].min()) if len(expects) else int(self.time.max()) + 1
            surplus = int(brought[self.time[copies] < opened][-1:].sum())
        gone[copies[brought <= surplus]] = True
