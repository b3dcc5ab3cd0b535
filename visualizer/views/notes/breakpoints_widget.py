"""The breakpoints pane: a line for a new query, the breakpoints with their counts, and the hits of the selected one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QSplitter,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from visualizer.language import mark, tr
from visualizer.playback.breakpoints import Breakpoint
from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import home_focus
from visualizer.playback.query.error import QueryError
from visualizer.playback.query.parse import parse
from visualizer.replay.history import History
from visualizer.views.look.painting import colour
from visualizer.views.look.pane_look_widget import inherited_mono_font, use_panel_colours
from visualizer.views.look.plain_text_widget import tip
from visualizer.views.look.theme import Theme, load_theme
from visualizer.views.notes.query_line_widget import QueryLine, QueryProblem
from visualizer.views.tables.cell_table_widget import CellTable
from visualizer.views.tables.event_table_model import COLUMNS, EventRows

_QUERY, _HITS = 0, 1
_WIDE = 110
"""Characters that the pane is wide when the hits stand beside the breakpoints."""


class BreakpointList(QTreeWidget):
    """The breakpoints; Delete asks to remove the current one."""

    removal_asked = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and item is not None:
            self.removal_asked.emit(self.indexOfTopLevelItem(item))
        else:
            super().keyPressEvent(event)


class BreakpointsWidget(QWidget):
    """Shows what `set_breakpoints` was told and asks for changes: it changes nothing itself."""

    focus_requested = Signal(object)
    added = Signal(str)
    enabled_changed = Signal(int, bool)
    removed = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.line = QueryLine()
        self.line.setAccessibleName(tr("New breakpoint"))
        self.line.setPlaceholderText(tr('break where ... e.g. barrier == "full[1]" and kind == phase_complete'))
        self.add_button = QPushButton(tr("Add"))
        self.problem = QueryProblem()
        self.list = BreakpointList()
        self.list.setAccessibleName(tr("Breakpoints"))
        self.list.setHeaderLabels([tr("break where"), tr("hits")])
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setFont(inherited_mono_font())
        self.list.header().setStretchLastSection(False)
        self.list.header().setSectionResizeMode(_QUERY, QHeaderView.ResizeMode.Stretch)
        self.list.header().setSectionResizeMode(_HITS, QHeaderView.ResizeMode.ResizeToContents)
        self.hits = CellTable(tr("Hits"), COLUMNS)
        self.hits.without_source = mark("Add a breakpoint: its hits are listed here.")
        self.hits.horizontalHeader().setStretchLastSection(True)
        above = QHBoxLayout()
        above.addWidget(self.line, 1)
        above.addWidget(self.add_button)
        left = QWidget()
        layout = QVBoxLayout(left)
        layout.setContentsMargins(4, 4, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(above)
        layout.addWidget(self.problem)
        layout.addWidget(self.list, 1)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.addWidget(left)
        self.splitter.addWidget(self.hits)
        self.splitter.setSizes([500, 500])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.splitter)
        self.setFocusProxy(self.line)
        self._history: History | None = None
        self._breakpoints: tuple[Breakpoint, ...] = ()
        self._rows: EventRows | None = None
        self._focus = Focus(0, None)
        self._theme = load_theme("dark")
        self._filling = False
        self.line.returnPressed.connect(self._add)
        self.add_button.clicked.connect(self._add)
        self.line.textEdited.connect(lambda: self.problem.show_problem(None))
        self.list.itemChanged.connect(self._item_changed)
        self.list.currentItemChanged.connect(lambda: self._show_hits())
        self.list.itemActivated.connect(lambda item: self._go_to_first(self.list.indexOfTopLevelItem(item)))
        self.list.removal_asked.connect(self.removed)
        self.hits.chosen.connect(lambda row, column: self._request(row))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The hits beside the breakpoints where there is room for both, else below them."""
        wide = event.size().width() > self.fontMetrics().averageCharWidth() * _WIDE
        self.splitter.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)
        super().resizeEvent(event)

    def set_breakpoints(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Show these; the selected query stays selected, a new one is."""
        known = {one.query for one in self._breakpoints}
        selected = self.list.currentItem().text(_QUERY) if self.list.currentItem() else None
        new = next((one.query for one in breakpoints if one.query not in known), None)
        self._breakpoints = tuple(breakpoints)
        self._filling = True
        self.list.clear()
        for one in breakpoints:
            item = QTreeWidgetItem([one.query, _count(one)])
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(_QUERY, Qt.CheckState.Checked if one.enabled else Qt.CheckState.Unchecked)
            item.setTextAlignment(_HITS, Qt.AlignmentFlag.AlignRight)
            item.setToolTip(_QUERY, tip(one.problem or one.query))
            item.setToolTip(_HITS, tip(one.problem))
            self.list.addTopLevelItem(item)
        queries = [one.query for one in breakpoints]
        wanted = new if new is not None else selected
        row = queries.index(wanted) if wanted in queries else 0
        self.list.setCurrentItem(self.list.topLevelItem(row) if queries else None)
        self._filling = False
        self._colour_problems()
        self._show_hits()

    def set_history(self, history: History | None) -> None:
        self._history = history
        self._focus = Focus(0, None)
        self.line.set_history(history)
        self._show_hits()

    def set_focus(self, focus: Focus) -> None:
        self._focus = focus
        self._follow()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        use_panel_colours(self, theme)
        self.hits.set_theme(theme)
        self.problem.set_theme(theme)
        self._colour_problems()

    def _add(self) -> None:
        text = self.line.text().strip()
        if not text:
            return
        try:
            parse(text)
        except QueryError as error:
            self.problem.show_problem(error)
            return
        self.problem.show_problem(None)
        self.line.clear()
        self.added.emit(text)

    def _item_changed(self, item: QTreeWidgetItem, column: int) -> None:
        if not self._filling:
            on = item.checkState(_QUERY) == Qt.CheckState.Checked
            self.enabled_changed.emit(self.list.indexOfTopLevelItem(item), on)

    def _show_hits(self) -> None:
        item = self.list.currentItem()
        row = self.list.indexOfTopLevelItem(item) if item is not None else -1
        one = self._breakpoints[row] if 0 <= row < len(self._breakpoints) else None
        hits = one.hits if one is not None else None
        if self._history is None or hits is None or (len(hits) and hits[-1] >= self._history.steps):
            self._rows = None
        else:
            self._rows = EventRows(self._history, np.asarray(hits))
        self.hits.cells.set_source(self._rows)
        self._follow()

    def _follow(self) -> None:
        if self._rows is not None and self._rows.rows():
            self.hits.show_row(self._rows.row_of(self._focus.step))

    def _go_to_first(self, row: int) -> None:
        hits = self._breakpoints[row].hits
        if hits is not None and len(hits):
            self._ask_for(int(hits[0]))

    def _request(self, row: int) -> None:
        if self._rows is not None:
            self._ask_for(self._rows.step_of(row))

    def _ask_for(self, step: int) -> None:
        if self._history is not None and step != self._focus.step:
            self.focus_requested.emit(home_focus(self._history.trace, step))

    def _colour_problems(self) -> None:
        self._filling = True
        for row, one in enumerate(self._breakpoints):
            shade = (
                self._theme.error.outline
                if one.problem
                else self._theme.text
                if one.enabled
                else self._theme.text_muted
            )
            for column in (_QUERY, _HITS):
                self.list.topLevelItem(row).setForeground(column, colour(shade))
        self._filling = False


def _count(one: Breakpoint) -> str:
    if one.problem:
        return tr("does not fit")
    return "..." if one.hits is None else f"{len(one.hits):,}"
