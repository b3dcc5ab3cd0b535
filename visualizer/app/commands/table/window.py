"""The Window menu: panes and the screen."""

from __future__ import annotations

from visualizer.app.commands.command import Command
from visualizer.app.commands.pane_keys import go_to_pane
from visualizer.app.settings.workspace_table import WORKSPACES
from visualizer.language import mark


def _workspace(name: str, help_: str, key: str) -> Command:
    return Command(
        f"window.{name}",
        WORKSPACES[name].title,
        help_,
        "Window",
        lambda w: w.workspaces.go_to(name),
        (key,),
        checked=lambda w: w.workspaces.name == name,
    )


COMMANDS = (
    _workspace("look", mark("The workspace to read a recording in: timeline, code, ring and inspector."), "F2"),
    _workspace("experiment", mark("The workspace to run in: parameters on the left, results on the right."), "F7"),
    _workspace("teach", mark("The workspace to prepare a lecture in: the story beside what it shows."), "F8"),
    Command(
        "window.full_screen",
        mark("Full screen"),
        mark("Fill the screen, or go back to a window."),
        "Window",
        lambda w: w.toggle_full_screen(),
        ("F11",),
        checked=lambda w: w.isFullScreen(),
        separated=True,
    ),
    Command(
        "window.next_pane",
        mark("Next pane"),
        mark("Give the keyboard to the next pane that is open, and bring it to the front."),
        "Window",
        lambda w: go_to_pane(w, 1),
        ("F6",),
        separated=True,
    ),
    Command(
        "window.previous_pane",
        mark("Previous pane"),
        mark("Give the keyboard to the pane before, and bring it to the front."),
        "Window",
        lambda w: go_to_pane(w, -1),
        ("Shift+F6",),
    ),
    Command(
        "window.statistics",
        mark("Show the statistics"),
        mark("Bring the numbers of the range in view to the front."),
        "Window",
        lambda w: w.show_pane("statistics"),
        ("Ctrl+Shift+S",),
    ),
    Command(
        "window.predict",
        mark("Show the prediction"),
        mark("Bring what other stage counts would give to the front."),
        "Window",
        lambda w: w.show_pane("predict"),
        ("Ctrl+Shift+D",),
    ),
    Command(
        "window.structure",
        mark("Show the structure"),
        mark("Bring rings, barriers and agents to the front, to name them and to say what they are for."),
        "Window",
        lambda w: w.structuring.show_pane(),
        ("Ctrl+Shift+R",),
    ),
    Command(
        "window.reset_layout",
        mark("Reset the layout"),
        mark("Put every pane back where this workspace has it at first."),
        "Window",
        lambda w: w.workspaces.reset(),
    ),
    Command(
        "window.keys",
        mark("Keys…"),
        mark("Choose the keys of every command."),
        "Window",
        lambda w: w.keys.show(),
    ),
)
