"""Another tool's file in the window: opened or dropped it is imported, and stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from sources.imports import logs

from visualizer.app.window.main_window import MainWindow
from visualizer.recording.file import load


@pytest.mark.parametrize("name", logs.FILES)
def test_a_log_opens_as_a_recording_that_is_not_saved(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, name: str
) -> None:
    path = tmp_path / name
    path.write_text(logs.FILES[name])
    with qtbot.waitSignal(window.jobs.succeeded):
        window.files.open(path)
    qtbot.waitUntil(lambda: window.document is not None and window.document.report is not None)
    document = window.document
    assert document is not None
    assert document.path is None
    assert not document.would_be_lost
    assert window.status.text("source") == f"imported from {name}"
    assert window.files.save(tmp_path / "run.pscope")
    assert len(load(tmp_path / "run.pscope")) == document.history.steps
    assert path.read_text() == logs.FILES[name]


def test_a_file_of_no_kind_is_a_message_and_the_picture_stays(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    before = window.document
    path = tmp_path / "notes.txt"
    path.write_text("buy milk")
    with qtbot.waitSignal(window.jobs.failed):
        window.files.open(path)
    assert "nothing that can be imported" in window.messages.text
    assert window.document is before
