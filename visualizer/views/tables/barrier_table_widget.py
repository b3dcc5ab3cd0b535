"""The barrier table pane: the counts of every barrier at the focused step; a click selects the barrier's lane."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.views.look.pane_look_widget import use_panel_colours
from visualizer.views.look.theme import Theme
from visualizer.views.tables.barrier_table_model import COLUMNS, BarrierRows
from visualizer.views.tables.cell_table_widget import CellTable


class BarrierTableWidget(QWidget):
    """Phase, parity, what has arrived and landed, and waiting agents of each barrier."""

    focus_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = CellTable(tr("Barrier table"), COLUMNS)
        self.table.horizontalHeader().setStretchLastSection(True)
        self.table.chosen.connect(self._choose)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.table)
        self.setFocusProxy(self.table)
        self._history: History | None = None
        self._rows: BarrierRows | None = None
        self._step = 0

    def set_history(self, history: History | None) -> None:
        self._history = history if history is not None and history.steps else None
        self._rows = None
        self.table.cells.set_source(None)

    def set_focus(self, focus: Focus) -> None:
        if self._history is None:
            return
        self._step = focus.step
        rows = BarrierRows(self._history, focus.step)
        if self._rows is not None and rows.barriers == self._rows.barriers:
            self.table.cells.replace_source(rows)
        else:
            self.table.cells.set_source(rows)
        self._rows = rows
        row = rows.row_of(focus.lane)
        self.table.show_row(row if row is not None else self._touched(rows))

    def set_theme(self, theme: Theme) -> None:
        use_panel_colours(self, theme)
        self.table.set_theme(theme)

    def _touched(self, rows: BarrierRows) -> int | None:
        """The row of the barrier the focused event is about."""
        barrier = int(rows.trace.events["barrier"][self._step])
        return rows.row_of(rows.trace.barriers[barrier].name) if barrier >= 0 else None

    def _choose(self, row: int, column: int) -> None:
        if self._rows is not None:
            self.focus_requested.emit(Focus(self._step, self._rows.lane(row)))
