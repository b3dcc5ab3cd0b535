"""File > Compare with: loading beside the picture, one focus for both recordings, and files that cannot be compared."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from visualizer.app.files import comparing as comparing_module
from visualizer.app.session.document import Document
from visualizer.app.window.main_window import MainWindow
from visualizer.playback.focus import Focus
from visualizer.playback.opening import open_recording
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.file import save
from visualizer.replay.history import History
from visualizer.sources.errors import Cancelled
from visualizer.sources.simulator.simulate import simulate


@pytest.fixture
def other(tmp_path: Path) -> Path:
    path = tmp_path / "other.pscope"
    save(simulate(lesson(LessonConfig(consumer_delay=1500)), seed=2), path)
    return path


@pytest.fixture
def comparing(window: MainWindow, other: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> MainWindow:
    """The window with its recording beside `other`."""
    monkeypatch.setattr(window.files, "choose_open_path", lambda: other)
    with qtbot.waitSignal(window.comparing.jobs.succeeded):
        window.actions_by_id["file.compare"].trigger()
    qtbot.waitUntil(window.comparing.shown.isVisible)
    return window


def test_it_shows_both(comparing: MainWindow) -> None:
    pane = comparing.comparing.pane
    assert pane.title_a.text() == f"a: {comparing.document.title}"
    assert pane.title_b.text() == "b: other.pscope"
    assert pane.verdict.text().startswith("Every agent does the same")
    assert not comparing.messages.isVisible()


def test_the_windows_steps_move_both(comparing: MainWindow) -> None:
    pane = comparing.comparing.pane
    comparing.navigator.go_to(Focus(80))
    comparing.actions_by_id["step.next"].trigger()
    assert pane.a._scene.focused.focus.step == 81
    assert pane.b._scene.focused.focus.step == pane._comparison.in_b(81)


def test_a_click_in_the_comparison_moves_the_window(comparing: MainWindow) -> None:
    comparing.comparing.pane.focus_requested.emit(Focus(44, "producer"))
    assert comparing.navigator.focus == Focus(44, "producer")


def test_the_theme_follows(comparing: MainWindow) -> None:
    before = comparing.comparing.pane.bars._theme
    comparing.actions_by_id["view.dark"].trigger()
    assert comparing.comparing.pane.bars._theme is comparing.appearance.theme
    assert comparing.comparing.pane.bars._theme != before


def test_another_recording_ends_the_comparison(comparing: MainWindow, lesson_history: History) -> None:
    comparing.show_document(Document(lesson_history, path=None, saved=True))
    assert not comparing.comparing.shown.isVisible()
    comparing.navigator.go_to(Focus(5))
    assert comparing.comparing.pane.a.view is None


def test_it_can_be_done_again(comparing: MainWindow, other: Path, qtbot: QtBot) -> None:
    dock = comparing.comparing.shown
    dock.hide()
    with qtbot.waitSignal(comparing.comparing.jobs.succeeded):
        comparing.comparing.compare_with(other)
    assert comparing.comparing.shown is dock
    assert dock.isVisible()


def test_a_bad_file_is_a_message(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    (tmp_path / "bad.pscope").write_bytes(b"bad")
    with qtbot.waitSignal(window.comparing.jobs.failed):
        window.comparing.compare_with(tmp_path / "bad.pscope")
    assert "bad.pscope" in window.messages.text
    assert window.comparing.shown is None


def test_recordings_of_different_agents_cannot_be_compared(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "two.pscope"
    save(simulate(lesson(LessonConfig(ctas=2))), path)
    with qtbot.waitSignal(window.comparing.jobs.failed):
        window.comparing.compare_with(path)
    assert "no agent in common" in window.messages.text


def test_no_file_chosen_changes_nothing(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window.files, "choose_open_path", lambda: None)
    window.actions_by_id["file.compare"].trigger()
    assert not window.comparing.jobs.is_busy


def test_cancel_stops_the_loading(
    window: MainWindow, other: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    def until_cancelled(progress, cancelled):
        while not cancelled():
            pass
        raise Cancelled

    monkeypatch.setattr(comparing_module, "_work", lambda history, path, sidecar: until_cancelled)
    window.comparing.compare_with(other)
    with qtbot.waitSignal(window.comparing.jobs.cancelled):
        window.actions_by_id["play.cancel"].trigger()
    assert window.messages.text == "Cancelled."
    assert window.comparing.shown is None


def test_what_the_pane_asks_for_is_found_in_the_thread(lesson_history: History, lesson_file: Path) -> None:
    work = comparing_module._work(lesson_history, "lesson", lambda: open_recording(lesson_file))
    found = work(lambda fraction, what: None, lambda: False)
    assert {"tiles", "rings", "differing"} <= set(vars(found))
