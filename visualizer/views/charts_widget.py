"""Paints bars of shares and small histograms, each with its numbers in words: side by side where there is room."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from visualizer.views.painted_widget import Painted
from visualizer.views.painting import brush, colour, hatch_brush, pen
from visualizer.views.pane_look_widget import scaled_font
from visualizer.views.statistics_model import LEAST_SHOWN, Bar, Chart, Histogram
from visualizer.views.theme import Theme, load_theme, mix

_COLUMN_EMS = 21.0
_GAP_EMS = 0.9
_HATCHED = "waiting"


class Charts(Painted, QWidget):
    """A column of bars over a grid of histograms. `set_stale` greys them while newer numbers are being found."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._theme: Theme = load_theme("dark")
        self._charts: tuple[Chart, ...] = ()
        self._stale = False

    @property
    def charts(self) -> tuple[Chart, ...]:
        return self._charts

    def set_charts(self, charts: Sequence[Chart]) -> None:
        self._charts = tuple(charts)
        self.setAccessibleDescription("\n".join(chart.text for chart in charts))
        self.updateGeometry()
        self.update()

    def set_stale(self, stale: bool) -> None:
        self._stale = stale
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        boxes = self._boxes(width)
        return round(max((box.bottom() for _, box in boxes), default=0.0)) + 1

    def sizeHint(self) -> QSize:
        width = round(2 * _COLUMN_EMS * self._em())
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        width = round(_COLUMN_EMS * self._em())
        return QSize(width, self.heightForWidth(max(self.width(), width)))

    def resizeEvent(self, event) -> None:
        self.updateGeometry()
        super().resizeEvent(event)

    def _em(self) -> float:
        return QFontMetricsF(self.font()).height()

    def _boxes(self, width: int) -> list[tuple[Chart, QRectF]]:
        """Where each chart stands: bars one below the other, histograms in as many columns as fit."""
        em = self._em()
        placed: list[tuple[Chart, QRectF]] = []
        y = 0.0
        for chart in self._charts:
            if isinstance(chart, Bar):
                placed.append((chart, QRectF(0, y, width, 1.45 * em)))
                y += 1.75 * em
        columns = max(1, int(width // (_COLUMN_EMS * em)))
        gap = _GAP_EMS * em
        each = (width - gap * (columns - 1)) / columns
        y += 0.35 * em if y else 0.0
        histograms = [chart for chart in self._charts if isinstance(chart, Histogram)]
        for number, chart in enumerate(histograms):
            row, column = divmod(number, columns)
            placed.append((chart, QRectF(column * (each + gap), y + row * 5.6 * em, each, 5.2 * em)))
        return placed

    def paint(self, painter: QPainter) -> None:
        painter.setOpacity(0.45 if self._stale else 1.0)
        titles = max((self._width(chart.title) for chart in self._charts if isinstance(chart, Bar)), default=0.0)
        for chart, box in self._boxes(self.width()):
            if isinstance(chart, Bar):
                self._paint_bar(painter, chart, box, titles + 0.7 * self._em())
            else:
                self._paint_histogram(painter, chart, box)

    def _width(self, text: str) -> float:
        return QFontMetricsF(scaled_font(self.font(), 1.0, bold=True)).horizontalAdvance(text)

    def _paint_bar(self, painter: QPainter, bar: Bar, box: QRectF, indent: float) -> None:
        theme = self._theme
        painter.setFont(scaled_font(self.font(), 1.0))
        painter.setPen(colour(theme.text))
        side = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(QRectF(box.x(), box.y(), indent, box.height()), side, bar.title)
        left, room = box.x() + indent, box.width() - indent - 1
        metrics = QFontMetricsF(self.font())
        for part in bar.parts:
            body = QRectF(left, box.y(), room * part.share, box.height())
            left += body.width()
            if body.width() < 1:
                continue
            paint = theme.paint(part.role)
            painter.fillRect(body, brush(paint.fill))
            if part.role == _HATCHED:
                painter.fillRect(body, hatch_brush(mix(paint.fill, paint.text, 0.45)))
            painter.setPen(pen(paint.outline))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(body)
            share = f"{part.share:.0%}" if part.share >= 0.01 else f"{part.share:.1%}"
            for text in (f"{part.label} {share}", share):
                width = metrics.horizontalAdvance(text)
                if width + 8 <= body.width() and part.share >= LEAST_SHOWN:
                    label = QRectF(body.center().x() - width / 2 - 3, body.y() + 2, width + 6, body.height() - 4)
                    painter.fillRect(label, brush(paint.fill))
                    painter.setPen(colour(paint.text))
                    painter.drawText(label, Qt.AlignmentFlag.AlignCenter, text)
                    break

    def _paint_histogram(self, painter: QPainter, histogram: Histogram, box: QRectF) -> None:
        theme, em = self._theme, self._em()
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.setFont(scaled_font(self.font(), 1.0, bold=True))
        painter.setPen(colour(theme.text))
        painter.drawText(QRectF(box.x(), box.y(), box.width(), em), left, histogram.title)
        small = scaled_font(self.font(), 0.88)
        painter.setFont(small)
        painter.setPen(colour(theme.text_muted))
        caption = QFontMetricsF(small).elidedText(histogram.caption, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(QRectF(box.x(), box.y() + em, box.width(), em), left, caption)
        if not histogram.counts:
            return
        plot = QRectF(box.x(), box.y() + 2.15 * em, box.width() - 1, 2.1 * em)
        painter.fillRect(plot, brush(theme.panel_alternate))
        most = max(histogram.counts) or 1
        step = plot.width() / len(histogram.counts)
        paint = theme.paint("filling")
        for number, count in enumerate(histogram.counts):
            if count > 0:
                height = max(2.0, plot.height() * count / most)
                body = QRectF(plot.x() + number * step, plot.bottom() - height, max(step - 1, 1), height)
                painter.fillRect(body, brush(paint.fill))
        painter.fillRect(QRectF(plot.x(), plot.bottom(), plot.width(), 1), brush(theme.border))
        for place, width in ((histogram.median, 2.0), (histogram.p95, 1.0)):
            if place is not None:
                x = plot.x() + min(place * plot.width(), plot.width() - width)
                painter.fillRect(QRectF(round(x), plot.y(), width, plot.height()), brush(theme.text))
        ends = QRectF(box.x(), plot.bottom() + 1, box.width(), 0.95 * em)
        painter.drawText(ends, left, histogram.low)
        painter.drawText(ends, right, histogram.high)
