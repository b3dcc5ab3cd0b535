"""Commands that change the document alone, or where in it one is, one by one, in a window that they share."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_checks.sharing import OF_THE_DOCUMENT, check

from visualizer.app.window.commands import COMMANDS
from visualizer.app.window.main_window import MainWindow


@pytest.mark.parametrize("command_id", [command.id for command in COMMANDS if command.id in OF_THE_DOCUMENT])
def test_the_command_does_to_the_document_what_it_says(
    shared_window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command_id: str
) -> None:
    check(shared_window, monkeypatch, tmp_path, command_id)
