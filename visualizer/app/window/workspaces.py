"""Switches a window's workspace, and remembers how a person arranged each.

Remembered for each size of text, too, since what fits at one does not at another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from visualizer.app.settings.settings import LAYOUT_VERSION
from visualizer.app.settings.workspace_table import WORKSPACES

if TYPE_CHECKING:
    from visualizer.app.window.main_window import MainWindow


class Workspaces(QObject):
    """The workspace of one window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._scale = window.appearance.scale
        self.name = window.settings.workspace or next(iter(WORKSPACES))

    def go_to(self, name: str) -> None:
        """Arrange the window for this, as it was left there last."""
        self.keep()
        self.name = name
        self._window.settings.workspace = name
        self.restore()

    def restore(self) -> None:
        """As it was left at this size of text; the first time, as it is meant."""
        with self._window.pane_host.arranging():
            self.reset()
            self._restore_state()

    def keep(self) -> None:
        """Remember how the panes stand."""
        self._window.settings.set_window_state(self._place, self._window.saveState(LAYOUT_VERSION))

    def reset(self) -> None:
        """Put every pane where this workspace has it at first."""
        self._window.docks.arrange(WORKSPACES[self.name], self._window.size())

    def follow_scale(self) -> None:
        """Text has another size: the same panes, with the room they need now. What was arranged for the former size
        stays remembered for that."""
        scale = self._window.appearance.scale
        if scale != self._scale:
            self.keep()
            self._scale = scale
            docks = self._window.docks
            with self._window.pane_host.arranging():
                docks.arrange(WORKSPACES[self.name], self._window.size(), docks.open)
                self._restore_state()

    def _restore_state(self) -> None:
        self._window.restoreState(self._window.settings.window_state(self._place), LAYOUT_VERSION)

    @property
    def _place(self) -> str:
        return f"{self.name}-{self._scale}"
