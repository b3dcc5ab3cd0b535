"""What a range looked like as time went on: stages by state and bytes in flight, in equal bins.

A bin holds the mean over its time, and of bytes the most as well: what lasts less than a bin may not vanish in a mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.diagnosis.statistics.facts import Facts, Ints
from visualizer.replay.stage_columns import StageState

BINS = 240

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class OverTime:
    """Of BINS equal bins between `edges` (ps, BINS + 1); all of no length where the range has none."""

    edges: Floats
    stages: (
        Floats  # (4, bins): stages of a CTA in each StageState, the mean over the recorded CTAs; 0 where there are none
    )
    bytes_mean: Floats  # in flight, of all CTAs together
    bytes_most: Floats


def over_time(facts: Facts, first: int, last: int) -> OverTime:
    """Over the range first..last (ps)."""
    if last <= first:
        none = np.empty(0)
        return OverTime(none, np.empty((4, 0)), none, none)
    edges = np.linspace(first, last, BINS + 1)
    copies = facts.copies
    flown = _means(copies.issued, copies.landed, copies.amount, np.zeros(len(copies.amount), np.int64), 1, edges)[0]
    most = _most(copies.issued, copies.landed, copies.amount, edges)
    return OverTime(edges, _stages(facts, edges), flown, np.maximum(most, flown))


def _stages(facts: Facts, edges: Floats) -> Floats:
    times, lives = facts.stages, facts.lives
    # A CTA that did nothing was not recorded: its stages are not empty but unknown.
    recorded = np.unique(lives.cta[lives.end >= 0])
    if not len(recorded):
        return np.zeros((4, BINS))
    there = sum(ring.stages for cta in recorded.tolist() for ring in facts.history.structure.of_cta(cta))
    means = _means(times.begin, times.end, np.ones(len(times.begin), np.int64), times.state, 4, edges)
    # Before its first event a stage is empty.
    means[StageState.EMPTY] += np.maximum(there - means.sum(axis=0), 0.0)
    return means / len(recorded)


def _means(begin: Ints, end: Ints, weight: Ints, group: Ints, groups: int, edges: Floats) -> Floats:
    """The mean of each bin, by group, of the sum of the weights of the intervals that are open; (groups, bins)."""
    width = edges[1] - edges[0]
    total = np.zeros((groups, BINS))
    for time, sign in ((begin, 1.0), (end, -1.0)):
        # How long since each beginning (or end), summed: within its own bin in part, in all bins after it in full.
        place = np.clip((time - edges[0]) / width, 0.0, float(BINS))
        row = np.minimum(place.astype(np.int64), BINS - 1)
        key, size = group * BINS + row, groups * BINS
        there = np.bincount(key, weights=weight, minlength=size).reshape(groups, BINS)
        part = np.bincount(key, weights=weight * (row + 1 - place), minlength=size).reshape(groups, BINS)
        total += sign * (np.cumsum(there, axis=1) - there + part)
    return np.maximum(total, 0.0)


def _most(begin: Ints, end: Ints, weight: Ints, edges: Floats) -> Floats:
    """The most that is open at once within each bin."""
    first, last = int(edges[0]), int(edges[-1])
    own = (begin < last) & (end > first)
    begin, end, weight = np.maximum(begin[own], first), end[own], weight[own]
    times, row = np.unique(np.concatenate([begin, end]), return_inverse=True)
    level = np.cumsum(np.bincount(row, weights=np.concatenate([weight, -weight]), minlength=len(times)))
    reached = np.concatenate([[0.0], level])
    most = reached[np.searchsorted(times, edges[:-1], side="right")]
    inside = np.searchsorted(times, edges[-1], side="left")
    bins = np.minimum(((times[:inside] - edges[0]) / (edges[1] - edges[0])).astype(np.int64), BINS - 1)
    np.maximum.at(most, bins, level[:inside])
    return most
