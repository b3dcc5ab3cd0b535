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
from visualizer.reconstruction.cta_spans import FROM_THE_START, NEVER
from visualizer.reconstruction.logged import Logged
from visualizer.reconstruction.placing import UNKNOWN, BarrierUse, Place, place
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.tables import Agent, Barrier

Bools = NDArray[np.bool_]

_ENOUGH = 4096  # arrivals that tell a barrier's place
_MOST_LATER = 3  # phases at the beginning that may lack bytes
_OPENS = (EventKind.WAIT_BEGIN, EventKind.TEST_FAILED)
_CLOSES = (EventKind.WAIT_END, EventKind.TIMEOUT)
_BY_ENGINES = (EventKind.TENSOR_COMMIT, EventKind.CP_ASYNC_ARRIVE_NOINC)
_ARRIVES = (EventKind.ARRIVE, EventKind.ARRIVE_EXPECT_TX, *_BY_ENGINES)
_EXPECTS = (EventKind.EXPECT_TX, EventKind.ARRIVE_EXPECT_TX)
_COME_BEFORE = (EventKind.EXPECT_TX, EventKind.CP_ASYNC_ARRIVE)
_BRINGS = (EventKind.COPY_ISSUE, EventKind.COMPLETE_TX)
_LATE = (*_BRINGS, *_EXPECTS, *_BY_ENGINES, EventKind.CP_ASYNC_ARRIVE)


def begin(
    logged: Logged, agents: Sequence[Agent], barriers: Sequence[Barrier], since: Ints
) -> tuple[Logged, list[Barrier]]:
    """The events that belong to phases whose beginning is recorded, and `barriers` with the count and the phase that
    each begins with; a count of 0 where nothing tells. `agents` and `barriers` are the span's; `since`, by CTA, as
    AgentEvents.complete_from.
    """
    agent_cta = np.array([agent.cta for agent in agents])
    kept = logged.time >= since[agent_cta][logged.agent]
    closes = np.isin(logged.kind, _CLOSES)
    follows = np.append(False, kept[:-1] & (logged.agent[1:] == logged.agent[:-1]))
    kept &= follows | ~closes
    told = _told(logged, ~kept, barriers)
    logged = logged.only(np.flatnonzero(kept))

    rows = np.flatnonzero(logged.barrier >= 0)
    rows = rows[order_by(logged.barrier[rows])]
    edges = np.searchsorted(logged.barrier[rows], np.arange(len(barriers) + 1)).tolist()
    drop = np.zeros(len(logged), bool)
    parts: dict[int, _Part] = {}
    for number in range(len(barriers)):
        if since[barriers[number].cta] == FROM_THE_START:
            continue
        own = rows[edges[number] : edges[number + 1]]
        inits = own[logged.kind[own] == EventKind.INIT]
        if len(inits):
            drop[own[logged.time[own] < logged.time[inits].min()]] = True
        elif len(own):
            parts[number] = _Part(
                logged, own, remote=bool((agent_cta[logged.agent[own]] != barriers[number].cta).any())
            )
    placed = list(barriers)
    found = _places(parts, told, barriers)
    for number, part in parts.items():
        one = found.get(number, UNKNOWN)
        placed[number] = replace(barriers[number], init_count=one.count, first_phase=one.parity)
        if one is not UNKNOWN:
            drop[part.rows[part.before(one)]] = True
    return logged.only(np.flatnonzero(~drop)), placed


def unplaced(events: NDArray[np.void], barriers: Sequence[Barrier]) -> int:
    """How many of the barriers that `events` use, EVENT_DTYPE, have no phase that is known: neither an init nor what
    comes after tells their count."""
    told = np.array([barrier.init_count > 0 for barrier in barriers] + [True])
    told[events["barrier"][events["kind"] == EventKind.INIT]] = True
    used = np.unique(events["barrier"])
    return int((~told[used]).sum())


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
    return {number: whole for number, one in found.items() if one and (whole := parts[number].whole(one))}


def _told(logged: Logged, lost: Bools, barriers: Sequence[Barrier]) -> list[int]:
    """The count that the last init of each barrier gave it, among the events that are left out, less what was dropped
    since, or else the table's; 0: neither does, or the log holds no count there."""
    rows = np.flatnonzero(lost & np.isin(logged.kind, (EventKind.INIT, EventKind.ARRIVE_DROP)) & (logged.barrier >= 0))
    rows = rows[order_by(logged.time[rows])]
    counts = [barrier.init_count for barrier in barriers]
    for barrier, kind, amount in zip(
        logged.barrier[rows].tolist(), logged.kind[rows].tolist(), logged.amount[rows].tolist(), strict=True
    ):
        counts[barrier] = max(amount if kind == EventKind.INIT else counts[barrier] - amount, 0)
    return counts


class _Part:
    """The events on one barrier, agent by agent in program order."""

    def __init__(self, logged: Logged, rows: Ints, *, remote: bool) -> None:
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
        self.late = remote or bool(np.isin(kind, _LATE).any())

    @property
    def sites(self) -> tuple[int, ...]:
        """The instructions that arrive and wait; (): not all are known."""
        of = np.concatenate([self.arrivals, self.begins])
        sites: list[int] = np.unique(self.site[of]).tolist()
        return tuple(sites) if sites and sites[0] >= 0 else ()

    @property
    def use(self) -> BarrierUse:
        """What tells its place: of a long recording the beginning is enough."""
        ends = self.closes[self.ended]
        hung = self.closes[~self.ended & (self.kind[self.begins] == EventKind.WAIT_BEGIN)]
        refused = self.begins[self.blocked | (self.kind[self.begins] == EventKind.TEST_FAILED)]
        refused = np.concatenate([refused, hung])
        at = self.arrivals[:_ENOUGH]
        if len(self.arrivals) > _ENOUGH:
            until = self.time[at[-1]]
            ends, refused = ends[self.time[ends] < until], refused[self.time[refused] < until]
        return BarrierUse(
            self.time[at],
            np.unique(self.agent[at], return_inverse=True)[1],
            self.given[:_ENOUGH],
            self.time[ends],
            self.agent[ends],
            self.parity[ends],
            self.time[refused],
            self.parity[refused],
            self.late,
        )

    def whole(self, found: Place) -> Place | None:
        """`found`, or the place a phase or more later: where the bytes of the first phase were all issued in the
        recording. None: in no phase near its beginning."""
        for _ in range(_MOST_LATER):
            gone = self._before(found)
            if self._surplus(found, gone) >= 0 and not self._is_cut(found, gone):
                return found
            found = found.later()
        return None

    def before(self, found: Place) -> Bools:
        """Which of the events belong to a phase before the first whole one."""
        gone = self._before(found)
        out = self._met(found)
        out = (out < -1) | ((out == -1) & (self.blocked | ~self.ended))
        gone[self.begins[out]] = gone[self.closes[out]] = True
        copies = self._copies
        gone[copies[np.cumsum(self.amount[copies]) <= self._surplus(found, gone)]] = True
        return gone

    def _positions(self, at: Ints) -> Ints:
        """Arrivals up to and with each time."""
        ends = np.append(0, np.cumsum(self.given))
        return ends[np.searchsorted(self.time[self.arrivals], at, side="right")]

    def _met(self, found: Place) -> Ints:
        """The phase whose completion each wait met, or which refused it."""
        current = found.current(self._positions(self.time[self.closes]))
        # Where bytes came late, or a clock was read early, it was one phase back.
        current -= ((current + found.parity + self.parity[self.begins] + ~self.ended) & 1) ^ 1
        met: Ints = current - self.ended
        return met

    def _before(self, found: Place) -> Bools:
        """Which arrivals, and expectations, belong to a phase before the first whole one."""
        gone = np.zeros(len(self.kind), bool)
        skipped = self.arrivals[np.cumsum(self.given) <= found.skip]
        gone[skipped] = True
        opened = int(self.time[skipped].max(initial=-1))
        alone = np.flatnonzero(np.isin(self.kind, _COME_BEFORE))
        gone[alone] = self._next_is(gone, alone, opened)
        return gone

    def _next_is(self, gone: Bools, rows: Ints, opened: int) -> Bools:
        """Whether what comes before an arrival, at each of `rows`, belongs to one that is left out."""
        own = np.sort(self.arrivals)
        following = np.append(own, -1)[np.searchsorted(own, rows)]
        same = (following >= 0) & (self.agent[following] == self.agent[rows])
        before: Bools = np.where(same, gone[following], self.time[rows] <= opened)
        return before

    def _expected_in(self, found: Place, expects: Ints) -> Ints:
        """The phase of each of `expects`, which come before what they arrive with, or are that."""
        return np.maximum(found.current(self._positions(self.time[expects] - 1)), 0)

    def _is_cut(self, found: Place, gone: Bools) -> bool:
        """Whether what comes before an arrival of the first phase may have come before the recording."""
        if not np.isin(self.kind, _COME_BEFORE).any():
            return False
        comes = np.flatnonzero(np.isin(self.kind, (*_COME_BEFORE, EventKind.ARRIVE_EXPECT_TX)) & ~gone)
        phases = np.bincount(self._expected_in(found, comes), self.amount[comes])
        arrived = len(self.arrivals) > 0 and int(self.given.sum()) > found.skip
        return arrived and (len(phases) < 2 or phases[0] < phases.max())

    @property
    def _copies(self) -> Ints:
        """What brings bytes, in order of time."""
        copies = np.flatnonzero(np.isin(self.kind, _BRINGS) & ((self.flags & np.uint8(EventFlag.BY_ARRIVAL)) == 0))
        return copies[order_by(self.time[copies])]

    def _surplus(self, found: Place, gone: Bools) -> int:
        """Bytes that were issued for phases before the first: what had been issued when a wait passed, and was not
        expected by its phase or one before it. Below 0: so many are missing."""
        copies = self._copies
        issued = np.append(0, np.cumsum(self.amount[copies]))
        expects = np.flatnonzero(np.isin(self.kind, _EXPECTS) & ~gone)
        met = self._met(found)
        proofs = np.flatnonzero(self.ended & (met >= 0))
        if not len(proofs):
            return int(issued[np.searchsorted(self.time[copies], self.time[expects].min(initial=NEVER))])
        phase = self._expected_in(found, expects)
        order = order_by(phase)
        due = np.append(0, np.cumsum(self.amount[expects[order]]))[np.searchsorted(phase[order], met[proofs], "right")]
        return int((issued[np.searchsorted(self.time[copies], self.time[self.closes[proofs]], "right")] - due).min())
