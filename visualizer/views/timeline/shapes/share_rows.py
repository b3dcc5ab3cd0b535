"""Rows of lanes as shares of time in each pixel column, painted in one pass over them all."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from visualizer.views.timeline.shapes.level_of_detail import ColumnMix, Grid, stacked
from visualizer.views.timeline.shapes.picture import Columns, Layer, Part, Picture, Style
from visualizer.views.timeline.shapes.summary import begins


class ShareRow(NamedTuple):
    """One row of a lane."""

    mix: ColumnMix
    parts: tuple[Part, ...]
    top: float
    height: int
    summed: bool = False  # of several lanes


def add_share_rows(
    picture: Picture, rows: list[ShareRow], height: int, edges: np.ndarray, x: np.ndarray, grid: Grid | None
) -> None:
    """Paint rows of one `height` in the columns between `edges` (ps), which begin at the pixels `x`; with `grid` as
    exact as its bins."""
    rows = [row for row in rows if row.parts]
    wide = len(x) // (len(edges) - 1)
    shares = np.zeros((len(rows), max((len(row.parts) for row in rows), default=0), len(edges) - 1), np.float32)
    exact = np.float32(1) / np.maximum(np.diff(edges), 1).astype(np.float32)
    if grid is not None:
        borders = grid.nearest(edges)
        binned = (1 / (np.maximum(np.diff(borders), 1) * grid.bin)).astype(np.float32)
    for row, share in zip(rows, shares, strict=True):
        mine = share[: len(row.parts)]
        if grid is not None and row.mix.at_bins is not None:
            time = row.mix.at_bins.take(borders, axis=0).T
            np.multiply(time[:, 1:] - time[:, :-1], binned, out=mine)
        else:
            spent = row.mix.spent(edges)[0]
            np.multiply(spent[:, 1:] - spent[:, :-1], exact, out=mine, casting="same_kind")
        row.mix.show_brief(mine, edges)
        for part, there in zip(row.parts, mine, strict=True):
            if part.role == "error":
                marked = x[::wide][begins(there) if row.summed else there > 0]
                picture.add(Style(Layer.MARK, "error", "outline"), marked - 1.0, row.top, 3.0, height)
    for row, heights in zip(rows, np.repeat(stacked(shares, height), wide, axis=-1), strict=True):
        picture.columns.append(Columns(x, row.top, height, row.parts, heights[: len(row.parts)]))
