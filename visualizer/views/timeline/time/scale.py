"""Time and pixels: which stretch of the recording is in view, and how a ruler divides it.

Times are int64 picoseconds; they are made relative to the view's start before they become float pixels, because
globaltimer's nanoseconds alone exceed what a float can hold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

MIN_PS_PER_PX = 2.0
"""Closest zoom: an SM cycle is about 505 ps, so nothing hides below it."""
MARGIN = 0.03
"""Share of the width left free at each side when the whole recording is fitted."""
_UNITS = ((1_000_000_000_000, "s"), (1_000_000_000, "ms"), (1_000_000, "µs"), (1_000, "ns"), (1, "ps"))


@dataclass(frozen=True, slots=True)
class View:
    """A stretch of time on `width` pixels, from `start` (ps) at `ps_per_px`."""

    start: int
    ps_per_px: float
    width: int

    @property
    def end(self) -> int:
        return self.start + math.ceil(self.ps_per_px * self.width)

    @property
    def span(self) -> float:
        """Picoseconds in view."""
        return self.ps_per_px * self.width

    def pixels(self, times: NDArray[np.int64]) -> NDArray[np.float64]:
        """Pixel of each time, 0 at the view's left edge; any shape."""
        return (times - self.start) / self.ps_per_px

    def pixel(self, time: int) -> float:
        return (time - self.start) / self.ps_per_px

    def time(self, x: float) -> int:
        """Time at pixel x, to the nearest picosecond."""
        return self.start + round(x * self.ps_per_px)

    def column_edges(self, first: int, last: int) -> NDArray[np.int64]:
        """Times (ps) of the borders of the pixel columns first..last, shape (last - first + 2,)."""
        edges: NDArray[np.int64] = np.rint(np.arange(first, last + 2) * self.ps_per_px).astype(np.int64)
        return edges + self.start

    def contains(self, time: int, margin: float = 0.0) -> bool:
        """Whether a time is in view, at least `margin` pixels from either edge."""
        return margin <= self.pixel(time) <= self.width - margin

    def zoomed(self, factor: float, x: float, duration: int) -> View:
        """`factor` > 1 shows less time; the time at pixel x stays where it is."""
        at = self.start + x * self.ps_per_px
        ps_per_px = min(max(self.ps_per_px / factor, MIN_PS_PER_PX), fit(duration, self.width).ps_per_px)
        return replace(self, start=round(at - x * ps_per_px), ps_per_px=ps_per_px).within(duration)

    def panned(self, pixels: float, duration: int) -> View:
        """Moved right (later) by `pixels`."""
        return replace(self, start=self.start + round(pixels * self.ps_per_px)).within(duration)

    def centred(self, time: int, duration: int) -> View:
        return replace(self, start=round(time - self.span / 2)).within(duration)

    def resized(self, width: int, duration: int) -> View:
        """The same scale on another width; a view that showed everything still does."""
        whole = self.span >= fit(duration, self.width).span * 0.999
        return fit(duration, width) if whole else replace(self, width=width).within(duration)

    def within(self, duration: int) -> View:
        """Moved so that no more than a margin beyond the recording shows."""
        margin = max(self.span * MARGIN, 0.0)
        low, high = -margin, duration + margin - self.span
        start = (low + high) / 2 if high < low else min(max(self.start, low), high)
        return replace(self, start=round(start))


def fit(duration: int, width: int) -> View:
    """The view that shows a whole recording of `duration` ps with a small margin."""
    width = max(width, 1)
    ps_per_px = max(max(duration, 1) / (width * (1 - 2 * MARGIN)), MIN_PS_PER_PX)
    return View(round(duration / 2 - ps_per_px * width / 2), ps_per_px, width)


def fit_range(begin: int, end: int, width: int, duration: int) -> View:
    """The view that shows begin..end (ps) with a fifth of it to spare."""
    span = max(end - begin, 1) * 1.2
    ps_per_px = min(max(span / max(width, 1), MIN_PS_PER_PX), fit(duration, width).ps_per_px)
    return View(0, ps_per_px, width).centred((begin + end) // 2, duration)


def format_time(time: int, step: int = 0, among: int = 0) -> str:
    """A time or difference in the unit that suits it, with as many digits as tell steps of `step` ps apart.

    `among`: the largest of the times that it stands beside, all of which have one unit.
    """
    scale = max(abs(time), step, among)
    size, unit = next(((size, unit) for size, unit in _UNITS if scale >= size), (1, "ps"))
    if step:
        digits = max(0, math.ceil(math.log10(size / step) - 1e-9))
        return f"{time / size:.{digits}f} {unit}" if time else f"0 {unit}"
    text = f"{time / size:.3f}".rstrip("0").rstrip(".") if size > 1 else str(time)
    return f"{text} {unit}"


def tick_step(ps_per_px: float, min_pixels: float) -> int:
    """The smallest 1, 2 or 5 times a power of ten (ps) that is at least `min_pixels` wide."""
    least = max(ps_per_px * min_pixels, 1.0)
    power = 10 ** math.floor(math.log10(least))
    return next(int(power * m) for m in (1, 2, 5, 10) if power * m >= least * (1 - 1e-12))


def ticks(view: View, min_pixels: float) -> tuple[NDArray[np.int64], int]:
    """Times of the ruler's labelled ticks in view, and their distance (ps)."""
    step = tick_step(view.ps_per_px, min_pixels)
    first = -(-max(view.start, 0) // step)
    return np.arange(first, view.end // step + 1, dtype=np.int64) * step, step
