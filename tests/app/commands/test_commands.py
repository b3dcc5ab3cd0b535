"""The registry: no key twice, every command in a menu, described, and on the docs page."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from visualizer.app.commands.command import GROUPS, Command, On, Parts, Registry
from visualizer.app.window.commands import COMMANDS
from visualizer.app.window.commands_page import commands_markdown
from visualizer.app.window.main_window import MainWindow

_ROOT = Path(__file__).resolve().parents[3]


def _command(command_id: str, *keys: str) -> Command:
    return Command(command_id, "", "", "File", On(object, lambda part: None), keys)


def test_two_commands_on_one_key_are_refused() -> None:
    with pytest.raises(ValueError, match=r"Ctrl\+A is the key of both a and b"):
        Registry([_command("a", "ctrl+a"), _command("b", "Ctrl+A")])


def test_two_commands_of_one_id_are_refused() -> None:
    with pytest.raises(ValueError, match="two commands have the id a"):
        Registry([_command("a"), _command("a")])


def test_a_command_is_handed_the_part_it_names() -> None:
    parts = Parts("words", 7, 8.0)
    assert On(str, str.upper)(parts) == "WORDS"
    assert On(int, lambda number: number + 1)(parts) == 8
    with pytest.raises(LookupError, match="0 parts are a bytes"):
        On(bytes, bytes.hex)(parts)
    parts.add(b"\n")
    assert On(bytes, bytes.hex)(parts) == "0a"
    with pytest.raises(LookupError, match="2 parts are a int"):
        On(int, int.bit_length)(Parts(7, True))


def test_keys_mean_what_qt_understands_and_none_means_two_things() -> None:
    """Different spellings of one key would pass the registry's own check."""
    seen: dict[str, str] = {}
    for command in COMMANDS:
        for key in command.keys:
            portable = QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText)
            assert portable, f"{command.id}: Qt does not know {key}"
            assert seen.setdefault(portable, command.id) == command.id, f"{key} of {command.id} is taken"


def _entries(menu: QMenu) -> list[QAction]:
    """The entries of a menu and of the menus in it."""
    return [entry for action in menu.actions() for entry in (_entries(action.menu()) if action.menu() else [action])]


def test_every_command_is_described_and_in_a_menu(window: MainWindow) -> None:
    menus = {action.text().replace("&", ""): action.menu() for action in window.menuBar().actions()}
    assert tuple(menus) == GROUPS
    for command in COMMANDS:
        assert command.help.endswith("."), command.id
        assert command.id.startswith(command.group.lower() + "."), command.id
        assert window.actions_by_id[command.id] in _entries(menus[command.group]), command.id


def test_the_docs_page_is_current() -> None:
    assert (_ROOT / "docs" / "commands.md").read_text(encoding="utf-8") == commands_markdown()
