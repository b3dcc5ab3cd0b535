"""W, A, S and D by where they lie on the keyboard, whatever the layout prints on them.

The shortcuts of the command table go by letter. A key that no shortcut took comes here, and counts by its position.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QWidget

from visualizer.app.commands.actions import Actions

POSITIONS = {25: "view.zoom_in", 38: "view.pan_left", 39: "view.zoom_out", 40: "view.pan_right"}
"""Command by X11 and Wayland key code of the keys that a US keyboard calls W, A, S and D."""


class PhysicalKeys(QObject):
    """Watches one widget, the timeline."""

    def __init__(self, actions: Actions, timeline: QWidget) -> None:
        super().__init__(timeline)
        self._actions = actions
        timeline.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            command_id = POSITIONS.get(event.nativeScanCode())
            if command_id is not None:
                self._actions[command_id].trigger()
                return True
        return super().eventFilter(watched, event)
