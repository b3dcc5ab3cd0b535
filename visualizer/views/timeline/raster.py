"""The lanes' bodies while the view moves: every lane as shares of time in each pixel column, in one pass over them all.

What a moving view can do without - outlines, labels, counts - takes most of a frame; it comes back with the first
picture that rests. Errors keep their mark.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from visualizer.views.timeline.barriers import WAVE_PARTS, wave_height
from visualizer.views.timeline.lane_store import LaneStore
from visualizer.views.timeline.lanes import Lane
from visualizer.views.timeline.lanes_picture import Place
from visualizer.views.timeline.layout import sub_rows
from visualizer.views.timeline.level_of_detail import ColumnMix, Grid, stacked
from visualizer.views.timeline.picture import Columns, Layer, Part, Picture, Style, body
from visualizer.views.timeline.scale import View
from visualizer.views.timeline.summary import add_flips, begins

_WIDE = 600  # columns beyond which two are made as one: half the work, and seen for a tenth of a second


class _Band(NamedTuple):
    """One row of the raster."""

    mix: ColumnMix
    parts: tuple[Part, ...]
    top: float
    height: int
    summed: bool = False  # of several lanes


def raster_picture(store: LaneStore, places: Sequence[Place], view: View, first: int, last: int) -> Picture:
    """The pixel columns first..last of the lanes at `places`."""
    picture = Picture()
    groups: dict[int, list[_Band]] = defaultdict(list)
    for lane, top, height in places:
        for band in _bands(store, lane, top, height):
            groups[band.height].append(band)
        if lane.kind == "barrier":
            wave = wave_height(height)
            picture.add_one(body("phase_even"), first, top + wave, last + 1 - first, height - wave)
    wide = 2 if last - first > _WIDE else 1
    edges = view.column_edges(first, last + wide - 1)[::wide]
    x = np.arange(first, first + wide * (len(edges) - 1))
    grid = store.grid if store.grid.serves(view.ps_per_px) else None
    borders = store.grid.nearest(edges)
    for lane, top, height in places:
        if lane.folds and (flips := store.summary(lane).flips) is not None:
            before = flips.times.searchsorted(edges) if grid is None else flips.at_bins.take(borders)
            add_flips(picture, before, x, top, height)
    for height, bands in groups.items():
        _add_bands(picture, bands, height, edges, x, grid)
    return picture


def _bands(store: LaneStore, lane: Lane, top: float, height: float) -> list[_Band]:
    if lane.kind == "barrier":
        mix = store.barrier(lane).mix
        return [_Band(mix, tuple(WAVE_PARTS[parity] for parity in mix.states), top, wave_height(height))]
    if lane.folds:
        summary = store.summary(lane)
        return [_Band(summary.mix, summary.parts, top, summary.tall(height), summed=True)]
    if lane.kind == "copy":
        rows = store.copies(lane).rows
        places = sub_rows(top, height, len(rows))
    else:
        rows, places = [store.intervals(lane)], [(top, round(height))]
    return [_Band(row.mix, row.parts, *place) for row, place in zip(rows, places, strict=True)]


def _add_bands(
    picture: Picture, bands: list[_Band], height: int, edges: np.ndarray, x: np.ndarray, grid: Grid | None
) -> None:
    bands = [band for band in bands if band.parts]
    wide = len(x) // (len(edges) - 1)
    shares = np.zeros((len(bands), max((len(band.parts) for band in bands), default=0), len(edges) - 1), np.float32)
    exact = np.float32(1) / np.maximum(np.diff(edges), 1).astype(np.float32)
    if grid is not None:
        borders = grid.nearest(edges)
        binned = (1 / (np.maximum(np.diff(borders), 1) * grid.bin)).astype(np.float32)
    for band, share in zip(bands, shares, strict=True):
        mine = share[: len(band.parts)]
        if grid is not None and band.mix.at_bins is not None:
            time = band.mix.at_bins.take(borders, axis=0).T
            np.multiply(time[:, 1:] - time[:, :-1], binned, out=mine)
        else:
            spent = band.mix.spent(edges)[0]
            np.multiply(spent[:, 1:] - spent[:, :-1], exact, out=mine, casting="same_kind")
        band.mix.show_brief(mine, edges)
        for part, there in zip(band.parts, mine, strict=True):
            if part.role == "error":
                marked = x[::wide][begins(there) if band.summed else there > 0]
                picture.add(Style(Layer.MARK, "error", "outline"), marked - 1.0, band.top, 3.0, height)
    for band, heights in zip(bands, np.repeat(stacked(shares, height), wide, axis=-1), strict=True):
        picture.columns.append(Columns(x, band.top, height, band.parts, heights[: len(band.parts)]))
