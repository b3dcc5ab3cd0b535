"""The Statistics pane: what bound the range in view, in a sentence, bars, histograms, and events worth a look."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QListWidget, QScrollArea, QVBoxLayout, QWidget

from visualizer.diagnosis.statistics.statistics import Statistics
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.views.charts_widget import Charts
from visualizer.views.pane_look_widget import scaled_font, use_panel_colours
from visualizer.views.plain_text_widget import PlainLabel
from visualizer.views.statistics_model import Place, charts, headline, notes, places, range_text
from visualizer.views.theme import Theme, load_theme

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
        self.charts = Charts(tr("Shares and distributions"))
        self.path = QCheckBox(tr("Show the critical path in the timeline"))
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
            self.path,
            self.list_title,
            self.outliers,
            self.notes,
        ):
            layout.addWidget(widget)
        layout.addStretch(1)
        self.setWidget(inside)
        self._history: History | None = None
        self._theme: Theme = load_theme("dark")
        self._places: list[Place] = []
        self.path.toggled.connect(self.path_wanted)
        self.outliers.itemClicked.connect(lambda item: self._choose(self.outliers.row(item)))
        self.outliers.itemActivated.connect(lambda item: self._choose(self.outliers.row(item)))
        self._clear()

    def set_history(self, history: History | None) -> None:
        self._history = history if history is not None and history.steps else None
        self._clear()
        self.history_changed.emit(self._history)

    def set_focus(self, focus: Focus) -> None:
        """The numbers are of the range in view, whatever is in focus."""

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        use_panel_colours(self, theme)
        use_panel_colours(self.widget(), theme)
        self.charts.set_theme(theme)
        self._restyle()

    def set_stale(self, stale: bool) -> None:
        """Grey the numbers while those of another range are being found."""
        self.charts.set_stale(stale)
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
        self._places = places(found, trace)
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
        self.outliers.clear()
        self.notes.clear()
        self._show_parts()

    def _show_parts(self) -> None:
        self.path.setVisible(bool(self.charts.charts))
        for widget in (self.list_title, self.outliers):
            widget.setVisible(bool(self._places))
        self.notes.setVisible(bool(self.notes.text()))
        self.range.setVisible(bool(self.range.text()))
        self._restyle()

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
