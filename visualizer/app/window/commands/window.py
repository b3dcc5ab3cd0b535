"""The Window menu: panes and the screen."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow

from visualizer.app.commands.command import Command, On
from visualizer.app.commands.keys import Keys
from visualizer.app.session.structuring import Structuring
from visualizer.app.settings.workspace_table import WORKSPACES
from visualizer.app.window.layout import Docks
from visualizer.app.window.pane_keys import PaneKeys
from visualizer.app.window.workspaces import Workspaces
from visualizer.language import mark


def _workspace(name: str, help_: str, key: str) -> Command:
    return Command(
        f"window.{name}",
        WORKSPACES[name].title,
        help_,
        "Window",
        On(Workspaces, lambda workspaces: workspaces.go_to(name)),
        (key,),
        checked=On(Workspaces, lambda workspaces: workspaces.name == name),
    )


def _toggle_full_screen(window: QMainWindow) -> None:
    window.setWindowState(window.windowState() ^ Qt.WindowState.WindowFullScreen)


COMMANDS = (
    _workspace("look", mark("The workspace to read a recording in: timeline, code, ring and inspector."), "F2"),
    _workspace("experiment", mark("The workspace to run in: parameters on the left, results on the right."), "F7"),
    _workspace("teach", mark("The workspace to prepare a lecture in: the story beside what it shows."), "F8"),
    Command(
        "window.full_screen",
        mark("Full screen"),
        mark("Fill the screen, or go back to a window."),
        "Window",
        On(QMainWindow, _toggle_full_screen),
        ("F11",),
        checked=On(QMainWindow, QMainWindow.isFullScreen),
        separated=True,
    ),
    Command(
        "window.next_pane",
        mark("Next pane"),
        mark("Give the keyboard to the next pane that is open, and bring it to the front."),
        "Window",
        On(PaneKeys, PaneKeys.next),
        ("F6",),
        separated=True,
    ),
    Command(
        "window.previous_pane",
        mark("Previous pane"),
        mark("Give the keyboard to the pane before, and bring it to the front."),
        "Window",
        On(PaneKeys, PaneKeys.previous),
        ("Shift+F6",),
    ),
    Command(
        "window.statistics",
        mark("Show the statistics"),
        mark("Bring the numbers of the range in view to the front."),
        "Window",
        On(Docks, lambda docks: docks.bring("statistics")),
        ("Ctrl+Shift+S",),
    ),
    Command(
        "window.predict",
        mark("Show the prediction"),
        mark("Bring what other stage counts would give to the front."),
        "Window",
        On(Docks, lambda docks: docks.bring("predict")),
        ("Ctrl+Shift+D",),
    ),
    Command(
        "window.structure",
        mark("Show the structure"),
        mark("Bring rings, barriers and agents to the front, to name them and to say what they are for."),
        "Window",
        On(Structuring, Structuring.show_pane),
        ("Ctrl+Shift+R",),
    ),
    Command(
        "window.reset_layout",
        mark("Reset the layout"),
        mark("Put every pane back where this workspace has it at first."),
        "Window",
        On(Workspaces, Workspaces.reset),
    ),
    Command(
        "window.keys",
        mark("Keys…"),
        mark("Choose the keys of every command."),
        "Window",
        On(Keys, Keys.show),
    ),
)
