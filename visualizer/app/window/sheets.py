"""The sheets over the window: keys and commands, the palette, and what this is."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from visualizer.app.commands.actions import Actions
from visualizer.app.commands.keys import Keys
from visualizer.app.commands.palette import CommandPalette
from visualizer.app.commands.sheet import show_sheet
from visualizer.app.session.session import Session
from visualizer.app.window.about import about_sheet
from visualizer.app.window.help_sheet import help_sheet


class Sheets:
    """Those of one window. `actions` are what the palette runs."""

    def __init__(self, session: Session, keys: Keys, actions: Actions, window: QWidget) -> None:
        self._session, self._keys, self._actions, self._window = session, keys, actions, window

    def show_help(self) -> None:
        show_sheet(help_sheet(self._window, self._keys.commands))

    def show_about(self) -> None:
        show_sheet(about_sheet(self._window, self._session.document))

    def show_palette(self) -> None:
        self._actions.refresh()
        show_sheet(CommandPalette(self._keys.commands, self._actions, self._window))
