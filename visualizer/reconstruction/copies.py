"""The bytes that come to barriers: which copies bring them, and which phase each copy was issued for.

A copy with several destinations is one here for each barrier it completes bytes on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, order_by, running_total
from visualizer.reconstruction.arrivals import ArrivedPhases, LoggedArrivals
from visualizer.reconstruction.lives import Lives
from visualizer.reconstruction.logged import Logged
from visualizer.recording.schema import EventFlag, EventKind


@dataclass(frozen=True, eq=False)
class LoggedCopies:
    """Every COPY_ISSUE on a barrier, and every COMPLETE_TX by an agent, sorted by life and order of issue."""

    event: Ints
    life: Ints  # of its barrier
    phase: Ints  # that it was issued for
    amount: Ints
    before: Ints  # bytes issued on that barrier before it
    at_once: NDArray[np.bool_]  # an agent's COMPLETE_TX: the bytes are there with the event


@dataclass(frozen=True, eq=False)
class Expectations:
    """Every event that makes a barrier expect bytes, sorted by life and phase. All shapes (n,)."""

    event: Ints
    life: Ints
    phase: Ints
    amount: Ints

    def per_phase(self, phases: ArrivedPhases) -> Ints:
        """Bytes expected in each of `phases`."""
        row = phases.first[self.life] + self.phase
        inside = row < phases.first[self.life + 1]
        return np.bincount(row[inside], self.amount[inside], len(phases.life)).astype(np.int64)


def find_expectations(logged: Logged, lives: Lives, arrivals: LoggedArrivals, phases: ArrivedPhases) -> Expectations:
    """The expectations among `logged`. One that is no arrival itself belongs to the phase that is open at its time."""
    kind = logged.kind
    arrives = kind[arrivals.event] == EventKind.ARRIVE_EXPECT_TX
    event, life = arrivals.event[arrives], arrivals.life[arrives]
    phase = phases.phase_at(life, arrivals.position[arrives])
    alone = lives.on_barriers(kind == EventKind.EXPECT_TX)
    if len(alone):
        event, life = np.concatenate([event, alone]), np.concatenate([life, lives.of_event[alone]])
        phase = np.concatenate([phase, phases_open_at(logged, alone, lives, arrivals, phases)])
    order = order_by(life, phase)
    event = event[order]
    return Expectations(event, life[order], phase[order], logged.amount[event].astype(np.int64))


def phases_open_at(logged: Logged, alone: Ints, lives: Lives, arrivals: LoggedArrivals, phases: ArrivedPhases) -> Ints:
    """The phase of its barrier that is open at each event (rows `alone`), none of which is an arrival itself: not one
    after its agent's next arrival there, nor one before its last."""
    life = lives.of_event[alone]
    time = logged.time
    span = int(time.max()) + 1
    at = np.maximum.accumulate(arrivals.life * span + time[arrivals.event]) if len(arrivals.event) else arrivals.event
    row = np.searchsorted(at, life * span + time[alone], side="right") - 1
    known = (row >= 0) & (np.append(arrivals.life, -1)[row] == life)
    position = np.where(known, np.append(arrivals.position + arrivals.amount, 0)[row], 0)
    phase = phases.phase_at(life, position)
    # An agent's own arrivals around it, in program order.
    agent = logged.agent
    own = order_by(agent[arrivals.event], arrivals.life, arrivals.event)
    of_own = phases.phase_at(arrivals.life[own], arrivals.position[own])
    lane = agent[arrivals.event[own]] * (len(lives) + 1) + arrivals.life[own]
    rows = len(logged) + 1
    after = np.searchsorted(lane * rows + arrivals.event[own], (agent[alone] * (len(lives) + 1) + life) * rows + alone)
    mine = agent[alone] * (len(lives) + 1) + life
    has_before = np.append(lane, -1)[after - 1] == mine
    has_next = np.append(lane, -1)[after] == mine
    padded = np.append(of_own, 0)
    phase = np.where(has_before, np.maximum(phase, padded[after - 1]), phase)
    return np.where(has_next, np.minimum(phase, padded[after]), phase)


def find_copies(
    logged: Logged,
    lives: Lives,
    arrivals: LoggedArrivals,
    phases: ArrivedPhases,
    expectations: Expectations,
) -> LoggedCopies:
    """The copies among `logged`, each with the phase it was issued for."""
    kind = logged.kind
    moves = (kind == EventKind.COPY_ISSUE) & ((logged.flags & np.uint8(EventFlag.BY_ARRIVAL)) == 0)
    moves |= kind == EventKind.COMPLETE_TX
    event = lives.on_barriers(moves)
    life = lives.of_event[event]
    order = order_by(life, logged.time[event])
    event, life = event[order], life[order]
    amount = logged.amount[event].astype(np.int64)
    before = running_total(life, amount)
    phase = _by_bytes(life, before, phases, expectations)
    issuers = _by_issuer(logged, event, life, arrivals, phases, expectations)
    phase = np.where(issuers >= 0, issuers, phase)
    return LoggedCopies(event, life, phase, amount, before, kind[event] == EventKind.COMPLETE_TX)


def _by_bytes(life: Ints, before: Ints, phases: ArrivedPhases, expectations: Expectations) -> Ints:
    """The first phase that expects more, with those before it, than was issued before each copy."""
    if not len(expectations.life):
        return np.zeros(len(life), np.int64)
    up_to = running_total(expectations.life, expectations.amount) + expectations.amount
    span = int(max(up_to.max(), before.max(initial=0))) + 1
    row = np.searchsorted(expectations.life * span + up_to, life * span + before, side="right")
    inside = np.append(expectations.life, -1)[row] == life
    last = np.maximum(row - 1, 0)
    beyond = np.where(expectations.life[last] == life, expectations.phase[last], 0)
    return np.where(inside, np.append(expectations.phase, 0)[row], beyond)


def _by_issuer(
    logged: Logged,
    copy: Ints,
    life: Ints,
    arrivals: LoggedArrivals,
    phases: ArrivedPhases,
    expectations: Expectations,
) -> Ints:
    """The phase that the agent which issued each copy expected its bytes in: before, as mostly, or right after, if its
    first copy came first. By its arrivals if it expects no bytes there; -1 if it does neither."""
    phase = np.full(len(copy), -1, np.int64)
    agent = logged.agent
    wide = int(max(life.max(initial=0), arrivals.life.max(initial=0), expectations.life.max(initial=0))) + 1
    rows = len(logged) + 1
    for source in (expectations, arrivals):
        open_ = np.flatnonzero(phase < 0)
        if not len(open_) or not len(source.event):
            continue
        event, lives = source.event, source.life
        of_event = source.phase if isinstance(source, Expectations) else phases.phase_at(lives, source.position)
        lane = agent[event] * wide + lives
        order = order_by(lane, event)
        lane, event, of_event = lane[order], event[order], of_event[order]
        mine = agent[copy[open_]] * wide + life[open_]
        after = np.searchsorted(lane * rows + event, mine * rows + copy[open_])
        has_before = np.append(lane, -1)[after - 1] == mine
        has_next = np.append(lane, -1)[after] == mine
        # A lane whose first copy comes before anything is expected there expects its bytes afterwards.
        lanes, place = np.unique(mine, return_inverse=True)
        first = np.full(len(lanes), rows)
        np.minimum.at(first, place, copy[open_])
        begins = np.searchsorted(lane, lanes)
        starts = np.append(event, rows)[begins]
        copies_first = (first < starts)[place]
        padded = np.append(of_event, -1)
        chosen = np.where(copies_first & has_next, padded[after], np.where(has_before, padded[after - 1], -1))
        phase[open_] = chosen
    return phase
