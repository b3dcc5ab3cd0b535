"""The Lanes menu, and long recordings: their lanes first, the rest when it is read, and Cancel."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from stranger_traces import stranger

from visualizer.app.commands.command import On
from visualizer.app.session import record_job
from visualizer.app.session.document import Document
from visualizer.app.window.commands import COMMANDS
from visualizer.app.window.main_window import MainWindow
from visualizer.playback.focus import Focus
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.file import save
from visualizer.replay.history import History
from visualizer.views.timeline.timeline_widget import TimelineWidget


@pytest.mark.parametrize(
    ("command_id", "method"),
    [
        ("lanes.filter", "find_lanes"),
        ("lanes.pin", "toggle_pin"),
        ("lanes.toggle_cta", "toggle_fold"),
        ("lanes.toggle_all", "toggle_all_folds"),
        ("lanes.compact", "toggle_compact"),
        ("lanes.all_arrows", "toggle_all_arrows"),
        ("lanes.overview", "toggle_overview"),
    ],
)
def test_the_keys_of_the_lanes_menu_reach_the_timeline(window: MainWindow, command_id: str, method: str) -> None:
    called: list[str] = []
    assert COMMANDS[command_id].run == On(TimelineWidget, getattr(TimelineWidget, method))
    window.actions_by_id[command_id].triggered.connect(lambda: called.append(command_id))
    for key in COMMANDS[command_id].keys:
        QTest.keySequence(window.timeline, QKeySequence(key))
    assert called == [command_id] * len(COMMANDS[command_id].keys)


@pytest.mark.parametrize("command_id", ["lanes.compact", "lanes.all_arrows", "lanes.overview"])
def test_switches_of_the_lanes_menu_show_how_they_stand(window: MainWindow, command_id: str) -> None:
    action = window.actions_by_id[command_id]
    before = action.isChecked()
    action.trigger()
    assert action.isChecked() is not before
    action.trigger()
    assert action.isChecked() is before


def test_pin_and_collapse_work_on_the_selected_lane(
    make_window: Callable[[], MainWindow], make_document: Callable[..., Document]
) -> None:
    window = make_window()
    window.show_document(make_document(LessonConfig(ctas=2, tiles=2)))
    window.navigator.go_to(Focus(5, "CTA1.full[0]"))
    window.actions_by_id["lanes.pin"].trigger()
    assert window.timeline.scene.lanes[0].key == "CTA1.full[0]"
    window.actions_by_id["lanes.toggle_cta"].trigger()
    assert window.timeline.scene.rows_shown.is_collapsed("CTA1")


def test_many_warps_open_as_one_lane_that_keys_unfold_and_walk_through(
    make_window: Callable[[], MainWindow], make_document: Callable[..., Document]
) -> None:
    window = make_window()
    window.show_document(make_document(LessonConfig(consumer_warps=12, tiles=2)))
    shown = [lane.key for lane in window.timeline.scene.lanes]
    assert shown[:3] == ["producer", "warps.consumer", "tma"]
    window.navigator.go_to(Focus(0, "warps.consumer"))
    QTest.keySequence(window.timeline, QKeySequence("Right"))
    assert window.navigator.focus.step > 0
    assert window.navigator.focus.lane == "warps.consumer"
    QTest.keySequence(window.timeline, QKeySequence("C"))
    assert "consumer.w7" in [lane.key for lane in window.timeline.scene.lanes]
    window.places.go("#step=9&lane=warps.consumer")
    assert window.navigator.focus == Focus(9, "warps.consumer")


def test_an_address_names_a_lane_as_people_do_or_as_the_recording_does(
    make_window: Callable[[], MainWindow],
) -> None:
    window = make_window()
    window.show_document(Document(History(stranger()), path=None, saved=True))
    for step, name in ((90, "ring0.full[1]"), (91, "0x408")):
        window.places.go(f"#step={step}&lane={name}")
        assert window.navigator.focus == Focus(step, "0x408")
    window.places.go("#step=92&lane=ring0.full[9]")
    assert window.navigator.focus == Focus(92)


def test_what_is_folded_is_exported_with_what_the_timeline_shows(
    make_window: Callable[[], MainWindow], make_document: Callable[..., Document]
) -> None:
    window = make_window()
    window.show_document(make_document(LessonConfig(consumer_warps=12, tiles=2)))
    window.actions_by_id["file.export"].trigger()
    dialog = window.exports.dialog
    dialog.part.setCurrentIndex(dialog.part.findData("view"))
    selection = dialog._selection()
    assert len(selection.lanes) == 1 + 12 + 1 + 3 + 6
    assert selection.folded == {"warps.consumer"}
    dialog.reject()


@pytest.fixture
def long_file(tmp_path: Path, make_document: Callable[..., Document], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recording that counts as long."""
    monkeypatch.setattr(record_job, "_READ_AT_ONCE", 0)
    path = tmp_path / "long.pscope"
    save(make_document(LessonConfig(ctas=2, tiles=4)).history.trace, path)
    return path


def test_a_long_recording_shows_its_lanes_and_then_the_rest(
    make_window: Callable[[], MainWindow], long_file: Path, qtbot: QtBot
) -> None:
    window = make_window()
    shown: list[bool] = []
    window.jobs.succeeded.connect(lambda document: shown.append(document.read))
    window.files.open(long_file)
    qtbot.waitUntil(lambda: window.document is not None and window.document.report is not None, timeout=20_000)
    assert shown == [False]
    assert window.navigator.focus == Focus(0)
    assert window.timeline.scene.answers
    assert window.document.read
    window.actions_by_id["step.next"].trigger()
    assert window.navigator.focus == Focus(1)


def test_reading_can_be_cancelled_and_the_lanes_stay(
    make_window: Callable[[], MainWindow], long_file: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    monkeypatch.setattr(type(window.timeline), "busy", property(lambda _: True))  # lanes never come to an end
    window.files.open(long_file)
    qtbot.waitUntil(lambda: window.document is not None)
    assert window.reading.is_busy
    window.actions_by_id.refresh()
    assert window.actions_by_id["play.cancel"].isEnabled()
    window.actions_by_id["play.cancel"].trigger()
    qtbot.waitUntil(lambda: not window.reading.is_busy)
    assert window.messages.isVisible()
    assert window.timeline.scene is not None
    assert not window.document.read
    window.navigator.next_event()
    assert window.navigator.focus is None
