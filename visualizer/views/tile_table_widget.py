"""The per-tile table pane: the lesson's table from this recording; a click on a cell goes to where it happened."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import home_lane
from visualizer.replay.history import History
from visualizer.views.cell_table_widget import CellTable
from visualizer.views.context import cta_at, ring_at, ring_title
from visualizer.views.pane_look_widget import use_panel_colours
from visualizer.views.plain_text_widget import PlainLabel
from visualizer.views.theme import Theme
from visualizer.views.tile_table_model import COLUMNS, TileRows


class TileTableWidget(QWidget):
    """Cursors, waits and phase flips of each tile of the focused event's CTA."""

    focus_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = PlainLabel()
        self.title.hide()
        self.table = CellTable(tr("Per-tile table"), COLUMNS)
        self.table.chosen.connect(self._choose)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.title)
        layout.addWidget(self.table, 1)
        self.setFocusProxy(self.table)
        self._history: History | None = None
        self._rows: TileRows | None = None
        self._tables: dict[tuple[int, str | None], TileRows] = {}
        self._veiled_after: int | None = None

    def set_history(self, history: History | None) -> None:
        self._history = history if history is not None and history.steps else None
        self._rows = None
        self._tables = {}
        self.table.cells.set_source(None)
        self.title.hide()

    def set_focus(self, focus: Focus) -> None:
        if self._history is None:
            return
        trace = self._history.trace
        cta = cta_at(trace, focus.step)
        ring = ring_at(self._history, focus.step, self._rows.ring if self._rows else None)
        if self._rows is None or (self._rows.cta, self._rows.ring) != (cta, ring):
            if (cta, ring) not in self._tables:
                self._tables[cta, ring] = TileRows(self._history, cta, ring)
            self._rows = self._tables[cta, ring]
            self.table.cells.set_source(self._rows)
            title = ring_title(self._history, focus.step, ring)
            self.title.setText(" " + title)
            self.title.setVisible(bool(title))
        self._rows.step, self._rows.veiled_after = focus.step, self._veiled_after
        self.table.cells.refresh()
        self.table.show_row(self._rows.row_of(int(trace.events["tile"][focus.step])))

    def set_veil(self, step: int | None) -> None:
        """From the next focus on hide what comes after event `step`, a lecture's question; None hides nothing."""
        self._veiled_after = step

    def set_theme(self, theme: Theme) -> None:
        use_panel_colours(self, theme)
        self.table.set_theme(theme)

    def _choose(self, row: int, column: int) -> None:
        if self._history is None or self._rows is None:
            return
        step = self._rows.cell(row, column).step
        if step is not None:
            self.focus_requested.emit(Focus(step, home_lane(self._history.trace, step)))
