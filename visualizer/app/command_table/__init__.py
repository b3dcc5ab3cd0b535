"""Every command of the window, a module per menu: the one place where keys are bound. docs/commands.md comes from it."""

from __future__ import annotations

from visualizer.app.command_table import file, help, play, step, view, window
from visualizer.app.commands import Registry

COMMANDS = Registry((*file.COMMANDS, *step.COMMANDS, *play.COMMANDS, *view.COMMANDS, *window.COMMANDS, *help.COMMANDS))
