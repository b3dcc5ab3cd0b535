"""File and Lecture: recordings and stories in and out."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from command_checks.check import START, Check, Trigger
from visualizer.app.lecture.story_chooser import StoryChooser
from visualizer.app.window.main_window import MainWindow
from visualizer.resources import shipped_recording


def _file_open(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened: list[Path] = []
    monkeypatch.setattr(window.files, "choose_open_path", lambda: tmp_path / "a.pscope")
    monkeypatch.setattr(window.files, "open", lambda path: opened.append(path))
    run()
    assert opened == [tmp_path / "a.pscope"]


def _file_save(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(window.files, "choose_save_path", lambda before=None: tmp_path / "a.pscope")
    run()
    assert (tmp_path / "a.pscope").is_file()
    assert window.document.path == tmp_path / "a.pscope"


def _file_attach(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run()
    assert window.attaching.dialog.isVisible()
    window.attaching.dialog.close()


def _file_export(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run()
    assert window.exports.dialog.isVisible()
    window.exports.dialog.close()


def _file_compare(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    compared: list[Path] = []
    monkeypatch.setattr(window.files, "choose_open_path", lambda: tmp_path / "b.pscope")
    monkeypatch.setattr(window.comparing, "compare_with", lambda path: compared.append(path))
    run()
    assert compared == [tmp_path / "b.pscope"]


def _file_lesson(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened: list[str] = []
    monkeypatch.setattr(window.files, "open", lambda path: opened.append(path.name))
    run()
    assert opened == ["lesson.pscope"]


def _opens_kernel(name: str) -> Check:
    def check(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        opened: list[Path] = []
        monkeypatch.setattr(window.files, "open", opened.append)
        run()
        assert opened == [shipped_recording(name)]
        assert opened[0].is_file()

    return check


def _file_clear_recent(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "a.pscope").touch()
    window.settings.add_recent(tmp_path / "a.pscope")
    run()
    assert window.settings.recent == []


def _file_quit(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run()
    assert not window.isVisible()


_STORY = """
title = { en = "t", zh = "t" }
[[chapter]]
id = "one"
title = { en = "One", zh = "One" }
program = "lesson"
[[chapter.step]]
focus = 20
text = { en = "Here.", zh = "Here." }
"""


def _story(tmp_path: Path) -> Path:
    path = tmp_path / "story.toml"
    path.write_text(_STORY, encoding="utf-8")
    return path


def _explore(window: MainWindow, tmp_path: Path) -> None:
    """Begin a lecture and leave its stage to look around."""
    window.lectures.present(_story(tmp_path), full_screen=False)
    QTest.keyClick(window.lectures.lecture.stage, Qt.Key.Key_E)
    assert window.lectures.waits


def _lecture_present(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run()
    chooser = window.findChild(StoryChooser)
    assert chooser.isVisible()
    chooser.reject()


def _lecture_return(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _explore(window, tmp_path)
    run()
    assert window.lectures.lecture.stage.isVisible()
    window.lectures.leave()


def _lecture_leave(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _explore(window, tmp_path)
    run()
    assert window.lectures.lecture is None


def _lecture_add_step(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    window.navigator.go_to(START)
    run()
    editor = window.lectures.editor
    assert [step.lane for step in editor.story.chapters[0].steps] == ["full[0]"]
    editor.setWindowModified(False)
    editor.close()


def _lecture_edit(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = _story(tmp_path)
    monkeypatch.setattr("visualizer.app.lecture.lectures.QFileDialog.getOpenFileName", lambda *asked: (str(path), ""))
    run()
    assert window.lectures.editor.path == path
    window.lectures.editor.close()


def _lecture_export(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run()
    dialog = window.story_exports.dialog
    assert dialog.isVisible()
    dialog.reject()


CHECKS: dict[str, Check] = {
    "file.open": _file_open,
    "file.attach": _file_attach,
    "file.save": _file_save,
    "file.export": _file_export,
    "file.compare": _file_compare,
    "file.lesson": _file_lesson,
    **{f"file.{name}": _opens_kernel(name) for name in ("multicast", "gemm", "pingpong", "attention")},
    "file.clear_recent": _file_clear_recent,
    "file.quit": _file_quit,
    "lecture.present": _lecture_present,
    "lecture.return": _lecture_return,
    "lecture.leave": _lecture_leave,
    "lecture.add_step": _lecture_add_step,
    "lecture.edit": _lecture_edit,
    "lecture.export": _lecture_export,
}
