"""Where the parts of the timeline stand in its viewport, and how lanes are headed there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF

from visualizer.views.lanes import Lane
from visualizer.views.timeline_paint import Fonts
from visualizer.views.timeline_text import WIDEST_VALUE

FOLDED, UNFOLDED, PINNED = "▸", "▾", "•"
_PAD = 8.0


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the parts of the timeline stand in its viewport, in pixels: names | lanes | values, under the ruler."""

    names: QRectF
    ruler: QRectF
    lanes: QRectF
    values: QRectF


def make_frame(width: float, height: float, fonts: Fonts, lanes: Sequence[Lane], pinned: int) -> Frame:
    titles = {heading(lane, lanes) for lane in lanes[:64]} | {"producer", f"{UNFOLDED} CTA888"}
    titles |= {f"{PINNED} {lane.key}" for lane in lanes[:pinned]}
    names = round(max(fonts.width(title) for title in titles) + fonts.em * 0.9 + 2 * _PAD)
    values = round(fonts.width(WIDEST_VALUE) + 2 * _PAD + fonts.em)
    if width - names - values < width * 0.4:  # too narrow for all: time matters most
        values = 0
    top = round(fonts.em * 1.9)
    middle = max(width - names - values, 1)
    return Frame(
        QRectF(0, top, names, height - top),
        QRectF(names, 0, middle, top),
        QRectF(names, top, middle, height - top),
        QRectF(names + middle, top, values, height - top),
    )


def heading(lane: Lane, lanes: Sequence[Lane]) -> str:
    """The lane's name among the `lanes` shown: without its CTA where the CTA's own lane stands above it."""
    headed = any(other.kind == "cta" for other in lanes)
    return lane.title if headed or not lanes[-1].cta else lane.key
