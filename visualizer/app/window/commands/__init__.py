"""Every command of the window, a module per menu: where keys are bound, and where docs/commands.md comes from."""

from __future__ import annotations

from visualizer.app.commands.command import Registry
from visualizer.app.window.commands import debug, file, find, help, lanes, lecture, mark, play, step, view, window

COMMANDS = Registry(
    tuple(
        command
        for menu in (file, step, find, debug, mark, play, view, lanes, lecture, window, help)
        for command in menu.COMMANDS
    )
)
