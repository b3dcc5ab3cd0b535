"""Errors nobody expected: one message and one report a place, and the recording saved beside it by one click."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from visualizer.app.window.defects import Defects
from visualizer.app.window.main_window import MainWindow
from visualizer.recording.file import load


def _raise(defects: Defects) -> None:
    try:
        raise ZeroDivisionError("<b>oops</b>")
    except ZeroDivisionError as error:
        defects(type(error), error, error.__traceback__)


@pytest.fixture
def defects(window: MainWindow, tmp_path: Path) -> Defects:
    return Defects(window, tmp_path / "state" / "reports")


def _reports(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "state" / "reports").glob("*"))


def test_a_defect_is_said_and_written_down_once(
    window: MainWindow, defects: Defects, qtbot: QtBot, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _raise(defects)
    qtbot.waitUntil(lambda: window.messages.isVisible())
    [report] = _reports(tmp_path)
    assert window.messages.text == f"phasescope has a defect: ZeroDivisionError: <b>oops</b> The report is in {report}."
    assert "Traceback" in capsys.readouterr().err
    text = report.read_text()
    assert "ZeroDivisionError: <b>oops</b>" in text
    assert "test_defects.py" in text
    assert "program: lesson" in text
    window.messages.hide()
    _raise(defects)
    qtbot.wait(1)
    assert not window.messages.isVisible()
    assert capsys.readouterr().err == ""


def test_the_recording_is_saved_beside_the_report_by_one_click(
    window: MainWindow, defects: Defects, qtbot: QtBot, tmp_path: Path
) -> None:
    _raise(defects)
    qtbot.waitUntil(window.messages.offer.isVisible)
    qtbot.mouseClick(window.messages.offer, Qt.MouseButton.LeftButton)
    recording, report = _reports(tmp_path)
    assert (recording.suffix, report.suffix) == (".pscope", ".txt")
    assert window.document is not None
    assert len(load(recording)) == len(window.document.history.trace)
    assert window.messages.text == f"{recording} and {report} together show the defect"
    assert not window.messages.offer.isVisible()


def test_a_defect_of_another_thread_reaches_the_window(window: MainWindow, defects: Defects, qtbot: QtBot) -> None:
    thread = threading.Thread(target=_raise, args=(defects,))
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: "ZeroDivisionError" in window.messages.text)


def test_a_report_that_cannot_be_written_is_not_promised(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    _raise(Defects(window, tmp_path / "file" / "reports"))
    qtbot.waitUntil(lambda: window.messages.isVisible())
    assert window.messages.text == "phasescope has a defect: ZeroDivisionError: <b>oops</b>"
    assert not window.messages.offer.isVisible()


def test_a_pane_that_cannot_be_drawn_leaves_the_window_alive(
    window: MainWindow, defects: Defects, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "excepthook", defects)
    monkeypatch.setattr(window.timeline, "paint", lambda painter: 1 // 0)
    window.timeline.viewport().repaint()
    qtbot.waitUntil(lambda: "ZeroDivisionError" in window.messages.text)
    monkeypatch.undo()
    window.timeline.viewport().repaint()
    assert window.isVisible()
