"""Open, save, recent, drag and drop, and what happens to files that are damaged or recordings that are not saved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QMenu, QMessageBox
from pytestqt.qtbot import QtBot

from visualizer.app.files import files as files_module
from visualizer.app.session.document import Document
from visualizer.app.window.main_window import MainWindow
from visualizer.recording.file import load
from visualizer.recording.tables import Ending
from visualizer.recording.trace import Trace
from visualizer.replay.history import History

_Button = QMessageBox.StandardButton


def _open(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.jobs.succeeded):
        window.files.open(path)


def _gpu_document(trace: Trace) -> Document:
    meta = replace(trace.meta, source={"kind": "gpu", "gpu": "NVIDIA H200"})
    return Document(History(replace(trace, meta=meta)), path=None, saved=False)


def test_open_shows_the_file(make_window: Callable, lesson_file: Path, lesson_trace: Trace, qtbot: QtBot) -> None:
    window = make_window()
    assert window.windowTitle() == "no recording[*] - phasescope"
    _open(window, lesson_file, qtbot)
    assert window.windowTitle() == "lesson.pscope[*] - phasescope"
    assert not window.isWindowModified()
    assert window.status.text("file") == "lesson.pscope"
    assert window.status.text("events") == f"{len(lesson_trace)} events"
    assert window.status.text("source") == "simulator, seed 0"
    assert window.transport.label.text().startswith(f"0 / {len(lesson_trace) - 1} ")
    assert not window.messages.isVisible()


def test_the_open_command_asks_for_a_file(
    window: MainWindow, lesson_file: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr(window.files, "choose_open_path", lambda: lesson_file)
    with qtbot.waitSignal(window.jobs.succeeded):
        window.actions_by_id["file.open"].trigger()
    assert window.document.path == lesson_file
    before = window.document
    monkeypatch.setattr(window.files, "choose_open_path", lambda: None)
    window.actions_by_id["file.open"].trigger()
    assert window.document is before


@pytest.mark.parametrize("content", [b"", b"no recording at all", b"PK\x03\x04 torn"])
def test_a_damaged_file_is_a_message_and_the_picture_stays(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, content: bytes
) -> None:
    before = window.document
    damaged = tmp_path / "damaged.pscope"
    damaged.write_bytes(content)
    with qtbot.waitSignal(window.jobs.failed):
        window.files.open(damaged)
    assert window.messages.isVisible()
    assert "damaged.pscope" in window.messages.text
    assert window.document is before
    window.actions_by_id["step.next"].trigger()
    assert window.navigator.focus.step == 1


def test_a_file_that_is_gone_is_a_message(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.jobs.failed):
        window.files.open(tmp_path / "gone.pscope")
    assert "gone.pscope" in window.messages.text


def test_save_writes_the_recording_and_clears_the_star(
    window: MainWindow, lesson_trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.show_document(_gpu_document(lesson_trace))
    assert window.windowTitle() == "lesson (gpu)[*] - phasescope"
    assert window.isWindowModified()
    path = tmp_path / "mine.pscope"
    monkeypatch.setattr(window.files, "choose_save_path", lambda before=None: path)
    window.actions_by_id["file.save"].trigger()
    assert (load(path).events == lesson_trace.events).all()
    assert window.windowTitle() == "mine.pscope[*] - phasescope"
    assert not window.isWindowModified()
    assert window.settings.recent[0] == path


def test_a_failed_save_is_a_message_and_the_star_stays(window: MainWindow, lesson_trace: Trace, tmp_path: Path) -> None:
    window.show_document(_gpu_document(lesson_trace))
    assert not window.files.save(tmp_path / "no such directory" / "mine.pscope")
    assert "mine.pscope cannot be saved" in window.messages.text
    assert window.isWindowModified()


def test_the_save_dialog_adds_the_suffix(window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dialog = files_module.QFileDialog
    monkeypatch.setattr(dialog, "getSaveFileName", lambda *_: (str(tmp_path / "run"), ""))
    assert window.files.choose_save_path() == tmp_path / "run.pscope"
    monkeypatch.setattr(dialog, "getSaveFileName", lambda *_: ("", ""))
    assert window.files.choose_save_path() is None
    monkeypatch.setattr(dialog, "getOpenFileName", lambda *_: (str(tmp_path / "a.pscope"), ""))
    assert window.files.choose_open_path() == tmp_path / "a.pscope"


def test_nothing_is_asked_when_nothing_is_lost(
    window: MainWindow, lesson_history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A simulation can be made again from its seed."""
    monkeypatch.setattr(window.files, "ask_about_unsaved", lambda titles: pytest.fail("asked"))
    window.show_document(Document(lesson_history, path=None, saved=False))
    assert window.isWindowModified()
    assert window.close()


@pytest.mark.parametrize(("answer", "closes"), [(_Button.Cancel, False), (_Button.Discard, True), (_Button.Save, True)])
def test_an_unsaved_gpu_recording_is_asked_about(
    window: MainWindow,
    lesson_trace: Trace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: QMessageBox.StandardButton,
    closes: bool,
) -> None:
    path = tmp_path / "kept.pscope"
    window.show_document(_gpu_document(lesson_trace))
    monkeypatch.setattr(QMessageBox, "exec", lambda box: answer)
    monkeypatch.setattr(window.files, "choose_save_path", lambda before=None: path)
    assert window.close() is closes
    assert path.exists() is (answer == _Button.Save)


def test_recent_files_are_listed_newest_first_and_open(
    window: MainWindow, lesson_file: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    other = tmp_path / "other.pscope"
    other.write_bytes(lesson_file.read_bytes())
    gone = tmp_path / "gone.pscope"
    gone.touch()
    for path in (gone, lesson_file, other, lesson_file):
        window.settings.add_recent(path)
    gone.unlink()
    menu = window.findChild(QMenu, "recent")
    menu.aboutToShow.emit()
    assert [action.text() for action in menu.actions()] == ["lesson.pscope", "other.pscope"]
    with qtbot.waitSignal(window.jobs.succeeded):
        menu.actions()[1].trigger()
    assert window.document.path == other
    window.actions_by_id["file.clear_recent"].trigger()
    menu.aboutToShow.emit()
    assert [action.text() for action in menu.actions()] == ["No recent files"]
    assert not menu.actions()[0].isEnabled()


def _drop(window: MainWindow, *urls: QUrl) -> QDropEvent:
    data = QMimeData()
    data.setUrls(list(urls))
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, buttons, keys)
    enter.ignore()
    window.dragEnterEvent(enter)
    drop = QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, buttons, keys)
    drop.ignore()
    if enter.isAccepted():
        window.dropEvent(drop)
    return drop


def test_a_dropped_file_opens(window: MainWindow, lesson_file: Path, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.jobs.succeeded):
        assert _drop(window, QUrl.fromLocalFile(str(lesson_file))).isAccepted()
    assert window.document.path == lesson_file


def test_what_cannot_be_opened_cannot_be_dropped(window: MainWindow, lesson_file: Path) -> None:
    file = QUrl.fromLocalFile(str(lesson_file))
    assert not _drop(window, QUrl("https://example.org/a.pscope")).isAccepted()
    assert not _drop(window, file, file).isAccepted()
    assert not window.jobs.is_busy


def test_open_the_lesson_opens_the_recording_that_comes_along(
    window: MainWindow, lesson_file: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr(files_module, "lesson_path", lambda: lesson_file)
    with qtbot.waitSignal(window.jobs.succeeded):
        window.actions_by_id["file.lesson"].trigger()
    assert window.document.path == lesson_file


def test_without_that_recording_the_lesson_is_simulated_and_says_so(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr(files_module, "lesson_path", lambda: None)
    with qtbot.waitSignal(window.jobs.succeeded):
        window.actions_by_id["file.lesson"].trigger()
    assert window.status.text("note") == "the recorded lesson is not installed: this one is simulated"
    assert window.status.text("source") == "simulator, seed 0"


def test_a_run_that_ended_badly_says_so(window: MainWindow, lesson_trace: Trace) -> None:
    meta = replace(
        lesson_trace.meta,
        ending=Ending("timeout", "consumer.w1 waited 1000 ms for full[0]"),
        records_lost=12,
        check={"mode": "exact", "checked": 10, "errors": 2},
        clock={"residual_max_ns": 31.7},
        reconcile={"moved": 7, "median_ns": 12.4, "max_ns": 95.2},
        source={"kind": "gpu", "gpu": "NVIDIA H200"},
    )
    window.show_document(Document(History(replace(lesson_trace, meta=meta)), path=None, saved=True))
    assert window.messages.text == "The run ended with timeout: consumer.w1 waited 1000 ms for full[0]"
    seen = {name: window.status.text(name) for name in ("source", "ending", "check", "lost", "trust")}
    assert seen == {
        "source": "NVIDIA H200",
        "ending": "⚠ timeout",
        "check": "⚠ 2 errors",
        "lost": "⚠ 12 events lost",
        "trust": "How much recording slowed this kernel is unknown; clock error under 96 ns.",
    }


def test_a_recording_without_events_is_shown_as_such(window: MainWindow, lesson_trace: Trace) -> None:
    """A kernel that crashed leaves no log."""
    meta = replace(lesson_trace.meta, ending=Ending("crash", "CUDA_ERROR_LAUNCH_FAILED (719)"))
    window.show_document(
        Document(History(replace(lesson_trace, events=lesson_trace.events[:0], meta=meta)), None, True)
    )
    assert window.transport.label.text() == "no events"
    assert not window.transport.scrubber.isEnabled()
    assert window.messages.text == "The run ended with crash: CUDA_ERROR_LAUNCH_FAILED (719)"
    for command_id in ("step.next", "step.last", "step.cause", "play.toggle", "view.fit_all", "view.focus"):
        window.actions_by_id[command_id].trigger()
    for dock in window.docks.all():
        dock.raise_()
        dock.grab()
    assert window.navigator.focus is None


def test_quit_closes_the_window(window: MainWindow) -> None:
    window.actions_by_id["file.quit"].trigger()
    assert not window.isVisible()


def test_closing_while_loading_ends_the_thread(window: MainWindow, lesson_file: Path) -> None:
    window.files.open(lesson_file)
    assert window.jobs.is_busy
    assert window.close()
    assert not window.jobs.is_busy
