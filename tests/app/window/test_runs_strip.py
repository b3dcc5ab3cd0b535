"""The strip of runs: what a window has run and opened, a click away, two of them compared, none lost by closing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot
from simulated import run as simulate_lesson

from visualizer.app.session.document import Document
from visualizer.app.window.main_window import MainWindow
from visualizer.recording.file import load, save
from visualizer.recording.trace import Trace
from visualizer.replay.history import History

_Button = QMessageBox.StandardButton


def _document(trace: Trace) -> Document:
    return Document(History(trace), path=None, saved=False)


def _of_a_gpu(trace: Trace) -> Trace:
    return replace(trace, meta=replace(trace.meta, source={"kind": "gpu", "gpu": "NVIDIA H200"}))


@pytest.fixture
def window(make_window: Callable[[], MainWindow]) -> MainWindow:
    """A window that ran the lesson with two stages, and then with three."""
    window = make_window()
    for stages in (2, 3):
        window.show_document(_document(simulate_lesson(stages=stages, tiles=4)))
    return window


def _click(window: MainWindow, row: int, qtbot: QtBot, *modifiers: Qt.KeyboardModifier) -> None:
    strip = window.runs_strip.list
    at = strip.visualItemRect(strip.item(row)).center()
    modifier = modifiers[0] if modifiers else Qt.KeyboardModifier.NoModifier
    qtbot.mouseClick(strip.viewport(), Qt.MouseButton.LeftButton, modifier, at)


def test_it_is_there_once_there_is_a_choice(make_window: Callable[[], MainWindow]) -> None:
    window = make_window()
    assert not window.runs_strip.isVisible()
    window.show_document(_document(simulate_lesson(stages=2, tiles=4)))
    assert not window.runs_strip.isVisible()
    window.show_document(_document(simulate_lesson(stages=3, tiles=4)))
    assert window.runs_strip.isVisible()
    words = [window.runs_strip.list.item(row).text() for row in range(2)]
    assert words == ["1  lesson · stages=2  |  completed", "2  lesson · stages=3  |  completed"]


def test_a_click_shows_a_run_again(window: MainWindow, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.jobs.succeeded):
        _click(window, 0, qtbot)
    assert window.document.history.trace.meta.config["stages"] == 2
    assert window.document.report is not None
    assert len(window.runs.all) == 2
    assert window.runs.shown is window.runs.all[0]
    assert not window.runs_strip.list.hasFocus()  # the keys stay with the picture


def test_two_are_picked_and_compared(window: MainWindow, qtbot: QtBot) -> None:
    assert not window.runs_strip.compare.isEnabled()
    _click(window, 0, qtbot, Qt.KeyboardModifier.ControlModifier)
    assert window.document.history.trace.meta.config["stages"] == 3  # picking shows nothing else
    assert window.runs_strip.compare.isEnabled()
    with qtbot.waitSignal(window.comparing.jobs.succeeded):
        window.runs_strip.compare.click()
    qtbot.waitUntil(lambda: window.comparing.shown is not None and window.comparing.shown.isVisible())
    assert window.comparing.pane.title_b.text() == "b: lesson · stages=2"


def test_two_of_which_none_is_shown_are_compared(window: MainWindow, qtbot: QtBot) -> None:
    window.show_document(_document(simulate_lesson(stages=4, tiles=4)))
    first, second, _ = window.runs.all
    with qtbot.waitSignal(window.comparing.jobs.succeeded):
        window.comparing.compare_runs(first, second)
    assert window.document.history.trace.meta.config["stages"] == 2
    qtbot.waitUntil(lambda: window.comparing.shown is not None and window.comparing.shown.isVisible())


def test_a_first_run_that_cannot_be_shown_leaves_no_comparison_waiting(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "gone.pscope"
    save(simulate_lesson(stages=4, tiles=4), path)
    with qtbot.waitSignal(window.jobs.succeeded):
        window.files.open(path)
    first, second, gone = window.runs.all
    with qtbot.waitSignal(window.jobs.succeeded):
        window.files.show_run(second)
    path.unlink()
    with qtbot.waitSignal(window.jobs.failed):
        window.comparing.compare_runs(gone, first)
    with qtbot.waitSignal(window.jobs.succeeded):
        window.files.show_run(first)
    assert not window.comparing.jobs.is_busy
    assert window.comparing.shown is None


def test_a_run_is_the_reference_of_the_others(window: MainWindow) -> None:
    first, second = window.runs.all
    actions = {action.text(): action for action in window.runs_strip.menu(first).actions()}
    actions["Take as the reference"].trigger()
    assert "reference" in window.runs_strip.list.item(0).text()
    ratio = f"{second.duration_ps / first.duration_ps:.2f}"
    assert f"{ratio} x the time" in window.runs_strip.list.item(1).text()
    actions = {action.text(): action for action in window.runs_strip.menu(first).actions()}
    actions["No reference any more"].trigger()
    assert "x the time" not in window.runs_strip.list.item(1).text()


def test_an_opened_recording_is_a_run_and_read_from_its_file_again(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "opened.pscope"
    save(simulate_lesson(stages=4, tiles=4), path)
    with qtbot.waitSignal(window.jobs.succeeded):
        window.files.open(path)
    assert window.runs.all[2].trace is None
    with qtbot.waitSignal(window.jobs.succeeded):
        _click(window, 0, qtbot)
    with qtbot.waitSignal(window.jobs.succeeded):
        _click(window, 2, qtbot)
    assert window.document.path == path
    assert len(window.runs.all) == 3


def test_a_run_is_forgotten_but_not_the_one_shown(window: MainWindow) -> None:
    first, second = window.runs.all
    words = {action.text(): action for action in window.runs_strip.menu(second).actions()}
    assert not words["Forget"].isEnabled()
    words = {action.text(): action for action in window.runs_strip.menu(first).actions()}
    words["Forget"].trigger()
    assert window.runs.all == [second]
    assert not window.runs_strip.isVisible()


def test_another_run_loses_nothing_and_closing_saves_all(
    make_window: Callable[[], MainWindow], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    traces = [_of_a_gpu(simulate_lesson(stages=stages, tiles=4)) for stages in (2, 3)]
    monkeypatch.setattr(window.files, "ask_about_unsaved", lambda titles: pytest.fail("asked"))
    for trace in traces:
        window.show_document(_document(trace))
    asked: list[str] = []
    monkeypatch.setattr(window.files, "ask_about_unsaved", lambda titles: asked.extend(titles) or _Button.Save)
    paths = iter([tmp_path / "a.pscope", None, tmp_path / "b.pscope"])
    monkeypatch.setattr(window.files, "choose_save_path", lambda before=None: next(paths))
    assert not window.close()  # the second was not saved
    assert asked == ["lesson · stages=2", "lesson · stages=3"]
    asked.clear()
    assert window.close()
    assert asked == ["lesson · stages=3"]
    assert (load(tmp_path / "a.pscope").events == traces[0].events).all()
    assert (load(tmp_path / "b.pscope").events == traces[1].events).all()
