"""Breakpoints, find, notes and addresses in the window: from one part to the other, and from run to run."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QInputDialog, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from visualizer.app.session.document import Document
from visualizer.app.window.main_window import MainWindow
from visualizer.app.work import newest_job
from visualizer.playback.focus import Focus
from visualizer.playback.notes import Mark, Notes, SavedBreakpoint
from visualizer.playback.notes_file import load_notes, notes_path, save_notes
from visualizer.recording.file import save
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.resources import resource_dir


@pytest.fixture
def recording(lesson_trace: Trace, tmp_path: Path) -> Path:
    path = tmp_path / "run.pscope"
    save(lesson_trace, path)
    return path


@pytest.fixture
def saved_window(make_window: Callable[[], MainWindow], lesson_history: History, recording: Path) -> MainWindow:
    """A window on a recording that has a file of its own."""
    window = make_window()
    window.show_document(Document(lesson_history, path=recording, saved=True))
    return window


def _noted(recording: Path) -> dict:
    return json.loads(notes_path(recording).read_text(encoding="utf-8"))


def test_f9_breaks_here_and_f5_runs_from_hit_to_hit(window: MainWindow) -> None:
    completions = np.flatnonzero(window.document.history.kinds == EventKind.PHASE_COMPLETE)
    window.navigator.go_to(Focus(int(completions[0]), "full[0]"))
    QTest.keySequence(window.timeline, QKeySequence("F9"))
    (one,) = window.breakpoints.all
    steps = one.hits.tolist()
    for step in steps[1:]:
        QTest.keySequence(window.timeline, QKeySequence("F5"))
        assert window.navigator.focus.step == step
    QTest.keySequence(window.timeline, QKeySequence("F5"))
    assert window.navigator.focus.step == steps[-1]
    assert window.messages.text == "No breakpoint is hit after this event."
    for step in steps[-2::-1]:
        QTest.keySequence(window.timeline, QKeySequence("Shift+F5"))
        assert window.navigator.focus.step == step
    QTest.keySequence(window.timeline, QKeySequence("Shift+F5"))
    assert window.messages.text == "No breakpoint is hit before this event."


def test_a_disabled_breakpoint_stops_nothing_and_marks_nothing(window: MainWindow) -> None:
    window.breakpoints.add("blocked")
    assert window.actions_by_id["debug.next_hit"].isEnabled()
    assert len(window.timeline.marks["hit"].steps) > 0
    window.panes["breakpoints"].enabled_changed.emit(0, False)
    assert not window.actions_by_id["debug.next_hit"].isEnabled()
    assert len(window.timeline.marks["hit"].steps) == 0


def test_breakpoints_stay_when_the_experiment_runs_again(
    window: MainWindow, make_document: Callable[..., Document]
) -> None:
    from visualizer.programs.parameters import LessonConfig

    window.breakpoints.add("barrier == full[2] and kind == phase_complete")
    before = len(window.breakpoints.all[0].hits)
    window.show_document(make_document(LessonConfig(tiles=30)))
    assert len(window.breakpoints.all[0].hits) > before
    window.show_document(make_document(LessonConfig(stages=2)))
    assert "no barrier full[2]" in window.breakpoints.all[0].problem


def test_a_long_recording_is_counted_in_a_thread(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(newest_job, "AT_ONCE", 10)
    with qtbot.waitSignal(window.breakpoints.job.answered):
        window.breakpoints.add("blocked")
        assert window.breakpoints.all[0].hits is None
        window.breakpoints.next_hit()
        assert "still being counted" in window.messages.text
        window.breakpoints.add("kind == init")
    assert [len(one.hits) > 0 for one in window.breakpoints.all] == [True, True]
    qtbot.waitUntil(lambda: not window.breakpoints.job.is_busy)


def test_what_is_asked_while_an_answer_is_under_way_replaces_it(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(newest_job, "AT_ONCE", 10)
    answers: list[object] = []
    window.find_bar.matches_changed.connect(lambda steps: answers.append(len(steps)))
    with qtbot.waitSignal(window.find_bar.matches_changed):
        for text in ("kind == init", "kind == exit", "blocked"):
            window.find_bar.line.setText(text)
    qtbot.waitUntil(lambda: not window.find_bar.job.is_busy)
    events = window.document.history.trace.events
    assert answers == [int(np.count_nonzero(events["flags"] & 1))]


def test_find_counts_goes_round_and_closes(window: MainWindow, qtbot: QtBot) -> None:
    QTest.keySequence(window.timeline, QKeySequence("/"))
    bar = window.find_bar
    assert bar.isVisible()
    qtbot.keyClicks(bar.line, "kind == init")
    bar.line.hide_options()
    first, last = int(bar.matches[0]), int(bar.matches[-1])
    assert bar.count.text() == f"1 of {len(bar.matches)}"
    qtbot.keyClick(bar.line, Qt.Key.Key_Return)
    assert bar.count.text() == f"2 of {len(bar.matches)}"
    qtbot.mouseClick(bar.previous_button, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(bar.previous_button, Qt.MouseButton.LeftButton)
    assert window.navigator.focus.step == last
    qtbot.mouseClick(bar.next_button, Qt.MouseButton.LeftButton)
    assert window.navigator.focus.step == first
    window.navigator.go_to(Focus(100))
    assert bar.count.text() == f"{len(bar.matches)} matches"
    assert len(window.timeline.marks["match"].steps) == len(bar.matches)
    qtbot.keyClick(bar.line, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert len(window.timeline.marks["match"].steps) == 0
    assert window.timeline.hasFocus()


def test_f3_asks_what_to_find_when_there_is_nothing_yet(window: MainWindow) -> None:
    QTest.keySequence(window.timeline, QKeySequence("F3"))
    assert window.find_bar.line.hasFocus()


def test_a_wrong_query_is_pointed_at_while_typing(window: MainWindow) -> None:
    window.find_bar.open_bar()
    window.find_bar.line.setText("wait > 500")
    assert window.find_bar.count.text() == "no match"
    assert "       ^^^\nA time needs a unit" in window.find_bar.problem.text
    window.find_bar.line.setText("tma copy_done")
    assert not window.find_bar.problem.isVisible()
    assert len(window.find_bar.matches) == 8
    window.find_bar.line.clear()
    assert window.find_bar.count.text() == ""


def test_notes_and_breakpoints_come_back_with_the_recording(
    saved_window: MainWindow, recording: Path, lesson_history: History
) -> None:
    window = saved_window
    assert not notes_path(recording).exists()
    window.navigator.go_to(Focus(100, "full[0]"))
    for key in ("Ctrl+4", "M"):
        QTest.keySequence(window.timeline, QKeySequence(key))
    window.noting.set_text(window.noting.notes.at(100), "look here")
    window.breakpoints.add("blocked")
    window.breakpoints.enable(0, False)
    noted = _noted(recording)
    assert [(mark["step"], mark["bookmark"], mark["text"]) for mark in noted["marks"]] == [
        (100, None, "look here"),
        (100, 4, ""),
    ]
    assert noted["breakpoints"] == [{"query": "blocked", "enabled": False}]
    kept = window.noting.notes
    window.show_document(Document(lesson_history, path=None, saved=True))
    assert window.noting.notes.is_empty
    window.breakpoints.all.replace_all([])
    window.show_document(Document(lesson_history, path=recording, saved=True))
    assert window.noting.notes == kept
    assert [(one.query, one.enabled) for one in window.breakpoints.all] == [("blocked", False)]
    QTest.keySequence(window.timeline, QKeySequence("4"))
    assert window.navigator.focus == Focus(100, "full[0]")
    assert list(window.timeline.marks["bookmark"].labels) == ["⚑", "4"]


def test_notes_of_another_recording_are_left_alone(
    saved_window: MainWindow, recording: Path, lesson_trace: Trace
) -> None:
    window = saved_window
    window.noting.set_bookmark(1)
    before = notes_path(recording).read_bytes()
    other = replace(lesson_trace, meta=replace(lesson_trace.meta, created="another day"))
    window.show_document(Document(History(other), path=recording, saved=True))
    assert "another recording" in window.messages.text
    assert window.noting.notes.is_empty
    window.noting.set_bookmark(2)
    assert window.noting.notes.bookmark(2) is not None
    assert notes_path(recording).read_bytes() == before


def test_notes_go_with_a_recording_that_is_saved(window: MainWindow, tmp_path: Path) -> None:
    window.noting.set_bookmark(5)
    assert window.noting.path is None
    assert window.files.save(tmp_path / "new.pscope")
    assert _noted(tmp_path / "new.pscope")["marks"][0]["bookmark"] == 5


def test_notes_on_what_comes_with_phasescope_lie_with_the_settings(
    window: MainWindow, lesson_history: History, tmp_path: Path
) -> None:
    shipped = resource_dir("assets") / "traces" / "lesson.pscope"
    window.show_document(Document(lesson_history, path=shipped, saved=True))
    window.noting.set_bookmark(1)
    assert not notes_path(shipped).exists()
    assert (tmp_path / "notes" / "lesson.pscope.notes.json").is_file()


def test_notes_that_cannot_be_saved_are_said_once(saved_window: MainWindow, recording: Path) -> None:
    notes_path(recording).mkdir()
    saved_window.noting.set_bookmark(1)
    assert "notes.json cannot be read: a directory" in saved_window.messages.text
    saved_window.messages.hide()
    saved_window.noting.set_bookmark(2)
    assert not saved_window.messages.isVisible()
    assert len(saved_window.noting.notes.marks) == 2


def test_the_notes_pane_writes_and_removes(window: MainWindow) -> None:
    window.noting.toggle_mark()
    pane = window.panes["notes"]
    pane.text_edited.emit(window.noting.notes.marks[0], "first")
    assert window.noting.notes.marks[0].text == "first"
    pane.removed.emit(window.noting.notes.marks[0])
    assert window.noting.notes.is_empty


def test_an_address_is_copied_and_leads_back(saved_window: MainWindow, recording: Path) -> None:
    window = saved_window
    window.navigator.go_to(Focus(120, "full[1]"))
    window.actions_by_id["find.copy_address"].trigger()
    text = QGuiApplication.clipboard().text()
    assert text == f"{recording}#step=120&lane=full[1]"
    window.navigator.go_to(Focus(3))
    window.places.go(text)
    assert window.navigator.focus == Focus(120, "full[1]")
    window.places.go("7")
    assert window.navigator.focus == Focus(7)


@pytest.mark.parametrize(
    ("text", "words", "step"),
    [
        ("#step=9999", "There is no step 9999: this recording has steps 0 to 261.", 0),
        ("#step=5&lane=full[9]", "This recording has no lane full[9].", 5),
        ("#here", "comes step=N", 0),
    ],
)
def test_an_address_that_leads_nowhere_is_said(window: MainWindow, text: str, words: str, step: int) -> None:
    window.places.go(text)
    assert words in window.messages.text
    assert window.navigator.focus.step == step


def test_an_address_in_another_file_opens_it(window: MainWindow, recording: Path, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.jobs.succeeded):
        window.places.go(f"{recording}#step=42&lane=empty[1]")
    assert window.document.path == recording
    assert window.navigator.focus == Focus(42, "empty[1]")


def test_the_address_dialog_starts_from_here(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[QInputDialog] = []
    monkeypatch.setattr(QInputDialog, "exec", lambda dialog: asked.append(dialog) or QDialog.DialogCode.Rejected)
    window.navigator.go_to(Focus(4))
    window.places.ask()
    assert [dialog.textValue() for dialog in asked] == ["#step=4"]
    assert window.navigator.focus == Focus(4)


def test_the_address_dialogs_example_is_an_address_and_its_buttons_speak(window: MainWindow) -> None:
    window.languages.toggle()
    dialog = window.places.address_dialog()
    dialog.show()
    assert "120&&lane" in dialog.findChild(QLabel).text(), "one & alone marks a key and is not shown"
    assert [button.text() for button in dialog.findChildren(QPushButton)] == ["确定", "取消"]
    dialog.close()
    dialog.deleteLater()


def test_a_long_recording_has_its_notes_and_hits_once_it_is_read(
    window: MainWindow, recording: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("visualizer.app.session.record_job._READ_AT_ONCE", 10)
    window.breakpoints.add("blocked")
    hits = window.breakpoints.all[0].hits.tolist()
    window.find_bar.line.setText("blocked")
    window.places.go(f"{recording}#step=42&lane=empty[1]")
    qtbot.waitUntil(lambda: window.document.path == recording and not window.work.is_busy)
    assert window.navigator.focus == Focus(42, "empty[1]")
    assert window.breakpoints.all[0].hits.tolist() == hits
    assert window.find_bar.matches.tolist() == hits
    window.noting.set_bookmark(1)
    assert notes_path(recording).is_file()


def test_while_a_recording_is_read_nothing_is_noted_on_the_one_before(
    saved_window: MainWindow, recording: Path, lesson_trace: Trace
) -> None:
    window = saved_window
    window.breakpoints.add("blocked")
    before = notes_path(recording).read_bytes()
    window.reading.start = lambda document: None
    window.show_document(Document(History(lesson_trace), path=None, saved=True, read=False))
    window.breakpoints.add("derived")
    for command_id in ("mark.toggle", "mark.set_1", "mark.region", "mark.note", "debug.toggle", "debug.next_hit"):
        window.actions_by_id[command_id].trigger()
    assert window.breakpoints.all[1].hits is None
    assert notes_path(recording).read_bytes() == before


def test_notes_of_another_window_are_kept_and_shown(saved_window: MainWindow, recording: Path, qtbot: QtBot) -> None:
    trace = saved_window.document.history.trace
    saved_window.noting.set_bookmark(1)
    other = load_notes(notes_path(recording), trace)
    with qtbot.waitSignal(saved_window.noting.changed):
        other = save_notes(
            notes_path(recording),
            other.with_mark(Mark(Focus(5), text="theirs")).with_breakpoints([SavedBreakpoint("tile == 1")]),
            trace,
            other,
        )
    assert [mark.text for mark in saved_window.noting.notes.marks if mark.focus.step == 5] == ["theirs"]
    assert [one.query for one in saved_window.breakpoints.all] == ["tile == 1"]
    saved_window.noting.set_bookmark(2)
    saved_window.breakpoints.add("blocked")
    kept = load_notes(notes_path(recording), trace)
    assert {mark.bookmark for mark in kept.marks} == {1, 2, None}
    assert [one.query for one in kept.breakpoints] == ["tile == 1", "blocked"]
    with qtbot.waitSignal(saved_window.noting.changed):
        save_notes(notes_path(recording), Notes(), trace, kept)
    assert saved_window.noting.notes.is_empty
