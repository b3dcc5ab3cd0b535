"""A lane that others fold into: shares of them all, over a strip with every flip of their barriers.

A CTA and a group of warps show what the warps did, a ring what its stages held. It is all that is seen of what is
folded, so an error in it keeps its mark and a flip its column.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from visualizer.language import trn
from visualizer.views.timeline.shapes.barriers import WAVE_PARTS
from visualizer.views.timeline.shapes.intervals import add_fold_counts
from visualizer.views.timeline.shapes.level_of_detail import SummedMix, stacked
from visualizer.views.timeline.shapes.picture import Columns, Label, Layer, Metrics, Part, Picture, Style
from visualizer.views.timeline.time.scale import View

_FLIPS_SHARE = 0.2  # of the lane's height
_GAP = 1  # pixels
_LEAST_TEXT = 0.8  # of the line height: lower lanes have no text


@dataclass(frozen=True, eq=False)
class Flips:
    """When any of several barriers completed a phase (ps, ascending), and how many did before each border of the grid's
    bins."""

    times: NDArray[np.int64]
    at_bins: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Summary:
    """What is seen of a lane that folds others."""

    mix: SummedMix
    roles: dict[int, str]
    flips: Flips | None  # of its barriers; None: warps, which have none
    stuck: NDArray[np.int64]  # steps of the waits that the recording ends in, one for each warp that has such
    stuck_since: NDArray[np.int64]  # and their times (ps)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """How the mix's states are painted."""
        return tuple(Part(self.roles[state], "fill") for state in self.mix.states)

    def tall(self, height: float) -> int:
        """Pixels of a lane's `height` that the shares take; the flips have the rest."""
        return round(height) if self.flips is None else shares_height(height)


def shares_height(height: float) -> int:
    """What is left of a lane above its strip of flips, in pixels."""
    return round(height) - max(round(height * _FLIPS_SHARE), 2) - _GAP


def add_summary(picture: Picture, summary: Summary, view: View, top: float, height: float, metrics: Metrics) -> None:
    """Draw the summary between `top` and `top + height`."""
    edges = view.column_edges(0, view.width - 1)
    x = np.arange(view.width)
    if summary.flips is not None:
        add_flips(picture, summary.flips.times.searchsorted(edges), x, top, height)
    mix = summary.mix.columns(edges)
    parts = summary.parts
    if not parts:
        return
    tall = summary.tall(height)
    picture.columns.append(Columns(x, top, tall, parts, stacked(mix.visible, tall)))
    for part, share in zip(parts, mix.visible, strict=True):
        if part.role == "error":
            picture.add(
                Style(Layer.MARK, part.role, "outline"), x[begins(share)].astype(np.float64) - 1.0, top, 3.0, tall
            )
    if len(summary.stuck_since):
        _add_stuck(picture, summary, view, top, float(tall), metrics)
    elif mix.begun.sum() > view.width // 8:
        add_fold_counts(picture, x, mix.begun, "intervals", top, float(tall), metrics)


def begins(share: NDArray[np.floating]) -> NDArray[np.bool_]:
    """In which columns a state begins: a mark in each that has some of it would hide what the others do meanwhile."""
    there: NDArray[np.bool_] = share > 0
    first = there.copy()
    first[1:] &= ~there[:-1]
    return first


def _add_stuck(picture: Picture, summary: Summary, view: View, top: float, height: float, metrics: Metrics) -> None:
    """How many of the warps wait without end, from where the first of them does."""
    left = max(view.pixel(int(summary.stuck_since.min())), 0.0)
    room, count = view.width - left, len(summary.stuck_since)
    if height < metrics.em * _LEAST_TEXT:
        return
    texts = [trn("⚠ {count} warp never released", "⚠ {count} warps never released", count, count=count), f"⚠ {count}"]
    text = metrics.first_that_fits(texts, room - metrics.em * 0.4)
    if text:
        picture.labels.append(Label(left, top, room, height, text, "error", backed=True))


def add_flips(picture: Picture, before: NDArray[np.int64], x: NDArray[np.int64], top: float, height: float) -> None:
    """A mark in each of the columns `x` in which a barrier flips; `before` counts flips at their borders."""
    above = shares_height(height) + _GAP
    flips = before[1:] > before[:-1]
    if len(x) > len(flips):  # columns of several pixels
        flips = flips.repeat(len(x) // len(flips))
    tall = round(height) - above
    picture.columns.append(Columns(x, top + above, tall, WAVE_PARTS[1:], (flips * np.int16(tall))[None, :]))
