"""Which commands may be tested in one window after another, and how any is."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_checks import CHECKS, marking, moving
from visualizer.app.window.main_window import MainWindow

_OUTLIVE_THE_DOCUMENT = {
    "debug.new", "debug.toggle", "debug.toggle_all", "debug.remove_all", "debug.next_hit", "debug.previous_hit",
    "find.find", "find.next", "find.previous", "mark.note", "mark.region", "mark.measure",
}  # fmt: skip
"""They open a pane or a bar, or begin to measure."""
OF_THE_DOCUMENT = {*moving.CHECKS, *marking.CHECKS} - _OUTLIVE_THE_DOCUMENT
"""What they change goes with the document."""


def check(window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command_id: str) -> None:
    """Trigger the command as a menu would, and look at what it did."""
    action = window.actions_by_id[command_id]

    def run() -> None:
        window.actions_by_id.refresh()
        assert action.isEnabled(), f"{command_id} is disabled"
        action.trigger()

    CHECKS[command_id](window, run, monkeypatch, tmp_path)
