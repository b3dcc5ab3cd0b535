"""What the agents' events show by themselves: arrivals, waits, copies, which phases completed, and within which times.

The first half of deriving. It needs no other CTA, while how long a copy usually takes is learnt from all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, running_total
from visualizer.reconstruction.arrivals import (
    ArrivalOrder,
    ArrivedPhases,
    LoggedArrivals,
    arrived_phases,
    order_arrivals,
)
from visualizer.reconstruction.copies import Expectations, LoggedCopies, find_copies, find_expectations
from visualizer.reconstruction.cta_spans import NEVER
from visualizer.reconstruction.lives import Lives, find_lives
from visualizer.reconstruction.logged import Logged
from visualizer.reconstruction.phase_flips import NO_FLIPS, Flips
from visualizer.reconstruction.raised_arrivals import with_raised
from visualizer.reconstruction.waits import LoggedWaits, find_waits
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.tables import Barrier

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Phases:
    """Phases that completed, sorted by life and phase."""

    life: Ints
    number: Ints
    arrival: Ints  # row of the last arrival
    arrival_share: Ints  # of that event's amount
    copy: Ints  # row among the copies of the one whose landing completed it; -1: the arrival did
    copy_share: Ints  # of that copy's bytes
    early: Ints  # row of the copy that had brought the last bytes before the arrival completed it; -1: none


@dataclass(frozen=True, eq=False)
class Closings:
    """The phases that a copy's landing completed, and what waits and a probe say about when. Shapes (n,)."""

    copy: Ints  # row among the copies
    lower: Ints  # ps: the last time a wait was refused before; -1: none was
    latest: Ints  # ps: just before a wait first passed after, or when a probe had seen it; NEVER: neither
    observed: Bools  # a blocked wait ended on it, or a probe saw it: it landed at `latest`
    probed: Bools  # a probe saw it


@dataclass(frozen=True, eq=False)
class Evidence:
    """The agents' events and what they show."""

    logged: Logged
    lives: Lives
    arrivals: ArrivalOrder
    waits: LoggedWaits
    expectations: Expectations
    copies: LoggedCopies
    phases: Phases
    closings: Closings
    landing_times: Ints  # from issue to landing (ps) of every copy that was observed to land
    latest: int  # the time (ps) of the last event
    publishing: Ints  # rows of the INITs and FENCEs
    slow: bool  # some events are SLOW

    @property
    def logged_events(self) -> int:
        """How many events agents logged."""
        return len(self.logged) - int(self.logged.by_engine.sum())


def examine(logged: Logged, barriers: Sequence[Barrier], flips: Flips = NO_FLIPS) -> Evidence:
    """Examine `logged`, and make it forget its columns: all parts' evidence is kept until the pace is known.

    `flips` are phases that a probe saw end, on the events' time scale.
    """
    lives = find_lives(logged, barriers)
    arrivals = order_arrivals(logged, lives)
    arrived = arrived_phases(logged, arrivals, lives, barriers)
    arrivals, arrived = with_raised(logged, lives, arrivals, arrived)
    expectations = find_expectations(logged, lives, arrivals, arrived)
    expected = expectations.per_phase(arrived)
    waits = find_waits(logged, lives, arrivals, arrived, expected)
    copies = find_copies(logged, lives, arrivals, arrived, expectations)
    phases = _completed(logged, arrived, expected, arrivals, waits, copies)
    closings = _closings(logged, waits, copies, phases, flips, lives)
    lives = replace(lives, of_event=lives.of_event[:0])  # as large as a column, and of no more use
    seen = closings.observed
    landing_times = closings.latest[seen] - logged.time[copies.event[closings.copy[seen]]]
    latest = int(logged.time.max(initial=0))
    publishing = np.flatnonzero((logged.kind == EventKind.INIT) | (logged.kind == EventKind.FENCE))
    slow = bool((logged.flags & np.uint8(EventFlag.SLOW)).any())
    logged.forget_columns()
    return Evidence(
        logged,
        lives,
        arrivals.order,
        waits.narrow,
        expectations,
        copies,
        phases,
        closings,
        landing_times,
        latest,
        publishing,
        slow,
    )


def _completed(
    logged: Logged,
    arrived: ArrivedPhases,
    expected: Ints,
    arrivals: LoggedArrivals,
    waits: LoggedWaits,
    copies: LoggedCopies,
) -> Phases:
    """Which phases completed. Bytes expected and issued must agree, or a wait that passed must prove it."""
    life, number, first, row = arrived.life, arrived.number, arrived.first, arrived.arrival
    share = arrived.end - arrivals.position[row]
    if arrivals.raised is not None:
        share = np.where(arrivals.raised[row] >= 0, logged.amount[arrivals.event[row]], share)
    issued = np.zeros(len(life), np.int64)
    inside = copies.phase < np.diff(first)[copies.life]
    np.add.at(issued, first[copies.life[inside]] + copies.phase[inside], copies.amount[inside])
    expected_by_then = running_total(life, expected) + expected
    issued_by_then = running_total(life, issued) + issued

    # Bytes pass through zero for certain where all that was issued by then, or before the phase's own copies, is
    # what was expected; where they do not, a wait that passed has to prove it.
    certain = (expected_by_then == issued_by_then) | (expected_by_then == issued_by_then - issued)
    possible = certain
    if not certain.all():
        proven = np.full(len(first) - 1, -1, np.int64)
        passed = waits.end >= 0
        np.maximum.at(proven, waits.life[passed], waits.phase[passed])
        possible = certain | ((number <= proven[life]) & (expected_by_then <= issued_by_then))
    keep = unbroken(possible, life)

    copy, early = np.full(len(life), -1, np.int64), np.full(len(life), -1, np.int64)
    copy_share = np.zeros(len(life), np.int64)
    byte_span = int((copies.before + copies.amount).max(initial=0)) + 1
    with_bytes = np.flatnonzero(keep & (expected_by_then > 0))
    if len(with_bytes) and len(copies.event):
        ends = copies.life * byte_span + copies.before + copies.amount
        found = np.searchsorted(ends, life[with_bytes] * byte_span + expected_by_then[with_bytes])
        rest = expected_by_then[with_bytes] - copies.before[found]
        # Bytes that were all in before the phase's arrival leave the completion to the arrival.
        late = (copies.phase[found] >= number[with_bytes]) | (rest < copies.amount[found])
        copy[with_bytes] = np.where(late, found, -1)
        early[with_bytes] = np.where(late, -1, found)
        copy_share[with_bytes] = rest
    columns = (life, number, arrivals.event[row], share, copy, copy_share, early)
    return Phases(*(column[keep] for column in columns))


def unbroken(possible: Bools, life: Ints) -> Bools:
    """Phases up to the first impossible one of each life."""
    failures = running_total(life, (~possible).astype(np.int64))
    result: Bools = possible & (failures == 0)
    return result


def _closings(
    logged: Logged, waits: LoggedWaits, copies: LoggedCopies, phases: Phases, flips: Flips, lives: Lives
) -> Closings:
    """When the phases that copies completed can have, by the waits that met them and a probe's flips."""
    first = np.searchsorted(phases.life, np.arange(len(lives) + 1))
    upper, lower = np.full(len(phases.life), NEVER), np.full(len(phases.life), -1)
    observed = np.zeros(len(phases.life), bool)
    row = first[waits.life] + waits.phase
    known = (waits.phase >= 0) & (row < first[waits.life + 1])
    ended = known & (waits.end >= 0)
    np.minimum.at(upper, row[ended], logged.time[waits.end[ended]])
    refused = known & (waits.refused >= 0)
    np.maximum.at(lower, row[refused], logged.time[waits.refused[refused]])
    observed[row[ended & waits.blocked]] = True
    # A test that failed was of a phase that had begun.
    failed = (waits.refused >= 0) & (waits.end < 0) & (waits.phase > 0) & (row <= first[waits.life + 1])
    np.minimum.at(upper, row[failed] - 1, logged.time[waits.refused[failed]])
    ends = np.flatnonzero(phases.copy >= 0)
    copy, lower, latest = phases.copy[ends], lower[ends], np.where(upper < NEVER, upper - 1, NEVER)[ends]
    still, flipped = flips.of(lives.barrier[phases.life[ends]], phases.number[ends])
    # A flip that was numbered wrongly, because others went unseen, is more than a phase away from its wait.
    probed = (flipped > np.maximum(lower, logged.time[copies.event[copy]])) & (still <= latest)
    latest = np.where(probed, np.minimum(latest, flipped), latest)
    return Closings(copy, lower, latest, observed[ends] | probed, probed)
