"""The event table pane: every event of the recording in rows, a filter line, and the focus in step with both.

It is the timeline's twin for screen readers and for people who search: the same events, as text.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from visualizer.language import tr, trn
from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import home_focus
from visualizer.playback.query.error import QueryError
from visualizer.playback.query.events import Events
from visualizer.playback.query.search import find_steps, reads_like_a_query
from visualizer.replay.history import History
from visualizer.views.look.pane_look_widget import use_panel_colours
from visualizer.views.look.plain_text_widget import PlainLabel
from visualizer.views.look.theme import Theme
from visualizer.views.tables.cell_table_widget import CellTable
from visualizer.views.tables.event_table_filter import FilterError, filtered_steps, has_terms
from visualizer.views.tables.event_table_model import COLUMNS, EventRows


class EventTableWidget(QWidget):
    """All events, filterable; the current row is the focused event."""

    focus_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.filter_line = QLineEdit()
        self.filter_line.setAccessibleName(tr("Event filter"))
        self.filter_line.setPlaceholderText(tr("filter: producer  kind:arrive  tile:5, or a query: wait > 500 ns"))
        self.filter_line.setClearButtonEnabled(True)
        self.filter_line.textChanged.connect(self._apply_filter)
        self.count = PlainLabel()
        self.count.setAccessibleDescription(tr("Events shown"))
        self.message = PlainLabel()
        self.message.setAccessibleDescription(tr("Filter message"))
        self.message.setWordWrap(True)
        self.message.hide()
        self.table = CellTable(tr("Event table"), COLUMNS)
        self.table.horizontalHeader().setStretchLastSection(True)
        self.table.selectionModel().currentRowChanged.connect(self._row_changed)
        self.table.chosen.connect(lambda row, column: self._request(row))
        line = QHBoxLayout()
        line.addWidget(self.filter_line, 1)
        line.addWidget(self.count)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 0)
        layout.setSpacing(4)
        layout.addLayout(line)
        layout.addWidget(self.message)
        layout.addWidget(self.table, 1)
        self.setFocusProxy(self.table)
        self._history: History | None = None
        self._events: Events | None = None
        self._rows: EventRows | None = None
        self._focus = Focus(0, None)
        self._asked = -1
        self._following = False

    def set_history(self, history: History | None) -> None:
        self._history = history
        self._events = Events(history) if history is not None else None
        self._focus = Focus(0, None)
        self._apply_filter(self.filter_line.text())

    def set_focus(self, focus: Focus) -> None:
        self._focus = focus
        self._asked = -1
        self._follow()

    def set_theme(self, theme: Theme) -> None:
        use_panel_colours(self, theme)
        self.table.set_theme(theme)
        self.message.setStyleSheet(f"color: {theme.error.outline}")

    def _apply_filter(self, text: str) -> None:
        """Show the events that match; a line that cannot be read leaves the rows as they were and says why."""
        problem = ""
        if self._history is None:
            self._rows = None
            self._show_rows()
        else:
            try:
                self._rows = EventRows(self._history, self._matching(text, self._history))
                self._show_rows()
            except (FilterError, QueryError) as error:
                problem = str(error)
        self.message.setText(problem)
        self.message.setVisible(bool(problem))

    def _matching(self, text: str, history: History) -> NDArray[np.int64] | None:
        """The steps that a filter or a query leaves; None: all."""
        if not has_terms(text) and reads_like_a_query(text) and text.strip():
            return find_steps(text, self._events)
        return filtered_steps(history, text)

    def _show_rows(self) -> None:
        self._following = True
        self.table.cells.set_source(self._rows)
        self._following = False
        self._follow()

    def _follow(self) -> None:
        """Make the focused event the current row, unless the filter hides it."""
        rows = self._rows
        hidden = ""
        if rows is not None and rows.rows():
            row = rows.row_of(self._focus.step)
            self._following = True
            self.table.show_row(row)
            if row is None:
                self.table.scroll_to_row(min(rows.row_near(self._focus.step), rows.rows() - 1))
            self._following = False
            hidden = tr("; step {step} is filtered out", step=self._focus.step) if row is None else ""
        if rows is None:
            self.count.setText("")
        elif rows.steps is None:
            self.count.setText(trn("{n} event", "{n} events", rows.rows()))
        else:
            self.count.setText(
                tr("{shown} of {events} events{hidden}", shown=rows.rows(), events=len(rows.trace), hidden=hidden)
            )

    def _row_changed(self, current: QModelIndex, previous: QModelIndex) -> None:
        """A person moved to another row with the arrow keys or the mouse; moves that follow the focus do not count."""
        if not self._following and current.isValid():
            self._request(current.row())

    def _request(self, row: int) -> None:
        if self._rows is None:
            return
        step = self._rows.step_of(row)
        # A click on another row tells twice: that the current row changed, and that a cell was chosen.
        if step not in (self._focus.step, self._asked):
            self._asked = step
            self.focus_requested.emit(home_focus(self._rows.trace, step))
