"""Lecture > Export a story: what can be chosen, progress, cancel, and errors in the dialog."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from test_lecture import STORY

from visualizer.app.lecture.export_dialog import StoryExportDialog
from visualizer.app.window.main_window import MainWindow


@pytest.fixture
def dialog(window: MainWindow, tmp_path: Path) -> StoryExportDialog:
    path = tmp_path / "own.toml"
    path.write_text(STORY, encoding="utf-8")
    window.actions_by_id["lecture.export"].trigger()
    dialog = window.story_exports.dialog
    assert dialog is not None
    dialog.add_story(path)
    return dialog


def answer(window: MainWindow, monkeypatch: pytest.MonkeyPatch, path: Path | None) -> None:
    monkeypatch.setattr(window.story_exports, "choose_path", lambda choice: path)


def choose(dialog: StoryExportDialog, suffix: str) -> None:
    dialog.format.setCurrentIndex(dialog.format.findData(suffix))


def test_a_chapter_is_written_and_told(
    dialog: StoryExportDialog, window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from pypdf import PdfReader

    answer(window, monkeypatch, tmp_path / "out.pdf")
    choose(dialog, ".pdf")
    assert [dialog.chapter.itemText(row) for row in range(dialog.chapter.count())] == ["all", "1. First", "2. Second"]
    dialog.chapter.setCurrentIndex(2)
    dialog.start.click()
    assert len(PdfReader(tmp_path / "out.pdf").pages) == 1
    assert "out.pdf written" in window.messages.text
    assert window.story_exports.dialog is None


def test_cancel_between_two_pictures_leaves_nothing(
    dialog: StoryExportDialog, window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    answer(window, monkeypatch, tmp_path / "out.gif")
    choose(dialog, ".gif")
    shown: list[float] = []
    show = dialog.show_progress

    def show_and_cancel(share: float, what: str) -> None:
        show(share, what)
        shown.append(share)
        assert not dialog.start.isEnabled()
        dialog.reject()

    monkeypatch.setattr(dialog, "show_progress", show_and_cancel)
    dialog.start.click()
    assert len(shown) == 1
    assert dialog.note.text() == "Cancelled; nothing was written."
    assert not (tmp_path / "out.gif").exists()
    assert dialog.start.isEnabled()
    dialog.reject()
    assert window.story_exports.dialog is None


def test_what_goes_wrong_is_said_in_the_dialog(
    dialog: StoryExportDialog, window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    answer(window, monkeypatch, None)
    dialog.start.click()
    assert dialog.note.text() == ""
    answer(window, monkeypatch, tmp_path / "none" / "out.html")
    dialog.start.click()
    assert "cannot be written" in dialog.note.text()
    bad = tmp_path / "bad.toml"
    bad.write_text("title = 3")
    dialog.add_story(bad)
    assert "bad.toml" in dialog.note.text()
    dialog.reject()


def test_the_file_gets_the_formats_ending(
    dialog: StoryExportDialog, window: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr(
        "visualizer.app.lecture.story_exports.QFileDialog.getSaveFileName", lambda *args: ("/somewhere/lecture", "")
    )
    choose(dialog, ".mp4")
    with qtbot.waitSignal(dialog.requested) as asked:
        monkeypatch.setattr(window.story_exports, "choose_path", lambda choice: None)
        dialog.start.click()
    monkeypatch.undo()
    monkeypatch.setattr(
        "visualizer.app.lecture.story_exports.QFileDialog.getSaveFileName", lambda *args: ("/somewhere/lecture", "")
    )
    assert window.story_exports.choose_path(asked.args[0]) == Path("/somewhere/lecture.mp4")
    dialog.reject()
