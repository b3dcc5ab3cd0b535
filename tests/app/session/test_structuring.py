"""Telling structure in the window: tried, kept in the sidecar file, shown everywhere, and undone by taking it back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from visualizer.app.session.document import Document
from visualizer.app.session.record_job import Experiment
from visualizer.app.window.main_window import MainWindow
from visualizer.language import use
from visualizer.playback.focus import Focus
from visualizer.playback.notes_file import load_notes, load_structure, notes_path, save_structure
from visualizer.programs.registry import find_program
from visualizer.recording.file import save
from visualizer.replay.history import History
from visualizer.resources import resource_dir
from visualizer.sources.simulator.simulate import simulate
from visualizer.sources.source import Request
from visualizer.structure.forget import forget

KV = {"ring": "ring0", "name": "kv"}
BAD = {"barriers": ["0x999"], "kind": "unknown"}


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """The lesson as of a stranger's kernel, in a file."""
    path = tmp_path / "run.pscope"
    save(forget(simulate(find_program("lesson"))), path)
    return path


def settle(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: not window.work.is_busy, timeout=20_000)


@pytest.fixture
def opened(qtbot: QtBot, make_window: Callable[[], MainWindow], recording: Path) -> MainWindow:
    """A window on the recording."""
    window = make_window()
    window.files.open(recording)
    settle(qtbot, window)
    return window


def rings(window: MainWindow) -> list[tuple[str, int]]:
    return [(ring.name, ring.stages) for ring in window.document.history.structure.rings]


def told(window: MainWindow) -> list[str]:
    pane = window.panes["structure"]
    return [pane.entries.item(row).text() for row in range(pane.entries.count())]


def test_a_name_is_kept_and_shown_and_nobodys_place_is_lost(qtbot: QtBot, opened: MainWindow, recording: Path) -> None:
    window = opened
    window.navigator.go_to(Focus(60, "0x0"))
    window.navigator.go_to(Focus(80, "0x0"))
    window.timeline.scene.navigation.show(1_000_000, 5_000_000)
    window.breakpoints.add('ring == "kv"')
    window.noting.toggle_mark()
    view = window.timeline.scene.view
    window.panes["structure"].entry_added.emit(KV)
    settle(qtbot, window)
    assert rings(window) == [("kv", 3)]
    assert load_structure(notes_path(recording)) == [KV]
    assert window.navigator.focus == Focus(80, "0x0")
    assert window.navigator.can_go_back
    assert (window.timeline.scene.view.start, window.timeline.scene.view.end) == (view.start, view.end)
    assert len(window.breakpoints.all.hits()) > 0
    assert [mark.focus.step for mark in window.noting.notes.marks] == [80]
    assert told(window) == ["ring ring0 is called kv"]
    assert window.document.report is not None


def test_what_was_told_is_there_when_the_recording_is_opened_again_and_made_anew(
    qtbot: QtBot, opened: MainWindow, recording: Path
) -> None:
    opened.structuring.add(KV)
    settle(qtbot, opened)
    for seed in (0, 1):
        save(forget(simulate(find_program("lesson", {"tiles": 12}), seed=seed)), recording)
        opened.files.open(recording)
        settle(qtbot, opened)
        assert rings(opened) == [("kv", 3)]
        assert told(opened) == ["ring ring0 is called kv"]
        assert not opened.messages.isVisible()  # no note is on another recording


def test_a_file_written_by_hand_is_followed_and_takes_notes(
    qtbot: QtBot, make_window: Callable[[], MainWindow], recording: Path
) -> None:
    notes_path(recording).write_text(json.dumps({"structure": [KV]}), encoding="utf-8")
    window = make_window()
    window.files.open(recording)
    settle(qtbot, window)
    assert rings(window) == [("kv", 3)]
    assert not window.messages.isVisible()
    window.noting.toggle_mark()
    assert load_structure(notes_path(recording)) == [KV]
    assert load_notes(notes_path(recording), window.document.history.trace) == window.noting.notes


def test_an_entry_taken_back_is_undone(qtbot: QtBot, opened: MainWindow, recording: Path) -> None:
    split = {"ring": "last", "full": ["0x10"], "empty": ["0x28"]}
    for entry in (split, KV):
        opened.structuring.add(entry)
        settle(qtbot, opened)
    assert rings(opened) == [("kv", 2), ("last", 1)]
    opened.panes["structure"].entry_removed.emit(0)
    settle(qtbot, opened)
    assert rings(opened) == [("kv", 3)]
    assert load_structure(notes_path(recording)) == [KV]
    opened.structuring.remove(0)
    settle(qtbot, opened)
    assert rings(opened) == [("ring0", 3)]
    assert not notes_path(recording).exists()


def test_what_cannot_be_is_refused_in_a_sentence(qtbot: QtBot, opened: MainWindow, recording: Path) -> None:
    opened.structuring.add(BAD)
    settle(qtbot, opened)
    assert "the recording has no barrier '0x999'" in opened.messages.text
    assert opened.document.entries == ()
    assert not notes_path(recording).exists()


def test_a_wrong_entry_of_the_file_is_named_and_can_be_taken_back(
    qtbot: QtBot, make_window: Callable[[], MainWindow], recording: Path
) -> None:
    notes_path(recording).write_text(json.dumps({"structure": [{"ring": "a", "full": ["0x0", "0x0"]}]}), "utf-8")
    window = make_window()
    window.files.open(recording)
    settle(qtbot, window)
    shown = window.messages.text
    assert f"{notes_path(recording)}: structure[0]: a barrier is in it twice" in shown
    assert "count as unknown" in shown
    row = window.document.history.trace.barrier_index["0x0"]
    assert window.document.history.structure.kinds[row] == "other"
    assert told(window) == ["structure[0]: a barrier is in it twice"]
    window.structuring.remove(0)
    settle(qtbot, window)
    assert rings(window) == [("ring0", 3)]


def test_a_file_that_cannot_be_read_tells_nothing_and_is_not_written_over(
    qtbot: QtBot, make_window: Callable[[], MainWindow], recording: Path
) -> None:
    notes_path(recording).write_text('{"structure": 3}', encoding="utf-8")
    window = make_window()
    window.files.open(recording)
    settle(qtbot, window)
    assert "cannot be read as notes" in window.messages.text
    assert rings(window) == [("ring0", 3)]
    window.structuring.add(KV)
    settle(qtbot, window)
    assert "cannot be read as notes" in window.messages.text
    assert notes_path(recording).read_text(encoding="utf-8") == '{"structure": 3}'
    assert rings(window) == [("kv", 3)]  # in the window alone


def test_of_an_unsaved_run_it_goes_with_the_next_run_of_the_program_and_is_saved_with_the_recording(
    qtbot: QtBot, make_window: Callable[[], MainWindow], tmp_path: Path
) -> None:
    window = make_window()
    window.running.run(Experiment("simulator", Request("attention")))
    settle(qtbot, window)
    window.structuring.add({"ring": "k", "name": "keys"})
    settle(qtbot, window)
    window.running.run(Experiment("simulator", Request("attention", {"tiles": 5})))
    settle(qtbot, window)
    assert rings(window) == [("keys", 2), ("v", 3), ("q", 1)]
    path = tmp_path / "attention.pscope"
    assert window.files.save(path)
    assert load_structure(notes_path(path)) == [{"ring": "k", "name": "keys"}]
    window.running.run(Experiment("simulator", Request("lesson")))
    settle(qtbot, window)
    assert window.document.entries == ()
    assert told(window) == []


def test_saving_over_a_file_that_tells_something_else_adds_to_that(
    qtbot: QtBot, opened: MainWindow, recording: Path, tmp_path: Path
) -> None:
    opened.structuring.add(KV)
    settle(qtbot, opened)
    other = tmp_path / "other.pscope"
    theirs = [{"ring": "ring0", "name": "theirs"}]
    notes_path(other).write_text(json.dumps({"structure": theirs}), encoding="utf-8")
    assert opened.files.save(other)
    settle(qtbot, opened)
    assert load_structure(notes_path(other)) == [*theirs, KV]
    assert "Here it is told that ring ring0 is called kv, and in another window that ring ring0 is called theirs" in (
        opened.messages.text
    )


def both_windows(make_window: Callable[[], MainWindow], qtbot: QtBot, recording: Path) -> list[MainWindow]:
    windows = [make_window(), make_window()]
    for window in windows:
        window.files.open(recording)
        settle(qtbot, window)
    return windows


def test_two_windows_tell_different_things_and_both_are_so(
    qtbot: QtBot, make_window: Callable[[], MainWindow], recording: Path
) -> None:
    one, other = both_windows(make_window, qtbot, recording)
    mma = {"agents": ["consumer.w1"], "role": "mma"}
    one.structuring.add(KV)
    other.structuring.add(mma)  # neither knows of the other's yet
    both = [{"ring ring0 is called kv", "consumer.w1: mma"}] * 2
    qtbot.waitUntil(lambda: [set(told(window)) for window in (one, other)] == both, timeout=20_000)
    for window in (one, other):
        settle(qtbot, window)
        assert rings(window) == [("kv", 3)]
        assert not window.messages.isVisible()
    assert len(load_structure(notes_path(recording))) == 2
    one.structuring.remove(one.document.entries.index(mma))
    qtbot.waitUntil(lambda: told(other) == ["ring ring0 is called kv"], timeout=20_000)
    settle(qtbot, other)
    assert load_structure(notes_path(recording)) == [KV]


def test_what_two_windows_tell_of_one_ring_is_kept_and_said_in_one_sentence(
    qtbot: QtBot, make_window: Callable[[], MainWindow], recording: Path
) -> None:
    one, other = both_windows(make_window, qtbot, recording)
    one.structuring.add(KV)
    other.structuring.add({"ring": "ring0", "name": "mine"})
    qtbot.waitUntil(lambda: all(len(told(window)) == 2 for window in (one, other)), timeout=20_000)
    assert len(load_structure(notes_path(recording))) == 2
    said = [window.messages.text for window in (one, other) if "Here it is told that" in window.messages.text]
    assert said
    assert all("called kv" in sentence and "called mine" in sentence for sentence in said)
    for window in (one, other):
        settle(qtbot, window)


def test_what_one_window_tells_while_the_other_tries_something_that_cannot_be_is_followed(
    qtbot: QtBot, opened: MainWindow, recording: Path
) -> None:
    trace = opened.document.history.trace
    opened.structuring.add(BAD)
    save_structure(notes_path(recording), [KV], trace, [])
    qtbot.waitUntil(lambda: rings(opened) == [("kv", 3)], timeout=20_000)
    assert load_structure(notes_path(recording)) == [KV]
    settle(qtbot, opened)


def test_of_a_recording_that_comes_with_phasescope_it_is_kept_with_the_settings(
    qtbot: QtBot, make_window: Callable[[], MainWindow]
) -> None:
    window = make_window()
    lesson = resource_dir("assets") / "traces" / "one-stage.pscope"
    window.files.open(lesson)
    settle(qtbot, window)
    window.structuring.add({"agents": ["consumer.w1"], "role": "mma"})
    settle(qtbot, window)
    assert not notes_path(lesson).exists()
    assert load_structure(window.noting.sidecar(lesson)) == [{"agents": ["consumer.w1"], "role": "mma"}]


def test_a_recording_compared_with_follows_its_own_file(qtbot: QtBot, opened: MainWindow, tmp_path: Path) -> None:
    other = tmp_path / "other.pscope"
    save(opened.document.history.trace, other)
    notes_path(other).write_text(json.dumps({"structure": [KV, BAD]}), encoding="utf-8")
    opened.comparing.compare_with(other)
    settle(qtbot, opened)
    assert [ring.name for ring in opened.comparing.pane._comparison.b.structure.rings] == ["kv"]
    assert f"{notes_path(other)}: structure[1]" in opened.messages.text


def test_nothing_is_told_without_a_recording(make_window: Callable[[], MainWindow]) -> None:
    window = make_window()
    window.structuring.add(KV)
    window.structuring.remove(0)
    assert not window.work.is_busy


def test_the_pane_speaks_chinese(window: MainWindow, qtbot: QtBot) -> None:
    pane = window.panes["structure"]
    window.structuring.show_pane()
    assert pane.tree.hasFocus()
    english: list[Any] = [pane.change_button.text(), pane.tree.topLevelItem(1).text(0)]
    use("zh")
    window.languages.follow()
    assert [pane.change_button.text(), pane.tree.topLevelItem(1).text(0)] != english
    settle(qtbot, window)


def test_structure_that_is_not_asked_for_is_shared(lesson_history: History) -> None:
    lesson_history.build()
    again = lesson_history.with_structure(lesson_history.structure)
    assert again.barriers is lesson_history.barriers
    assert again.stages is not lesson_history.stages
    assert Document(again, None, saved=True).entries == ()
