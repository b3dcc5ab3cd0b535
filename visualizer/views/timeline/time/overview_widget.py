"""The overview strip under the lanes: where the events are, what is marked, and the view, which can be dragged."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QWidget

from visualizer.language import tr
from visualizer.recording.trace import Trace
from visualizer.views.look.painted_widget import Painted
from visualizer.views.look.painting import brush, device_pixmap, draw_rects, painter_on, pen
from visualizer.views.look.theme import Theme, load_theme
from visualizer.views.timeline.time.overview_model import MARK_ROLES, Overview
from visualizer.views.timeline.time.scale import View

_LINES = 1.9  # height in line heights


class OverviewStrip(Painted, QWidget):
    """Shows a recording whole; `centre_requested(ps)` while the view is dragged or the strip clicked."""

    centre_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Overview"))
        self.setAccessibleDescription(tr("The whole recording; drag the frame to move the timeline's view"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._theme: Theme = load_theme("dark")
        self._trace: Trace | None = None
        self._end = 1
        self._view: View | None = None
        self._marks: dict[str, np.ndarray] = {}
        self._layer: QPixmap | None = None
        self._grip: float | None = None  # pixels from the pointer to the middle of the view while it is dragged

    def set_trace(self, trace: Trace | None, end: int) -> None:
        """Another recording, drawn from 0 to `end` (ps); without marks."""
        self._trace, self._end, self._marks = trace, end, {}
        self._repaint()

    def set_marks(self, kind: str, steps: np.ndarray) -> None:
        """Mark these ascending steps; `kind` is one of MARK_ROLES. Replaces the kind's marks."""
        assert kind in MARK_ROLES
        if self._trace is not None:
            self._marks[kind] = np.asarray(steps, np.int64)
            self._repaint()

    def set_view(self, view: View | None) -> None:
        if view != self._view:
            self._view = view
            self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._repaint()

    @property
    def overview(self) -> Overview:
        return Overview(self._end, max(self.width(), 1))

    def wanted_height(self) -> int:
        return round(self.fontMetrics().height() * _LINES)

    def _repaint(self) -> None:
        self._layer = None
        self.update()

    def _paint_layer(self) -> QPixmap:
        layer = device_pixmap(self.size(), self.devicePixelRatioF())
        layer.fill(self._theme.header)
        if self._trace is None:
            return layer
        with painter_on(layer) as painter:
            self._paint_density(painter, self._trace)
        return layer

    def _paint_density(self, painter: QPainter, trace: Trace) -> None:
        """Density and marks; the marks' row at the top is theirs alone."""
        overview, height = self.overview, self.height()
        mark = max(round(height * 0.26), 5)
        density = overview.density(trace)
        bars = np.zeros((len(density), 4))
        tall = np.ceil(density * (height - mark - 2))
        bars[:, 0], bars[:, 1], bars[:, 2], bars[:, 3] = np.arange(len(density)), height - tall, 1, tall
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(brush(self._theme.text_disabled))
        draw_rects(painter, bars)
        colours = {
            "error": self._theme.error.fill,
            "match": self._theme.text,
            "bookmark": self._theme.accent,
            "hit": self._theme.waiting.fill,
        }
        for kind in MARK_ROLES:
            columns = overview.columns(trace, self._marks.get(kind, np.empty(0, np.int64)))
            rects = np.zeros((len(columns), 4))
            wide = mark * 0.6 if kind == "error" else mark * 0.4
            top = 0.0 if kind == "error" else mark * 0.5
            tall_mark = mark if kind == "error" else height - top
            rects[:, 0], rects[:, 1], rects[:, 2], rects[:, 3] = columns - wide / 2, top, wide, tall_mark
            painter.setBrush(brush(colours[kind]))
            draw_rects(painter, rects)

    def paint(self, painter: QPainter) -> None:
        if self._layer is None:
            self._layer = self._paint_layer()
        painter.drawPixmap(0, 0, self._layer)
        painter.setPen(pen(self._theme.border))
        painter.drawLine(0, 0, self.width(), 0)
        if self._trace is not None and self._view is not None:
            left, wide = self.overview.rectangle(self._view)
            painter.setPen(pen(self._theme.text, 2.0))
            painter.setBrush(brush(self._theme.accent, 40))
            painter.drawRect(QRectF(round(left), 1.5, round(wide), self.height() - 3))

    def resizeEvent(self, event) -> None:
        self._layer = None

    def mousePressEvent(self, event) -> None:
        if self._trace is None or self._view is None or event.button() != Qt.MouseButton.LeftButton:
            return
        left, wide = self.overview.rectangle(self._view)
        x = event.position().x()
        self._grip = x - (left + wide / 2) if left <= x <= left + wide else 0.0
        self._ask(x)

    def mouseMoveEvent(self, event) -> None:
        if self._grip is not None:
            self._ask(event.position().x())

    def mouseReleaseEvent(self, event) -> None:
        self._grip = None

    def _ask(self, x: float) -> None:
        if self._grip is not None:
            self.centre_requested.emit(self.overview.time(x - self._grip))
