"""A chart in a pane: its title, the key, the plot and its numbers in words; saved as PNG or SVG by its menu.

pyqtgraph is imported when a chart is first shown: a window without charts starts without it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QStandardPaths, Qt
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtWidgets import QFileDialog, QMenu, QMessageBox, QSizePolicy, QVBoxLayout, QWidget

from visualizer.language import tr
from visualizer.recording.replacing import replacing
from visualizer.views.charts.chart_key_widget import ChartKey
from visualizer.views.charts.chart_model import Axis, Chart
from visualizer.views.look.pane_look_widget import scaled_font
from visualizer.views.look.plain_text_widget import PlainLabel
from visualizer.views.look.theme import Theme, load_theme
from visualizer.views.look.widget_picture_widget import png_of, svg_of

if TYPE_CHECKING:
    from visualizer.views.charts.plot_widget import Plot

_PLOT_EMS = 9.0
_ROW_EMS = 1.9
_AXIS_EMS = 3.2
_NONE = Chart("", "", Axis(""), Axis(""))


class ChartWidget(QWidget):
    """`set_stale` greys the chart while newer numbers are being found."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = PlainLabel(wordWrap=True)
        self.key = ChartKey()
        self.caption = PlainLabel(wordWrap=True)
        self.plot: Plot | None = None  # made when the chart is first shown
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(2)
        for widget in (self.title, self.key, self.caption):
            self._layout.addWidget(widget)
        self._layout.addStretch(1)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._chart, self._theme = _NONE, load_theme("dark")
        self._drawn: tuple[Chart, Theme, QFont] | None = None  # what the plot shows

    @property
    def chart(self) -> Chart:
        return self._chart

    def set_chart(self, chart: Chart) -> None:
        self._chart = chart
        self.setAccessibleName(chart.title)
        self.setAccessibleDescription(chart.text)
        self.title.setText(chart.title)
        self.caption.setText(chart.caption)
        self._draw()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._draw()

    def set_stale(self, stale: bool) -> None:
        for label in (self.title, self.caption):
            label.setEnabled(not stale)
        if self.plot is not None:
            self.plot.frame.setOpacity(0.45 if stale else 1.0)

    def showEvent(self, event: QEvent) -> None:
        super().showEvent(event)
        self._draw_plot()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            # While a style sheet is set, fonts go there and back: what counts is the font once that is over.
            QCoreApplication.postEvent(self, QEvent(QEvent.Type.LayoutRequest))

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest and self.font() != self._font:
            self._draw()
        return done

    def _draw(self) -> None:
        chart, theme, self._font = self._chart, self._theme, self.font()
        self.title.setFont(scaled_font(self.font(), 1.0, bold=True))
        self.caption.setFont(scaled_font(self.font(), 0.88))
        self.title.setStyleSheet(f"QLabel {{ color: {theme.text}; background: transparent }}")
        self.caption.setStyleSheet(f"QLabel {{ color: {theme.text_muted}; background: transparent }}")
        self.caption.setVisible(bool(chart.caption))
        self.key.show_chart(chart, theme)
        self._draw_plot()

    def _draw_plot(self) -> None:
        """Once it is seen, and only if it is to look another way."""
        wanted = chart, theme, _ = self._chart, self._theme, self.font()
        if not self.isVisible() or wanted == self._drawn:
            return
        self._drawn = wanted
        if chart.series and self.plot is None:
            self._make_plot()
        if self.plot is not None:
            self.plot.setVisible(bool(chart.series))
            self.plot.setAccessibleName(chart.title)
            self.plot.setAccessibleDescription(chart.text)
            em = QFontMetricsF(self.font()).height()
            rows = _ROW_EMS * chart.rows + _AXIS_EMS
            self.plot.setFixedHeight(round(em * (rows if chart.rows else _PLOT_EMS)))
            if chart.series:
                self.plot.show_chart(chart, theme)

    def _make_plot(self) -> None:
        from visualizer.views.charts.plot_widget import Plot

        self.plot = Plot()
        self.plot.menu_wanted.connect(self._show_menu)
        self.plot.setToolTip(tr("Ctrl and the wheel zoom, dragging pans, a double click shows all; the menu saves"))
        self._layout.insertWidget(2, self.plot)

    def _show_menu(self, place: QPoint) -> None:
        assert self.plot is not None
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Show all"), self.plot.show_all)
        menu.addAction(tr("Save as a picture…"), self._ask_where_to_save)
        menu.popup(place)

    def _ask_where_to_save(self) -> None:
        pictures = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.PicturesLocation)
        proposed = str(Path(pictures) / f"{self._chart.title}.png")
        kinds = tr("Pictures (*.png *.svg)")
        chosen, _ = QFileDialog.getSaveFileName(self, tr("Save the chart"), proposed, kinds)
        if not chosen:
            return
        try:
            self.save(Path(chosen))
        except OSError as error:
            QMessageBox.warning(self, tr("Save the chart"), str(error))

    def save(self, path: Path) -> None:
        """The chart as it is shown, key and numbers with it: SVG by its suffix, else PNG. OSError if it cannot be."""
        path = path if path.suffix.lower() in (".svg", ".png") else path.with_name(path.name + ".png")
        content = svg_of(self, self._chart.title) if path.suffix.lower() == ".svg" else png_of(self)
        with replacing(path) as file:
            file.write(content)
