"""The Help menu: the keys, every command by name, and what this is."""

from __future__ import annotations

from visualizer.app.commands.command import Command, On
from visualizer.app.window.first_steps import FirstSteps
from visualizer.app.window.sheets import Sheets
from visualizer.language import mark

COMMANDS = (
    Command(
        "help.sheet",
        mark("Keys and commands"),
        mark("Show every command with its keys."),
        "Help",
        On(Sheets, Sheets.show_help),
        ("F1", "?"),
    ),
    Command(
        "help.palette",
        mark("Find anything…"),
        mark("Type a few letters of a command, pane, setting, fault, chapter, agent or barrier, and go there."),
        "Help",
        On(Sheets, Sheets.show_palette),
        ("Ctrl+Shift+P",),
    ),
    Command(
        "help.first_steps",
        mark("First steps"),
        mark("Show the cards of the beginning, and what the colours mean; or hide them."),
        "Help",
        On(FirstSteps, FirstSteps.toggle),
        checked=On(FirstSteps, lambda first_steps: not first_steps.isHidden()),
    ),
    Command(
        "help.about",
        mark("About phasescope"),
        mark("Show the version and the recording's particulars."),
        "Help",
        On(Sheets, Sheets.show_about),
    ),
)
