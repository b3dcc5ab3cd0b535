"""Which phase of its barrier each logged arrival belongs to: clocks say it roughly, the tokens of the hardware exactly.

A token is the barrier's word before the arrival, so its parity and pending count are a position within two phases;
time only has to be right to one phase to tell which two phases are meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, group_starts, order_by, running_total
from visualizer.language import tr
from visualizer.reconstruction.lives import Lives
from visualizer.reconstruction.logged import Logged
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.tables import Barrier
from visualizer.recording.trace import TraceError
from visualizer.semantics.word import decode

_MOST_OF_ONE = 32
"""Phases that one record of arrivals may complete: the lanes of a warp, on a barrier that takes one arrival. What
hardware completes is derived, so that amounts without bounds would be events without bounds."""


@dataclass(frozen=True, eq=False)
class LoggedArrivals:
    """Every arrival, sorted by life and, in each, in the order the barrier saw them. All shapes (n,)."""

    event: Ints  # row of the logged event
    life: Ints  # of its barrier
    position: Ints  # arrivals the barrier had before it since its init
    amount: Ints  # arrivals it makes
    raised: Ints | None = None
    """The phase whose pending count went up for it first, see raised_arrivals; -1: none did. None: none for any."""

    @property
    def order(self) -> ArrivalOrder:
        """What deriving needs of them."""
        raised = None if self.raised is None else self.raised.astype(np.int32)
        return ArrivalOrder(self.event.astype(np.int32), self.life.astype(np.int32), raised)


@dataclass(frozen=True, eq=False)
class ArrivalOrder:
    """As LoggedArrivals, in 32 bits: all parts' are kept until the pace is known."""

    event: NDArray[np.int32]
    life: NDArray[np.int32]
    raised: NDArray[np.int32] | None


@dataclass(frozen=True, eq=False)
class ArrivedPhases:
    """Phases that got all their arrivals, sorted by life and phase. Whether their bytes came is another question."""

    life: Ints
    number: Ints  # from 0 in each life
    end: Ints  # arrivals the barrier had had since its init when it was complete
    arrival: Ints  # row among the arrivals of the one that made it so
    first: Ints  # (lives + 1,): life i's are rows first[i] to first[i + 1]

    @cached_property
    def _keys(self) -> tuple[Ints, int]:
        span = int(self.end.max(initial=0)) + 1
        return self.life * span + self.end, span

    def phase_at(self, life: Ints, position: Ints) -> Ints:
        """The phase that an arrival at this position belongs to, by the arrivals alone."""
        keys, span = self._keys
        row: Ints = np.searchsorted(keys, life * span + np.minimum(position, span - 1), side="right")
        return row - self.first[life]


def order_arrivals(logged: Logged, lives: Lives) -> LoggedArrivals:
    """The arrivals among `logged` that count towards what a phase takes."""
    kind = logged.kind
    plain = (kind == EventKind.ARRIVE) | (kind == EventKind.ARRIVE_DROP)
    counts = plain | (kind == EventKind.ARRIVE_EXPECT_TX)
    promises = logged.promises
    counts[promises.arrival[logged.kind[promises.promise] == EventKind.CP_ASYNC_ARRIVE]] = False
    event = lives.on_barriers(counts)
    time = logged.time.take(event)
    life = lives.of_event.take(event)
    amount = np.where(plain.take(event), logged.amount.take(event), 1).astype(np.int64)

    order = order_by(life, time)
    has_token = (logged.flags.take(event) & EventFlag.HAS_TOKEN) != 0
    if has_token.any():
        position = np.empty(len(event), np.int64)
        position[order] = running_total(life[order], amount[order])
        count = lives.count[life]
        parity, pending, _ = decode(logged.token[event])
        # Positions count from the recording's begin, so parities must too.
        parity ^= lives.first_phase[life] & 1
        usable = has_token & (pending >= 1) & (pending <= count) & ~(lives.changes | lives.raised)[life]
        within = parity * count + count - pending  # position within an even and an odd phase
        laps = (position - within + count) // np.maximum(2 * count, 1)  # nearest whole number of phase pairs
        position = np.where(usable, np.maximum(laps, 0) * 2 * count + within, position)
        position = _in_program_order(position, life, logged.agent[event])
        order = order_by(life, position, time)
    life, amount = life.take(order), amount.take(order)
    return LoggedArrivals(event.take(order), life, running_total(life, amount), amount)


def _in_program_order(position: Ints, life: Ints, agent: Ints) -> Ints:
    """Raise positions until no arrival of an agent lies before its previous one on the same barrier."""
    key = agent * (int(life.max(initial=0)) + 1) + life
    order = order_by(key)
    group = group_starts(key[order])
    span = int(position.max(initial=0)) + 1
    raised = position.copy()
    raised[order] = np.maximum.accumulate(position[order] + group * span) - group * span
    return raised


def arrived_phases(
    logged: Logged, arrivals: LoggedArrivals, lives: Lives, barriers: Sequence[Barrier]
) -> ArrivedPhases:
    """The phases that the arrivals complete, by the count of each life as it is by then. TraceError if they are more
    than so many arrivals can complete."""
    total = np.zeros(len(lives), np.int64)
    np.maximum.at(total, arrivals.life, arrivals.position + arrivals.amount)
    count = np.where(lives.changes, 0, lives.count)
    phases = np.where(count > 0, total // np.maximum(count, 1), 0)
    most = _MOST_OF_ONE * (len(arrivals.event) + 1)
    changed_lives = np.flatnonzero(lives.changes).tolist()
    changing = {life: _with_drops(logged, arrivals, lives, life, most) for life in changed_lives}
    for changed, ends in changing.items():
        phases[changed] = len(ends)
    if phases.sum() > most:
        worst = int(np.argmax(phases))
        raise TraceError(
            tr(
                "{barrier} would complete {phases} phases with {arrivals} arrivals: what it is initialised for and what"
                " they count for do not fit each other",
                barrier=barriers[int(lives.barrier[worst])].name,
                phases=int(phases[worst]),
                arrivals=int((arrivals.life == worst).sum()),
            )
        )
    first = np.concatenate([[0], np.cumsum(phases)])
    life = np.repeat(np.arange(len(lives)), phases)
    number = np.arange(len(life)) - first[life]
    end = (number + 1) * count[life]
    for changed, ends in changing.items():
        end[first[changed] : first[changed + 1]] = ends
    span = int(total.max(initial=0)) + 1
    keys = arrivals.life * span + arrivals.position + arrivals.amount
    return ArrivedPhases(life, number, end, np.searchsorted(keys, life * span + end), first)


def _with_drops(logged: Logged, arrivals: LoggedArrivals, lives: Lives, life: int, most: int) -> list[int]:
    """Where each phase of a life ends whose count an arrive_drop lowers: as of the phase after it. Phase by phase, for
    where one ends decides what counts for the next; few barriers have drops. No more of them than one above `most`."""
    rows = slice(*np.searchsorted(arrivals.life, [life, life + 1]).tolist())
    ends = arrivals.position[rows] + arrivals.amount[rows]
    dropped = np.where(logged.kind[arrivals.event[rows]] == EventKind.ARRIVE_DROP, arrivals.amount[rows], 0)
    lowered = np.concatenate([[0], np.cumsum(dropped)])
    found: list[int] = []
    end, count = 0, int(lives.count[life])
    while count > 0 and len(ends) and end + count <= int(ends[-1]) and len(found) <= most:
        end += count
        found.append(end)
        count = int(lives.count[life]) - int(lowered[np.searchsorted(ends, end, side="right")])
    return found
