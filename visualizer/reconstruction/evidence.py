"""What the agents' events show by themselves: arrivals, waits, copies, which phases completed, and within which times.

The first half of deriving. It needs no other CTA, while how long a copy usually takes is learnt from all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, order_by, running_total
from visualizer.reconstruction.arrivals import Arrivals, order_arrivals
from visualizer.reconstruction.phase_flips import NO_FLIPS, Flips
from visualizer.reconstruction.spans import NEVER
from visualizer.reconstruction.waits import Waits, find_waits
from visualizer.recording.schema import EventKind
from visualizer.recording.tables import Barrier

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Copies:
    """Every COPY_ISSUE, sorted by barrier and order of issue."""

    event: Ints
    barrier: Ints
    phase: Ints  # the phase that its issuer's last arrival there was in
    amount: Ints
    before: Ints  # bytes issued on that barrier before it


@dataclass(frozen=True, eq=False)
class Phases:
    """Phases that completed, sorted by barrier and phase."""

    barrier: Ints
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

    events: NDArray[np.void]
    arrivals: Arrivals
    waits: Waits
    copies: Copies
    phases: Phases
    closings: Closings
    loose: Bools  # (barriers,): arrivals of its CTA do not come out at one phase a lap, so parities may alias

    @property
    def landing_times(self) -> Ints:
        """From issue to landing (ps) of every copy that was observed to land."""
        seen = self.closings.observed
        issue = self.events["time"][self.copies.event[self.closings.copy[seen]]]
        times: Ints = self.closings.latest[seen] - issue
        return times

    @property
    def latest(self) -> int:
        """The time (ps) of the last event."""
        return int(self.events["time"].max(initial=0))

    @property
    def logged(self) -> int:
        """Events that agents logged."""
        return len(self.events)

    @property
    def most_events(self) -> int:
        """Events that they can become at most: a phase's completion may split an arrival, a copy lands and is done."""
        return len(self.events) + 2 * len(self.phases.barrier) + 2 * len(self.copies.event)


def examine(events: NDArray[np.void], barriers: Sequence[Barrier], flips: Flips = NO_FLIPS) -> Evidence:
    """Examine `events`: EVENT_DTYPE, grouped by agent, each agent's in program order, no copy engine's.

    `flips` are phases that a probe saw end, on the events' time scale.
    """
    arrivals = order_arrivals(events, barriers)
    waits = find_waits(events, barriers)
    init = np.array([b.init_count for b in barriers], np.int64)
    copies = _copies(events, arrivals, init)
    phases = _phases(events, arrivals, waits, copies, init)
    closings = _closings(events, waits, copies, phases, flips)
    loose = _loose(events, arrivals, waits, barriers, init)
    return Evidence(events, arrivals, waits, copies, phases, closings, loose)


def _copies(events: NDArray[np.void], arrivals: Arrivals, init: Ints) -> Copies:
    event = np.flatnonzero(np.ascontiguousarray(events["kind"]) == EventKind.COPY_ISSUE)
    # The phase of the last arrival by the same agent on the same barrier: merge both and carry it forward.
    both = np.concatenate([arrivals.event, event])
    phase = np.concatenate([arrivals.position // init[arrivals.barrier], np.full(len(event), -1)])
    is_copy = np.arange(len(both)) >= len(arrivals.event)
    barrier, agent = events["barrier"][both].astype(np.int64), events["agent"][both]
    receives = np.zeros(len(init), bool)
    receives[barrier[is_copy]] = True
    wanted = receives[barrier]
    both, phase, is_copy = both[wanted], phase[wanted], is_copy[wanted]
    barrier, agent = barrier[wanted], agent[wanted]
    order = order_by(barrier, agent, both)
    key = barrier[order] * (int(agent.max(initial=0)) + 1) + agent[order]
    # Phases never go back within a group, so the running maximum is the last one.
    span = int(phase.max(initial=0)) + 2
    group = np.cumsum(np.diff(key, prepend=key[:1]) != 0)
    carried = np.maximum.accumulate(phase[order] + 1 + group * span) - group * span - 1
    chosen = order[is_copy[order]]
    issued_in: Ints = np.maximum(carried[is_copy[order]], 0)
    sequence = order_by(barrier[chosen], events["time"][both[chosen]])
    event, place = both[chosen][sequence], barrier[chosen][sequence]
    amount = events["amount"][event].astype(np.int64)
    return Copies(event, place, issued_in[sequence], amount, running_total(place, amount))


def _phases(events: NDArray[np.void], arrivals: Arrivals, waits: Waits, copies: Copies, init: Ints) -> Phases:
    """Which phases completed. Bytes expected and issued must agree, or a wait that passed must prove it."""
    size = len(init)
    last = np.zeros(size, np.int64)
    np.maximum.at(last, arrivals.barrier, arrivals.position + arrivals.amount)
    full = last // init  # phases with all their arrivals
    first = np.concatenate([[0], np.cumsum(full)])
    barrier = np.repeat(np.arange(size), full)
    number = np.arange(len(barrier)) - first[barrier]
    # The arrival that brings the count to (number + 1) * init.
    span = int(last.max(initial=0)) + 1
    keys = arrivals.barrier * span + arrivals.position + arrivals.amount
    due = (number + 1) * init[barrier]
    row = np.searchsorted(keys, barrier * span + due)
    share = due - arrivals.position[row]

    expects = events["kind"][arrivals.event] == EventKind.ARRIVE_EXPECT_TX
    expected = np.zeros(len(barrier), np.int64)
    _add(expected, first, full, arrivals, events, init, expects)
    issued = np.zeros(len(barrier), np.int64)
    inside = copies.phase < full[copies.barrier]
    np.add.at(issued, first[copies.barrier[inside]] + copies.phase[inside], copies.amount[inside])
    expected_by_then = running_total(barrier, expected) + expected
    issued_by_then = running_total(barrier, issued) + issued

    # Bytes pass through zero for certain where all that was issued by then, or before the phase's own copies, is
    # what was expected; where they do not, a wait that passed has to prove it.
    certain = (expected_by_then == issued_by_then) | (expected_by_then == issued_by_then - issued)
    proven = np.full(size, -1, np.int64)
    passed = waits.end >= 0
    np.maximum.at(proven, waits.barrier[passed], waits.meant[passed])
    possible = certain | ((number <= proven[barrier]) & (expected_by_then <= issued_by_then))
    keep = unbroken(possible, barrier)

    copy, early = np.full(len(barrier), -1, np.int64), np.full(len(barrier), -1, np.int64)
    copy_share = np.zeros(len(barrier), np.int64)
    byte_span = int((copies.before + copies.amount).max(initial=0)) + 1
    with_bytes = np.flatnonzero(keep & (expected_by_then > 0))
    if len(with_bytes) and len(copies.event):
        ends = copies.barrier * byte_span + copies.before + copies.amount
        found = np.searchsorted(ends, barrier[with_bytes] * byte_span + expected_by_then[with_bytes])
        rest = expected_by_then[with_bytes] - copies.before[found]
        # Bytes that were all in before the phase's arrival leave the completion to the arrival.
        late = (copies.phase[found] >= number[with_bytes]) | (rest < copies.amount[found])
        copy[with_bytes] = np.where(late, found, -1)
        early[with_bytes] = np.where(late, -1, found)
        copy_share[with_bytes] = rest
    columns = (barrier, number, arrivals.event[row], share, copy, copy_share, early)
    return Phases(*(column[keep] for column in columns))


def _add(
    expected: Ints, first: Ints, full: Ints, arrivals: Arrivals, events: NDArray[np.void], init: Ints, expects: Bools
) -> None:
    """Add the bytes that each arrive.expect_tx expects to its phase."""
    barrier = arrivals.barrier[expects]
    phase = arrivals.position[expects] // init[barrier]
    inside = phase < full[barrier]
    amount = events["amount"][arrivals.event[expects]][inside]
    np.add.at(expected, first[barrier[inside]] + phase[inside], amount)


def unbroken(possible: Bools, barrier: Ints) -> Bools:
    """Phases up to the first impossible one of each barrier."""
    failures = running_total(barrier, (~possible).astype(np.int64))
    result: Bools = possible & (failures == 0)
    return result


def _closings(events: NDArray[np.void], waits: Waits, copies: Copies, phases: Phases, flips: Flips) -> Closings:
    """When the phases that copies completed can have, by the waits that were meant for them and a probe's flips."""
    count = int(phases.barrier.max(initial=-1)) + 2
    first = np.searchsorted(phases.barrier, np.arange(count))
    upper, lower = np.full(len(phases.barrier), NEVER), np.full(len(phases.barrier), -1)
    observed = np.zeros(len(phases.barrier), bool)
    barrier = np.minimum(waits.barrier, count - 1)
    row = first[barrier] + waits.meant
    # A wait with the other parity is for another phase, whatever it was meant for: it tells nothing of this one.
    known = (waits.meant >= 0) & (waits.barrier < count - 1) & (waits.parity == waits.meant & 1)
    known[known] = row[known] < first[waits.barrier[known] + 1]
    ended = known & (waits.end >= 0)
    np.minimum.at(upper, row[ended], events["time"][waits.end[ended]])
    refused = known & (waits.refused >= 0)
    np.maximum.at(lower, row[refused], events["time"][waits.refused[refused]])
    observed[row[ended & waits.blocked]] = True
    ends = np.flatnonzero(phases.copy >= 0)
    copy, lower, latest = phases.copy[ends], lower[ends], np.where(upper < NEVER, upper - 1, NEVER)[ends]
    still, flipped = flips.of(phases.barrier[ends], phases.number[ends])
    # A flip that was numbered wrongly, because others went unseen, is more than a phase away from its wait.
    probed = (flipped > np.maximum(lower, events["time"][copies.event[copy]])) & (still <= latest)
    latest = np.where(probed, np.minimum(latest, flipped), latest)
    return Closings(copy, lower, latest, observed[ends] | probed, probed)


def _loose(
    events: NDArray[np.void], arrivals: Arrivals, waits: Waits, barriers: Sequence[Barrier], init: Ints
) -> Bools:
    """Barriers of CTAs where agents arrive more per lap than a phase takes, or take a fresh full barrier for full."""
    agents = int(events["agent"].max(initial=0)) + 1
    pair = arrivals.barrier * agents + events["agent"][arrivals.event]
    once = np.zeros(len(barriers) * agents, np.int64)
    once[pair[::-1]] = arrivals.amount[::-1]  # the first arrival of each agent on each barrier is assigned last
    per_lap = once.reshape(-1, agents).sum(axis=1)
    cta = np.array([b.cta for b in barriers], np.int64)
    off = np.zeros(int(cta.max(initial=0)) + 1, bool)
    off[cta[per_lap > init]] = True
    full = np.array([b.kind == "full" for b in barriers], bool)
    off[cta[waits.barrier[full[waits.barrier] & (waits.meant < 0)]]] = True
    loose: Bools = off[cta]
    return loose
