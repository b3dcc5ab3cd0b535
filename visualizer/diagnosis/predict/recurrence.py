"""The model: a pipeline's times tile by tile, each the latest of what it must wait for plus a measured duration.

For tile t with S stages: the producer's wait ends when tile t-S has been released; the copy starts when it is issued
and the engine is free; each consumer's wait ends when the stage is full; the stage is released when its last reader has
arrived. Nothing but maximum and plus, for all stage counts and CTAs at once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from visualizer.diagnosis.predict.measured import Floats, Measured

LEAST_MODELLED = 128
"""Short recordings are gone through several times, so that a long ring gets into its stride."""


def release_times(measured: Measured, stages: Sequence[int]) -> Floats:
    """When each tile's stage is released (ps from the start), shape (len(stages), CTAs, tiles)."""
    recorded = measured.tiles
    tiles = recorded * max(1, -(-LEAST_MODELLED // recorded))
    ctas, consumers = measured.hold.shape[:2]
    size = (len(stages), ctas)
    released = np.full((*size, tiles), -np.inf)
    producer, engine_free = np.zeros(size), np.zeros(size)
    consumer = np.zeros((*size, consumers))
    for tile in range(tiles):
        at = tile % recorded
        free = np.full(size, -np.inf)
        for row, count in enumerate(stages):
            if tile >= count:
                free[row] = released[row, :, tile - count]
        acquired = np.maximum(producer + measured.producer_pass, free + measured.producer_wake)
        copying = np.maximum(acquired + measured.issue[:, at], engine_free)
        engine_free = copying + measured.engine
        full = copying + measured.fill[:, at]
        producer = acquired + measured.produce[:, at]
        ready = full[..., None] + measured.consumer_wake
        taken = np.maximum(consumer + measured.consumer_pass, ready)
        reads = measured.reads[:, :, at]
        released[:, :, tile] = np.where(reads, taken + measured.hold[:, :, at], -np.inf).max(axis=-1)
        consumer = np.where(reads, taken + measured.consume[:, :, at], consumer)
    return released
