"""What the hardware did and no agent logs: which phases completed and by whose doing, and when each copy landed.

Everything here follows from what agents saw. Where that leaves a time open, it is estimated and said to be; a
completion that nothing proves is not made up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.trace.arrivals import Arrivals, Ints, order_arrivals, running_total
from visualizer.trace.schema import EventKind
from visualizer.trace.tables import Agent, Barrier
from visualizer.trace.waits import Waits, find_waits

DEFAULT_LANDING_PS = 400_000
"""From a copy's issue to its landing, where the recording shows none: the first 16 KiB of a run on an H200."""

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Landings:
    """Copies that land, sorted by barrier and order of issue. Landing j is node `len(events) + j`. Shapes (n,)."""

    issue: Ints  # row of the COPY_ISSUE
    barrier: Ints
    amount: Ints  # bytes
    agent: Ints  # the copy engine's row
    time: Ints  # ps
    estimated: Bools  # the time is an estimate between two observations


@dataclass(frozen=True, eq=False)
class Completions:
    """Completed phases, sorted by barrier and phase; each barrier's are 0, 1, 2, ... without a gap, counted from its
    first_phase on. Shapes (n,)."""

    barrier: Ints
    phase: Ints
    node: Ints  # what completed it: an arrival's row, or a landing's node
    share: Ints  # how much of that node's amount was in when the phase completed
    arrival: Ints  # row of the phase's last arrival; the same as node where that completed it
    bytes_in: Ints  # node of the landing that had brought the last of its bytes before that arrival; -1: none


@dataclass(frozen=True, eq=False)
class Derived:
    """The agents' events and what follows from them. A node is an event's row, or beyond those a landing."""

    events: NDArray[np.void]
    arrivals: Arrivals
    landings: Landings
    completions: Completions
    waits: Waits
    first: Ints  # (barriers + 1,): barrier b's completions are rows first[b] to first[b + 1]
    loose: Bools  # (barriers,): arrivals of its CTA do not come out at one phase a lap, so parities may alias
    copies_observed: int
    copies_estimated: int


def derive(events: NDArray[np.void], agents: Sequence[Agent], barriers: Sequence[Barrier]) -> Derived:
    """Derive from `events`: EVENT_DTYPE, grouped by agent, each agent's in program order, no copy engine's."""
    arrivals = order_arrivals(events, barriers)
    waits = find_waits(events, barriers)
    init = np.array([b.init_count for b in barriers], np.int64)
    copies = _copies(events, arrivals, init)
    phases = _phases(events, arrivals, waits, copies, init)
    landings, landing_of, observed = _land(events, agents, waits, copies, phases)
    completions = phases.completions(len(events), landing_of)
    first = np.searchsorted(completions.barrier, np.arange(len(barriers) + 1))
    estimated = len(landings.issue) - observed
    loose = _loose(events, arrivals, waits, barriers, init)
    return Derived(events, arrivals, landings, completions, waits, first, loose, observed, estimated)


@dataclass(frozen=True, eq=False)
class _Copies:
    """Every COPY_ISSUE, sorted by barrier and order of issue."""

    event: Ints
    barrier: Ints
    phase: Ints  # the phase that its issuer's last arrival there was in
    amount: Ints
    before: Ints  # bytes issued on that barrier before it


@dataclass(frozen=True, eq=False)
class _Phases:
    """Phases that completed, sorted by barrier and phase."""

    barrier: Ints
    number: Ints
    arrival: Ints  # row of the last arrival
    arrival_share: Ints  # of that event's amount
    copy: Ints  # row among the copies of the one whose landing completed it; -1: the arrival did
    copy_share: Ints  # of that copy's bytes
    early: Ints  # row of the copy that had brought the last bytes before the arrival completed it; -1: none

    def completions(self, events: int, landing_of: Ints) -> Completions:
        """Those completed by an arrival or a copy that landed, up to the first of a barrier that was not."""
        by_copy, with_bytes = self.copy >= 0, np.maximum(self.copy, self.early) >= 0
        landing = np.full(len(self.copy), -1, np.int64)
        landing[with_bytes] = landing_of[np.maximum(self.copy, self.early)[with_bytes]]
        keep = unbroken(~with_bytes | (landing >= 0), self.barrier)
        node = np.where(by_copy, events + landing, self.arrival)
        share = np.where(by_copy, self.copy_share, self.arrival_share)
        bytes_in = np.where(with_bytes & ~by_copy, events + landing, -1)
        columns = (self.barrier, self.number, node, share, self.arrival, bytes_in)
        return Completions(*(column[keep] for column in columns))


def _copies(events: NDArray[np.void], arrivals: Arrivals, init: Ints) -> _Copies:
    event = np.flatnonzero(events["kind"] == EventKind.COPY_ISSUE)
    # The phase of the last arrival by the same agent on the same barrier: merge both and carry it forward.
    both = np.concatenate([arrivals.event, event])
    phase = np.concatenate([arrivals.position // init[arrivals.barrier], np.full(len(event), -1)])
    is_copy = np.arange(len(both)) >= len(arrivals.event)
    barrier, agent = events["barrier"][both].astype(np.int64), events["agent"][both]
    wanted = np.isin(barrier, np.unique(barrier[is_copy]))
    both, phase, is_copy = both[wanted], phase[wanted], is_copy[wanted]
    barrier, agent = barrier[wanted], agent[wanted]
    order = np.lexsort((both, agent, barrier))
    key = barrier[order] * (int(agent.max(initial=0)) + 1) + agent[order]
    # Phases never go back within a group, so the running maximum is the last one.
    span = int(phase.max(initial=0)) + 2
    group = np.cumsum(np.diff(key, prepend=key[:1]) != 0)
    carried = np.maximum.accumulate(phase[order] + 1 + group * span) - group * span - 1
    chosen = order[is_copy[order]]
    issued_in: Ints = np.maximum(carried[is_copy[order]], 0)
    sequence = np.lexsort((events["time"][both[chosen]], barrier[chosen]))
    event, place = both[chosen][sequence], barrier[chosen][sequence]
    amount = events["amount"][event].astype(np.int64)
    return _Copies(event, place, issued_in[sequence], amount, running_total(place, amount))


def _phases(events: NDArray[np.void], arrivals: Arrivals, waits: Waits, copies: _Copies, init: Ints) -> _Phases:
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
    return _Phases(*(column[keep] for column in columns))


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


def _land(
    events: NDArray[np.void], agents: Sequence[Agent], waits: Waits, copies: _Copies, phases: _Phases
) -> tuple[Landings, Ints, int]:
    """When each copy landed; the landing's row of each copy (-1: in flight at the end); how many were observed."""
    size = len(copies.event)
    issue = events["time"][copies.event].astype(np.int64)
    count = int(phases.barrier.max(initial=-1)) + 2
    first = np.searchsorted(phases.barrier, np.arange(count))
    never = np.iinfo(np.int64).max // 2
    upper, lower = np.full(len(phases.barrier), never), np.full(len(phases.barrier), -1)
    observed = np.zeros(len(phases.barrier), bool)
    barrier = np.minimum(waits.barrier, count - 1)
    row = first[barrier] + waits.meant
    known = (waits.meant >= 0) & (waits.barrier < count - 1)
    known[known] = row[known] < first[waits.barrier[known] + 1]
    ended = known & (waits.end >= 0)
    np.minimum.at(upper, row[ended], events["time"][waits.end[ended]])
    refused = known & (waits.refused >= 0)
    np.maximum.at(lower, row[refused], events["time"][waits.refused[refused]])
    observed[row[ended & waits.blocked]] = True

    time = np.full(size, -1, np.int64)
    ends = np.flatnonzero(phases.copy >= 0)
    closing = phases.copy[ends]
    seen = observed[ends]
    gaps = upper[ends][seen] - 1 - issue[closing[seen]]
    usual = int(np.median(gaps)) if len(gaps) else DEFAULT_LANDING_PS
    estimate = np.minimum(np.maximum(issue[closing] + usual, lower[ends] + 1), upper[ends] - 1)
    time[closing] = np.maximum(np.where(seen, upper[ends] - 1, estimate), issue[closing] + 1)
    is_observed = np.zeros(size, bool)
    is_observed[closing[seen]] = True

    # The others of a phase land before what closes it, in order of issue.
    is_open = time < 0
    close = np.where(is_open, never, time)
    on_time = phases.early >= 0
    np.minimum.at(close, phases.early[on_time], events["time"][phases.arrival[on_time]] - 1)
    close = np.where(close < never, close - np.arange(size), never)
    group_end = np.flatnonzero(np.diff(copies.barrier, append=-1) != 0)
    limit = close.copy()
    segment = np.repeat(np.arange(len(group_end)), np.diff(group_end, prepend=-1))
    limit = _running_minimum_from_end(limit, segment) + np.arange(size)
    free = np.minimum(issue + usual, np.where(limit >= never // 2, never, limit))
    time = np.where(is_open, np.maximum(free, issue + 1), time)
    horizon = int(events["time"].max(initial=0))
    lands = time <= horizon  # what a wait saw land always is
    # Nothing on a barrier lands before what was issued earlier there.
    in_flight_before = running_total(copies.barrier, (~lands).astype(np.int64))
    lands &= in_flight_before == 0

    engines = {agent.cta: index for index, agent in enumerate(agents) if agent.role == "copy_engine"}
    engine = np.array([engines.get(agent.cta, index) for index, agent in enumerate(agents)], np.int64)
    landing_of = np.where(lands, np.cumsum(lands) - 1, -1)
    kept = np.flatnonzero(lands)
    landings = Landings(
        copies.event[kept],
        copies.barrier[kept],
        copies.amount[kept],
        engine[events["agent"][copies.event[kept]]],
        time[kept],
        ~is_observed[kept],
    )
    return landings, landing_of, int(is_observed[kept].sum())


def _running_minimum_from_end(values: Ints, segment: Ints) -> Ints:
    """Within each ascending segment, the least value at or after each row."""
    levels, rank = np.unique(values, return_inverse=True)
    lifted = rank + segment * len(levels)
    return levels[np.minimum.accumulate(lifted[::-1])[::-1] - segment * len(levels)]


def _loose(
    events: NDArray[np.void], arrivals: Arrivals, waits: Waits, barriers: Sequence[Barrier], init: Ints
) -> Bools:
    """Barriers of CTAs where agents arrive more per lap than a phase takes, or take a fresh full barrier for full."""
    agents = int(events["agent"].max(initial=0)) + 1
    pair = arrivals.barrier * agents + events["agent"][arrivals.event]
    pairs, first = np.unique(pair, return_index=True)
    per_lap = np.zeros(len(barriers), np.int64)
    np.add.at(per_lap, pairs // agents, arrivals.amount[first])
    cta = np.array([b.cta for b in barriers], np.int64)
    off = np.zeros(int(cta.max(initial=0)) + 1, bool)
    off[cta[per_lap > init]] = True
    full = np.array([b.kind == "full" for b in barriers], bool)
    off[cta[waits.barrier[full[waits.barrier] & (waits.meant < 0)]]] = True
    loose: Bools = off[cta]
    return loose
