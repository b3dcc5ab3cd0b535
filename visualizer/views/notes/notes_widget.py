"""The notes pane: every bookmark and mark of the recording with its text; Return goes there, F2 writes."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from visualizer.language import mark as message
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import lane_title
from visualizer.playback.notes import Mark, Notes
from visualizer.replay.history import History
from visualizer.views.look.pane_look_widget import use_panel_colours
from visualizer.views.look.plain_text_widget import PlainLabel, tip
from visualizer.views.look.theme import Theme
from visualizer.views.notes.signs import sign
from visualizer.views.tables.event_table_model import time_text

_SIGN, _STEP, _TIME, _LANE, _TEXT = range(5)
_TITLES = ("", message("step"), message("time"), message("lane"), message("note"))
_ROWS_MEASURED = 0  # for the widths of columns: those in view
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

_PLAIN = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
_WRITABLE = _PLAIN | Qt.ItemFlag.ItemIsEditable

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class NoteRows(QAbstractTableModel):
    """The marks as rows, made when they are looked at: a file may hold tens of thousands."""

    text_edited = Signal(object, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._marks: tuple[Mark, ...] = ()
        self._history: History | None = None

    def show(self, marks: tuple[Mark, ...], history: History | None) -> None:
        self.beginResetModel()
        self._marks, self._history = marks, history
        self.endResetModel()

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._marks)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return len(_TITLES)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return tr(_TITLES[section]) if _TITLES[section] else ""
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        mark, column = self._marks[index.row()], index.column()
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return self._texts(mark)[column]
        if role == Qt.ItemDataRole.ToolTipRole and column == _TEXT:
            return tip(mark.text)
        if role == Qt.ItemDataRole.TextAlignmentRole and column in (_STEP, _TIME):
            return _RIGHT
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        return _WRITABLE if index.column() == _TEXT else _PLAIN  # asked of every row, whenever the rows change

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Asks for the change: whoever keeps the notes makes it."""
        self.text_edited.emit(self._marks[index.row()], str(value).strip())
        return True

    def _texts(self, mark: Mark) -> tuple[str, ...]:
        lane = mark.focus.lane or ""
        lane = lane_title(self._history, lane) if self._history is not None else lane
        return (sign(mark), _steps(mark), _time(self._history, mark), lane, mark.text)


class NoteList(QTableView):
    """The marks; Delete asks to remove the current one, F2 edits its text."""

    removal_asked = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if not index.isValid():
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_Delete:
            self.removal_asked.emit(index.row())
        elif event.key() == Qt.Key.Key_F2:
            self.edit_text(index.row())
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.verticalHeader().setDefaultSectionSize(round(self.fontMetrics().height() * 1.35))

    def choose(self, row: int) -> None:
        self.setCurrentIndex(self.model().index(row, _TEXT))

    def edit_text(self, row: int) -> None:
        self.edit(self.model().index(row, _TEXT))


class NotesWidget(QWidget):
    """Shows what `set_notes` was told and asks for changes: it changes nothing itself."""

    focus_requested = Signal(object)
    text_edited = Signal(object, str)
    removed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.hint = PlainLabel(tr("M marks the focused event, Ctrl+1 to Ctrl+9 set bookmarks, 1 to 9 go there."))
        self.hint.setObjectName("hint")
        self.hint.setWordWrap(True)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.rows = NoteRows(self)
        self.list = NoteList()
        self.list.setModel(self.rows)
        self.list.setAccessibleName(tr("Notes"))
        self.list.setShowGrid(False)
        self.list.setWordWrap(False)
        self.list.setTabKeyNavigation(False)
        self.list.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.verticalHeader().hide()
        self.list.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.list.verticalHeader().setMinimumSectionSize(1)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        header = self.list.horizontalHeader()
        header.setResizeContentsPrecision(_ROWS_MEASURED)
        header.setStretchLastSection(True)
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for column in (_SIGN, _STEP, _TIME, _LANE):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self.edit_button = QPushButton(tr("Write"))
        self.remove_button = QPushButton(tr("Remove"))
        below = QHBoxLayout()
        below.addWidget(self.hint, 1)
        below.addWidget(self.edit_button)
        below.addWidget(self.remove_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 4)
        layout.setSpacing(4)
        layout.addWidget(self.list, 1)
        layout.addLayout(below)
        self.setFocusProxy(self.list)
        self._history: History | None = None
        self._notes = Notes()
        self.rows.text_edited.connect(self.text_edited)
        self.list.activated.connect(lambda index: self.focus_requested.emit(self._notes.marks[index.row()].focus))
        self.list.removal_asked.connect(lambda row: self.removed.emit(self._notes.marks[row]))
        self.edit_button.clicked.connect(self._edit_current)
        self.remove_button.clicked.connect(self._remove_current)

    def set_notes(self, notes: Notes) -> None:
        row = self.list.currentIndex().row()
        step = self._notes.marks[row].focus.step if row >= 0 else None
        self._notes = notes
        self._show()
        if step is not None:
            self._choose_step(step)

    def set_history(self, history: History | None) -> None:
        self._history = history
        self._show()

    def set_focus(self, focus: Focus) -> None:
        """Select the mark in focus, if there is one."""
        self._choose_step(focus.step)

    def set_theme(self, theme: Theme) -> None:
        use_panel_colours(self, theme)

    def edit(self, mark: Mark) -> None:
        """Let the person write the text of a mark."""
        if (row := self._notes.row(mark)) >= 0:
            self.list.choose(row)
            self.list.setFocus()
            self.list.edit_text(row)

    def _show(self) -> None:
        self.rows.show(self._notes.marks, self._history)
        for button in (self.edit_button, self.remove_button):
            button.setEnabled(bool(self._notes.marks))

    def _choose_step(self, step: int) -> None:
        row = bisect_left(self._notes.marks, step, key=lambda mark: mark.focus.step)
        if row < len(self._notes.marks) and self._notes.marks[row].focus.step == step:
            self.list.choose(row)

    def _edit_current(self) -> None:
        if (row := self.list.currentIndex().row()) >= 0:
            self.list.edit_text(row)

    def _remove_current(self) -> None:
        if (row := self.list.currentIndex().row()) >= 0:
            self.removed.emit(self._notes.marks[row])


def _steps(mark: Mark) -> str:
    return f"{mark.focus.step}..{mark.last}" if mark.is_region else str(mark.focus.step)


def _time(history: History | None, mark: Mark) -> str:
    if history is None or max(mark.focus.step, mark.last or 0) >= history.steps:
        return ""
    time = history.trace.events["time"]
    begin = int(time[mark.focus.step])
    return time_text(begin) if mark.last is None else f"{time_text(begin)} + {time_text(int(time[mark.last]) - begin)}"
