"""Time per tile in a pipeline's stride: one definition for what is predicted and what is measured."""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.predict.measured import Floats
from visualizer.diagnosis.statistics.facts import Facts


def steady_per_tile(done: Floats) -> Floats:
    """Time per tile after the first quarter of the tiles, from when each was done; shape (..., tiles) -> (...).

    The first tiles fill the ring and warm the caches; a mean of the rest and not a median, because tiles may alternate
    between fast and slow ones.
    """
    tiles = done.shape[-1]
    first = tiles // 4
    per_tile: Floats = (done[..., -1] - done[..., first]) / max(tiles - 1 - first, 1)
    return per_tile


def per_tile(released: Floats) -> float:
    """The same of when uses of stages were released, (CTAs, uses), the mean over CTAs; NaN: a use was not released."""
    rows = [row[np.isfinite(row)] for row in released]
    return float(np.mean([steady_per_tile(row) for row in rows if len(row) > 1]))


def measured_per_tile(facts: Facts, ring: str = "") -> float | None:
    """The recording's own (ps), or that of one of its rings, the mean over CTAs; None if no CTA finished two tiles."""
    tiles = next((found.tiles for found in facts.rings if ring and found.name == ring), facts.tiles)
    starts = np.flatnonzero(np.diff(tiles.cta, prepend=-1))
    counts = np.diff(np.append(starts, len(tiles.cta)))
    starts, counts = starts[counts > 1], counts[counts > 1]
    if not len(starts):
        return None
    first = counts // 4
    span = tiles.time[starts + counts - 1] - tiles.time[starts + first]
    return float((span / (counts - 1 - first)).mean())
