"""A screen reader can say what every widget is: the window, every dialog, the comparison, a lecture and the editor."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QFrame,
    QLabel,
    QLineEdit,
    QListView,
    QProgressBar,
    QScrollBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from visualizer.app.commands.command import Parts
from visualizer.app.lecture.commands import LECTURE_COMMANDS
from visualizer.app.session.front import bring_to_front
from visualizer.app.window.main_window import MainWindow
from visualizer.playback.focus import Focus
from visualizer.playback.stories.load import story_path
from visualizer.resources import resource_dir

_USED = (QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit, QProgressBar)
DIALOGS = (
    "help.sheet",
    "help.about",
    "help.palette",
    "window.keys",
    "file.export",
    "lecture.present",
    "lecture.export",
)


def nameless(top: QWidget) -> list[str]:
    """What in `top` takes the keyboard, can be used or is our own kind of widget, and has neither name nor text."""
    return [
        f"{type(widget).__name__} in {type(widget.parent()).__name__}"
        for widget in [top, *top.findChildren(QWidget)]
        if _counts(widget) and not QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)
    ] + [
        f"the name of {label.accessibleName()} hides its text"
        for label in top.findChildren(QLabel)
        if label.accessibleName()
    ]


def _counts(widget: QWidget) -> bool:
    ours = type(widget).__module__.startswith("visualizer.")
    return (ours or isinstance(widget, _USED) or bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)) and not _is_part(
        widget
    )


def _is_part(widget: QWidget) -> bool:
    """A part Qt makes of a widget, which speaks for it; and a label, whose text is its name."""
    parent = widget.parent()
    return (
        widget.objectName().startswith("qt_")
        or isinstance(widget, QScrollBar | QLabel)
        or isinstance(parent, QLineEdit)  # its clear button
        or (isinstance(widget, QListView) and type(parent) is QFrame)  # a combo box's list
        or isinstance(parent, QComboBox)
    )


def test_the_rule_finds_what_has_no_name(qtbot: QtBot) -> None:
    top = QWidget(accessibleName="top")
    qtbot.addWidget(top)
    line = QLineEdit(top)
    assert nameless(top) == ["QLineEdit in QWidget"]
    line.setAccessibleName("query")
    assert nameless(top) == []
    QLabel("12 events", top, accessibleName="count")
    assert nameless(top) == ["the name of count hides its text"]


def test_the_window_with_every_pane(window: MainWindow) -> None:
    window.navigator.go_to(Focus(60, "full[0]"))
    window.find_bar.open_bar()
    window.timeline.find_lanes()
    for dock in window.docks.all():
        bring_to_front(dock)
        assert dock.widget().accessibleName(), dock.windowTitle()
    assert nameless(window) == []


@pytest.mark.parametrize("command_id", DIALOGS)
def test_every_dialog(window: MainWindow, command_id: str) -> None:
    window.navigator.go_to(Focus(60, "full[0]"))
    window.actions_by_id[command_id].trigger()
    (dialog,) = [child for child in window.findChildren(QDialog) if child.isVisible()]
    assert nameless(dialog) == []
    dialog.close()


def test_the_comparison(window: MainWindow, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.comparing.jobs.succeeded):
        window.comparing.compare_with(resource_dir("assets") / "traces" / "slow-consumer.pscope")
    qtbot.waitUntil(window.comparing.shown.isVisible)
    assert nameless(window.comparing.shown) == []
    window.comparing.pane.show_overlay(True)
    assert window.comparing.pane.overlay.isVisible()
    assert nameless(window.comparing.shown) == []


def test_a_lecture_and_its_presenter(window: MainWindow) -> None:
    window.lectures.present(story_path("lesson"), full_screen=False)
    lecture = window.lectures.lecture
    assert lecture is not None
    lecture.ask_parameters()
    lecture.toggle_presenter()
    for name in ("timeline", "ring", "barriers"):
        lecture.stage.pane(name)
    assert not (found := nameless(lecture.stage)), " ".join(found)
    assert nameless(lecture.presenter) == []
    LECTURE_COMMANDS["stage.help"].run(Parts(lecture.stage))
    (sheet,) = lecture.stage.findChildren(QDialog)
    assert nameless(sheet) == []
    sheet.close()
    window.lectures.leave()


def test_the_story_editor(window: MainWindow) -> None:
    window.navigator.go_to(Focus(12, "full[0]"))
    window.actions_by_id["lecture.add_step"].trigger()
    editor = window.lectures.editor
    assert editor is not None
    assert nameless(editor) == []
    editor.setWindowModified(False)
    editor.close()
