"""Bars of how much longer each tile took in the other recording; a click goes to the tile."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from visualizer.diagnosis.comparison.compare import Comparison
from visualizer.diagnosis.wording import duration
from visualizer.language import tr
from visualizer.views.compare.compare_model import Bars, tile_bars
from visualizer.views.look.painted_widget import Painted
from visualizer.views.look.painting import brush, colour, draw_rects, pen
from visualizer.views.look.theme import Theme, load_theme

_PAD = 8


class TileBars(Painted, QWidget):
    """Up: longer in b; down: shorter. Emits `row_chosen(row)` of the comparison's tiles."""

    row_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Time difference per tile"))
        self.setAccessibleDescription(tr("The table of tiles has the same as text"))
        self._theme: Theme = load_theme("dark")
        self._comparison: Comparison | None = None
        self._current: int | None = None

    def set_comparison(self, comparison: Comparison | None) -> None:
        self._comparison = comparison
        self._current = None
        self.update()

    def set_current(self, row: int | None) -> None:
        """Mark the focused event's tile."""
        if row != self._current:
            self._current = row
            self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        em = self.fontMetrics().height()
        return QSize(em * 24, em * 10)

    def paint(self, painter: QPainter) -> None:
        theme, em = self._theme, self.fontMetrics().height()
        painter.fillRect(self.rect(), brush(theme.panel))
        painter.setPen(colour(theme.text))
        title = QRectF(_PAD, 0, self.width() - 2 * _PAD, em * 1.6)
        painter.drawText(title, int(Qt.AlignmentFlag.AlignVCenter), tr("how much longer each tile took in b"))
        bars, area = self._bars(), self._area()
        if not len(bars.value):
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, tr("no tile is in both recordings"))
            return
        most = max(int(np.abs(bars.value).max()), 1)
        up, down = max(int(bars.value.max()), 0), max(int(-bars.value.min()), 0)
        zero = area.top() + area.height() * up / max(up + down, 1)
        scale = area.height() / max(up + down, 1)
        gap = 1 if bars.width > 4 else 0
        for role, chosen in (("waiting", bars.value > 0), ("full", bars.value < 0)):
            value, x = bars.value[chosen], bars.x[chosen]
            height = np.maximum(np.abs(value) * scale, 1)
            top = np.where(value > 0, zero - height, zero)
            wide = np.full(len(x), max(bars.width - gap, 1))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(brush(theme.paint(role).fill))
            draw_rects(painter, np.stack((area.left() + x, top, wide, height), axis=1))
        painter.setPen(pen(theme.text_muted))
        painter.drawLine(QPointF(area.left(), zero), QPointF(area.right(), zero))
        self._paint_current(painter, bars, area)
        painter.setPen(colour(theme.text_muted))
        scale_text = QRectF(_PAD, area.top() - em * 0.1, self.width() - 2 * _PAD, em)
        side = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        painter.drawText(scale_text.translated(0, -em * 1.1), side, tr("largest {size}", size=duration(most)))
        tiles = self._comparison.tiles
        below = QRectF(area.left(), area.bottom() + 2, area.width(), em)
        painter.drawText(below, int(Qt.AlignmentFlag.AlignLeft), tr("tile {tile}", tile=int(tiles.tile[0])))
        painter.drawText(below, int(Qt.AlignmentFlag.AlignRight), tr("tile {tile}", tile=int(tiles.tile[-1])))

    def mousePressEvent(self, event) -> None:
        bars = self._bars()
        if not len(bars.row):
            return
        at = int((event.position().x() - self._area().left()) / bars.width)
        self.row_chosen.emit(int(bars.row[min(max(at, 0), len(bars.row) - 1)]))

    def _paint_current(self, painter: QPainter, bars: Bars, area: QRectF) -> None:
        if self._current is None:
            return
        at = max(int(np.searchsorted(bars.row, self._current, side="right")) - 1, 0)
        painter.setPen(pen(self._theme.accent, 2.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(area.left() + bars.x[at] - 1, area.top(), max(bars.width, 3), area.height()))

    def _bars(self) -> Bars:
        width = self._area().width()
        if self._comparison is None:
            return Bars(np.empty(0), 0.0, np.empty(0, np.int64), np.empty(0, np.int64))
        return tile_bars(self._comparison, width)

    def _area(self) -> QRectF:
        em = self.fontMetrics().height()
        return QRectF(_PAD, em * 1.8, max(self.width() - 2 * _PAD, 1), max(self.height() - em * 3.2, 1))
