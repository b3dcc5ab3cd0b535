"""What the shapes of a chart mean: a swatch and a word for each of its series, in as many lines as they need."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from visualizer.diagnosis.wording import commas
from visualizer.language import tr
from visualizer.views.charts.chart_model import Boxes, Chart, Curve, Diamonds, Rule, Series
from visualizer.views.look.painted_widget import Painted
from visualizer.views.look.painting import brush, colour, hatch_brush, pen
from visualizer.views.look.pane_look_widget import scaled_font
from visualizer.views.look.theme import HATCHED, Theme, load_theme, mix


class ChartKey(Painted, QWidget):
    """One for each name: series that share one are shown once, as the first of them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Key of the chart"))
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._series: dict[str, Series] = {}
        self._theme: Theme = load_theme("dark")

    def show_chart(self, chart: Chart, theme: Theme) -> None:
        self._theme = theme
        self._series = {series.name: series for series in reversed(chart.series) if series.name}
        self._series = dict(reversed(self._series.items()))
        self.setAccessibleDescription(commas(list(self._series)))
        self.setVisible(len(self._series) > 1)
        self.updateGeometry()
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        places = self._places(width)
        return round(max((place.bottom() for place in places.values()), default=0.0)) + 1

    def sizeHint(self) -> QSize:
        return QSize(self.width(), self.heightForWidth(self.width()))

    def paint(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        em = QFontMetricsF(self._small()).height()
        for name, place in self._places(self.width()).items():
            self._paint_swatch(painter, self._series[name], QRectF(place.x(), place.y(), em, place.height()))
            painter.setFont(self._small())
            painter.setPen(colour(self._theme.text_muted))
            side = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
            painter.drawText(place.adjusted(1.3 * em, 0, 0, 0), side, name)

    def _paint_swatch(self, painter: QPainter, series: Series, box: QRectF) -> None:
        theme, em, middle = self._theme, box.width(), box.center()
        painter.setPen(Qt.PenStyle.NoPen)
        if isinstance(series, Boxes):
            paint, body = theme.paint(series.role), QRectF(box.x() + 1, middle.y() - 0.35 * em, 0.85 * em, 0.7 * em)
            painter.fillRect(body, brush(paint.fill))
            if series.role in HATCHED:
                painter.fillRect(body, hatch_brush(mix(paint.fill, paint.text, 0.45)))
            painter.setPen(pen(paint.outline))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(body)
        elif isinstance(series, Diamonds):
            painter.setBrush(brush(theme.colour(series.role)))
            x, y, half = middle.x(), middle.y(), 0.38 * em
            corners = [QPointF(x, y - half), QPointF(x + half, y), QPointF(x, y + half), QPointF(x - half, y)]
            painter.drawPolygon(QPolygonF(corners))
        elif isinstance(series, Curve):
            painter.setPen(pen(theme.colour(series.role), 2.0, series.dashed))
            painter.drawLine(QPointF(box.left(), middle.y()), QPointF(box.right(), middle.y()))
        else:
            width = 2.5 if isinstance(series, Rule) and series.thick else 1.0 if isinstance(series, Rule) else 2.0
            painter.setPen(pen(theme.text, width))
            painter.drawLine(QPointF(middle.x(), middle.y() - 0.4 * em), QPointF(middle.x(), middle.y() + 0.4 * em))

    def _small(self):
        return scaled_font(self.font(), 0.88)

    def _places(self, width: int) -> dict[str, QRectF]:
        """Where each name stands with its swatch: one after the other, in the next line where there is no room."""
        metrics = QFontMetricsF(self._small())
        em = metrics.height()
        x = y = 0.0
        places: dict[str, QRectF] = {}
        for name in self._series:
            own = 1.3 * em + metrics.horizontalAdvance(name) + 2
            if x and x + own > width:
                x, y = 0.0, y + 1.15 * em
            places[name] = QRectF(x, y, own, 1.1 * em)
            x += own + 0.9 * em
        return places
