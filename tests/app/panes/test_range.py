"""A range that is marked shows its numbers in the inspector at once, and they are those of `stats --range --json`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from visualizer.app.session.document import Document
from visualizer.app.window.lane_menu import COMMANDS, lane_menu
from visualizer.app.window.main_window import MainWindow
from visualizer.cli.main import main
from visualizer.diagnosis.arrived import bytes_text
from visualizer.diagnosis.wording import duration
from visualizer.playback.focus import Focus
from visualizer.programs.parameters import LessonConfig


def _at(window: MainWindow, lane: str, time: int) -> QPoint:
    scene = window.timeline.scene
    assert scene is not None
    middle = scene.middle(lane)
    assert middle is not None
    return QPoint(round(scene.frame.lanes.left() + scene.view.pixel(time)), round(middle))


def _drag(qtbot: QtBot, window: MainWindow, begin: QPoint, end: QPoint) -> None:
    viewport = window.timeline.viewport()
    qtbot.mousePress(viewport, Qt.MouseButton.LeftButton, pos=begin)
    qtbot.mouseMove(viewport, end)
    qtbot.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=end)


def _said(window: MainWindow) -> str:
    return window.panes["inspector"].text.toPlainText()


def test_a_drag_over_lanes_shows_the_numbers_of_the_command_line(
    window: MainWindow, qtbot: QtBot, lesson_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _drag(qtbot, window, _at(window, "consumer.w1", 3_000_000), _at(window, "consumer.w1", 9_000_000))
    measured = window.timeline.measured
    assert measured is not None
    begin, end = sorted((measured.begin, measured.end))
    assert main(["stats", str(lesson_file), "--range", f"{begin}ps:{end}ps", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    said = _said(window)
    assert said.startswith(f"Range of {duration(end - begin)}, {duration(begin)} to {duration(end)}")
    assert bytes_text(document["landed_bytes"]) in said
    for role in document["roles"]:
        for name in ("busy", "back_pressure", "starved", "other", "issue"):
            share = role[f"{name}_share"]
            assert share == 0 or f"({share:.1%})" in said, (role["role"], name)
    for state, share in document["occupancy"]["all"].items():
        assert f"{state} {share:.1%}" in said
    assert f"busy {document['copy_engine_busy_share']:.1%}" in said


def test_a_click_selects_nothing_and_clears(window: MainWindow, qtbot: QtBot) -> None:
    _drag(qtbot, window, _at(window, "producer", 2_000_000), _at(window, "producer", 5_000_000))
    assert _said(window).startswith("Range of")
    place = _at(window, "producer", 4_000_000)
    _drag(qtbot, window, place, place + QPoint(2, 0))
    assert window.timeline.measured is None
    assert not _said(window).startswith("Range of")
    assert window.navigator.focus is not None
    assert window.navigator.focus.lane == "producer"


def test_the_keyboard_marks_a_range_too(window: MainWindow) -> None:
    window.navigator.go_to(Focus(20))
    window.actions_by_id["mark.measure"].trigger()
    window.navigator.go_to(Focus(80))
    assert _said(window).startswith("Range of")


def test_another_recording_has_no_range(
    window: MainWindow, qtbot: QtBot, make_document: Callable[..., Document]
) -> None:
    _drag(qtbot, window, _at(window, "producer", 2_000_000), _at(window, "producer", 5_000_000))
    window.show_document(make_document(LessonConfig(tiles=3)))
    assert not _said(window).startswith("Range of")


def test_a_double_click_zooms_to_the_slice(window: MainWindow, qtbot: QtBot) -> None:
    scene = window.timeline.scene
    assert scene is not None
    spans = scene.history.agent_spans(scene.history.trace.agent_index["consumer.w1"])
    row = int((spans.end - spans.start).argmax())
    middle = int(spans.start[row] + spans.end[row]) // 2
    place = _at(window, "consumer.w1", middle)
    qtbot.mouseClick(window.timeline.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.mouseDClick(window.timeline.viewport(), Qt.MouseButton.LeftButton, pos=place)
    view = window.timeline.view
    assert view is not None
    assert view.start <= spans.start[row] <= spans.end[row] <= view.end
    assert view.span < 2 * (spans.end[row] - spans.start[row])


def test_the_right_button_lists_what_can_be_done_there(window: MainWindow) -> None:
    place = _at(window, "full[1]", 5_000_000)
    viewport = window.timeline.viewport()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, viewport.mapToGlobal(place))
    QApplication.sendEvent(viewport, event)
    assert window.navigator.focus is not None
    assert window.navigator.focus.lane == "full[1]"
    menu = next(
        m for m in window.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly) if m.isVisible()
    )
    wanted = [window.actions_by_id[name] for group in COMMANDS for name in group]
    assert [action for action in menu.actions() if not action.isSeparator()] == wanted
    menu.close()


def test_every_entry_of_that_menu_is_a_command(window: MainWindow) -> None:
    menu = lane_menu(window.actions_by_id, window)
    assert len(menu.actions()) == sum(map(len, COMMANDS)) + len(COMMANDS) - 1
    menu.deleteLater()
