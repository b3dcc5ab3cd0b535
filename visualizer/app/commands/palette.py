"""Find anything by a few letters, and press Enter: what there is to find is told by the window, see window/findable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import (
    QDialog,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from visualizer.app.commands.fuzzy import fit, fits
from visualizer.language import tr
from visualizer.views.look.plain_text_widget import tip

_ENTRY_ROLE, _KEYS_ROLE = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1
_AT_THE_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_Index = QModelIndex | QPersistentModelIndex
MOST = 200
"""Rows; of more that fit the best are shown, and how many there are."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to find. `kind` stands before its title: a menu, or what it is; `keys` are shown behind it."""

    kind: str
    title: str
    run: Callable[[], Any]
    keys: tuple[str, ...] = ()
    help: str = ""


class _KeysAtTheRight(QStyledItemDelegate):
    """Keys stand below one another; a title that would run into them is cut."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        keys, room, style = str(index.data(_KEYS_ROLE) or ""), option.rect, option.widget.style()
        style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, option.widget)
        beside = QStyleOptionViewItem(option)
        beside.rect = room.adjusted(0, 0, -option.fontMetrics.horizontalAdvance(f"  {keys}") if keys else 0, 0)
        super().paint(painter, beside, index)
        painter.setPen(option.palette.color(QPalette.ColorRole.Text))
        painter.drawText(room.adjusted(0, 0, -6, 0), _AT_THE_RIGHT, keys)


class CommandPalette(QDialog):
    """A line to type in and what fits, best first; of equal ones, in the order of the entries."""

    def __init__(self, entries: Iterable[Entry], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Find anything"))
        self._entries = tuple(entries)
        self.line = QLineEdit(
            placeholderText=tr("a few letters of a command, pane, setting, fault, chapter, barrier or agent"),
            accessibleName=tr("Find anything"),
        )
        self.list = QListWidget(accessibleName=tr("What fits"))
        self.list.setUniformItemSizes(True)
        self.list.setItemDelegate(_KeysAtTheRight(self.list))
        layout = QVBoxLayout(self)
        layout.addWidget(self.line)
        layout.addWidget(self.list)
        self.resize(self.fontMetrics().averageCharWidth() * 80, self.fontMetrics().height() * 24)
        self.line.textChanged.connect(self._fill)
        self.line.returnPressed.connect(self._run_current)
        self.list.itemActivated.connect(self._run_current)
        self.line.installEventFilter(self)
        self._fill("")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Up and Down move in the list while the line keeps the keyboard."""
        if event.type() == QEvent.Type.KeyPress and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            step = 1 if event.key() == Qt.Key.Key_Down else -1
            self.list.setCurrentRow((self.list.currentRow() + step) % max(self.list.count(), 1))
            return True
        return super().eventFilter(watched, event)

    def _fill(self, text: str) -> None:
        self.list.clear()
        found = ranked(text, self._entries)
        for entry in found[:MOST]:
            keys = tr(" or ").join(entry.keys)
            item = QListWidgetItem(f"{entry.kind}: {entry.title}")
            item.setData(_KEYS_ROLE, keys)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{item.text()} {keys}".rstrip())
            item.setToolTip(tip(entry.help))
            item.setData(_ENTRY_ROLE, entry)
            self.list.addItem(item)
        if len(found) > MOST:
            more = QListWidgetItem(tr("and {n} more: type more letters", n=len(found) - MOST))
            more.setFlags(Qt.ItemFlag.NoItemFlags)
            self.list.addItem(more)
        self.list.setCurrentRow(0)

    def _run_current(self) -> None:
        item = self.list.currentItem()
        entry = item.data(_ENTRY_ROLE) if item is not None else None
        if entry is not None:
            self.accept()
            entry.run()


def ranked(typed: str, entries: Sequence[Entry]) -> list[Entry]:
    """Those that fit, the best first. What stands in an entry's help alone comes last."""
    if not typed.strip():
        return list(entries)
    found = [(rank, entry) for entry in entries if (rank := _rank(typed, entry)) is not None]
    return [entry for _, entry in sorted(found, key=lambda pair: pair[0])]


def _rank(typed: str, entry: Entry) -> int | None:
    by_title, whole = fit(typed, entry.title), fit(typed, f"{entry.kind} {entry.title}")
    ranks = [2 * by_title] if by_title is not None else []
    ranks += [2 * whole + 1] if whole is not None else []
    if not ranks and fits(typed, entry.kind, entry.title, entry.help):
        return 8
    return min(ranks, default=None)
