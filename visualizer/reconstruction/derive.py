"""What the hardware did and no agent logs: which phases completed and by whose doing, and when each copy landed.

Everything here follows from what agents saw. Where that leaves a time open, it is estimated and said to be; a
completion that nothing proves is not made up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from visualizer.arrays.ordering import Ints, running_total
from visualizer.reconstruction.arrivals import ArrivalOrder
from visualizer.reconstruction.copies import Expectations
from visualizer.reconstruction.cta_spans import NEVER
from visualizer.reconstruction.evidence import Bools, Evidence, Phases, unbroken
from visualizer.reconstruction.lives import Lives
from visualizer.reconstruction.logged import Logged
from visualizer.reconstruction.pace import Pace
from visualizer.reconstruction.waits import LoggedWaits
from visualizer.recording.tables import Agent


@dataclass(frozen=True, eq=False)
class Landings:
    """Copies that land, by life of their barrier and order of issue, (n,). Landing j is node `len(logged) + j`."""

    issue: Ints  # row of the COPY_ISSUE
    life: Ints
    amount: Ints  # bytes
    agent: Ints  # the copy engine's row
    time: Ints  # ps
    estimated: Bools  # the time is an estimate between two observations


@dataclass(frozen=True, eq=False)
class Completions:
    """Completed phases, sorted by life and phase; each life's are 0, 1, 2, ... without a gap, counted from its
    first_phase on. Shapes (n,)."""

    life: Ints
    phase: Ints
    node: Ints  # what completed it: an arrival's row, or a landing's node
    share: Ints  # how much of that node's amount was in when the phase completed
    arrival: Ints  # row of the phase's last arrival; the same as node where that completed it
    bytes_in: Ints  # node of the landing that had brought the last of its bytes before that arrival; -1: none


@dataclass(frozen=True, slots=True)
class Landed:
    """How many copies landed, by what tells when."""

    observed: int  # a wait that it ended
    probed: int  # a probe
    estimated: int  # nothing does


@dataclass(frozen=True, eq=False)
class Derived:
    """The agents' events and what follows from them. A node is an event's row, or beyond those a landing."""

    logged: Logged
    lives: Lives
    arrivals: ArrivalOrder
    expectations: Expectations
    landings: Landings
    completions: Completions
    waits: LoggedWaits
    first: Ints  # (lives + 1,): life i's completions are rows first[i] to first[i + 1]
    landed: Landed
    publishing: Ints  # as Evidence.publishing


def derive(evidence: Evidence, agents: Sequence[Agent], pace: Pace) -> Derived:
    """Derive from what the agents' events show (see `examine`)."""
    logged, lives = evidence.logged, evidence.lives
    landings, node_of, landed = _land(evidence, agents, pace)
    completions = _completions(evidence.phases, node_of)
    first = np.searchsorted(completions.life, np.arange(len(lives) + 1))
    return Derived(
        logged,
        lives,
        evidence.arrivals,
        evidence.expectations,
        landings,
        completions,
        evidence.waits,
        first,
        landed,
        evidence.publishing,
    )


def _completions(phases: Phases, node_of: Ints) -> Completions:
    """Those completed by an arrival or a copy that landed, up to the first of a life that was not."""
    by_copy, with_bytes = phases.copy >= 0, np.maximum(phases.copy, phases.early) >= 0
    brought = np.full(len(phases.copy), -1, np.int64)
    brought[with_bytes] = node_of[np.maximum(phases.copy, phases.early)[with_bytes]]
    keep = unbroken(~with_bytes | (brought >= 0), phases.life)
    node = np.where(by_copy, brought, phases.arrival)
    share = np.where(by_copy, phases.copy_share, phases.arrival_share)
    bytes_in = np.where(with_bytes & ~by_copy, brought, -1)
    columns = (phases.life, phases.number, node, share, phases.arrival, bytes_in)
    return Completions(*(column[keep] for column in columns))


def _land(evidence: Evidence, agents: Sequence[Agent], pace: Pace) -> tuple[Landings, Ints, Landed]:
    """When each copy landed; the node that brought its bytes (-1: in flight at the end); how many, by what tells."""
    logged, copies, phases, closings = evidence.logged, evidence.copies, evidence.phases, evidence.closings
    size = len(copies.event)
    issue = logged.time[copies.event].astype(np.int64)
    at_once = copies.at_once
    closing, seen, latest = closings.copy, closings.observed, closings.latest
    estimate = np.minimum(np.maximum(issue[closing] + pace.landing_ps, closings.lower + 1), latest)
    time = np.full(size, -1, np.int64)
    time[closing] = np.maximum(np.where(seen, latest, estimate), issue[closing] + 1)
    is_observed = np.zeros(size, bool)
    is_observed[closing[seen]] = True
    is_probed = np.zeros(size, bool)
    is_probed[closing[closings.probed]] = True

    # The others of a phase land before what closes it, in order of issue.
    time[at_once] = issue[at_once]
    is_open = time < 0
    close = np.where(is_open, NEVER, time)
    on_time = phases.early >= 0
    np.minimum.at(close, phases.early[on_time], logged.time[phases.arrival[on_time]] - 1)
    close = np.where(close < NEVER, close - np.arange(size), NEVER)
    group_end = np.flatnonzero(np.diff(copies.life, append=-1) != 0)
    limit = close.copy()
    segment = np.repeat(np.arange(len(group_end)), np.diff(group_end, prepend=-1))
    limit = _running_minimum_from_end(limit, segment) + np.arange(size)
    free = np.minimum(issue + pace.landing_ps, np.where(limit >= NEVER // 2, NEVER, limit))
    time = np.where(is_open, np.maximum(free, issue + 1), time)
    lands = time <= pace.horizon_ps  # what a wait saw land always is
    # Nothing on a barrier lands before what was issued earlier there.
    in_flight_before = running_total(copies.life, (~lands).astype(np.int64))
    lands &= in_flight_before == 0

    engines = {agent.cta: index for index, agent in enumerate(agents) if agent.role == "copy_engine"}
    engine = np.array([engines.get(agent.cta, index) for index, agent in enumerate(agents)], np.int64)
    lands &= ~at_once
    node_of = np.where(lands, len(logged) + np.cumsum(lands) - 1, np.where(at_once, copies.event, -1))
    kept = np.flatnonzero(lands)
    landings = Landings(
        copies.event[kept],
        copies.life[kept],
        copies.amount[kept],
        engine[logged.agent[copies.event[kept]]] + logged.span.agents.start,
        time[kept],
        ~is_observed[kept],
    )
    seen_to_land, probed = int(is_observed[kept].sum()), int(is_probed[kept].sum())
    return landings, node_of, Landed(seen_to_land - probed, probed, len(kept) - seen_to_land)


def _running_minimum_from_end(values: Ints, segment: Ints) -> Ints:
    """Within each ascending segment, the least value at or after each row."""
    if not len(values):
        return values
    lowest, never = int(values.min()), values >= NEVER
    highest = int(values[~never].max(initial=lowest)) + 1
    lifted = np.where(never, highest, values) - lowest + segment * (highest - lowest + 1)
    least = np.minimum.accumulate(lifted[::-1])[::-1] - segment * (highest - lowest + 1) + lowest
    return np.where(least == highest, NEVER, least)
