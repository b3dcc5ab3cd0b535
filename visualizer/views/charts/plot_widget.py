"""Draws any Chart with pyqtgraph, in the theme's colours: the one module that imports it, itself imported when a chart
is first shown, since that takes a third of a second.

Ctrl and the wheel zoom at the pointer and dragging pans, as in the timeline; the plain wheel stays the pane's. With the
keyboard: + and - zoom, arrows pan, Home shows all.
"""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QBrush, QFontMetricsF, QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QGraphicsGridLayout, QGraphicsItem, QGraphicsView, QSizePolicy

from visualizer.views.charts.chart_model import Axis, Boxes, Chart, Curve, Diamonds, Note, Series, Spans
from visualizer.views.look.painting import brush, colour, hatch_brush, pen
from visualizer.views.look.pane_look_widget import scaled_font
from visualizer.views.look.theme import HATCHED, Theme, mix

_ZOOM = 1.25
_PAN = 0.15  # of the view, for one key
_ROOM_ABOVE = 0.14  # of the height, for what stands above the highest value
_ROOM_BESIDE = 0.01  # of the width, for lines at the ends
_GRID = 50  # of 255
_SMALL = 0.88


class _PlotAxis(pg.AxisItem):
    """An axis that can leave out ticks between whole numbers, and shows the texts at its ends whole."""

    whole = False
    room = 0.0  # pixels that a text may reach beyond the end

    def boundingRect(self) -> QRectF:
        beyond = (self.room, 0.0) if self.orientation == "bottom" else (0.0, self.room)
        return super().boundingRect().adjusted(-beyond[0], -beyond[1], *beyond)

    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, float]]:
        spacings = super().tickSpacing(minVal, maxVal, size)
        return [spacing for spacing in spacings if spacing[0] >= 1] or [(1.0, 0.0)] if self.whole else spacings


class _Frame(pg.GraphicsWidget):
    """What is drawn in, between its axes. pyqtgraph's own PlotItem brings a menu of 44 widgets even where none is
    enabled, and every change of theme restyles them all."""

    def __init__(self) -> None:
        super().__init__()
        self.grid = QGraphicsGridLayout()
        self.grid.setSpacing(0)
        self.setLayout(self.grid)
        self.box = pg.ViewBox(parent=self, enableMenu=False)
        self.axes = {side: _PlotAxis(side, parent=self) for side in ("bottom", "left")}
        for item, row, column in ((self.box, 0, 1), (self.axes["bottom"], 1, 1), (self.axes["left"], 0, 0)):
            self.grid.addItem(item, row, column)
        for axis in self.axes.values():
            axis.linkToView(self.box)
            axis.setFlag(QGraphicsItem.GraphicsItemFlag.ItemNegativeZStacksBehindParent)


class Plot(pg.GraphicsView):
    """A plot that `show_chart` fills; `menu_wanted(global position)` asks for what can be done with it."""

    menu_wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.frame = _Frame()
        self.box, self.axes = self.frame.box, self.frame.axes
        self.setCentralItem(self.frame)
        # pyqtgraph's viewport lacks the name of Qt's own, which tells that the plot speaks for it.
        self.viewport().setObjectName("qt_scrollarea_viewport")
        self.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)  # an SVG would hold the background's pixels
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._theme: Theme | None = None
        self._chart: Chart | None = None
        self._labels: list[tuple[pg.TextItem, Boxes, int]] = []
        self._notes: list[pg.TextItem] = []
        self._all: list[list[float]] = []  # what is in view where all of it is
        self.box.sigRangeChanged.connect(self._fit_labels)
        self.box.sigResized.connect(self._resized)

    def show_chart(self, chart: Chart, theme: Theme) -> None:
        """Draw it anew, all of it in view."""
        self._theme, self._chart = theme, chart
        self.box.clear()
        self._labels, self._notes = [], []
        self.setBackground(colour(theme.panel))
        room = 1.5 * QFontMetricsF(self.font()).height()
        self.frame.grid.setContentsMargins(1, room / 3, room, 1)
        for side in ("bottom", "left"):
            self.axes[side].room = room
        self._style_axis("bottom", chart.x)
        self._style_axis("left", chart.y)
        self.box.invertY(chart.y.down)
        for series in chart.series:
            self._draw(series)
        for note in chart.notes:
            self._add_note(note)
        self.show_all()

    def show_all(self) -> None:
        """All of the chart, from 0 where its values are amounts."""
        box, chart = self.box, self._chart
        if chart is None:
            return
        left, right, low, high = chart.ends
        beside, above = _ROOM_BESIDE * (right - left), 0.0 if chart.y.ticks else self._room_above() * (high - low)
        left, right = left - beside, right + beside
        box.setLimits(xMin=None, xMax=None, yMin=None, yMax=None)
        box.setRange(xRange=(left, right), yRange=(low, high + above), padding=0)
        # Beyond the data there is nothing to be seen.
        box.setLimits(xMin=left, xMax=right, yMin=low, yMax=high + above)
        self._all = box.viewRange()
        self._fit_labels()

    def _resized(self) -> None:
        """What stands above the values needs another share of another height."""
        if self.box.viewRange() == self._all:
            self.show_all()
        else:
            self._fit_labels()

    def _room_above(self) -> float:
        """Of the heights that are drawn, what is left free above them: a line of text where notes stand there."""
        line = QFontMetricsF(scaled_font(self.font(), _SMALL, bold=True)).height() + 4 if self._notes else 0.0
        high = self.box.height()
        return max(_ROOM_ABOVE, line / (high - line) if high > 2 * line else 0.0)

    def zoom(self, factor: float) -> None:
        """Show `factor` times as much, about the middle; rows of bars only along their length."""
        self.box.scaleBy((factor, 1.0 if self._has_rows else factor))

    @property
    def _has_rows(self) -> bool:
        return self._chart is not None and bool(self._chart.rows)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            factor = _ZOOM ** (-event.angleDelta().y() / 120)
            centre = self.box.mapSceneToView(self.mapToScene(event.position().toPoint()))
            self.box.scaleBy((factor, 1.0), center=centre)
            event.accept()
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        box, key = self.box, event.key()
        (left, right), (low, high) = box.viewRange()
        steps = {
            Qt.Key.Key_Left: (-_PAN, 0.0),
            Qt.Key.Key_Right: (_PAN, 0.0),
            Qt.Key.Key_Up: (0.0, _PAN),
            Qt.Key.Key_Down: (0.0, -_PAN),
        }
        if key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(1 / _ZOOM)
        elif key == Qt.Key.Key_Minus:
            self.zoom(_ZOOM)
        elif key == Qt.Key.Key_Home:
            self.show_all()
        elif key in steps:
            x, y = steps[key]
            box.translateBy(x * (right - left), y * (high - low))
        else:
            event.ignore()
            return
        event.accept()

    def mouseDoubleClickEvent(self, event) -> None:
        self.show_all()
        event.accept()

    def contextMenuEvent(self, event) -> None:
        self.menu_wanted.emit(event.globalPos())
        event.accept()

    def _style_axis(self, side: str, axis: Axis) -> None:
        item, theme = self.axes[side], self._theme
        small = scaled_font(self.font(), _SMALL)
        item.whole = axis.whole
        item.enableAutoSIPrefix(False)
        item.setPen(pen(theme.border))
        item.setTextPen(colour(theme.text_muted))
        item.setStyle(tickFont=small, tickLength=-4, maxTickLevel=0 if axis.ticks else 2, hideOverlappingLabels=False)
        item.setZValue(-1)  # the grid lies behind what is drawn
        item.setTicks([[(place, texts[0]) for place, texts in axis.ticks]] if axis.ticks else None)
        size = f"{small.pointSizeF():.1f}pt" if small.pointSizeF() > 0 else f"{small.pixelSize()}px"
        item.setLabel(axis.label, **{"color": theme.text_muted, "font-size": size, "font-family": small.family()})
        item.showLabel(bool(axis.label))
        item.setGrid(False if axis.ticks else _GRID)

    def _draw(self, series: Series) -> None:
        theme = self._theme
        if isinstance(series, Boxes):
            self._draw_boxes(series)
        elif isinstance(series, Curve):
            line = pen(theme.colour(series.role), 2.0, series.dashed)
            steps = "center" if series.steps else None
            self.box.addItem(pg.PlotCurveItem(series.x, series.y, pen=line, stepMode=steps))
        elif isinstance(series, Spans):
            middle, half = (series.low + series.high) / 2, (series.high - series.low) / 2
            line = pen(theme.text, 2.0)
            self.box.addItem(pg.ErrorBarItem(x=series.x, y=middle, height=2 * half, beam=0.12, pen=line))
        elif isinstance(series, Diamonds):
            fill, edge = brush(theme.colour(series.role)), pen(theme.panel, 1.5)
            size = 0.8 * QFontMetricsF(self.font()).height()
            self.box.addItem(
                # Without its cache of pixels it draws lines, which stay sharp in an SVG.
                pg.ScatterPlotItem(
                    series.x, series.y, symbol="d", size=size, brush=fill, pen=edge, antialias=True, useCache=False
                )
            )
        else:
            self.box.addItem(pg.InfiniteLine(series.x, 90, pen=pen(theme.text, 2.5 if series.thick else 1.0)))

    def _draw_boxes(self, series: Boxes) -> None:
        paint = self._theme.paint(series.role)
        place = {"x0": series.x0, "x1": series.x1, "y0": series.y0, "y1": series.y1}
        edge = pen(paint.outline) if series.outlined else pen(paint.fill)
        self.box.addItem(pg.BarGraphItem(**place, brush=brush(paint.fill), pen=edge))
        if series.role in HATCHED:
            hatch: QBrush = hatch_brush(mix(paint.fill, paint.text, 0.45))
            self.box.addItem(pg.BarGraphItem(**place, brush=hatch, pen=edge))
        for row in range(len(series.texts)):
            label = pg.TextItem(color=colour(paint.text), anchor=(0.5, 0.5), fill=brush(paint.fill))
            label.textItem.document().setDocumentMargin(1)
            label.setFont(scaled_font(self.font(), _SMALL))
            label.setPos((series.x0[row] + series.x1[row]) / 2, (series.y0[row] + series.y1[row]) / 2)
            self.box.addItem(label, ignoreBounds=True)
            self._labels.append((label, series, row))

    def _add_note(self, note: Note) -> None:
        label = pg.TextItem(note.text, color=colour(self._theme.text), anchor=(0.5, 1.0))
        label.textItem.document().setDocumentMargin(1)
        label.setFont(scaled_font(self.font(), _SMALL, bold=note.strong))
        label.setPos(note.x, note.y)
        self.box.addItem(label, ignoreBounds=True)
        self._notes.append(label)

    def _fit_labels(self) -> None:
        """The longest text that fits stands in the part of a box that is in view; notes only if none hides another."""
        chart, box = self._chart, self.box
        if chart is None or not box.width():
            return
        (left, right), _ = box.viewRange()
        wide = (right - left) / box.width()
        self._fit_between(wide)
        metrics = QFontMetricsF(scaled_font(self.font(), _SMALL))
        for label, series, row in self._labels:
            begin, end = max(series.x0[row], left), min(series.x1[row], right)
            room = (end - begin) / wide - 8
            text = next((text for text in series.texts[row] if metrics.horizontalAdvance(text) <= room), "")
            label.setVisible(bool(text))
            if text:
                label.setText(text)
                label.setPos((begin + end) / 2, (series.y0[row] + series.y1[row]) / 2)

    def _fit_between(self, wide: float) -> None:
        """Texts at neighbouring places along the plot, which `wide` is a pixel of."""
        chart, bold = self._chart, QFontMetricsF(scaled_font(self.font(), _SMALL, bold=True))
        room = _least_distance([note.x for note in chart.notes]) / wide
        fits = all(bold.horizontalAdvance(note.text) <= room for note in chart.notes)
        for label in self._notes:
            label.setVisible(fits)
        if any(len(texts) > 1 for _, texts in chart.x.ticks):
            room = _least_distance([place for place, _ in chart.x.ticks]) / wide
            lines = [line for _, texts in chart.x.ticks for line in texts[0].split("\n")]
            fits = max(bold.horizontalAdvance(line) for line in lines) <= room
            shown = [(place, texts[0 if fits else -1]) for place, texts in chart.x.ticks]
            self.axes["bottom"].setTicks([shown])


def _least_distance(places: list[float]) -> float:
    return float(np.diff(np.array(places, np.float64)).min(initial=np.inf))
