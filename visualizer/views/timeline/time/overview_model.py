"""The overview strip as data: events per pixel column of the whole recording, marks, and where the view stands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.trace import Trace
from visualizer.views.timeline.time.scale import View

MARK_ROLES = {"error": "error", "match": "match", "bookmark": "bookmark", "hit": "hit"}
"""Kinds of marks, in painting order: later ones lie above. An error is never covered, for its row is its own."""
_LEAST = 6.0  # pixels: a view of one event must still be seen and grabbed


@dataclass(frozen=True, slots=True)
class Overview:
    """The recording from 0 to `end` (ps) on `width` pixels."""

    end: int
    width: int

    def x(self, time: int) -> float:
        return time / max(self.end, 1) * self.width

    def time(self, x: float) -> int:
        return round(x / max(self.width, 1) * self.end)

    def rectangle(self, view: View) -> tuple[float, float]:
        """Left edge and width (pixels) of the view, inside the strip and never too narrow to be seen."""
        left, right = max(self.x(view.start), 0.0), min(self.x(view.end), float(self.width))
        wide = min(max(right - left, _LEAST), float(self.width))
        return min(max((left + right - wide) / 2, 0.0), self.width - wide), wide

    def density(self, trace: Trace) -> NDArray[np.float64]:
        """Events in each pixel column as a share (0..1) of the busiest, on a scale by logarithm; shape (width,)."""
        edges = np.linspace(0, max(self.end, 1), self.width + 1).astype(np.int64)
        counts = np.diff(steps_at(trace, edges))
        shares: NDArray[np.float64] = np.log1p(counts) / max(np.log1p(counts.max(initial=0)), 1e-9)
        return shares

    def columns(self, trace: Trace, steps: NDArray[np.int64]) -> NDArray[np.int64]:
        """The pixel columns that hold a mark at any of the ascending `steps`, each once.

        Costs a search per column, not a pass over the steps: a query may match millions.
        """
        if not len(steps):
            return np.empty(0, np.int64)
        edges = np.ceil(np.arange(self.width + 1) * (max(self.end, 1) / max(self.width - 1, 1))).astype(np.int64)
        rows = np.searchsorted(steps, steps_at(trace, edges))
        return np.flatnonzero(np.diff(rows))


def steps_at(trace: Trace, times: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first step at or after each of `times` (ps); the number of steps where there is none.

    numpy's own search would copy the whole column first: it lies strided in the file.
    """
    column = trace.events["time"]
    low, high = np.zeros(len(times), np.int64), np.full(len(times), len(trace), np.int64)
    while (open_ := low < high).any():
        middle = (low + high) >> 1
        later = np.zeros(len(times), bool)
        later[open_] = column[middle[open_]] < times[open_]
        low = np.where(open_ & later, middle + 1, low)
        high = np.where(open_ & ~later, middle, high)
    return low
