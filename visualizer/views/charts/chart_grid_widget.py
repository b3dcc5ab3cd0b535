"""Charts below one another, or side by side where there is room; those of rows of bars take the whole width."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent
from PySide6.QtGui import QFontMetricsF, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from visualizer.views.charts.chart_model import Chart
from visualizer.views.charts.chart_widget import ChartWidget
from visualizer.views.look.theme import Theme, load_theme

_COLUMN_EMS = 21.0


class ChartGrid(QWidget):
    """A widget for each chart, kept and filled anew when the numbers change."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.widgets: list[ChartWidget] = []
        self._layout = QGridLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setHorizontalSpacing(14)
        self._layout.setVerticalSpacing(12)
        self._theme: Theme = load_theme("dark")
        self._columns = 0

    @property
    def charts(self) -> tuple[Chart, ...]:
        return tuple(widget.chart for widget in self.widgets)

    def set_charts(self, charts: Sequence[Chart]) -> None:
        self.setAccessibleDescription("\n".join(chart.text for chart in charts))
        for widget in self.widgets[len(charts) :]:
            widget.hide()
            widget.setParent(None)
            widget.deleteLater()
        del self.widgets[len(charts) :]
        for widget, chart in zip(self.widgets, charts, strict=False):
            widget.set_chart(chart)
        for chart in charts[len(self.widgets) :]:
            widget = ChartWidget(self)
            widget.set_theme(self._theme)
            widget.set_chart(chart)
            self.widgets.append(widget)
            widget.show()
        self._arrange()

    def set_stale(self, stale: bool) -> None:
        for widget in self.widgets:
            widget.set_stale(stale)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for widget in self.widgets:
            widget.set_theme(theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._columns != self._fitting():
            self._arrange()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_columns"):
            self._arrange()

    def _fitting(self) -> int:
        return max(1, int(self.width() // (_COLUMN_EMS * QFontMetricsF(self.font()).height())))

    def _arrange(self) -> None:
        former, self._columns = self._columns, self._fitting()
        for column in range(max(former, self._columns)):
            self._layout.setColumnStretch(column, int(column < self._columns))
        row = column = 0
        for widget in self.widgets:
            self._layout.removeWidget(widget)
            wide = bool(widget.chart.rows)
            if wide and column:
                row, column = row + 1, 0
            self._layout.addWidget(widget, row, column, 1, self._columns if wide else 1)
            column += self._columns if wide else 1
            if column >= self._columns:
                row, column = row + 1, 0
