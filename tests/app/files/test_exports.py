"""File > Export: what the dialog offers, what it writes, progress, cancel and errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox
from pytestqt.qtbot import QtBot

from visualizer.app.files import exports as exports_module
from visualizer.app.files.export_dialog import ExportDialog
from visualizer.app.window.main_window import MainWindow
from visualizer.export.formats import FORMATS, export
from visualizer.views.timeline.gestures.measure import Measurement


@pytest.fixture
def dialog(window: MainWindow, qtbot: QtBot) -> ExportDialog:
    window.actions_by_id["file.export"].trigger()
    dialog = window.exports.dialog
    qtbot.waitUntil(dialog.isVisible)
    return dialog


def _choose(dialog: ExportDialog, suffix: str, part: str = "all") -> None:
    dialog.format.setCurrentIndex(dialog.format.findData(suffix))
    dialog.part.setCurrentIndex(dialog.part.findData(part))


def _write_to(window: MainWindow, path: Path | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window.exports, "choose_path", lambda format_: path)


def _export(window: MainWindow, dialog: ExportDialog, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.exports.jobs.succeeded):
        qtbot.mouseClick(dialog.start, Qt.MouseButton.LeftButton)
    assert window.exports.dialog is None


def test_every_format_is_offered_and_the_size_told(dialog: ExportDialog, lesson_history) -> None:
    assert [dialog.format.itemData(row) for row in range(dialog.format.count())] == list(FORMATS)
    _choose(dialog, ".csv")
    assert dialog.note.text() == f"{lesson_history.steps} events, about 33 kB"
    _choose(dialog, ".png")
    assert dialog.note.text() == f"{lesson_history.steps} events in 14 lanes"
    dialog.reject()


def test_it_writes_and_says_so(
    window: MainWindow, dialog: ExportDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    path = tmp_path / "run.json"
    _write_to(window, path, monkeypatch)
    _choose(dialog, ".json")
    _export(window, dialog, qtbot)
    assert json.loads(path.read_text())["traceEvents"]
    assert window.messages.text == f"{path} written, {path.stat().st_size / 1e3:.0f} kB"


def test_a_range_and_lanes(
    window: MainWindow, dialog: ExportDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    path = tmp_path / "part.csv"
    _write_to(window, path, monkeypatch)
    _choose(dialog, ".csv", "range")
    qtbot.keyClicks(dialog.range, "10:19")
    _export(window, dialog, qtbot)
    assert len(path.read_text().splitlines()) == 11


def test_what_is_no_range_is_said_at_once(dialog: ExportDialog, qtbot: QtBot) -> None:
    _choose(dialog, ".csv", "range")
    qtbot.keyClicks(dialog.range, "9999:")
    assert "--range 9999: is not within" in dialog.note.text()
    assert not dialog.start.isEnabled()
    dialog.range.clear()
    assert dialog.start.isEnabled()
    qtbot.keyClicks(dialog.lanes, "nobody")
    assert "no lane has this name" in dialog.note.text()
    dialog.reject()


def test_what_the_timeline_shows(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    for _ in range(6):
        window.timeline.zoom_in()
    view = window.timeline.view
    window.actions_by_id["file.export"].trigger()
    dialog = window.exports.dialog
    path = tmp_path / "view.csv"
    _write_to(window, path, monkeypatch)
    _choose(dialog, ".csv", "view")
    _export(window, dialog, qtbot)
    times = [int(line.split(",")[1]) for line in path.read_text().splitlines()[1:]]
    assert times
    assert view.start <= min(times) <= max(times) <= view.end
    assert len(times) < len(window.document.history.trace)


def test_what_the_timeline_shows_are_its_lanes_too(window: MainWindow) -> None:
    window.timeline.set_lane_filter("producer")
    window.actions_by_id["file.export"].trigger()
    dialog = window.exports.dialog
    _choose(dialog, ".svg", "view")
    assert dialog.note.text().endswith("in 1 lanes")
    dialog.lanes.setText("full[*]")
    assert dialog.note.text().endswith("in 3 lanes")
    dialog.reject()


def test_the_marked_stretch_is_offered_if_there_is_one(window: MainWindow, dialog: ExportDialog) -> None:
    assert dialog.part.findData("marked") < 0
    dialog.reject()
    window.timeline.measuring.show(Measurement(2_000_000, 500_000))
    window.actions_by_id["file.export"].trigger()
    assert window.exports.dialog.part.findData("marked") >= 0
    window.exports.dialog.reject()


def test_a_picture_can_show_the_focused_step(
    window: MainWindow, dialog: ExportDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    _choose(dialog, ".csv")
    assert not dialog.step.isEnabled()
    _choose(dialog, ".png")
    assert dialog.step.isEnabled()
    dialog.step.setChecked(True)
    _write_to(window, tmp_path / "step.png", monkeypatch)
    _export(window, dialog, qtbot)
    accent = tuple(bytes.fromhex(window.appearance.theme.accent[1:]))
    with Image.open(tmp_path / "step.png") as image:
        assert accent in {colour for _, colour in image.convert("RGB").getcolors(1 << 24)}


def test_an_error_stays_in_the_dialog(
    window: MainWindow, dialog: ExportDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    _write_to(window, tmp_path / "gone" / "run.csv", monkeypatch)
    _choose(dialog, ".csv")
    with qtbot.waitSignal(window.exports.jobs.failed):
        qtbot.mouseClick(dialog.start, Qt.MouseButton.LeftButton)
    assert "cannot be written" in dialog.note.text()
    assert dialog.start.isEnabled()
    assert not dialog.progress.isVisible()
    dialog.reject()


def test_cancel_stops_the_work_and_leaves_no_file(
    window: MainWindow, dialog: ExportDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    def until_cancelled(selection, path, look, progress, cancelled):
        progress(0.5, "halfway")
        while not cancelled():
            pass
        return export(selection, path, look, progress, cancelled)

    monkeypatch.setattr("visualizer.export.formats.export", until_cancelled)
    _write_to(window, tmp_path / "run.csv", monkeypatch)
    _choose(dialog, ".csv")
    with qtbot.waitSignal(window.exports.jobs.progressed):
        qtbot.mouseClick(dialog.start, Qt.MouseButton.LeftButton)
    assert dialog.progress.isVisible()
    assert dialog.note.text() == "halfway"
    assert not dialog.format.isEnabled()
    with qtbot.waitSignal(window.exports.jobs.cancelled):
        dialog.buttons.button(QDialogButtonBox.StandardButton.Cancel).click()
    assert dialog.note.text() == "Cancelled; nothing was written."
    assert not list(tmp_path.glob("run*"))
    dialog.reject()


def test_no_path_chosen_writes_nothing(
    window: MainWindow, dialog: ExportDialog, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    _write_to(window, None, monkeypatch)
    qtbot.mouseClick(dialog.start, Qt.MouseButton.LeftButton)
    assert not window.exports.jobs.is_busy
    dialog.reject()
    assert window.exports.dialog is None


def test_the_file_dialog_adds_the_ending(window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dialog = exports_module.QFileDialog
    monkeypatch.setattr(dialog, "getSaveFileName", lambda *_: (str(tmp_path / "run.1"), ""))
    assert window.exports.choose_path(FORMATS[".vcd"]) == tmp_path / "run.1.vcd"
    monkeypatch.setattr(dialog, "getSaveFileName", lambda *_: ("", ""))
    assert window.exports.choose_path(FORMATS[".vcd"]) is None
