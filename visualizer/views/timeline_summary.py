"""A CTA's lane: what its warps did as shares of them all, over a strip with every flip of its barriers.

It is all that is seen of a collapsed CTA, so an error in it keeps its mark and a flip its column.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visualizer.views.level_of_detail import stacked
from visualizer.views.timeline_barriers import WAVE_PARTS
from visualizer.views.timeline_intervals import add_fold_counts
from visualizer.views.timeline_lanes import Summary
from visualizer.views.timeline_model import Columns, Layer, Metrics, Picture, Style
from visualizer.views.timeline_scale import View

_FLIPS_SHARE = 0.2  # of the lane's height
_GAP = 1  # pixels


def summary_height(height: float) -> int:
    """Pixels of a CTA's lane that the shares take; the flips have the rest."""
    return round(height) - max(round(height * _FLIPS_SHARE), 2) - _GAP


def add_summary(picture: Picture, summary: Summary, view: View, top: float, height: float, metrics: Metrics) -> None:
    """Draw the summary between `top` and `top + height`."""
    edges = view.column_edges(0, view.width - 1)
    x = np.arange(view.width)
    add_flips(picture, summary.flips.searchsorted(edges), x, top, height)
    mix = summary.mix.columns(edges)
    parts = summary.parts
    if not parts:
        return
    tall = summary_height(height)
    picture.columns.append(Columns(x, top, tall, parts, stacked(mix.visible, tall)))
    for part, share in zip(parts, mix.visible, strict=True):
        if part.role == "error":
            picture.add(Style(Layer.MARK, part.role, "outline"), x[share > 0] - 1.0, top, 3.0, tall)
    if mix.begun.sum() > view.width // 8:
        add_fold_counts(picture, x, mix.begun, "intervals", top, float(tall), metrics)


def add_flips(picture: Picture, before: NDArray[np.int64], x: NDArray[np.int64], top: float, height: float) -> None:
    """A mark in each of the columns `x` in which a barrier of the CTA flips; `before` counts flips at their borders."""
    above = summary_height(height) + _GAP
    flips = before[1:] > before[:-1]
    if len(x) > len(flips):  # columns of several pixels
        flips = flips.repeat(len(x) // len(flips))
    tall = round(height) - above
    picture.columns.append(Columns(x, top + above, tall, WAVE_PARTS[1:], (flips * np.int16(tall))[None, :]))
