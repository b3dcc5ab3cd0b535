"""The structure pane: a CTA's rings, barriers and agents, what can be changed, and what was told by hand so far.

It changes nothing itself: it asks for an entry to be added, or for one to be taken back, which undoes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QTreeWidgetItemIterator,
    QVBoxLayout,
    QWidget,
)

from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.structure import edits
from visualizer.views.look.painting import brush
from visualizer.views.look.pane_look_widget import use_panel_colours
from visualizer.views.look.plain_text_widget import PlainLabel, tip
from visualizer.views.look.theme import Theme, load_theme
from visualizer.views.structure.structure_model import Node, choices, entry_sentence, nodes
from visualizer.views.words.context import agent_step, barrier_step, cta_at

_NAME, _WHAT, _SURE = range(3)
_NODE = Qt.ItemDataRole.UserRole
_MOST_LINES = 4
"""So many entries are seen before their list scrolls."""


class StructureTree(QTreeWidget):
    """The lines; F2 names a ring, the menu key or the right button lists what can be done."""

    menu_asked = Signal(object)

    def sizeHint(self) -> QSize:
        """A few lines: beside what can be done with them, it takes the room there is."""
        return QSize(super().sizeHint().width(), 5 * self.fontMetrics().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if event.key() == Qt.Key.Key_F2 and item is not None and item.flags() & Qt.ItemFlag.ItemIsEditable:
            self.editItem(item, _NAME)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_asked.emit(event.globalPos())


class EntryList(QListWidget):
    """What was told by hand; Delete takes the current entry back."""

    removal_asked = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.currentRow() >= 0:
            self.removal_asked.emit(self.currentRow())
        else:
            super().keyPressEvent(event)


class StructureWidget(QWidget):
    """Shows the focused event's CTA, and the entries that `set_entries` was told."""

    focus_requested = Signal(object)
    entry_added = Signal(object)
    entry_removed = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tree = StructureTree()
        self.tree.setAccessibleName(tr("Structure"))
        self.tree.setHeaderLabels([tr("name"), tr("what"), tr("sure")])
        self.tree.setUniformRowHeights(True)
        self.tree.setFrameShape(QFrame.Shape.NoFrame)
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.tree.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.tree.header().setStretchLastSection(False)
        self.tree.header().setSectionResizeMode(_NAME, QHeaderView.ResizeMode.Stretch)
        for column in (_WHAT, _SURE):
            self.tree.header().setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self.hint = PlainLabel(tr("Select lines, then say what they are: it holds in every CTA."))
        self.hint.setObjectName("hint")
        self.hint.setWordWrap(True)
        self.rename_button = QPushButton(tr("Name"))
        self.change_button = QPushButton(tr("Change"))
        self.entries = EntryList()
        self.entries.setAccessibleName(tr("Told by hand"))
        self.entries.setFrameShape(QFrame.Shape.NoFrame)
        self.entries.setWordWrap(True)
        self.remove_button = QPushButton(tr("Take back"))
        changes, below = QHBoxLayout(), QHBoxLayout()
        changes.addWidget(self.hint, 1)
        changes.addWidget(self.rename_button)
        changes.addWidget(self.change_button)
        below.addWidget(self.entries, 1)
        below.addWidget(self.remove_button, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 4)
        layout.setSpacing(4)
        layout.addWidget(self.tree, 1)
        layout.addLayout(changes)
        layout.addLayout(below)
        self.setFocusProxy(self.tree)
        self._history: History | None = None
        self._shown: tuple[History, int] | None = None
        self._step = 0
        self._problems: set[int] = set()
        self._filling = False
        self._theme = load_theme("dark")
        self.tree.itemChanged.connect(self._renamed)
        self.tree.itemActivated.connect(self._go_to)
        self.tree.itemSelectionChanged.connect(self._enable)
        self.tree.menu_asked.connect(lambda at: self.menu().popup(at))
        self.rename_button.clicked.connect(self._rename)
        self.change_button.clicked.connect(
            lambda: self.menu().popup(self.change_button.mapToGlobal(self.change_button.rect().bottomLeft()))
        )
        self.entries.removal_asked.connect(self.entry_removed)
        self.remove_button.clicked.connect(lambda: self.entry_removed.emit(max(self.entries.currentRow(), 0)))
        self._enable()
        self.set_entries((), {})

    def set_entries(self, entries: Sequence[Any], problems: dict[int, str]) -> None:
        """What was told by hand; `problems`: which of it could not be followed, and why."""
        self.entries.clear()
        self._problems = set(problems)
        for number, entry in enumerate(entries):
            item = QListWidgetItem(problems.get(number, entry_sentence(entry)))
            item.setToolTip(tip(entry_sentence(entry)))
            self.entries.addItem(item)
        self.entries.setCurrentRow(len(entries) - 1)
        self._colour_problems()
        for widget in (self.remove_button, self.entries):
            widget.setVisible(bool(entries))
        lines = min(len(entries), _MOST_LINES) * self.entries.sizeHintForRow(0) if entries else 0
        self.entries.setFixedHeight(max(lines, self.remove_button.sizeHint().height()))

    def set_history(self, history: History | None) -> None:
        self._history = history if history is not None and history.steps else None
        self._shown = None
        self._step = 0
        self._fill()

    def set_focus(self, focus: Focus) -> None:
        self._step = focus.step
        self._fill()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        use_panel_colours(self, theme)
        self._colour_problems()

    def selected(self) -> list[Node]:
        """The selected lines from top to bottom."""
        found, walk = [], QTreeWidgetItemIterator(self.tree, QTreeWidgetItemIterator.IteratorFlag.Selected)
        while (item := walk.value()) is not None:
            found.append(item.data(_NAME, _NODE))
            walk += 1
        return found

    def menu(self) -> QMenu:
        """What can be done with what is selected."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for choice in choices(self._history, self.selected()) if self._history is not None else ():
            menu.addAction(choice.title, lambda entry=choice.entry: self.entry_added.emit(entry))
        return menu

    def _fill(self) -> None:
        history = self._history
        shown = (history, cta_at(history.trace, self._step)) if history is not None else None
        if shown is not None and shown == self._shown:
            return
        self._shown, self._filling = shown, True
        self.tree.clear()
        if shown is not None:
            for node in nodes(*shown):
                item = _item(node)
                item.addChildren([_item(child) for child in node.children])
                self.tree.addTopLevelItem(item)
                item.setExpanded(node.what != "ring")
        self._filling = False
        self._enable()

    def _enable(self) -> None:
        selected = self.selected()
        self.rename_button.setEnabled([node.what for node in selected] == ["ring"])
        self.change_button.setEnabled(self._history is not None and bool(choices(self._history, selected)))

    def _rename(self) -> None:
        item = self.tree.selectedItems()[0]
        self.tree.setFocus()
        self.tree.editItem(item, _NAME)

    def _renamed(self, item: QTreeWidgetItem, column: int) -> None:
        if self._filling or column != _NAME:
            return
        node, text = item.data(_NAME, _NODE), item.text(_NAME).strip()
        self._filling = True
        item.setText(_NAME, node.name)  # until it is so
        self._filling = False
        assert self._history is not None
        if text and text != node.name:
            self.entry_added.emit(edits.rename(self._history.structure.rings[node.row].name, text))

    def _go_to(self, item: QTreeWidgetItem) -> None:
        """To the latest event of a barrier or an agent."""
        node, history = item.data(_NAME, _NODE), self._history
        assert history is not None
        if node.what == "barrier":
            lane, step = history.trace.barriers[node.row].name, barrier_step(history, node.row, self._step)
        elif node.what == "agent":
            lane, step = history.trace.agents[node.row].name, agent_step(history, node.row, self._step)
        else:
            return
        if step is not None:
            self.focus_requested.emit(Focus(step, lane))

    def _colour_problems(self) -> None:
        for row in range(self.entries.count()):
            colour = self._theme.error.outline if row in self._problems else self._theme.text
            self.entries.item(row).setForeground(brush(colour))


def _item(node: Node) -> QTreeWidgetItem:
    item = QTreeWidgetItem([node.name, node.detail, node.sure])
    item.setData(_NAME, _NODE, node)
    item.setToolTip(_NAME, tip(node.help))
    item.setToolTip(_SURE, tip(node.help))
    if node.what == "ring":
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
    return item
