"""Where lanes stand: heights that follow the font, gaps that group them, and which lanes a scroll position shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.views.lanes import Lane

_HEIGHT = {"agent": 1.55, "copy": 1.55, "stage": 1.55, "barrier": 2.5}  # in line heights
_GAP = 0.28  # between lanes, in line heights
_GROUP_GAP = 0.55  # more, between agents, copies, stages and barriers
_CTA_GAP = 1.2  # more, between CTAs
_MOST_STRETCH = 1.9
"""Lanes grow up to so much when they leave room: on a projector a lesson should fill the screen."""


@dataclass(frozen=True, eq=False)
class LaneLayout:
    """`top` and `height` of every lane in pixels from the first lane's top, shape (lanes,); `total` with margins."""

    top: NDArray[np.float64]
    height: NDArray[np.float64]
    total: float

    def in_range(self, low: float, high: float) -> range:
        """Rows of the lanes that touch low..high."""
        first = int(np.searchsorted(self.top + self.height, low, side="right"))
        return range(first, max(int(np.searchsorted(self.top, high, side="left")), first))

    def row_at(self, y: float) -> int | None:
        """The lane at y, or the nearest to it within a gap; None beyond the ends."""
        if not len(self.top) or not 0 <= y <= self.total:
            return None
        row = min(int(np.searchsorted(self.top + self.height, y)), len(self.top) - 1)
        if row and y < self.top[row] and y - (self.top[row - 1] + self.height[row - 1]) < self.top[row] - y:
            row -= 1
        return row


def lay_out(lanes: Sequence[Lane], em: float, available: float, copy_rows: int) -> LaneLayout:
    """Stack the lanes; `em` is the line height, `available` the viewport's height, `copy_rows` the stages a CTA has."""
    unit = {**_HEIGHT, "copy": max(_HEIGHT["copy"], 0.62 * copy_rows)}
    height = np.array([unit[lane.kind] for lane in lanes])
    gap = np.full(len(lanes), _GAP)
    for row in range(1, len(lanes)):
        if lanes[row].cta != lanes[row - 1].cta:
            gap[row] = _CTA_GAP
        elif lanes[row].kind != lanes[row - 1].kind:
            gap[row] = _GROUP_GAP
    needed = float(height.sum() + gap.sum() + _GAP) * em
    stretch = min(max(available / needed, 1.0), _MOST_STRETCH) if needed else 1.0
    height, gap = np.rint(height * em * stretch), np.rint(gap * em * stretch)
    top = np.cumsum(height + gap) - height
    return LaneLayout(top, height, float(top[-1] + height[-1] + gap[0]) if len(lanes) else 0.0)
