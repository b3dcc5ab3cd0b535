"""How full the ring was: the time its stages spent in each state, and how many tiles the producer was ahead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.diagnosis.statistics.facts import Facts, Ints
from visualizer.diagnosis.statistics.shares import clipped
from visualizer.replay.stage_columns import StageState


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Shares of a range, 0..1, the mean over CTAs."""

    stages: tuple[tuple[float, float, float, float], ...]  # per stage: empty, filling, full, reading
    mean_full: float  # stages of a CTA that are full or being read, on average over time
    lead: tuple[float, ...]  # share of time in which the producer was 0, 1, ... tiles ahead: stages not empty

    @property
    def states(self) -> tuple[float, float, float, float]:
        """The same over all stages."""
        count = max(len(self.stages), 1)
        empty, filling, full, reading = (sum(stage[state] for stage in self.stages) / count for state in range(4))
        return empty, filling, full, reading

    @property
    def mean_lead(self) -> float:
        return sum(tiles * share for tiles, share in enumerate(self.lead))

    def as_json(self) -> dict[str, Any]:
        names = [state.name.lower() for state in StageState]

        def named(shares: tuple[float, ...]) -> dict[str, float]:
            return {name: round(share, 5) for name, share in zip(names, shares, strict=True)}

        return {
            "all": named(self.states),
            "stages": [named(stage) for stage in self.stages],
            "mean_full_stages": round(self.mean_full, 4),
            "lead_share": [round(share, 5) for share in self.lead],
            "mean_lead": round(self.mean_lead, 4),
        }


def occupancy(facts: Facts, first: int, last: int) -> Occupancy:
    """Over the range first..last (ps). No stages: no shares."""
    history = facts.history
    trace = history.trace
    stages, ctas, span = trace.stages, trace.ctas, last - first
    columns = history.stages
    counts = np.diff(columns.index.starts)
    if not stages or span <= 0:
        return Occupancy((), 0.0, ())
    row = np.repeat(np.arange(len(counts)), counts)
    steps = columns.index.step_at(np.arange(len(row)))
    time = trace.events["time"][steps].astype(np.int64)
    state = columns.state.astype(np.int64)
    until = np.append(time[1:], trace.duration_ps)[: len(time)]
    until[columns.index.starts[1:][counts > 0] - 1] = trace.duration_ps
    held = clipped(time, until, first, last)
    total: NDArray[np.float64] = np.zeros((stages, 4))
    total += np.bincount((row % stages) * 4 + state, weights=held, minlength=stages * 4).reshape(stages, 4)
    # Before its first event, and in CTAs of which nothing is known, a stage is empty.
    total[:, StageState.EMPTY] += ctas * span - total.sum(axis=1)
    total /= ctas * span
    return Occupancy(
        tuple((float(a), float(b), float(c), float(d)) for a, b, c, d in total),
        float(total[:, [StageState.FULL, StageState.READING]].sum()),
        _lead(row // stages, row, steps, time, state != StageState.EMPTY, facts, first, last),
    )


def _lead(
    cta: Ints, row: Ints, steps: Ints, time: Ints, held: NDArray[np.bool_], facts: Facts, first: int, last: int
) -> tuple[float, ...]:
    """Share of time at each number of stages not empty."""
    trace = facts.history.trace
    before = np.zeros(len(held), bool)
    before[1:] = np.where(row[1:] == row[:-1], held[:-1], False)
    change = held.astype(np.int64) - before
    turns = np.flatnonzero(change)
    order = turns[np.lexsort((steps[turns], cta[turns]))]
    cta, time, change = cta[order], time[order], change[order]
    starts = np.flatnonzero(np.diff(cta, prepend=-1))
    sums = np.cumsum(change)
    lead = sums - np.repeat((sums - change)[starts], np.diff(np.append(starts, len(cta))))
    until = np.append(time[1:], trace.duration_ps)[: len(time)]
    if len(starts):
        until[np.append(starts[1:], len(cta)) - 1] = trace.duration_ps
    span = trace.ctas * (last - first)
    shares = np.bincount(lead, weights=clipped(time, until, first, last), minlength=trace.stages + 1) / span
    shares[0] += 1 - shares.sum()
    return tuple(shares.tolist())
