"""Marks on the ruler, however far the view is zoomed out.

Hits of breakpoints are filled circles, matches of find hollow triangles, what a person marked flags with a label: the
meaning is never in the colour alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from visualizer.recording.trace import Trace
from visualizer.replay.step_index import Steps
from visualizer.views.look.painting import brush, colour, pen
from visualizer.views.look.theme import Theme
from visualizer.views.timeline.layers.chrome import clear_times, ruler_labels
from visualizer.views.timeline.layers.frame import Frame
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
    if (flags := marks.get("bookmark")) is not None:
        rows = visible_rows(trace, flags.steps, view)
        labels = [flags.labels[row] for row in rows.tolist()]
        _paint_flags(painter, frame, view, zip(pixels(flags, rows), labels, strict=True), theme, fonts)
    painter.restore()


def _paint_flags(
    painter: QPainter, frame: Frame, view: View, flags: Iterable[tuple[float, str]], theme: Theme, fonts: Fonts
) -> None:
    height, times = round(fonts.em * 1.1), ruler_labels(frame, view, fonts)
    painter.setFont(fonts.bold)
    for place, label in flags:
        x = round(place)
        painter.setPen(pen(theme.text_muted, 1.0, dashed=True))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawLine(QPointF(x, frame.ruler.bottom()), QPointF(x, frame.lanes.bottom()))
        box = QRectF(x, 1, round(fonts.width(label) + 8), height)
        clear_times(painter, times, box, theme)
        painter.setPen(pen(theme.text))
        painter.setBrush(brush(theme.raised))
        painter.drawRect(box)
        painter.drawLine(QPointF(x, 1), QPointF(x, frame.ruler.bottom()))
        painter.setPen(colour(theme.text))
        paint_text(painter, fonts, label, box.x() + 4, box.y(), box.height())
