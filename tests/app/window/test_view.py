"""Theme, scale, full screen, zoom keys, help, palette and about."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QKeyEvent, QKeySequence, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QPlainTextEdit, QTextBrowser, QToolButton
from pytestqt.qtbot import QtBot

from visualizer.app.commands.command import On
from visualizer.app.settings.settings import SCALES, Settings
from visualizer.app.window.about import about_text
from visualizer.app.window.commands import COMMANDS
from visualizer.app.window.main_window import MainWindow
from visualizer.views.look.theme import load_theme
from visualizer.views.timeline.timeline_widget import TimelineWidget


def _press(window: MainWindow, key: str) -> None:
    QTest.keySequence(window.timeline, QKeySequence(key))


@pytest.mark.parametrize(
    ("command_id", "method"),
    [
        ("view.zoom_in", "zoom_in"),
        ("view.zoom_out", "zoom_out"),
        ("view.pan_left", "pan_left"),
        ("view.pan_right", "pan_right"),
        ("view.fit_all", "fit_all"),
        ("view.focus", "centre_or_fit_focus"),
        ("view.undo_zoom", "undo_zoom"),
    ],
)
def test_the_view_keys_reach_the_timeline(window: MainWindow, command_id: str, method: str) -> None:
    called: list[str] = []
    assert COMMANDS[command_id].run == On(TimelineWidget, getattr(TimelineWidget, method))
    window.actions_by_id[command_id].triggered.connect(lambda: called.append(command_id))
    for key in COMMANDS[command_id].keys:
        _press(window, key)
    assert called == [command_id] * len(COMMANDS[command_id].keys)


@pytest.mark.parametrize(("code", "letter"), [(25, "z"), (38, "q")])
def test_zoom_and_pan_keys_go_by_position_on_other_keyboards(window: MainWindow, code: int, letter: str) -> None:
    """On a French keyboard the key at W's place says Z."""
    called: list[str] = []
    command_id = {25: "view.zoom_in", 38: "view.pan_left"}[code]
    window.actions_by_id[command_id].triggered.connect(lambda: called.append(command_id))
    none = Qt.KeyboardModifier.NoModifier
    for modifiers in (none, Qt.KeyboardModifier.ControlModifier):
        QApplication.sendEvent(
            window.timeline, QKeyEvent(QEvent.Type.KeyPress, ord(letter.upper()), modifiers, code, 0, 0, letter)
        )
    assert called == [command_id]


def test_the_theme_switches_at_run_time_everywhere(window: MainWindow, qapp: QApplication) -> None:
    window.show_pane("ring")
    window.appearance.set_theme("light")
    for name in ("dark", "light"):
        window.actions_by_id["view.dark"].trigger()
        theme = load_theme(name)
        assert window.appearance.theme == theme
        assert qapp.palette().color(QPalette.ColorRole.Window) == QColor(theme.window)
        assert window.actions_by_id["view.dark"].isChecked() is theme.dark
        assert window.settings.theme == name
        shown = window.panes["ring"].grab().toImage()
        assert shown.pixelColor(2, shown.height() // 2) == QColor(theme.panel)


def test_the_scale_grows_and_shrinks_the_text(window: MainWindow, qapp: QApplication) -> None:
    base = qapp.font().pointSizeF()
    for _ in SCALES:
        window.actions_by_id["view.larger"].trigger()
    assert window.appearance.scale == SCALES[-1]
    assert qapp.font().pointSizeF() == pytest.approx(base * SCALES[-1] / 100)
    for _ in SCALES:
        _press(window, "Ctrl+-")
    assert window.appearance.scale == SCALES[0]
    assert qapp.font().pointSizeF() == pytest.approx(base)
    assert COMMANDS["view.smaller"].keys == ("Ctrl+-",)


def test_full_screen_and_back(window: MainWindow) -> None:
    action = window.actions_by_id["window.full_screen"]
    _press(window, "F11")
    assert window.isFullScreen()
    assert action.isChecked()
    action.trigger()
    assert not window.isFullScreen()
    assert not action.isChecked()


def _dialog(window: MainWindow) -> QDialog:
    (dialog,) = [child for child in window.findChildren(QDialog) if child.isVisible()]
    return dialog


@pytest.mark.parametrize("key", COMMANDS["help.sheet"].keys)
def test_the_help_sheet_lists_every_command(window: MainWindow, key: str) -> None:
    _press(window, key)
    sheet = _dialog(window)
    text = sheet.findChild(QTextBrowser).toPlainText()
    for command in COMMANDS:
        assert (command.submenu or command.title) in text
        assert command.submenu or all(shown in text for shown in command.keys)
    sheet.close()


def test_about_says_what_the_recording_is(window: MainWindow) -> None:
    window.actions_by_id["help.about"].trigger()
    sheet = _dialog(window)
    text = sheet.findChild(QPlainTextEdit).toPlainText()
    assert "program: lesson" in text
    assert "ended: completed" in text
    sheet.close()
    assert about_text(None).startswith("phasescope ")


def test_without_a_recording_only_what_makes_sense_is_enabled(make_window: Callable[[], MainWindow]) -> None:
    window = make_window()
    enabled = {command.id for command in COMMANDS if window.actions_by_id[command.id].isEnabled()}
    assert "file.open" in enabled
    assert "play.run" in enabled
    assert not enabled & {"file.save", "step.next", "play.toggle", "play.cancel", "view.zoom_in", "step.back"}


def test_the_message_bar_closes(window: MainWindow, qtbot: QtBot, settings: Settings) -> None:
    window.messages.show_error("something went wrong")
    assert window.messages.isVisible()
    close = window.messages.findChild(QToolButton)
    close.click()
    assert not window.messages.isVisible()


def test_only_the_titles_of_docks_are_bold(window: MainWindow) -> None:
    """Fonts pass down from a styled dock to what stands in it unless told otherwise."""
    assert window.docks["notes"].font().bold()
    for pane in (window.experiment, *window.panes.values()):
        assert not pane.font().bold(), type(pane).__name__
