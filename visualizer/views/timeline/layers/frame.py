"""Where the parts of the timeline stand in its viewport, and how lanes are headed there."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF

from visualizer.views.timeline.lanes.lane_rows import LaneRows
from visualizer.views.timeline.lanes.lanes import Lane
from visualizer.views.timeline.lanes.text import WIDEST_VALUE, said_title
from visualizer.views.timeline.painting.paint import Fonts

FOLDED, UNFOLDED, PINNED = "▸", "▾", "•"
STRIPE = 0.3
"""Width of the stripe that says who acts in a lane, in line heights."""
INDENT = 0.6
"""How much further in a lane's name begins than that of the lane that folds it, in line heights."""
RULER, UPPER_FLAG, LOWER_FLAG = 2.4, 1.1, 1.15
"""Heights in line heights: of the ruler, of the flags at its upper edge, and of those at its lower one, which are clear
of each other."""
_PAD = 8.0
_MEASURED = 64  # names


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Where the parts of the timeline stand in its viewport, in pixels: names | lanes | values, under the ruler."""

    names: QRectF
    ruler: QRectF
    lanes: QRectF
    values: QRectF


def make_frame(width: float, height: float, fonts: Fonts, rows: LaneRows) -> Frame:
    """The parts of a viewport of `width` x `height` pixels; without values where they would leave too little time."""
    wanted = [(heading(lane, rows), rows.depth(lane)) for lane in rows.shown[:_MEASURED]]
    wanted += [("producer", 1), (f"{UNFOLDED} CTA888", 1)]
    room = max(fonts.width(title) + fonts.em * INDENT * max(depth, 1) for title, depth in wanted)
    names = round(room + fonts.em * STRIPE + 2 * _PAD)
    values = round(fonts.width(WIDEST_VALUE) + 2 * _PAD + fonts.em)
    if width - names - values < width * 0.4:  # too narrow for all: time matters most
        values = 0
    top = round(fonts.em * RULER)
    middle = max(width - names - values, 1)
    return Frame(
        QRectF(0, top, names, height - top),
        QRectF(names, 0, middle, top),
        QRectF(names, top, middle, height - top),
        QRectF(names + middle, top, values, height - top),
    )


def heading(lane: Lane, rows: LaneRows) -> str:
    """The lane's name among the `rows` shown: without its CTA where the CTA's own lane stands above it; with the signs
    of a pinned lane and of one that folds others."""
    pinned = rows.is_pinned(lane.key)
    title = said_title(lane, with_cta=pinned or (not rows.headed and rows.shown[-1].cta > 0))
    if lane.folds:
        title = f"{FOLDED if rows.is_collapsed(lane.key) else UNFOLDED} {title}"
    return f"{PINNED} {title}" if pinned else title
