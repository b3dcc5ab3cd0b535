"""The durations of a recording that do not depend on how many stages there are: what a prediction is made of.

Each is kept per tile, in the recorded order, because a run's slow tiles come together: means would lose that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from visualizer.diagnosis.predict.errors import PredictError
from visualizer.diagnosis.statistics.facts import CONSUMER, PRODUCER, Bools, Facts, Ints
from visualizer.language import mark, tr, trn

Floats = NDArray[np.float64]

LEAST_TILES = 4
MOST_TILES = 2048
MOST_CTAS = 64
LEAST_OVERLAPS = 4
NO_OVERLAPS = mark("Hardly any copies were in flight together, so what they cost each other is taken as nothing.")


@dataclass(frozen=True, eq=False)
class Measured:
    """Durations in ps. C CTAs, W consumers, T tiles, the first quarter of the recorded ones left out as warm-up.

    Which tile is which does not matter to the model, only that the durations of one tile stay together.
    """

    issue: Floats  # (C, T): from the end of the producer's wait to its last copy's issue
    produce: Floats  # (C, T): from there to the beginning of its next wait, counted from the end of the wait too
    fill: Floats  # (C, T): from that issue to the completion of the full barrier's phase
    hold: Floats  # (C, W, T): from the end of a consumer's wait to its arrival on the empty barrier
    consume: Floats  # (C, W, T): from the end of its wait to the beginning of its next one
    reads: Bools  # (C, W, T): whether this consumer takes this tile
    producer_pass: float  # a wait on a phase that had completed
    producer_wake: float  # from a phase's completion to the end of a wait that was blocked on it
    consumer_pass: float
    consumer_wake: float
    engine: float  # between two landings of copies that were in flight together; 0: never seen
    stages: int
    consumer_delay_ns: int  # what the recording's configuration says, 0 if nothing
    notes: tuple[str, ...]  # what could not be measured, and what is assumed instead

    @property
    def tiles(self) -> int:
        return int(self.issue.shape[1])

    @property
    def copy_time(self) -> float:
        """Median of `fill`."""
        return float(np.median(self.fill))

    @property
    def releases_late(self) -> bool:
        """Whether a consumer has released a tile only after it began to wait for the next: no tile is by itself."""
        return bool((self.hold > self.consume)[self.reads].any())

    def with_consumer_delay(self, delay_ns: int) -> Measured:
        """As if each consumer worked `delay_ns` on each tile instead of the recorded delay."""
        change = (delay_ns - self.consumer_delay_ns) * 1000.0
        hold, consume = np.maximum(self.hold + change, 0), np.maximum(self.consume + change, 0)
        return replace(self, hold=hold, consume=consume, consumer_delay_ns=delay_ns)

    def with_copy_time(self, copy_ns: float) -> Measured:
        """As if copies took `copy_ns` at the median: all in proportion."""
        factor = copy_ns * 1000.0 / max(self.copy_time, 1.0)
        return replace(self, fill=self.fill * factor, engine=self.engine * factor)


def measure(facts: Facts) -> Measured:
    """The durations of a recording of one ring. PredictError if it has too little of a pipeline to predict from."""
    return _measured(facts, _table(facts))


@dataclass(frozen=True, eq=False)
class _Table:
    """Times (ps) per (CTA, tile), shape (C, T), and per consumer, shape (C, W, T); NaN: it did not happen."""

    acquired: Floats
    next_begin: Floats
    issued: Floats
    full: Floats
    taken: Floats
    next_taken: Floats
    released: Floats


def _table(facts: Facts) -> _Table:
    history, waits, times = facts.history, facts.waits, facts.wait_times
    trace, events = history.trace, history.trace.events
    tiles = int(max(waits.tile.max(initial=-1), facts.tiles.tile.max(initial=-1))) + 1
    first = max(tiles - MOST_TILES, tiles // 4)
    ctas = np.unique(np.linspace(0, max(trace.ctas - 1, 0), min(max(trace.ctas, 1), MOST_CTAS)).astype(np.int64))
    place = np.full(max(trace.ctas, 1), -1, np.int64)
    place[ctas] = np.arange(len(ctas))
    column, members = _consumer_columns(facts)
    shape = (len(ctas), max(tiles - first, 0))
    wide = (shape[0], members, shape[1])

    def narrow(cta: Ints, tile: Ints, values: Ints | Floats) -> Floats:
        table = np.full(shape, np.nan)
        keep = (tile >= first) & (tile < tiles) & (place[cta] >= 0)
        table[place[cta[keep]], tile[keep] - first] = values[keep]
        return table

    def per_consumer(agent: Ints, tile: Ints, values: Ints | Floats) -> Floats:
        table = np.full(wide, np.nan)
        cta = trace.agent_cta[agent]
        keep = (tile >= first) & (tile < tiles) & (place[cta] >= 0) & (column[agent] >= 0)
        table[place[cta[keep]], column[agent[keep]], tile[keep] - first] = values[keep]
        return table

    # Other waits, such as for a group of wgmma, are work like any other.
    after = _next_begin(facts, waits.barrier >= 0)
    acquires = (times.role == PRODUCER) & times.on_empty & (waits.end >= 0) & (waits.tile >= 0)
    takes = (times.role == CONSUMER) & times.on_full & (waits.end >= 0) & (waits.tile >= 0)
    issues, arrivals = history.copies.issued, history.arrivals
    flips = history.completion_steps
    kind_of_barrier = np.array([*history.structure.kinds, "other"])
    fills = flips[kind_of_barrier[events["barrier"][flips]] == "full"]
    # The latest of several for one tile counts: in order of step.
    releases = np.sort(arrivals.step[kind_of_barrier[arrivals.barrier] == "empty"])
    time = events["time"].astype(np.int64)
    agent, tile = events["agent"].astype(np.int64), events["tile"].astype(np.int64)
    cta, barrier_cta = trace.agent_cta.astype(np.int64), trace.barrier_cta.astype(np.int64)
    return _Table(
        acquired=narrow(times.cta[acquires], waits.tile[acquires], times.end[acquires]),
        next_begin=narrow(times.cta[acquires], waits.tile[acquires], after[acquires]),
        issued=narrow(cta[agent[issues]], tile[issues], time[issues]),
        full=narrow(barrier_cta[events["barrier"][fills]], tile[fills], time[fills]),
        taken=per_consumer(waits.agent[takes], waits.tile[takes], times.end[takes]),
        next_taken=per_consumer(waits.agent[takes], waits.tile[takes], after[takes]),
        released=per_consumer(agent[releases], tile[releases], time[releases]),
    )


def _consumer_columns(facts: Facts) -> tuple[Ints, int]:
    """The number of each consumer within its CTA, at its agent row (-1: no consumer), and the most there are."""
    column = np.full(max(len(facts.lives.role), 1), -1, np.int64)
    seen: dict[int, int] = {}
    for row in np.flatnonzero(facts.lives.role == CONSUMER).tolist():
        cta = int(facts.lives.cta[row])
        column[row] = seen.get(cta, 0)
        seen[cta] = seen.get(cta, 0) + 1
    return column, max(seen.values(), default=0)


def _next_begin(facts: Facts, here: Bools) -> Floats:
    """When the same agent's next wait of those `here` begins; NaN where there is none: after its last tile an agent
    goes nowhere."""
    waits, rows = facts.waits, np.flatnonzero(here)
    after = np.full(len(waits), np.nan)
    same = waits.agent[rows[1:]] == waits.agent[rows[:-1]]
    after[rows[:-1][same]] = facts.wait_times.begin[rows[1:][same]]
    return after


def _measured(facts: Facts, table: _Table) -> Measured:
    reads = np.isfinite(table.taken) & np.isfinite(table.released)
    whole = np.isfinite(table.next_begin - table.acquired) & np.isfinite(table.issued) & np.isfinite(table.full)
    whole &= reads.any(axis=1) & (np.isfinite(table.next_taken) | ~reads).all(axis=1)
    # A tile that one CTA did not finish would leave a hole in all of them; so would a CTA without tiles.
    ctas = whole.sum(axis=1) >= LEAST_TILES
    keep = whole[ctas].all(axis=0)
    _refuse(facts, int(keep.sum()) if ctas.any() else int(whole.sum(axis=1).max(initial=0)))
    notes: list[str] = []
    times = facts.wait_times
    costs = {}
    for name, role, on in (("producer", PRODUCER, times.on_empty), ("consumer", CONSUMER, times.on_full)):
        passed = (times.role == role) & on & (facts.waits.end >= 0)
        free, blocked = passed & ~times.blocked, passed & times.blocked
        cost = times.end - times.due
        costs[name, "pass"] = _median_or_none(cost[free])
        costs[name, "wake"] = _median_or_none(cost[blocked])
    known = [value for value in costs.values() if value is not None]
    for (name, what), value in costs.items():
        if value is None:
            costs[name, what] = costs[_other(name), what] or (min(known) if known else 0.0)
            notes.append(_missing_cost(name, what))
    engine, overlaps = _engine(table)
    if overlaps < LEAST_OVERLAPS:
        notes.append(tr(NO_OVERLAPS))
    reads = reads[ctas][:, :, keep]

    def span(end: Floats, begin: Floats) -> Floats:
        spans: Floats = np.maximum(np.nan_to_num((end - begin)[ctas][..., keep]), 0)
        return spans

    return Measured(
        issue=span(table.issued, table.acquired),
        produce=span(table.next_begin, table.acquired),
        fill=span(table.full, table.issued),
        hold=span(table.released, table.taken),
        consume=span(table.next_taken, table.taken),
        reads=reads,
        producer_pass=costs["producer", "pass"] or 0.0,
        producer_wake=costs["producer", "wake"] or 0.0,
        consumer_pass=costs["consumer", "pass"] or 0.0,
        consumer_wake=costs["consumer", "wake"] or 0.0,
        engine=engine,
        stages=max((found.stages for found in facts.rings), default=0),
        consumer_delay_ns=consumer_delay_of(facts),
        notes=tuple(notes),
    )


def consumer_delay_of(facts: Facts) -> int:
    """What the recording's configuration says, ns; 0 if nothing."""
    delay = facts.history.trace.meta.config.get("consumer_delay", 0)
    return delay if isinstance(delay, int) else 0


def _refuse(facts: Facts, count: int) -> None:
    times = facts.wait_times
    if not (times.on_full.any() and times.on_empty.any()):
        raise PredictError(
            tr("this recording has no waits on full and empty barriers: a prediction needs a pipeline with both")
        )
    if count < LEAST_TILES:
        raise PredictError(
            trn(
                "only {n} tile after the warm-up is recorded from its copy to its release; a prediction needs {least}:"
                " record more tiles",
                "only {n} tiles after the warm-up are recorded from their copy to their release; a prediction needs"
                " {least}: record more tiles",
                count,
                least=LEAST_TILES,
            )
        )


def _missing_cost(name: str, what: str) -> str:
    if what == "pass":
        return tr("No wait of a {role} passed at once, so what that costs is taken from other waits.", role=name)
    return tr("No {role} was ever blocked, so what waking up costs is taken from other waits.", role=name)


def _engine(table: _Table) -> tuple[float, int]:
    """The least time between two landings of one CTA that overlapped (its 5th percentile), and how many there were."""
    gap = np.diff(table.full, axis=1)
    together = table.issued[:, 1:] < table.full[:, :-1]
    seen = gap[together & np.isfinite(gap)]
    return (float(np.percentile(seen, 5)) if len(seen) >= LEAST_OVERLAPS else 0.0), len(seen)


def _median_or_none(values: Ints) -> float | None:
    return float(np.median(values)) if len(values) else None


def _other(name: str) -> str:
    return "consumer" if name == "producer" else "producer"
