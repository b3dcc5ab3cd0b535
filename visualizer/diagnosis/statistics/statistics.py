"""Statistics: all numbers about a range of time of one recording, for the command line and the Statistics pane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from visualizer.diagnosis.statistics.bound import Bound, judge
from visualizer.diagnosis.statistics.critical_path import CriticalPath, critical_path
from visualizer.diagnosis.statistics.distribution import Distribution
from visualizer.diagnosis.statistics.facts import CONSUMER, PRODUCER, Facts, Tiles
from visualizer.diagnosis.statistics.hang import Stuck, stuck_agents
from visualizer.diagnosis.statistics.limits import limits
from visualizer.diagnosis.statistics.occupancy import Occupancy, occupancy
from visualizer.diagnosis.statistics.outliers import Outlier, outliers
from visualizer.diagnosis.statistics.over_time import OverTime, over_time
from visualizer.diagnosis.statistics.shares import RoleShare, engine_share, ring_waits, role_shares, starved_parts
from visualizer.recording.schema import PS_PER_NS


@dataclass(frozen=True, slots=True)
class CtaSpread:
    """Mean time per tile of each CTA that finished two tiles in the range: how it spreads, and the slowest."""

    ctas: int
    per_tile: Distribution  # ps
    slowest: int  # its CTA
    slowest_step: int  # the event its slowest tile ends with

    def as_json(self) -> dict[str, Any]:
        return {
            "ctas": self.ctas,
            "per_tile_ns": self.per_tile.as_json(PS_PER_NS),
            "slowest": self.slowest,
            "slowest_step": self.slowest_step,
        }


@dataclass(frozen=True, slots=True)
class WaitLengths:
    """How long the blocked waits that ended in the range lasted, by cause; ps, and all with the same edges."""

    back_pressure: Distribution  # a producer's, for a stage to be released
    starved: Distribution  # a consumer's, for a stage to be filled
    other: Distribution

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name).as_json(PS_PER_NS) for name in ("back_pressure", "starved", "other")}


@dataclass(frozen=True, slots=True)
class RingNumbers:
    """Of one ring, in every CTA that has it. Distributions in ps; shares 0..1."""

    name: str
    stages: int
    occupancy: Occupancy
    per_tile: Distribution
    latency: Distribution  # of copies into it
    landed_bytes: int
    back_pressure: float  # of the producers' time
    starved: float  # of the consumers' time
    path_share: float  # of the critical path: what led to waits on its barriers
    path: CriticalPath  # that part of it

    def as_json(self) -> dict[str, Any]:
        return {
            "stages": self.stages,
            "occupancy": self.occupancy.as_json(),
            "per_tile_ns": self.per_tile.as_json(PS_PER_NS),
            "copy_latency_ns": self.latency.as_json(PS_PER_NS),
            "landed_bytes": self.landed_bytes,
            "back_pressure_share": round(self.back_pressure, 5),
            "starved_share": round(self.starved, 5),
            "critical_path_share": round(self.path_share, 5),
            "critical_path": self.path.as_json(),
        }


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of the range first..last (ps). Distributions in ps; `throughput` in bytes per ns, of single copies."""

    first: int
    last: int
    bound: Bound
    roles: tuple[RoleShare, ...]
    engine_busy: float  # share of the range in which a copy was in flight, mean over CTAs
    occupancy: Occupancy
    per_tile: Distribution
    latency: Distribution
    throughput: Distribution
    waits: WaitLengths
    over_time: OverTime
    landed_bytes: int
    outliers: tuple[Outlier, ...]  # the farthest
    outlier_count: int
    path: CriticalPath
    ctas: CtaSpread | None  # None: there is one CTA
    unknown: tuple[str, ...]  # what the recording cannot tell
    stuck: tuple[Stuck, ...]  # who waits for ever, where the run hangs and the range reaches its end
    rings: tuple[RingNumbers, ...]  # the same numbers ring by ring; those above are of all together

    def as_json(self) -> dict[str, Any]:
        """The document of `phasescope stats --json`; times in ns."""
        return {
            "range_ns": [self.first / PS_PER_NS, self.last / PS_PER_NS],
            "bound": self.bound.as_json(),
            "roles": [role.as_json() for role in self.roles],
            "copy_engine_busy_share": round(self.engine_busy, 5),
            "occupancy": self.occupancy.as_json(),
            "per_tile_ns": self.per_tile.as_json(PS_PER_NS),
            "copy_latency_ns": self.latency.as_json(PS_PER_NS),
            "copy_bytes_per_ns": self.throughput.as_json(),
            "blocked_waits_ns": self.waits.as_json(),
            "landed_bytes": self.landed_bytes,
            "outliers": [outlier.as_json() for outlier in self.outliers],
            "outlier_count": self.outlier_count,
            "critical_path": self.path.as_json(),
            "across_ctas": None if self.ctas is None else self.ctas.as_json(),
            "unknown": list(self.unknown),
            "stuck": [one.as_json() for one in self.stuck],
            "rings": {ring.name: ring.as_json() for ring in self.rings},
        }


def statistics(facts: Facts, first: int = 0, last: int | None = None) -> Statistics:
    """All numbers of the range first..last in ps (default: the whole recording), cut to the recording."""
    duration = facts.history.trace.duration_ps
    first = min(max(first, 0), duration)
    last = duration if last is None else min(max(last, first), duration)
    stuck = stuck_agents(facts, last)
    roles = role_shares(facts, first, last, stuck)
    copies, tiles = facts.copies, facts.tiles
    landed = (copies.landed >= first) & (copies.landed <= last)
    latency, amount = (copies.landed - copies.issued)[landed], copies.amount[landed]
    path = critical_path(facts, first, last)
    listed, count = outliers(facts, first, last)
    return Statistics(
        first,
        last,
        judge(roles, *starved_parts(facts, first, last), stuck),
        roles,
        engine_share(facts, first, last),
        occupancy(facts, first, last),
        _per_tile(tiles, first, last),
        Distribution.of(latency),
        Distribution.of(amount[latency > 0] * PS_PER_NS / latency[latency > 0]),
        _wait_lengths(facts, first, last),
        over_time(facts, first, last),
        int(amount.sum()),
        listed,
        count,
        path,
        _across_ctas(facts, first, last),
        limits(facts),
        stuck,
        tuple(_ring(facts, row, first, last, path) for row, ring in enumerate(facts.rings) if ring.stages),
    )


def _ring(facts: Facts, row: int, first: int, last: int, path: CriticalPath) -> RingNumbers:
    ring, copies, own_path = facts.rings[row], facts.copies, path.of_ring(row)
    landed = (copies.ring == row) & (copies.landed >= first) & (copies.landed <= last)
    return RingNumbers(
        ring.name,
        ring.stages,
        occupancy(facts, first, last, row),
        _per_tile(ring.tiles, first, last),
        Distribution.of((copies.landed - copies.issued)[landed]),
        int(copies.amount[landed].sum()),
        *ring_waits(facts, row, first, last),
        own_path.length / max(path.length, 1),
        own_path,
    )


def _per_tile(tiles: Tiles, first: int, last: int) -> Distribution:
    """The gaps between tiles that ended within the range."""
    return Distribution.of(tiles.gap[(tiles.gap >= 0) & (tiles.time >= first) & (tiles.time <= last)])


def _wait_lengths(facts: Facts, first: int, last: int) -> WaitLengths:
    """A wait without end has no length: it is among the stuck."""
    waits = facts.wait_times
    ended = waits.blocked & (facts.waits.over >= 0) & (waits.end >= first) & (waits.end <= last)
    back = ended & (waits.role == PRODUCER) & waits.on_empty
    starved = ended & (waits.role == CONSUMER) & waits.on_full
    length = waits.end - waits.begin
    every = Distribution.of(length[ended])
    return WaitLengths(*(Distribution.of(length[own], every) for own in (back, starved, ended & ~back & ~starved)))


def _across_ctas(facts: Facts, first: int, last: int) -> CtaSpread | None:
    ctas, tiles = facts.history.trace.ctas, facts.tiles
    rows = np.flatnonzero((tiles.gap >= 0) & (tiles.time >= first) & (tiles.time <= last))
    if ctas < 2 or not len(rows):
        return None
    gap, cta = tiles.gap[rows], tiles.cta[rows]
    count = np.bincount(cta, minlength=ctas)
    mean = np.bincount(cta, weights=gap, minlength=ctas) / np.maximum(count, 1)
    slowest = int(np.argmax(mean))
    own = rows[cta == slowest]
    worst = int(tiles.step[own[np.argmax(tiles.gap[own])]])
    return CtaSpread(int((count > 0).sum()), Distribution.of(mean[count > 0]), slowest, worst)
