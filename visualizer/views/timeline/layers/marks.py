"""Marks on the ruler, however far the view is zoomed out.

Hits of breakpoints are filled circles, matches of find hollow triangles, what a person marked flags with a label: the
meaning is never in the colour alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from visualizer.recording.trace import Trace
from visualizer.replay.step_index import Steps
from visualizer.views.look.painting import brush, colour, pen
from visualizer.views.look.theme import Theme
from visualizer.views.timeline.layers.frame import UPPER_FLAG, Frame
from visualizer.views.timeline.painting.paint import Fonts, paint_text
from visualizer.views.timeline.time.overview_model import steps_at
from visualizer.views.timeline.time.scale import View

_APART = 5.0
"""Pixels between signs: what lies closer is one sign."""
_SIZE = 4.0


@dataclass(frozen=True, eq=False)
class Marks:
    """Marks of one kind at ascending steps. `labels` are drawn in flags; none: signs without text."""

    steps: Steps
    labels: Sequence[str] = ()


def visible_rows(trace: Trace, steps: Steps, view: View) -> NDArray[np.int64]:
    """Rows of the ascending `steps` to draw signs at: one for all that fall together in view.

    Costs a search per sign, not a pass over the steps: a breakpoint may have millions of hits.
    """
    cell = max(round(_APART * view.ps_per_px), 1)
    # Cells lie fixed in time, so that signs do not dance while the view moves.
    edges = np.arange(view.start // cell, view.end // cell + 2) * cell
    rows = np.searchsorted(steps, steps_at(trace, np.clip(edges, view.start, view.end + 1)))
    first: NDArray[np.int64] = rows[:-1][rows[1:] > rows[:-1]]
    return first


def paint_marks(
    painter: QPainter, trace: Trace, frame: Frame, view: View, marks: Mapping[str, Marks], theme: Theme, fonts: Fonts
) -> None:
    """All marks in view: hits along the ruler's lower edge, matches under it, flags with a line down."""

    def pixels(found: Marks, rows: NDArray[np.int64]) -> list[float]:
        places: NDArray[np.float64] = view.pixels(trace.events["time"][found.steps[rows]]) + frame.ruler.left()
        return [float(place) for place in places]

    if not marks:
        return
    painter.save()
    painter.setClipRect(QRectF(frame.ruler.left(), 0, frame.ruler.width(), frame.lanes.bottom()))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    bottom = frame.ruler.bottom()
    if (found := marks.get("match")) is not None:
        painter.setPen(pen(theme.text, 1.2))
        painter.setBrush(brush(theme.panel))
        for x in pixels(found, visible_rows(trace, found.steps, view)):
            painter.drawPolygon(
                [QPointF(x - _SIZE, bottom + 8), QPointF(x + _SIZE, bottom + 8), QPointF(x, bottom + 1)]
            )
    if (hits := marks.get("hit")) is not None:
        painter.setPen(pen(theme.error.text, 1.0))
        painter.setBrush(brush(theme.error.fill))
        for x in pixels(hits, visible_rows(trace, hits.steps, view)):
            painter.drawEllipse(QPointF(x, bottom - 5), _SIZE, _SIZE)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for flag in upper_flags(trace, frame, view, marks, fonts):
        _paint_flag(painter, frame, flag, theme, fonts)
    painter.restore()


@dataclass(frozen=True, slots=True)
class Flag:
    """A label at the ruler's upper edge, with its stem at pixel `x`. An empty box: only the stem has room."""

    x: int
    text: str
    box: QRectF


def upper_flags(trace: Trace, frame: Frame, view: View, marks: Mapping[str, Marks], fonts: Fonts) -> list[Flag]:
    """The flags of what a person marked, none over another: a label makes way for the next, which may stand a little
    beside its stem; one that would be too far from it is left out."""
    found = marks.get("bookmark")
    if found is None:
        return []
    rows = visible_rows(trace, found.steps, view)
    places = np.round(view.pixels(trace.events["time"][found.steps[rows]]) + frame.ruler.left()).astype(int).tolist()
    flags, free = [], frame.ruler.left()
    for row, x, following in zip(rows.tolist(), places, [*places, frame.ruler.right()][1:], strict=True):
        label = found.labels[row]
        left = max(x, free)
        width = min(fonts.width(label) + 8, max(following - left - 1, 3 * fonts.em))
        left = min(left, frame.ruler.right() - width - 1)
        text = fonts.elided(label, width - 8)
        if not free <= left <= x + 2 * fonts.em or not text:
            flags.append(Flag(x, "", QRectF()))
            continue
        flags.append(Flag(x, text, QRectF(round(left), 1, round(width), round(fonts.em * UPPER_FLAG))))
        free = round(left) + round(width) + 1
    return flags


def _paint_flag(painter: QPainter, frame: Frame, flag: Flag, theme: Theme, fonts: Fonts) -> None:
    painter.setPen(pen(theme.text_muted, 1.0, dashed=True))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawLine(QPointF(flag.x, frame.ruler.bottom()), QPointF(flag.x, frame.lanes.bottom()))
    painter.setPen(pen(theme.text))
    painter.setBrush(brush(theme.raised))
    if not flag.text:
        painter.drawLine(QPointF(flag.x, 1 + round(fonts.em * UPPER_FLAG)), QPointF(flag.x, frame.ruler.bottom()))
        return
    painter.drawRect(flag.box)
    # From the flag's corner to its stem, which may stand beside it.
    corner = QPointF(min(max(flag.x, flag.box.left()), flag.box.right()), flag.box.bottom())
    painter.drawPolyline([corner, QPointF(flag.x, corner.y() + 2), QPointF(flag.x, frame.ruler.bottom())])
    painter.setFont(fonts.bold)
    painter.setPen(colour(theme.text))
    paint_text(painter, fonts, flag.text, flag.box.x() + 4, flag.box.y(), flag.box.height())
