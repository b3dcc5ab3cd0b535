"""What took far longer than its like: tiles, waits and copies, the farthest first, each with the event to look at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from visualizer.diagnosis.statistics.facts import Facts, Ints

OutlierKind = Literal["tile", "wait", "copy"]

FAR = 5.0
"""An outlier lies more than this many times the usual distance from the median beyond it ..."""
LEAST_SHARE = 0.10
"""... and more than this share of the median: the simulator's copies differ by next to nothing."""
MOST_LISTED = 20
_NORMAL = 1.4826  # the median distance from the median, times this, is a normal distribution's standard deviation
_LEAST_VALUES = 8


@dataclass(frozen=True, slots=True)
class Outlier:
    """One of them. Durations in ps."""

    kind: OutlierKind
    step: int  # the event it ends with
    agent: str  # "" for a tile
    tile: int  # -1: none
    cta: int
    duration: int
    median: int  # of its like

    def as_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "step": self.step,
            "agent": self.agent or None,
            "tile": self.tile if self.tile >= 0 else None,
            "cta": self.cta,
            "duration_ns": self.duration / 1000,
            "median_ns": self.median / 1000,
        }


@dataclass(frozen=True, eq=False)
class _Alike:
    """Things to compare with each other, and where each is found. All columns the same shape."""

    kind: OutlierKind
    duration: Ints
    step: Ints
    agent: Ints  # row; -1: none
    tile: Ints
    cta: Ints

    def limit(self) -> tuple[float, float]:
        """The median, and the duration beyond which one is an outlier."""
        median = float(np.median(self.duration))
        usual = _NORMAL * float(np.median(np.abs(self.duration - median)))
        return median, median + max(FAR * usual, LEAST_SHARE * median)


def outliers(facts: Facts, first: int, last: int) -> tuple[tuple[Outlier, ...], int]:
    """The MOST_LISTED that are farthest beyond their median, which end within first..last (ps); and how many there are.

    Tiles are compared with tiles, copies with copies, and waits with the waits of the same role on the same kind of
    barrier that were blocked as it was, or were not; only waits that passed.
    """
    names = [agent.name for agent in facts.history.trace.agents]
    found: list[tuple[float, Outlier]] = []
    count = 0
    for alike in _all_alike(facts, first, last):
        if len(alike.duration) < _LEAST_VALUES:
            continue
        median, limit = alike.limit()
        beyond = np.flatnonzero(alike.duration > limit)
        count += len(beyond)
        farthest = beyond[np.argsort(-alike.duration[beyond], kind="stable")][:MOST_LISTED]
        for row in farthest.tolist():
            duration, agent = int(alike.duration[row]), int(alike.agent[row])
            outlier = Outlier(
                alike.kind,
                int(alike.step[row]),
                names[agent] if agent >= 0 else "",
                int(alike.tile[row]),
                int(alike.cta[row]),
                duration,
                round(median),
            )
            found.append((duration / max(median, 1.0), outlier))
    found.sort(key=lambda pair: -pair[0])
    return tuple(outlier for _, outlier in found[:MOST_LISTED]), count


def _all_alike(facts: Facts, first: int, last: int) -> Iterator[_Alike]:
    tiles, copies, waits, times = facts.tiles, facts.copies, facts.waits, facts.wait_times
    rows = np.flatnonzero((tiles.gap >= 0) & (tiles.time >= first) & (tiles.time <= last))
    yield _Alike("tile", tiles.gap[rows], tiles.step[rows], np.full(len(rows), -1), tiles.tile[rows], tiles.cta[rows])
    rows = np.flatnonzero((copies.landed >= first) & (copies.landed <= last))
    engine = facts.history.trace.events["agent"][copies.done_step[rows]].astype(np.int64)
    latency = (copies.landed - copies.issued)[rows]
    yield _Alike("copy", latency, copies.done_step[rows], engine, copies.tile[rows], copies.cta[rows])
    passed = np.flatnonzero((waits.end >= 0) & (times.end >= first) & (times.end <= last))
    barrier = np.where(times.on_full, 1, np.where(times.on_empty, 2, 0))
    group = (times.role * 6 + barrier * 2 + times.blocked)[passed]
    for which in np.unique(group).tolist():
        rows = passed[group == which]
        duration = (times.end - times.begin)[rows]
        yield _Alike("wait", duration, waits.end[rows], waits.agent[rows], waits.tile[rows], times.cta[rows])
