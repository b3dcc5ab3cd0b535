"""What a check of a command is: it is handed the window and a way to trigger the command, and looks at what it did."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from visualizer.app.window.main_window import MainWindow
from visualizer.playback.focus import Focus

Trigger = Callable[[], None]
Check = Callable[[MainWindow, Trigger, pytest.MonkeyPatch, Path], None]

START = Focus(100, "full[0]")
"""Where most checks begin: in the middle of the simulated lesson."""
