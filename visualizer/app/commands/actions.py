"""QActions made from the command registry: the menus and the toolbar hold these, and they carry the shortcuts."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from visualizer.app.commands.command import Command, Parts, Registry
from visualizer.language import tr
from visualizer.views.look.plain_text_widget import tip


class Actions:
    """One QAction per command, by command id; `refresh` after anything that enables, disables or switches one."""

    def __init__(self, registry: Registry, parts: Parts, window: QWidget, timeline: QWidget) -> None:
        self._parts, self._window = parts, window
        self._registry = registry
        self._actions: dict[str, QAction] = {}
        self._timeline_keys: dict[str, QAction] = {}
        for command in registry:
            action = self._make(command)
            self._actions[command.id] = action
            window.addAction(action)
            if command.scope == "timeline":
                self._timeline_keys[command.id] = self._make_timeline_key(command, action, timeline)
        self.use_keys(registry)
        self.refresh()

    def use_keys(self, registry: Registry) -> None:
        """The same commands, on other keys."""
        self._registry = registry
        for action in self._timeline_keys.values():
            action.setShortcuts([])
        for command in registry:
            # Of a command of the timeline's, the first key works there alone.
            local = self._timeline_keys.get(command.id)
            if local is not None:
                local.setShortcuts([QKeySequence(key) for key in command.keys[:1]])
            keys = command.keys[1:] if local is not None else command.keys
            action = self._actions[command.id]
            action.setShortcuts([QKeySequence(key) for key in keys])
            all_keys = tr(" or ").join(command.keys)
            shown = f" ({all_keys})" if all_keys else ""
            action.setText(tr(command.title))
            action.setToolTip(tip(f"{tr(command.title)}{shown}\n{tr(command.help)}"))

    def __getitem__(self, command_id: str) -> QAction:
        return self._actions[command_id]

    def refresh(self) -> None:
        for command in self._registry:
            action = self._actions[command.id]
            action.setEnabled(command.enabled is None or command.enabled(self._parts))
            if command.checked is not None:
                action.setChecked(command.checked(self._parts))

    def _make(self, command: Command) -> QAction:
        action = QAction(self._window)
        action.setObjectName(command.id)
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.setCheckable(command.checked is not None)
        action.triggered.connect(lambda: self._run(command.id))
        return action

    def _make_timeline_key(self, command: Command, action: QAction, timeline: QWidget) -> QAction:
        """A second, invisible action: one QAction has one context only."""
        local = QAction(timeline)
        local.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        local.triggered.connect(action.trigger)
        timeline.addAction(local)
        return local

    def _run(self, command_id: str) -> None:
        self._registry[command_id].run(self._parts)
        # A checkable action has already flipped its own mark; what counts is what the command did.
        self.refresh()
