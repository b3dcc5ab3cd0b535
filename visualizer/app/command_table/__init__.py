"""Every command of the window, a module per menu: where keys are bound, and where docs/commands.md comes from."""

from __future__ import annotations

from visualizer.app.command_table import file, help, play, step, view, window
from visualizer.app.commands import Registry

COMMANDS = Registry((*file.COMMANDS, *step.COMMANDS, *play.COMMANDS, *view.COMMANDS, *window.COMMANDS, *help.COMMANDS))
