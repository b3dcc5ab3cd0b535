"""The notes pane: every bookmark and mark of the recording with its text; Return goes there, F2 writes."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.playback.notes import Mark, Notes
from visualizer.replay.history import History
from visualizer.views.event_table_model import time_text
from visualizer.views.pane_look_widget import use_panel_colours
from visualizer.views.plain_text_widget import PlainLabel, tip
from visualizer.views.theme import Theme

_SIGN, _STEP, _TIME, _LANE, _TEXT = range(5)
MARK, REGION = "⚑", "↔"


class NoteList(QTreeWidget):
    """The marks; Delete asks to remove the current one, F2 edits its text."""

    removal_asked = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if item is None:
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_Delete:
            self.removal_asked.emit(self.indexOfTopLevelItem(item))
        elif event.key() == Qt.Key.Key_F2:
            self.editItem(item, _TEXT)
        else:
            super().keyPressEvent(event)


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
        self.list = NoteList()
        self.list.setAccessibleName(tr("Notes"))
        self.list.setHeaderLabels(["", tr("step"), tr("time"), tr("lane"), tr("note")])
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        for column in (_SIGN, _STEP, _TIME, _LANE):
            self.list.header().setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
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
        self._filling = False
        self.list.itemChanged.connect(self._item_changed)
        self.list.itemActivated.connect(lambda item: self.focus_requested.emit(self._mark(item).focus))
        self.list.removal_asked.connect(lambda row: self.removed.emit(self._notes.marks[row]))
        self.edit_button.clicked.connect(self._edit_current)
        self.remove_button.clicked.connect(self._remove_current)

    def set_notes(self, notes: Notes) -> None:
        current = self.list.currentItem()
        step = self._mark(current).focus.step if current is not None else None
        self._notes = notes
        self._fill()
        for row, mark in enumerate(notes.marks):
            if mark.focus.step == step:
                self.list.setCurrentItem(self.list.topLevelItem(row))

    def set_history(self, history: History | None) -> None:
        self._history = history
        self._fill()

    def set_focus(self, focus: Focus) -> None:
        """Select the mark in focus, if there is one."""
        for row, mark in enumerate(self._notes.marks):
            if mark.focus.step == focus.step:
                self.list.setCurrentItem(self.list.topLevelItem(row))
                return

    def set_theme(self, theme: Theme) -> None:
        use_panel_colours(self, theme)

    def edit(self, mark: Mark) -> None:
        """Let the person write the text of a mark."""
        item = self.list.topLevelItem(self._notes.marks.index(mark))
        self.list.setCurrentItem(item)
        self.list.setFocus()
        self.list.editItem(item, _TEXT)

    def _fill(self) -> None:
        self._filling = True
        self.list.clear()
        history = self._history
        for mark in self._notes.marks:
            item = QTreeWidgetItem([_sign(mark), _steps(mark), _time(history, mark), mark.focus.lane or "", mark.text])
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
            for column in (_STEP, _TIME):
                item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            item.setToolTip(_TEXT, tip(mark.text))
            self.list.addTopLevelItem(item)
        self._filling = False
        for button in (self.edit_button, self.remove_button):
            button.setEnabled(bool(self._notes.marks))

    def _item_changed(self, item: QTreeWidgetItem, column: int) -> None:
        if not self._filling and column == _TEXT:
            self.text_edited.emit(self._mark(item), item.text(_TEXT).strip())

    def _edit_current(self) -> None:
        if (item := self.list.currentItem()) is not None:
            self.list.editItem(item, _TEXT)

    def _remove_current(self) -> None:
        if (item := self.list.currentItem()) is not None:
            self.removed.emit(self._mark(item))

    def _mark(self, item: QTreeWidgetItem) -> Mark:
        return self._notes.marks[self.list.indexOfTopLevelItem(item)]


def _sign(mark: Mark) -> str:
    if mark.bookmark is not None:
        return str(mark.bookmark)
    return REGION if mark.is_region else MARK


def _steps(mark: Mark) -> str:
    return f"{mark.focus.step}..{mark.last}" if mark.is_region else str(mark.focus.step)


def _time(history: History | None, mark: Mark) -> str:
    if history is None or max(mark.focus.step, mark.last or 0) >= history.steps:
        return ""
    time = history.trace.events["time"]
    begin = int(time[mark.focus.step])
    return time_text(begin) if mark.last is None else f"{time_text(begin)} + {time_text(int(time[mark.last]) - begin)}"
