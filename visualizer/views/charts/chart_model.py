"""A chart as numbers: axes with units, series with the theme's roles, and its twin in words. Pure, no Qt.

Whoever shows something makes a Chart of it; `plot_widget` draws any. Values stand in the unit that the axis names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visualizer.language import tr

Floats = NDArray[np.float64]

_TIMES = ((1e9, "ms"), (1e6, "µs"), (1e3, "ns"))
"""A unit's picoseconds and its name, the largest first."""
_BYTES = ((2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B"))
_ENOUGH = 10
"""A unit is used from so many of it on: 9.8 µs are read as 9800 ns."""


@dataclass(frozen=True, slots=True)
class Axis:
    """`label` with its unit, in words; `ticks` name places instead of numbers, each in texts, the longest first."""

    label: str
    ticks: tuple[tuple[float, tuple[str, ...]], ...] = ()
    ends: tuple[float, float] | None = None  # what is seen of it at first; None: what the series take
    down: bool = False  # the first place is on top
    whole: bool = False  # no tick between whole numbers


@dataclass(frozen=True, eq=False)
class Boxes:
    """Rectangles: x0..x1 times y0..y1, all shape (boxes,); `texts` stand in them where there is room."""

    name: str
    role: str  # a Paint of the theme
    x0: Floats
    x1: Floats
    y0: Floats
    y1: Floats
    texts: tuple[tuple[str, ...], ...] = ()  # of each box, the longest first; (): none have any
    outlined: bool = True  # not where hundreds stand side by side


@dataclass(frozen=True, eq=False)
class Curve:
    """A line through points, shape (points,); `steps`: y[i] holds from x[i] to x[i + 1], of which x has one more."""

    name: str
    role: str  # a plain colour of the theme
    x: Floats
    y: Floats
    steps: bool = False
    dashed: bool = False


@dataclass(frozen=True, eq=False)
class Spans:
    """From low to high at each x: how far values spread; all shape (spans,)."""

    name: str
    x: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class Diamonds:
    """Single values, shape (values,)."""

    name: str
    role: str  # a plain colour of the theme
    x: Floats
    y: Floats


@dataclass(frozen=True, slots=True)
class Rule:
    """An upright line through the whole plot at `x`; thick or thin, which tells several apart."""

    name: str
    x: float
    thick: bool


@dataclass(frozen=True, eq=False)
class Note:
    """Text above a point."""

    x: float
    y: float
    text: str
    strong: bool = False


Series = Boxes | Curve | Spans | Diamonds | Rule


@dataclass(frozen=True, eq=False)
class Chart:
    """`caption` says the numbers in a sentence beside the plot; without series it says why there are none."""

    title: str
    caption: str
    x: Axis
    y: Axis
    series: tuple[Series, ...] = ()
    notes: tuple[Note, ...] = ()
    rows: int = 0  # how many bars lie one below the other, which decides the height; 0: any height does

    @property
    def text(self) -> str:
        """The chart in words: its twin for screen readers."""
        return tr("{title}: {numbers}", title=self.title, numbers=self.caption)

    @property
    def ends(self) -> tuple[float, float, float, float]:
        """Left, right, low and high of what is drawn; 0 is among the heights where heights are amounts."""
        places = [places for series in self.series if len((places := _places(series))[0])]
        if not places:
            return 0.0, 1.0, 0.0, 1.0
        x, y = (np.concatenate(along) for along in zip(*places, strict=True))
        left, right = self.x.ends or (float(x.min()), float(x.max()))
        low, high = self.y.ends or (min(float(y.min()), 0.0), float(y.max()))
        return left, right if right > left else left + 1, low, high if high > low else low + 1


def floats(values: ArrayLike) -> Floats:
    return np.asarray(values, np.float64)


def time_unit(most_ps: float) -> tuple[float, str]:
    """How many ps the unit has that suits times up to `most_ps`, and its name."""
    return _unit(_TIMES, most_ps)


def byte_unit(most: float) -> tuple[float, str]:
    """How many bytes the unit has that suits amounts up to `most`, and its name."""
    return _unit(_BYTES, most)


def with_unit(label: str, unit: str) -> str:
    """An axis's label."""
    return tr("{what} ({unit})", what=label, unit=unit)


def stacked(tops: Sequence[Floats]) -> list[tuple[Floats, Floats]]:
    """Where each stands that lies on the ones before it: from, to."""
    ends = np.cumsum(np.stack(tops), axis=0) if tops else np.empty((0, 0))
    return [(end - top, end) for top, end in zip(tops, ends, strict=True)]


def _places(series: Series) -> tuple[Floats, Floats]:
    """Where the series lies along both axes; a rule goes through the plot wherever its ends are."""
    if isinstance(series, Boxes):
        return np.append(series.x0, series.x1), np.append(series.y0, series.y1)
    if isinstance(series, Spans):
        return series.x, np.append(series.low, series.high)
    if isinstance(series, Rule):
        return floats([]), floats([])
    return series.x, series.y


def _unit(units: Sequence[tuple[float, str]], most: float) -> tuple[float, str]:
    return next((unit for unit in units if most >= _ENOUGH * unit[0]), units[-1])
