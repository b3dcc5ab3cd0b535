"""Every command of the registry, one by one: triggered as a menu would, then what it did is checked.

A command without an entry in CHECKS fails, and so does an entry without a command: none can be forgotten. Those that
change the document alone are in test_document_commands.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from command_checks import CHECKS
from command_checks.sharing import OF_THE_DOCUMENT, check

from visualizer.app.window.commands import COMMANDS
from visualizer.app.window.main_window import MainWindow


def test_no_command_is_untested_and_no_check_is_for_nothing() -> None:
    assert set(CHECKS) == {command.id for command in COMMANDS}


@pytest.mark.parametrize("command_id", [command.id for command in COMMANDS if command.id not in OF_THE_DOCUMENT])
def test_the_command_does_what_it_says(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command_id: str
) -> None:
    check(window, monkeypatch, tmp_path, command_id)
