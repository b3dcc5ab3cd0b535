"""The Statistics pane: what bound the range in view, in a sentence, charts, and events worth a look."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QListWidget, QScrollArea, QVBoxLayout, QWidget

from visualizer.diagnosis.statistics.statistics import Statistics
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.views.charts.chart_grid_widget import ChartGrid
from visualizer.views.look.field_widget import WheelFreeChoice
from visualizer.views.look.pane_look_widget import scaled_font, use_panel_colours
from visualizer.views.look.plain_text_widget import PlainLabel
from visualizer.views.look.theme import Theme, load_theme
from visualizer.views.statistics.probe_charts import probe_charts, probed_barriers
from visualizer.views.statistics.statistics_charts import charts
from visualizer.views.statistics.statistics_model import Place, headline, notes, places, range_text

_MOST_ROWS = 8
"""So many outliers are seen before their list scrolls."""


class StatisticsWidget(QScrollArea):
    """Pane of the numbers it is given: `history_changed` asks for a recording's, `show_statistics` shows them."""

    focus_requested = Signal(object)
    history_changed = Signal(object)
    path_wanted = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Statistics"))
        self.headline = PlainLabel(accessibleDescription=tr("Bound"), wordWrap=True)
        self.range = PlainLabel(accessibleDescription=tr("Range"), wordWrap=True)
        self.charts = ChartGrid(tr("Shares and distributions"))
        self.probed_title = PlainLabel(tr("What the probe saw of"))
        self.probed = WheelFreeChoice(accessibleName=tr("Probed barrier"))
        self.probed_title.setBuddy(self.probed)
        self.probe_charts = ChartGrid(tr("What the probe saw"))
        self.path = QCheckBox(tr("Critical path in the timeline"))
        self.list_title = PlainLabel(tr("Outliers"))
        self.outliers = QListWidget(accessibleName=tr("Outliers"))
        self.outliers.setFrameShape(QFrame.Shape.NoFrame)
        self.outliers.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.notes = PlainLabel(accessibleDescription=tr("What the recording cannot tell"), wordWrap=True)
        inside = QWidget()
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(8, 6, 8, 6)
        layout.setSpacing(6)
        for widget in (
            self.headline,
            self.range,
            self.charts,
            self._probe_row(),
            self.probe_charts,
            self.path,
            self.list_title,
            self.outliers,
            self.notes,
        ):
            layout.addWidget(widget)
        layout.addStretch(1)
        self.setWidget(inside)
        self._history: History | None = None
        self._range = (0, 0)
        self._theme: Theme = load_theme("dark")
        self._places: list[Place] = []
        self.probed.currentIndexChanged.connect(self._show_probe)
        self.path.toggled.connect(self.path_wanted)
        self.outliers.itemClicked.connect(lambda item: self._choose(self.outliers.row(item)))
        self.outliers.itemActivated.connect(lambda item: self._choose(self.outliers.row(item)))
        self._clear()

    def set_history(self, history: History | None) -> None:
        self._history = history if history is not None and history.steps else None
        self._clear()
        self.probed.blockSignals(True)
        self.probed.clear()
        for row, name in probed_barriers(self._history):
            self.probed.addItem(name, row)
        self.probed.blockSignals(False)
        self.history_changed.emit(self._history)

    def set_focus(self, focus: Focus) -> None:
        """The numbers are of the range in view, whatever is in focus."""

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        use_panel_colours(self, theme)
        use_panel_colours(self.widget(), theme)
        for grid in (self.charts, self.probe_charts):
            grid.set_theme(theme)
        self._restyle()

    def set_stale(self, stale: bool) -> None:
        """Grey the numbers while those of another range are being found."""
        for grid in (self.charts, self.probe_charts):
            grid.set_stale(stale)
        for widget in (self.headline, self.range, self.outliers):
            widget.setEnabled(not stale)

    def show_statistics(self, found: Statistics) -> None:
        if self._history is None:
            return
        trace = self._history.trace
        self.set_stale(False)
        self.headline.setText(headline(found))
        self.range.setText(range_text(found, trace.duration_ps))
        self.charts.set_charts(charts(found))
        self._range = found.first, found.last
        self._show_probe()
        self._places = places(found, self._history)
        self.outliers.clear()
        self.outliers.addItems([place.text for place in self._places])
        self.notes.setText("\n".join(notes(found)))
        self._show_parts()

    def show_problem(self, sentence: str) -> None:
        self._clear()
        self.headline.setText(sentence)

    def _clear(self) -> None:
        self._places = []
        self.set_stale(False)
        none = tr("Open or run a recording to see its statistics.")
        self.headline.setText(none if self._history is None else tr("Working out the statistics…"))
        self.range.clear()
        self.charts.set_charts(())
        self.probe_charts.set_charts(())
        self.outliers.clear()
        self.notes.clear()
        self._show_parts()

    def _show_parts(self) -> None:
        self.path.setVisible(bool(self.charts.charts))
        probed = bool(self.charts.charts) and self.probed.count() > 0
        for widget in (self.probed_title, self.probed, self.probe_charts):
            widget.setVisible(probed)
        for widget in (self.list_title, self.outliers):
            widget.setVisible(bool(self._places))
        self.notes.setVisible(bool(self.notes.text()))
        self.range.setVisible(bool(self.range.text()))
        self._restyle()

    def _probe_row(self) -> QWidget:
        row = QWidget()
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.probed_title)
        layout.addWidget(self.probed)
        layout.addStretch(1)
        return row

    def _show_probe(self) -> None:
        barrier = self.probed.currentData()
        known = self._history is not None and barrier is not None
        self.probe_charts.set_charts(probe_charts(self._history, barrier, *self._range) if known else ())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "notes"):
            self._restyle()

    def _restyle(self) -> None:
        theme = self._theme
        self.headline.setFont(scaled_font(self.font(), 1.0, bold=True))
        self.list_title.setFont(scaled_font(self.font(), 1.0, bold=True))
        muted = f"color: {theme.text_muted}; background: transparent"
        self.range.setStyleSheet(f"QLabel {{ {muted} }}")
        self.notes.setStyleSheet(f"QLabel {{ {muted} }}")
        self.outliers.setStyleSheet(
            f"QListWidget {{ background: transparent; color: {theme.text} }} QListWidget::item:selected {{"
            f" background: {theme.selection}; color: {theme.text}; border-left: 3px solid {theme.accent} }}"
        )
        self.outliers.ensurePolished()
        rows = min(self.outliers.count(), _MOST_ROWS)
        self.outliers.setFixedHeight(sum(self.outliers.sizeHintForRow(row) for row in range(rows)) + 4)

    def _choose(self, row: int) -> None:
        if 0 <= row < len(self._places):
            self.focus_requested.emit(self._places[row].focus)
