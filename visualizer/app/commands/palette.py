"""Find a command: type a few letters, press Enter. Lists the registry, so it can never lag behind the menus."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QDialog, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from visualizer.app.commands.actions import Actions
from visualizer.app.commands.command import Command, Registry
from visualizer.language import tr
from visualizer.views.look.plain_text_widget import tip

_ID_ROLE = Qt.ItemDataRole.UserRole


class CommandPalette(QDialog):
    """A line to type in and the enabled commands that match, best first."""

    def __init__(self, registry: Registry, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Find a command"))
        self._registry = registry
        self._actions = actions
        self.line = QLineEdit(placeholderText=tr("a few letters of a command"), accessibleName=tr("Find a command"))
        self.list = QListWidget(accessibleName=tr("Matching commands"))
        self.list.setUniformItemSizes(True)
        layout = QVBoxLayout(self)
        layout.addWidget(self.line)
        layout.addWidget(self.list)
        self.resize(self.fontMetrics().averageCharWidth() * 70, self.fontMetrics().height() * 20)
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
        found = [(rank, command) for command in self._registry if (rank := match_rank(text, command)) is not None]
        for _, command in sorted(found, key=lambda pair: pair[0]):
            if not self._actions[command.id].isEnabled():
                continue
            keys = f"    {' or '.join(command.keys)}" if command.keys else ""
            item = QListWidgetItem(f"{command.group}: {command.title}{keys}")
            item.setToolTip(tip(command.help))
            item.setData(_ID_ROLE, command.id)
            self.list.addItem(item)
        self.list.setCurrentRow(0)

    def _run_current(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self.accept()
            self._actions[item.data(_ID_ROLE)].trigger()


def match_rank(text: str, command: Command) -> int | None:
    """Lower is better; None if the words typed are not all in the command's group, title or help."""
    words = text.lower().split()
    title = f"{command.group} {command.title}".lower()
    if all(word in title for word in words):
        return 0 if command.title.lower().startswith(text.lower()) else 1
    return 2 if all(word in f"{title} {command.help.lower()}" for word in words) else None
