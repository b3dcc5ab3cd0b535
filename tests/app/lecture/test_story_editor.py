"""Writing a story in the window: steps from the view, texts in place, order, saving, preview."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from visualizer.app.lecture.editor import StoryEditor
from visualizer.app.session.document import Document
from visualizer.app.window.main_window import MainWindow
from visualizer.playback.focus import Focus
from visualizer.playback.stories.load import load_story, story_path
from visualizer.recording.file import load
from visualizer.replay.history import History
from visualizer.resources import resource_dir


@pytest.fixture
def editor(window: MainWindow) -> Iterator[StoryEditor]:
    """The editor with two steps of the simulated lesson."""
    window.navigator.go_to(Focus(12, "full[0]"))
    window.actions_by_id["lecture.add_step"].trigger()
    window.navigator.go_to(Focus(30, "producer"))
    window.actions_by_id["lecture.add_step"].trigger()
    editor = window.lectures.editor
    assert editor is not None
    yield editor
    if window.lectures.editor is not None:
        editor.setWindowModified(False)
        editor.close()


def rows(editor: StoryEditor) -> list[list[str]]:
    """The listed steps, by chapter."""
    tree = editor.steps
    branches = [tree.topLevelItem(n) for n in range(tree.topLevelItemCount())]
    return [[branch.child(n).text(0) for n in range(branch.childCount())] for branch in branches]


def test_steps_come_from_the_view(editor: StoryEditor) -> None:
    assert editor.story is not None
    (chapter,) = editor.story.chapters
    assert chapter.source.program == "lesson"
    assert [step.lane for step in chapter.steps] == ["full[0]", "producer"]
    assert all(step.focus.find for step in chapter.steps)
    assert "can be told" in editor.message.text()
    assert len(rows(editor)[0]) == 2


def test_another_recording_begins_another_chapter(editor: StoryEditor, window: MainWindow) -> None:
    path = resource_dir("assets") / "traces" / "slow-consumer.pscope"
    window.show_document(Document(History(load(path)), path=path, saved=True))
    window.actions_by_id["lecture.add_step"].trigger()
    assert editor.story is not None
    assert [chapter.source.recording for chapter in editor.story.chapters] == ["", "slow-consumer"]
    assert editor.place == (1, 0)


def test_what_is_typed_is_saved(editor: StoryEditor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor.boxes["text", "en"].setPlainText("pending {full[0].pending}")
    editor.boxes["text", "zh"].setPlainText("剩 {full[0].pending}")
    editor.boxes["question", "en"].setPlainText("Why?")
    assert "question.zh" in editor.message.text() or "answer" in editor.message.text()
    editor.boxes["question", "zh"].setPlainText("为什么？")
    editor.boxes["answer", "en"].setPlainText("Because.")
    editor.boxes["answer", "zh"].setPlainText("因为。")
    path = tmp_path / "mine.toml"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    assert editor.isWindowModified()
    editor.buttons["save"].click()
    assert not editor.isWindowModified()
    step = load_story(path).chapters[0].steps[1]
    assert step.text.zh == "剩 {full[0].pending}"
    assert step.question is not None
    assert step.question.answer.en == "Because."


def test_steps_move_and_go(editor: StoryEditor) -> None:
    first, second = rows(editor)[0]
    editor.buttons["up"].click()
    assert [row[1:] for row in rows(editor)[0]] == [second[1:], first[1:]]
    editor.buttons["down"].click()
    assert [row[1:] for row in rows(editor)[0]] == [first[1:], second[1:]]
    editor.buttons["remove"].click()
    assert len(rows(editor)[0]) == 1
    editor.buttons["remove"].click()
    assert "at least one step" in editor.message.text()
    assert len(rows(editor)[0]) == 1


def test_the_preview_shows_the_selected_step(editor: StoryEditor, window: MainWindow, qtbot: QtBot) -> None:
    editor.buttons["preview"].click()
    lecture = window.lectures.lecture
    assert lecture is not None
    assert (lecture.presentation.beat.chapter, lecture.presentation.beat.step) == (0, 1)
    lecture.leave()


def test_closing_asks_about_what_is_not_saved(editor: StoryEditor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QMessageBox, "exec", lambda box: QMessageBox.StandardButton.Cancel)
    assert not editor.close()
    monkeypatch.setattr(QMessageBox, "exec", lambda box: QMessageBox.StandardButton.Discard)
    assert editor.close()


def test_another_story_is_opened_once_what_is_not_saved_may_go(
    editor: StoryEditor, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = editor.story
    monkeypatch.setattr(QMessageBox, "exec", lambda box: QMessageBox.StandardButton.Cancel)
    window.lectures.edit_file(story_path("lesson"))
    assert editor.story is before
    assert editor.isWindowModified()
    monkeypatch.setattr(QMessageBox, "exec", lambda box: QMessageBox.StandardButton.Discard)
    window.lectures.edit_file(story_path("lesson"))
    assert editor.story == load_story(story_path("lesson"))
    assert not editor.isWindowModified()


def test_save_comes_first_when_an_edited_story_is_closed(
    editor: StoryEditor, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    path = tmp_path / "story.toml"

    def answer(box: QMessageBox) -> QMessageBox.StandardButton:
        asked.append(box.standardButton(box.defaultButton()))
        return QMessageBox.StandardButton.Save

    monkeypatch.setattr(QMessageBox, "exec", answer)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    assert not editor.close(), "no file was chosen: nothing is lost"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    editor.buttons["close"].click()
    assert window.lectures.editor is None
    assert load_story(path).chapters
    assert asked[0] == QMessageBox.StandardButton.Save, "Return saves"


def test_a_rows_caption_follows_its_text(editor: StoryEditor) -> None:
    editor.boxes["text", "en"].setPlainText("Another beginning")
    assert editor.steps.currentItem().text(0).endswith("Another beginning")


def test_a_story_is_opened_from_its_file(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(story_path("lesson")), ""))
    window.actions_by_id["lecture.edit"].trigger()
    editor = window.lectures.editor
    assert editor is not None
    assert editor.story == load_story(story_path("lesson"))
    editor.close()
    assert window.lectures.editor is None


def test_a_file_that_is_no_story_is_a_message(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text("title = 1", encoding="utf-8")
    window.lectures.edit_file(path)
    assert window.lectures.editor is None
    assert str(path) in window.messages.text


def test_all_that_is_wrong_is_read_on_a_small_screen(editor: StoryEditor, window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1280, 800)
    window.workspaces.reset()
    window.show_pane("story")
    window.languages.toggle()
    editor.boxes["text", "en"].setPlainText("pending {full[9].pending}")
    editor.boxes["question", "en"].setPlainText("Why?")
    message = editor.message
    assert len(message.text().splitlines()) == 3
    qtbot.waitUntil(lambda: message.height() >= message.heightForWidth(message.width()))
