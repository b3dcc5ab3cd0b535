"""Play, pause and speed; the clock is handed in, so nothing waits."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from visualizer.app.window.main_window import MainWindow
from visualizer.playback.focus import Focus
from visualizer.playback.player import SPEEDS
from visualizer.replay.history import History


def test_play_moves_on_at_the_chosen_speed_and_leaves_one_visit(window: MainWindow) -> None:
    window.navigator.go_to(Focus(10, "tma"))
    window.playback.set_speed(20.0)
    window.actions_by_id["play.toggle"].trigger()
    window.playback.advance(0.2)
    assert window.navigator.focus == Focus(14, "tma")
    window.playback.advance(0.2)
    window.playback.pause()
    assert window.navigator.focus == Focus(18, "tma")
    window.navigator.back()
    assert window.navigator.focus == Focus(10, "tma")


def test_a_stall_is_no_leap(window: MainWindow) -> None:
    window.playback.set_speed(100.0)
    window.playback.play()
    window.playback.advance(60.0)
    assert window.navigator.focus.step == 25
    window.playback.pause()


def test_the_timer_plays_by_itself(window: MainWindow, qtbot: QtBot) -> None:
    window.playback.set_speed(1000.0)
    with qtbot.waitSignal(window.navigator.focus_changed):
        window.playback.play()
    window.playback.pause()


def test_it_pauses_at_the_end_and_starts_over(window: MainWindow, lesson_history: History, qtbot: QtBot) -> None:
    window.navigator.go_to(Focus(lesson_history.steps - 3, None))
    window.playback.set_speed(1000.0)
    window.playback.play()
    with qtbot.waitSignal(window.playback.playing_changed, check_params_cb=lambda playing: not playing):
        window.playback.advance(0.2)
    assert window.navigator.focus.step == lesson_history.steps - 1
    window.playback.play()
    assert window.navigator.focus.step == 0
    window.playback.pause()


def test_space_plays_in_the_timeline_and_presses_buttons_elsewhere(window: MainWindow, qtbot: QtBot) -> None:
    window.timeline.setFocus()
    QTest.keySequence(window.timeline, QKeySequence("Space"))
    assert window.playback.is_playing
    assert window.actions_by_id["play.toggle"].isChecked()
    QTest.keySequence(window.timeline, QKeySequence("Space"))
    assert not window.playback.is_playing
    window.experiment.form.field("stages").setValue(5)
    window.experiment.reset_button.setFocus()
    qtbot.keyClick(window.experiment.reset_button, Qt.Key.Key_Space)
    assert not window.playback.is_playing
    assert window.experiment.form.field("stages").value() == 3


def test_k_plays_from_anywhere(window: MainWindow) -> None:
    window.experiment.reset_button.setFocus()
    QTest.keySequence(window.experiment.reset_button, QKeySequence("K"))
    assert window.playback.is_playing
    window.playback.pause()


def test_the_play_button_shows_whether_it_plays(window: MainWindow, qtbot: QtBot) -> None:
    button = window.transport.button("play.toggle")
    idle = button.icon().pixmap(32).toImage()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.playback.is_playing
    assert button.icon().pixmap(32).toImage() != idle
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert button.icon().pixmap(32).toImage() == idle


def test_faster_and_slower_go_through_the_speeds(window: MainWindow) -> None:
    for _ in SPEEDS:
        window.actions_by_id["play.slower"].trigger()
    assert window.transport.speed.currentData() == SPEEDS[0]
    seen = [window.playback.speed]
    for _ in SPEEDS:
        window.actions_by_id["play.faster"].trigger()
        seen.append(window.playback.speed)
    assert seen == [*SPEEDS, SPEEDS[-1]]
    assert window.transport.speed.currentData() == SPEEDS[-1]


def test_the_speed_box_sets_the_speed(window: MainWindow) -> None:
    window.transport.speed.setCurrentIndex(window.transport.speed.findData(SPEEDS[2]))
    assert window.playback.speed == SPEEDS[2]


def test_another_recording_stops_the_play(window: MainWindow) -> None:
    window.playback.play()
    window.show_document(window.document)
    assert not window.playback.is_playing
    assert window.navigator.focus.step == 0
