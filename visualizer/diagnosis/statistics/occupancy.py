"""How full the ring was: the time its stages spent in each state, and how many tiles the producer was ahead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.diagnosis.statistics.facts import Facts
from visualizer.diagnosis.statistics.shares import clipped
from visualizer.replay.stage_columns import StageState


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Shares of a range, 0..1, the mean over CTAs."""

    # Per stage (of several rings, one ring after another): empty, filling, full, reading.
    stages: tuple[tuple[float, float, float, float], ...]
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


def occupancy(facts: Facts, first: int, last: int, ring: int | None = None) -> Occupancy:
    """Over the range first..last (ps), of all rings, or of one (row of Structure.names). No stages: no shares."""
    lives, structure = facts.lives, facts.history.structure
    # A CTA that did nothing was not recorded: its stages are not empty but unknown.
    recorded = np.unique(lives.cta[lives.end >= 0])
    name = structure.names[ring] if ring is not None else None
    depth = [sum(own.stages for own in structure.of_cta(cta) if name in (None, own.name)) for cta in recorded.tolist()]
    stages, length = max(depth, default=0), last - first
    if not stages or length <= 0:
        return Occupancy((), 0.0, ())
    times, leads = facts.stages, facts.leads if ring is None else facts.rings[ring].leads
    stage = times.stage_of_cta if ring is None else times.stage
    held = clipped(times.begin, times.end, first, last)
    if ring is not None:
        held = np.where(times.ring == ring, held, 0)
    total: NDArray[np.float64] = np.zeros((stages, 4))
    total += np.bincount(stage * 4 + times.state, weights=held, minlength=stages * 4)[: stages * 4].reshape(stages, 4)
    # Of CTAs with different rings those count that have the stage. Before its first event a stage is empty.
    present = np.array([sum(own > row for own in depth) for row in range(stages)]) * length
    total[:, StageState.EMPTY] += present - total.sum(axis=1)
    total /= present[:, None]
    span = int(present[0])
    lead = np.bincount(leads.tiles, weights=clipped(leads.begin, leads.end, first, last), minlength=stages + 1) / span
    lead[0] += 1 - lead.sum()
    return Occupancy(
        tuple((float(a), float(b), float(c), float(d)) for a, b, c, d in total),
        float(total[:, [StageState.FULL, StageState.READING]].sum()),
        tuple(lead.tolist()),
    )
