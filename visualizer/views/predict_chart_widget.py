"""The chart of the Predict pane: time per tile over stage counts, the knee marked, measurements beside predictions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from visualizer.diagnosis.wording import duration
from visualizer.language import tr
from visualizer.views.painted_widget import Painted
from visualizer.views.painting import brush, colour, pen
from visualizer.views.pane_look_widget import scaled_font
from visualizer.views.plain_text_widget import tip
from visualizer.views.predict_model import Point
from visualizer.views.theme import Theme, load_theme


class PredictChart(Painted, QWidget):
    """Bars of predicted times with their spread; diamonds where something was measured. The axis starts at 0."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Time per tile over stages"))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self._theme: Theme = load_theme("dark")
        self._points: tuple[Point, ...] = ()

    def set_points(self, points: Sequence[Point]) -> None:
        self._points = tuple(points)
        self.setAccessibleDescription("\n".join(point.text for point in points))
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        em = self._em()
        return QSize(round(24 * em), round(10.5 * em))

    def minimumSizeHint(self) -> QSize:
        return QSize(round(14 * self._em()), self.sizeHint().height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            slot = self._slot(self._plot())
            row = int((event.pos().x() - self._plot().x()) // slot) if slot else -1
            text = self._points[row].text if 0 <= row < len(self._points) else ""
            QToolTip.showText(event.globalPos(), tip(text), self)
            return True
        return super().event(event)

    def _em(self) -> float:
        return QFontMetricsF(self.font()).height()

    def _plot(self) -> QRectF:
        em = self._em()
        return QRectF(1, 2.4 * em, self.width() - 2, self.height() - 4.6 * em)

    def _slot(self, plot: QRectF) -> float:
        return plot.width() / len(self._points) if self._points else 0.0

    def _top(self) -> float:
        values = [value for point in self._points for value in (point.high, point.predicted, point.measured or 0.0)]
        return max(values, default=1.0) or 1.0

    def paint(self, painter: QPainter) -> None:
        theme, em, plot = self._theme, self._em(), self._plot()
        painter.fillRect(plot, brush(theme.panel_alternate))
        painter.setFont(scaled_font(self.font(), 0.88))
        slot, top, units = self._slot(plot), self._top(), self._has_room_for_units()
        for row, point in enumerate(self._points):
            self._paint_point(painter, point, QRectF(plot.x() + row * slot, plot.y(), slot, plot.height()), top, units)
        painter.fillRect(QRectF(plot.x(), plot.bottom(), plot.width(), 1), brush(theme.border))
        painter.setFont(scaled_font(self.font(), 0.88))
        painter.setPen(colour(theme.text_muted))
        axis = QRectF(plot.x(), plot.bottom() + 1.15 * em, plot.width(), em)
        title = tr("stages") if units else tr("stages (times in ns)")
        painter.drawText(axis, Qt.AlignmentFlag.AlignCenter, title)
        self._paint_key(painter)

    def _paint_point(self, painter: QPainter, point: Point, box: QRectF, top: float, units: bool) -> None:
        theme, em = self._theme, self._em()
        scale = box.height() / (top * 1.18)
        middle = box.center().x()
        paint = theme.paint("full" if point.is_knee else "filling" if point.fits else "empty")
        width = min(box.width() * 0.5, 3.2 * em)
        height = point.predicted * scale
        body = QRectF(middle - width / 2, box.bottom() - height, width, height)
        painter.setPen(pen(paint.outline, 2.0 if point.is_recorded else 1.0))
        painter.setBrush(brush(paint.fill))
        painter.drawRect(body)
        low, high = box.bottom() - point.low * scale, box.bottom() - point.high * scale
        painter.fillRect(QRectF(middle - 1, high, 2, low - high), brush(theme.text))
        centre = Qt.AlignmentFlag.AlignCenter
        painter.setPen(colour(theme.text))
        painter.setFont(scaled_font(self.font(), 0.88, bold=point.is_knee))
        value = QRectF(box.x(), min(high, body.top()) - 1.1 * em, box.width(), em)
        painter.drawText(value, centre, _time(point) if units else f"{point.predicted / 1000:.0f}")
        label = " ".join([str(point.stages), *([tr("knee")] if point.is_knee else [])])
        painter.drawText(QRectF(box.x(), box.bottom() + 1, box.width(), 1.1 * em), centre, label)
        if point.measured is not None:
            self._diamond(painter, middle + width / 2 + 0.35 * em, box.bottom() - point.measured * scale)

    def _has_room_for_units(self) -> bool:
        bold = QFontMetricsF(scaled_font(self.font(), 0.88, bold=True))
        widest = max((bold.horizontalAdvance(_time(point)) for point in self._points), default=0.0)
        return widest <= self._slot(self._plot())

    def _diamond(self, painter: QPainter, x: float, y: float) -> None:
        size = 0.38 * self._em()
        painter.setPen(pen(self._theme.panel, 1.5))
        painter.setBrush(brush(self._theme.accent))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawPolygon(
            QPolygonF([QPointF(x, y - size), QPointF(x + size, y), QPointF(x, y + size), QPointF(x - size, y)])
        )
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _paint_key(self, painter: QPainter) -> None:
        """What the shapes mean, on one line above the plot."""
        if not self._points:
            return
        em, theme = self._em(), self._theme
        metrics = QFontMetricsF(painter.font())
        x, y = 1.0, 0.2 * em
        side = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        texts = [tr("time per tile, predicted"), tr("5% to 95% of tiles")]
        texts += [tr("measured")] if any(point.measured is not None for point in self._points) else []
        for number, text in enumerate(texts):
            middle = y + em / 2
            if number == 0:
                painter.fillRect(QRectF(x, middle - 0.3 * em, 0.6 * em, 0.6 * em), brush(theme.filling.fill))
            elif number == 1:
                painter.fillRect(QRectF(x + 0.3 * em, middle - 0.4 * em, 2, 0.8 * em), brush(theme.text))
            else:
                self._diamond(painter, x + 0.35 * em, middle)
            painter.setPen(colour(theme.text_muted))
            width = metrics.horizontalAdvance(text)
            painter.drawText(QRectF(x + 0.9 * em, y, width + 2, em), side, text)
            x += width + 2.2 * em


def _time(point: Point) -> str:
    return duration(round(point.predicted))
