"""QActions made from the command registry: the menus and the toolbar hold these, and they carry the shortcuts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from visualizer.app.commands import Command, Registry

if TYPE_CHECKING:
    from visualizer.app.main_window import MainWindow


class Actions:
    """One QAction per command, by command id; `refresh` after anything that enables, disables or switches one."""

    def __init__(self, registry: Registry, window: MainWindow, timeline: QWidget) -> None:
        self._window = window
        self._registry = registry
        self._actions: dict[str, QAction] = {}
        for command in registry:
            action = self._make(command)
            self._actions[command.id] = action
            window.addAction(action)
            if command.scope == "timeline":
                self._add_timeline_key(command, action, timeline)
        self.refresh()

    def __getitem__(self, command_id: str) -> QAction:
        return self._actions[command_id]

    def refresh(self) -> None:
        for command in self._registry:
            action = self._actions[command.id]
            action.setEnabled(command.enabled(self._window))
            if command.checked is not None:
                action.setChecked(command.checked(self._window))

    def _make(self, command: Command) -> QAction:
        action = QAction(command.title, self._window)
        action.setObjectName(command.id)
        keys = command.keys[1:] if command.scope == "timeline" else command.keys
        action.setShortcuts([QKeySequence(key) for key in keys])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.setCheckable(command.checked is not None)
        shown = f" ({' or '.join(command.keys)})" if command.keys else ""
        action.setToolTip(f"{command.title}{shown}\n{command.help}")
        action.triggered.connect(lambda: self._run(command))
        return action

    def _add_timeline_key(self, command: Command, action: QAction, timeline: QWidget) -> None:
        """A second, invisible action: one QAction has one context only."""
        local = QAction(command.title, timeline)
        local.setShortcut(QKeySequence(command.keys[0]))
        local.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        local.triggered.connect(action.trigger)
        timeline.addAction(local)

    def _run(self, command: Command) -> None:
        command.run(self._window)
        # A checkable action has already flipped its own mark; what counts is what the command did.
        self.refresh()
