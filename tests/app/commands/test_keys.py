"""Other keys than the table's own: chosen in the dialog, kept, and never two commands on one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialogButtonBox
from pytestqt.qtbot import QtBot

from visualizer.app.commands.keymap import differences, owner, with_keys
from visualizer.app.commands.keys_dialog import KeysDialog
from visualizer.app.settings.settings import Settings
from visualizer.app.window.commands import COMMANDS
from visualizer.app.window.main_window import MainWindow
from visualizer.language import tr, use


@pytest.fixture
def dialog(window: MainWindow) -> KeysDialog:
    window.actions_by_id["window.keys"].trigger()
    return next(child for child in window.findChildren(KeysDialog) if child.isVisible())


def _press(dialog: KeysDialog, command_id: str, key: str) -> None:
    dialog.select(command_id)
    dialog.key.setKeySequence(QKeySequence(key))


def test_a_registry_with_other_keys_differs_only_there() -> None:
    other = with_keys(COMMANDS, {"step.next": ("Ctrl+J",), "unknown.command": ("X",)})
    assert other["step.next"].keys == ("Ctrl+J",)
    assert differences(other, COMMANDS) == {"step.next": ("Ctrl+J",)}
    assert owner(other, "ctrl+j").id == "step.next"
    assert owner(other, "F10") is None
    with pytest.raises(ValueError, match=r"F5 is the key of both"):
        with_keys(COMMANDS, {"step.next": ("F5",)})


def test_a_chosen_key_works_at_once_and_the_old_one_no_longer(
    window: MainWindow, dialog: KeysDialog, qtbot: QtBot
) -> None:
    _press(dialog, "step.next", "Ctrl+J")
    qtbot.mouseClick(dialog.replace_button, Qt.MouseButton.LeftButton)
    dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).click()
    assert window.settings.keys == {"step.next": ("Ctrl+J",)}
    with qtbot.waitActive(window):
        window.activateWindow()
    QTest.keySequence(window.timeline, QKeySequence("Ctrl+J"))
    assert window.navigator.focus.step == 1
    QTest.keySequence(window.timeline, QKeySequence("."))
    assert window.navigator.focus.step == 1
    assert "Ctrl+J" in window.actions_by_id["step.next"].toolTip()
    assert window.keys.commands["step.next"].keys == ("Ctrl+J",)


def test_a_key_can_be_added_taken_away_and_put_back(dialog: KeysDialog, qtbot: QtBot) -> None:
    _press(dialog, "play.toggle", "Ctrl+P")
    qtbot.mouseClick(dialog.add_button, Qt.MouseButton.LeftButton)
    assert dialog.registry["play.toggle"].keys == ("Space", "K", "Ctrl+P")
    qtbot.mouseClick(dialog.clear_button, Qt.MouseButton.LeftButton)
    assert dialog.registry["play.toggle"].keys == ()
    qtbot.mouseClick(dialog.default_button, Qt.MouseButton.LeftButton)
    assert dialog.registry["play.toggle"].keys == ("Space", "K")
    qtbot.mouseClick(dialog.clear_button, Qt.MouseButton.LeftButton)
    dialog.buttons.button(QDialogButtonBox.StandardButton.RestoreDefaults).click()
    assert differences(dialog.registry, COMMANDS) == {}
    dialog.reject()


def test_a_clash_is_said_and_refused(dialog: KeysDialog, qtbot: QtBot) -> None:
    _press(dialog, "step.next", "F5")
    assert dialog.problem.text() == "F5 is the key of Debug: Run to the next hit. Give that another key first."
    qtbot.mouseClick(dialog.add_button, Qt.MouseButton.LeftButton)
    assert dialog.registry["step.next"].keys == COMMANDS["step.next"].keys
    dialog.select("debug.next_hit")
    qtbot.mouseClick(dialog.clear_button, Qt.MouseButton.LeftButton)
    _press(dialog, "step.next", "F5")
    qtbot.mouseClick(dialog.add_button, Qt.MouseButton.LeftButton)
    assert dialog.registry["step.next"].keys == (".", "F10", "F5")
    dialog.select("debug.next_hit")
    qtbot.mouseClick(dialog.default_button, Qt.MouseButton.LeftButton)
    assert dialog.problem.text().startswith("F5 is the key of Step: Next event.")
    assert dialog.registry["debug.next_hit"].keys == ()
    dialog.reject()


def test_the_list_is_narrowed_by_letters(dialog: KeysDialog, qtbot: QtBot) -> None:
    qtbot.keyClicks(dialog.filter, "bookmark 3")
    rows = [dialog.list.topLevelItem(row) for row in range(dialog.list.topLevelItemCount())]
    assert [row.text(0) for row in rows if not row.isHidden()] == ["Mark: Set bookmark 3", "Mark: Go to bookmark 3"]
    dialog.reject()


def test_cancel_changes_nothing(window: MainWindow, dialog: KeysDialog, qtbot: QtBot) -> None:
    dialog.select("step.next")
    qtbot.mouseClick(dialog.clear_button, Qt.MouseButton.LeftButton)
    dialog.reject()
    assert window.settings.keys == {}
    assert window.keys.commands["step.next"].keys == COMMANDS["step.next"].keys


def test_chosen_keys_are_there_the_next_time(make_window: Callable[[], MainWindow], settings: Settings) -> None:
    settings.keys = {"play.toggle": (), "step.next": ("Ctrl+J", "J")}
    window = make_window()
    assert window.keys.commands["step.next"].keys == ("Ctrl+J", "J")
    assert window.keys.commands["play.toggle"].keys == ()


def test_keys_that_clash_in_the_settings_are_not_used(
    make_window: Callable[[], MainWindow], settings: Settings
) -> None:
    settings.keys = {"step.next": ("F5",)}
    window = make_window()
    assert "F5 is the key of both" in window.messages.text
    assert window.keys.commands["step.next"].keys == COMMANDS["step.next"].keys


def test_commands_are_named_in_the_language_shown(qtbot: QtBot) -> None:
    use("zh")
    dialog = KeysDialog(COMMANDS, COMMANDS, None)
    qtbot.addWidget(dialog)
    dialog.select("step.next")
    assert dialog.list.currentItem().text(0) == f"{tr('Step')}: {tr(COMMANDS['step.next'].title)}"
    assert tr(COMMANDS["step.next"].help) in dialog.list.currentItem().toolTip(0)
    _press(dialog, "step.next", "F5")
    qtbot.mouseClick(dialog.replace_button, Qt.MouseButton.LeftButton)
    assert tr(owner(COMMANDS, "F5").title) in dialog.problem.text()
    assert tr("Step") != "Step"
