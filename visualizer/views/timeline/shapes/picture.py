"""The timeline's picture as data, without Qt, so that tests need no window: rectangles and labels by colour role.

Coordinates are pixels of the lanes area: x 0 is the view's left edge, y 0 the top of the first visible lane.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Layer(IntEnum):
    """Painting order, back to front. Columns are painted after BODY."""

    BODY_EDGE = 0  # a body's outline, as a larger rectangle behind it
    BODY = 1
    HATCH = 2
    CURVE_FILL = 3
    CURVE = 4
    MARK = 5  # things that must never be covered: errors, flips


class Part(NamedTuple):
    """A colour: `role` names the theme's entry, `part` which of its colours, or how a plain colour is laid on."""

    role: str
    part: Literal["fill", "outline", "hatch", "tint", "colour"]


class Style(NamedTuple):
    """How a batch of rectangles is painted."""

    layer: Layer
    role: str
    part: Literal["fill", "outline", "hatch", "tint", "colour"]


@dataclass(frozen=True, slots=True)
class Label:
    """Text in the middle of a box, chosen to fit. `role`: the Paint whose text colour it takes, or a plain colour."""

    x: float
    y: float
    width: float
    height: float
    text: str
    role: str
    bold: bool = False
    backed: bool = False  # on a patch of its Paint's fill, where hatch or curves would run through it


@dataclass(frozen=True, slots=True)
class Dash:
    """A dashed upright line: an end that is estimated, not observed."""

    x: float
    top: float
    bottom: float
    role: str


@dataclass(frozen=True, slots=True)
class Columns:
    """Pixel columns of stacked parts, bottom first: shares of time, or a curve over its area. Painted as one image.

    `x` has shape (columns,), ascending; `heights` (parts, columns) in whole pixels.
    """

    x: NDArray[np.int64]
    top: float
    height: int
    parts: tuple[Part, ...]
    heights: NDArray[np.integer]


@dataclass(slots=True)
class Picture:
    """What lane builders add to and the painter draws; batches of the same style are drawn in one call."""

    rects: dict[Style, list[Floats]] = field(default_factory=dict)
    columns: list[Columns] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    dashes: list[Dash] = field(default_factory=list)

    def add(self, style: Style, x: Floats, y: Floats | float, width: Floats | float, height: Floats | float) -> None:
        """Add rectangles; the arrays have shape (n,), numbers stand for all n."""
        if not len(x):
            return
        rects = np.empty((len(x), 4))
        rects[:, 0], rects[:, 1], rects[:, 2], rects[:, 3] = x, y, width, height
        self.rects.setdefault(style, []).append(rects)

    def add_one(self, style: Style, x: float, y: float, width: float, height: float) -> None:
        self.rects.setdefault(style, []).append(np.array([[x, y, width, height]]))

    def batches(self) -> list[tuple[Style, Floats]]:
        """Every style with all its rectangles, shape (n, 4), in painting order."""
        order = sorted(self.rects, key=lambda style: style.layer)  # stable: within a layer as first added
        return [(style, np.concatenate(self.rects[style])) for style in order]

    def lines(self) -> list[str]:
        """The picture as text, one item a line, for golden tests."""
        text = [
            f"{style.layer.name.lower()} {style.role}.{style.part} " + " ".join(f"{value:.1f}" for value in rect)
            for style, rects in self.batches()
            for rect in rects
        ]
        text += [
            f"columns {item.x[0]}..{item.x[-1]} {role}.{part} {heights.tolist()}"
            for item in self.columns
            for (role, part), heights in zip(item.parts, item.heights, strict=True)
        ]
        text += [f"label {label.role} {label.x:.1f} {label.y:.1f} {label.text!r}" for label in self.labels]
        return text + [f"dash {dash.role} {dash.x:.1f}" for dash in self.dashes]


@dataclass(frozen=True, slots=True)
class Metrics:
    """Sizes of the font in pixels: the model asks how wide a text is, and needs to know nothing else about fonts."""

    em: float  # line height
    text_width: Callable[[str], float]
    scale: float = 1.0  # of lines and marks

    def first_that_fits(self, texts: Iterable[str], room: float) -> str:
        """The first of `texts` (longest first) no wider than `room` pixels; "" if none is."""
        return next((text for text in texts if self.text_width(text) <= room), "")


def body(role: str) -> Style:
    """The inside of an interval."""
    return Style(Layer.BODY, role, "fill")


def edge(role: str) -> Style:
    """The outline of an interval, drawn as a larger rectangle behind its body: four times cheaper than a pen."""
    return Style(Layer.BODY_EDGE, role, "outline")


def hatch(role: str) -> Style:
    return Style(Layer.HATCH, role, "hatch")


def add_boxes(picture: Picture, role: str, left: Floats, right: Floats, top: float, height: float, width: int) -> None:
    """Outlined intervals from `left` to `right` (pixels), clipped to the view, each at least one pixel wide."""
    left, right = np.maximum(left, -2.0), np.minimum(right, width + 2.0)
    wide = np.maximum(right - left, 1.0)
    picture.add(edge(role), left, top, wide, height)
    inner = wide > 3
    picture.add(body(role), left[inner] + 1, top + 1, wide[inner] - 2, height - 2)
