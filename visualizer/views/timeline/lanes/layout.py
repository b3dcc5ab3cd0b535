"""Where lanes stand: heights that follow the font, gaps that group them, and which lanes a scroll position shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.views.timeline.lanes.lanes import Lane


@dataclass(frozen=True, slots=True)
class Density:
    """Heights and gaps in line heights: everything follows the font, and so the UI scale."""

    height: Mapping[str, float]  # by lane kind
    copy_row: float  # of each row in a copy engine's lane
    gap: float  # between lanes
    group_gap: float  # more, between agents, copies, stages and barriers
    cta_gap: float  # more, between CTAs and below pinned lanes


COMFORTABLE = Density(
    {"cta": 1.3, "warps": 1.55, "ring": 1.3, "agent": 1.55, "copy": 1.55, "stage": 1.55, "barrier": 2.5},
    copy_row=0.62,
    gap=0.28,
    group_gap=0.55,
    cta_gap=1.2,
)
COMPACT = Density(
    dict.fromkeys(("cta", "warps", "ring", "agent", "copy", "stage", "barrier"), 0.74),
    copy_row=0.0,
    gap=0.06,
    group_gap=0.06,
    cta_gap=0.12,
)
"""Sixty-four lanes in a window of 900 pixels; no room for text in them."""

_MOST_STRETCH = 1.9
"""Lanes grow up to so much when they leave room: on a projector a lesson should fill the screen."""


@dataclass(frozen=True, eq=False)
class LaneLayout:
    """`top` and `height` of every lane in pixels from the first lane's top, shape (lanes,); `total` with margins.

    Pinned lanes end at `pinned_edge`, above which nothing scrolls.
    """

    top: NDArray[np.float64]
    height: NDArray[np.float64]
    total: float
    pinned_edge: float = 0.0

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


def sub_rows(top: float, height: float, count: int) -> list[tuple[float, int]]:
    """Top and height (pixels) of each of `count` rows that share a lane."""
    edges = [round(top + index * height / max(count, 1)) for index in range(count + 1)]
    gap = 1 if count > 1 else 0
    return [(float(edges[index]), edges[index + 1] - edges[index] - gap) for index in range(count)]


def lay_out(
    lanes: Sequence[Lane],
    em: float,
    available: float,
    copy_rows: int,
    density: Density = COMFORTABLE,
    pinned: int = 0,
) -> LaneLayout:
    """Stack the lanes; `em` is the line height, `available` the viewport's height, `copy_rows` the stages a CTA has.

    The first `pinned` lanes stand apart, so that they can stay while the others scroll.
    """
    unit = {**density.height, "copy": max(density.height["copy"], density.copy_row * copy_rows)}
    height = np.array([unit[lane.kind] for lane in lanes])
    gap = np.full(len(lanes), density.gap)
    for row in range(1, len(lanes)):
        before = lanes[row - 1]
        folded = lanes[row].kind == before.kind == "cta"
        if row == pinned or (lanes[row].cta != before.cta and not folded and row > pinned):
            gap[row] = density.cta_gap
        elif lanes[row].parent != before.key and (lanes[row].parent, lanes[row].kind) != (before.parent, before.kind):
            gap[row] = density.group_gap
    needed = float(height.sum() + gap.sum() + density.gap) * em
    stretch = min(max(available / needed, 1.0), _MOST_STRETCH) if needed else 1.0
    # Stretched lanes are rounded down: they fill the room and never exceed it.
    whole = np.floor if stretch > 1.0 else np.rint
    height, gap = whole(height * em * stretch), np.maximum(whole(gap * em * stretch), 1)
    top = np.cumsum(height + gap) - height
    if not len(lanes):
        return LaneLayout(top, height, 0.0)
    edge = 0.0
    if pinned:
        edge = float(top[pinned - 1] + height[pinned - 1] + (gap[pinned] / 2 if pinned < len(lanes) else gap[0]))
    return LaneLayout(top, height, float(top[-1] + height[-1] + gap[0]), edge)
