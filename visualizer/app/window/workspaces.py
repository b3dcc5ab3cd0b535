"""Switches a window's workspace, and remembers how a person arranged each.

Remembered for each size of text, too, since what fits at one does not at another.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QMainWindow

from visualizer.app.panes.pane_host import PaneHost
from visualizer.app.settings.appearance import Appearance
from visualizer.app.settings.settings import LAYOUT_VERSION, Settings
from visualizer.app.settings.workspace_table import WORKSPACES
from visualizer.app.window.layout import Docks


class Workspaces(QObject):
    """The workspace of one window."""

    def __init__(
        self, docks: Docks, pane_host: PaneHost, appearance: Appearance, settings: Settings, window: QMainWindow
    ) -> None:
        super().__init__(window)
        self._docks, self._pane_host = docks, pane_host
        self._appearance, self._settings, self._window = appearance, settings, window
        self._scale = appearance.scale
        self.name = settings.workspace or next(iter(WORKSPACES))

    def go_to(self, name: str) -> None:
        """Arrange the window for this, as it was left there last."""
        self.keep()
        self.name = name
        self._settings.workspace = name
        self.restore()

    def restore(self) -> None:
        """As it was left at this size of text; the first time, as it is meant."""
        with self._pane_host.arranging():
            self.reset()
            self._restore_state()

    def keep(self) -> None:
        """Remember how the panes stand."""
        self._settings.set_window_state(self._place, self._window.saveState(LAYOUT_VERSION))

    def reset(self) -> None:
        """Put every pane where this workspace has it at first."""
        self._docks.arrange(WORKSPACES[self.name], self._window.size())

    def follow_scale(self) -> None:
        """Text has another size: the same panes, with the room they need now. What was arranged for the former size
        stays remembered for that."""
        scale = self._appearance.scale
        if scale != self._scale:
            self.keep()
            self._scale = scale
            self._arrange_open()
            # Once more when the fonts have reached every field: only then is known how wide the panes must be.
            QTimer.singleShot(0, self, self._arrange_open)

    def _arrange_open(self) -> None:
        """The panes that are open, with the room they need; as they were left at this size of text, if they were."""
        with self._pane_host.arranging():
            self._docks.arrange(WORKSPACES[self.name], self._window.size(), self._docks.open)
            self._restore_state()

    def _restore_state(self) -> None:
        self._window.restoreState(self._settings.window_state(self._place), LAYOUT_VERSION)
        self._docks.show_tabs()

    @property
    def _place(self) -> str:
        return f"{self.name}-{self._scale}"
