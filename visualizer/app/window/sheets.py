"""The sheets over the window: keys and commands, the palette, and what this is. Each is imported when it is shown."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from visualizer.app.commands.command import Parts
from visualizer.app.commands.keys import Keys
from visualizer.app.commands.sheet import show_sheet
from visualizer.app.session.session import Session


class Sheets:
    """Those of one window."""

    def __init__(self, parts: Parts, window: QWidget) -> None:
        self._parts, self._window = parts, window

    def show_help(self) -> None:
        from visualizer.app.window.help_sheet import help_sheet

        show_sheet(help_sheet(self._window, self._parts[Keys].commands))

    def show_about(self) -> None:
        from visualizer.app.window.about import about_sheet

        show_sheet(about_sheet(self._window, self._parts[Session].document))

    def show_palette(self) -> None:
        from visualizer.app.commands.palette import CommandPalette
        from visualizer.app.window.findable import findable

        show_sheet(CommandPalette(findable(self._parts), self._window))
