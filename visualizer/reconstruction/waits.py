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
from visualizer.reconstruction.arrivals import Arrivals, ArrivedPhases
from visualizer.reconstruction.lives import Lives
from visualizer.reconstruction.logged import Logged
from visualizer.reconstruction.spans import NEVER
from visualizer.recording.schema import EventFlag, EventKind

_MOST_ROUNDS = 64
_OPENS = (EventKind.WAIT_BEGIN, EventKind.TEST_FAILED)


@dataclass(frozen=True, eq=False)
class Waits:
    """Every wait on a barrier, and every test that failed, in the order of the events. All shapes (n,)."""

    begin: Ints  # row of the WAIT_BEGIN; of the TEST_FAILED
    end: Ints  # row of the WAIT_END; -1: it did not pass, or not within the recording
    life: Ints  # of its barrier
    parity: Ints  # as if the recording began with phase 0
    phase: Ints  # whose completion let it pass, counted from the recording's begin; else the one that refused it.
    # -1: it passed on a fresh barrier
    blocked: NDArray[np.bool_]  # it passed, and its first test was false
    refused: Ints  # row of an event after which the test was still false; -1: none


def find_waits(logged: Logged, lives: Lives, arrivals: Arrivals, phases: ArrivedPhases, expected: Ints) -> Waits:
    """The waits among `logged`.

    `expected` has the bytes expected in each of `phases`.
    """
    kind = logged.kind
    begin = np.flatnonzero(((kind == _OPENS[0]) | (kind == _OPENS[1])) & (lives.of_event >= 0))
    is_test = kind[begin] == EventKind.TEST_FAILED
    life = lives.of_event[begin]
    parity = logged.parity[begin].astype(np.int64) & 1
    parity ^= lives.first_phase[life] & 1

    agent = logged.agent
    following = np.minimum(begin + 1, max(len(logged) - 1, 0))
    same = (agent[following] == agent[begin]) & (following > begin) & ~is_test
    ended = same & (kind[following] == EventKind.WAIT_END)
    timed_out = same & (kind[following] == EventKind.TIMEOUT)
    blocked = ended & ((logged.flags[following] & EventFlag.BLOCKED) != 0)
    refused = np.where(blocked | is_test, begin, np.where(timed_out, following, -1))
    end = np.where(ended, following, -1)

    time = logged.time
    late = (expected > 0) | logged.by_engine[arrivals.event[phases.arrival]]
    timeline = _Timeline.of(time, arrivals, phases, late)
    # What the barrier was in when the wait passed, or where it did not, when it was last known to be refused.
    at = time[np.where(ended, end, np.where(refused >= 0, refused, begin))]
    current = _current(timeline, life, parity, ended, at, np.where(blocked, time[begin], -1))
    current = _never_back(current, order_by(agent[begin], life), agent[begin].astype(np.int64), life)
    return Waits(begin, end, life, parity, np.where(ended, current - 1, current), blocked, refused)


@dataclass(frozen=True, eq=False)
class _Timeline:
    """When phases begin and end, as far as arrivals tell. Phases of a life that the arrivals do not reach never do."""

    first: Ints
    arrived: Ints  # (phases,): ps, when it had all its arrivals
    begun: Ints  # (phases,): ps, its first arrival
    rest: Ints  # (lives,): ps, the first arrival after all phases; NEVER: none
    late: NDArray[np.bool_]  # (phases,): bytes, or an engine that arrives later than known, may hold it open
    keys: Ints  # life * span + arrived
    span: int

    @classmethod
    def of(cls, time: Ints, arrivals: Arrivals, phases: ArrivedPhases, late: NDArray[np.bool_]) -> _Timeline:
        lives = len(phases.first) - 1
        span = int(time.max(initial=0)) + 2
        at = arrivals.life * span + time[arrivals.event]
        at = np.maximum.accumulate(at) if len(at) else at  # lives are sorted: nothing carries over
        at -= arrivals.life * span
        starts = np.searchsorted(arrivals.life, np.arange(lives))
        # The first arrival of a phase is the one after the last of the phase before, or that itself if it spans both.
        ends = arrivals.position + arrivals.amount
        goes_on = phases.arrival + (ends[phases.arrival] <= phases.end)
        inside = np.append(arrivals.life, -1)[goes_on] == phases.life
        following = np.where(inside, np.append(at, NEVER)[goes_on], NEVER)
        begun = np.empty(len(phases.life), np.int64)
        begun[1:] = following[:-1]
        opens = phases.number == 0
        begun[opens] = at[starts[phases.life[opens]]]
        rest = np.full(lives, NEVER)
        has_any = np.append(arrivals.life, -1)[starts] == np.arange(lives)
        rest[has_any] = at[starts[has_any]]
        closes = np.append(phases.life[1:], -1) != phases.life
        rest[phases.life[closes]] = following[closes]
        arrived = at[phases.arrival]
        return cls(phases.first, arrived, begun, rest, late, phases.life * span + arrived, span)

    def complete_by(self, life: Ints, at: Ints) -> Ints:
        """How many phases had all their arrivals by each time."""
        return np.searchsorted(self.keys, life * self.span + at, side="right") - self.first[life]

    def earliest_end(self, life: Ints, phase: Ints) -> Ints:
        """The least time at which a phase can have ended."""
        row, known = self._row(life, phase)
        ended = self.arrived[row] if len(self.arrived) else row
        return np.where(phase < 0, -1, np.where(known, ended, NEVER))

    def latest_end(self, life: Ints, phase: Ints) -> Ints:
        """The time by which a phase must have ended: with its last arrival, or before the next one's first."""
        row, known = self._row(life, phase)
        if not len(self.arrived):
            return np.full(len(life), NEVER)
        after, exists = self._row(life, phase + 1)
        next_begun = np.where(exists, self.begun[after], self.rest[life])
        return np.where(known, np.where(self.late[row], next_begun, self.arrived[row]), NEVER)

    def _row(self, life: Ints, phase: Ints) -> tuple[Ints, NDArray[np.bool_]]:
        row = self.first[life] + phase
        known = (phase >= 0) & (row < self.first[life + 1])
        return np.where(known, row, 0), known


def _current(timeline: _Timeline, life: Ints, parity: Ints, passed: NDArray[np.bool_], at: Ints, held_at: Ints) -> Ints:
    """The phase that each wait's barrier was in at time `at`: its parity is not the operand's where the wait passed,
    and is where it was refused. Until `held_at` (-1: no such time) the one before was still going on."""
    bit = np.where(passed, parity ^ 1, parity)
    guess = timeline.complete_by(life, at)
    guess -= (guess - bit) & 1
    guess = np.maximum(guess, bit)
    best, least = guess, np.full(len(guess), NEVER)
    for away in (0, -2, 2):
        phase = guess + away
        # It was in this phase from the end of the one before to its own.
        odds = np.maximum(timeline.earliest_end(life, phase - 1) - at, 0)
        odds += np.maximum(at - timeline.latest_end(life, phase), 0)
        held = np.maximum(held_at - timeline.latest_end(life, phase - 1), 0)
        odds += np.where(held_at >= 0, held, 0)
        better = (odds < least) & (phase >= bit)
        best, least = np.where(better, phase, best), np.where(better, odds, least)
        if away == 0 and not least.any():
            break
    return best


def _never_back(current: Ints, order: Ints, agent: Ints, life: Ints) -> Ints:
    """Raise phases, by whole pairs, until none of an agent's waits meets its barrier in an earlier one than before."""
    if not len(current):
        return current
    group = group_starts(agent[order] * (int(life.max()) + 1) + life[order])
    own = current[order]
    for _ in range(_MOST_ROUNDS):
        span = int(own.max()) + 2
        least = np.maximum.accumulate(own + group * span) - group * span
        behind = np.flatnonzero(own < least)
        if not len(behind):
            break
        own[behind] = least[behind] + ((least[behind] - own[behind]) & 1)
    raised = current.copy()
    raised[order] = own
    return raised
