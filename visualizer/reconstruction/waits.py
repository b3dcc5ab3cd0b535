"""The waits that agents logged, and the one place that says which phase each met.

A wait's parity says the phase but for an even number of phases, the arrivals around it say the rest: it passes on
phase k at the earliest once k has all its arrivals, and at the latest before phase k + 2 gets its first one, since the
barrier is then two phases on. Of the phases of its parity only one lies within, unless clocks are off; then that which
is least at odds with them is taken, and no agent sees a barrier go back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, group_starts, order_by
from visualizer.reconstruction.arrivals import ArrivedPhases, LoggedArrivals
from visualizer.reconstruction.cta_spans import NEVER
from visualizer.reconstruction.lives import Lives
from visualizer.reconstruction.logged import Logged, Rows
from visualizer.recording.schema import EventFlag, EventKind

_MOST_ROUNDS = 64
_OPENS = (EventKind.WAIT_BEGIN, EventKind.TEST_FAILED)


@dataclass(frozen=True, eq=False)
class LoggedWaits:
    """Every wait on a barrier, and every test that failed, agent by agent, life by life. All shapes (n,)."""

    end: Rows  # row of the WAIT_END; -1: it did not pass, or not within the recording
    refused: Rows  # row of an event after which the test was still false; -1: none
    life: Rows  # of its barrier
    phase: Rows  # whose completion let it pass, counted from the recording's begin; else the one that refused it.
    # -1: it passed on a fresh barrier
    blocked: NDArray[np.bool_]  # it passed, and its first test was false

    @property
    def narrow(self) -> LoggedWaits:
        """The same in 32 bits: all parts' are kept until the pace is known."""
        end, refused, life, phase = (
            column.astype(np.int32) for column in (self.end, self.refused, self.life, self.phase)
        )
        return LoggedWaits(end, refused, life, phase, self.blocked)


def find_waits(
    logged: Logged, lives: Lives, arrivals: LoggedArrivals, phases: ArrivedPhases, expected: Ints
) -> LoggedWaits:
    """The waits among `logged`.

    `expected` has the bytes expected in each of `phases`.
    """
    kind, agent = logged.kind, logged.agent
    begin = lives.on_barriers((kind == _OPENS[0]) | (kind == _OPENS[1]))
    # Of one agent and life they follow each other in time, so that each finds its phase near the one before.
    begin = begin[order_by(agent.take(begin), lives.of_event.take(begin))]
    whose, life = agent.take(begin), lives.of_event.take(begin)
    is_test = kind.take(begin) == EventKind.TEST_FAILED
    parity = (logged.parity.take(begin) ^ lives.first_phase.take(life)) & 1

    following = np.minimum(begin + 1, max(len(logged) - 1, 0))
    same = (agent.take(following) == whose) & (following > begin) & ~is_test
    kind, flags = kind.take(following), logged.flags.take(following)
    ended = same & (kind == EventKind.WAIT_END)
    timed_out = same & (kind == EventKind.TIMEOUT)
    blocked = ended & ((flags & EventFlag.BLOCKED) != 0)
    refused = np.where(blocked | is_test, begin, np.where(timed_out, following, -1))
    end = np.where(ended, following, -1)

    time = logged.time
    late = expected > 0
    if logged.engine is not None:
        late |= logged.by_engine[arrivals.event[phases.arrival]]
    timeline = _Timeline.of(time, arrivals, phases, late)
    # What the barrier was in when the wait passed, or where it did not, when it was last known to be refused.
    at = time.take(np.where(ended | timed_out, following, begin))
    current = _current(timeline, life, parity, ended, at, np.where(blocked, time.take(begin), -1))
    phase = _never_back(current, whose, life) - ended
    slow = np.flatnonzero(ended & ((flags & EventFlag.SLOW) != 0))
    slow = slow[timeline.may_end_after(life[slow], phase[slow], time[begin[slow]])]
    if len(slow):
        slow = slow[time[begin[slow]] < _first_passed(life, phase, np.where(ended, time[end], NEVER), slow)]
        blocked[slow], refused[slow] = True, begin[slow]
    return LoggedWaits(end, refused, life, phase, blocked)


def _first_passed(life: Ints, phase: Ints, passed: Ints, of: Ints) -> Ints:
    """When the first wait passed on the phase that each of `of` met. `passed`: when each wait did, or NEVER."""
    met = life * (int(phase.max(initial=0)) + 2) + phase + 1
    order = order_by(met)
    begins = np.flatnonzero(np.diff(met[order], prepend=-1))
    first = np.minimum.reduceat(passed[order], begins)
    return first[np.searchsorted(met[order[begins]], met[of])]


@dataclass(frozen=True, eq=False)
class _Timeline:
    """When phases end, as far as arrivals tell; a life's are between a row for phase -1 and two for phases that its
    arrivals do not reach: those never end."""

    first: Ints  # (lives,): row of its phase 0
    count: Ints  # (lives,): phases that got all their arrivals
    earliest: Ints  # (rows,): ps, with its last arrival; -1 for phase -1
    latest: Ints  # (rows,): ps, with its last arrival; where something may hold it open beyond, before the next's first
    keys: Ints  # (phases,): life * span + arrived
    before: Ints  # (lives,): phases of the lives before
    span: int

    @classmethod
    def of(cls, time: Ints, arrivals: LoggedArrivals, phases: ArrivedPhases, late: NDArray[np.bool_]) -> _Timeline:
        """`late`, (phases,): bytes, or an engine that arrives later than known, may hold it open."""
        span = int(time.max(initial=0)) + 2
        at = arrivals.life * span + time[arrivals.event]
        at = np.maximum.accumulate(at) if len(at) else at  # lives are sorted: nothing carries over
        at -= arrivals.life * span
        # The first arrival of a phase is the one after the last of the phase before, or that itself if it spans both.
        ends = arrivals.position + arrivals.amount
        goes_on = phases.arrival + (ends[phases.arrival] <= phases.end)
        inside = np.append(arrivals.life, -1)[goes_on] == phases.life
        following = np.where(inside, np.append(at, NEVER)[goes_on], NEVER)
        arrived = at[phases.arrival]

        before = phases.first[:-1]
        first = before + 3 * np.arange(len(before)) + 1
        earliest, latest = np.full((2, len(arrived) + 3 * len(before)), NEVER)
        rows = first[phases.life] + phases.number
        earliest[rows], latest[rows] = arrived, np.where(late, following, arrived)
        earliest[first - 1] = -1
        return cls(first, np.diff(phases.first), earliest, latest, phases.life * span + arrived, before, span)

    def may_end_after(self, life: Ints, phase: Ints, at: Ints) -> NDArray[np.bool_]:
        """Whether a phase may have ended after a time; that before a barrier's first ended with its init."""
        row = self.first[life] + np.minimum(phase, self.count[life] + 1)
        return (phase >= 0) & (self.latest[row] > at)

    def complete_by(self, life: Ints, at: Ints) -> Ints:
        """How many phases had all their arrivals by each time."""
        return np.searchsorted(self.keys, life * self.span + at, side="right") - self.before.take(life)

    def odds(self, life: Ints, phase: Ints, at: Ints, held_at: Ints) -> Ints:
        """By how much (ps) each barrier cannot have been in a phase at time `at` and in the one before at `held_at`."""
        row = np.minimum(np.maximum(phase, 0), self.count.take(life) + 1)
        row += self.first.take(life)
        odds: Ints = np.maximum(at - self.latest.take(row), 0)
        row -= 1
        # It was in this phase from the end of the one before to its own.
        odds += np.maximum(self.earliest.take(row) - at, 0)
        held = np.flatnonzero(held_at >= 0)
        odds[held] += np.maximum(held_at[held] - self.latest[row[held]], 0)
        return odds


def _current(timeline: _Timeline, life: Ints, parity: Ints, passed: NDArray[np.bool_], at: Ints, held_at: Ints) -> Ints:
    """The phase that each wait's barrier was in at time `at`: its parity is not the operand's where the wait passed,
    and is where it was refused. Until `held_at` (-1: no such time) the one before was still going on."""
    bit = np.where(passed, parity ^ 1, parity)
    guess = timeline.complete_by(life, at)
    guess -= (guess - bit) & 1
    best = np.maximum(guess, bit, out=guess)
    least = timeline.odds(life, best, at, held_at)
    open_ = np.flatnonzero(least)
    life, bit, at, held_at, middle, least = (column[open_] for column in (life, bit, at, held_at, best, least))
    for away in (-2, 2):
        phase = middle + away
        odds = timeline.odds(life, phase, at, held_at)
        better = np.flatnonzero((odds < least) & (phase >= bit))
        best[open_[better]], least[better] = phase[better], odds[better]
    return best


def _never_back(current: Ints, agent: Ints, life: Ints) -> Ints:
    """Raise phases, by whole pairs, until none of an agent's waits meets its barrier in an earlier one than before."""
    lane = agent * (int(life.max(initial=0)) + 1) + life
    if not ((current[1:] < current[:-1]) & (lane[1:] == lane[:-1])).any():
        return current
    group = group_starts(lane)
    raised = current.copy()
    for _ in range(_MOST_ROUNDS):
        span = int(raised.max()) + 2
        lift = group * span
        least = np.maximum.accumulate(raised + lift)
        least -= lift
        behind = np.flatnonzero(raised < least)
        if not len(behind):
            break
        raised[behind] = least[behind] + ((least[behind] - raised[behind]) & 1)
    return raised
