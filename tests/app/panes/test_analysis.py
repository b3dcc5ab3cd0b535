"""Statistics and predictions in the window: they follow the view, off its thread, and Verify runs and stops."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from visualizer.app.session.document import Document
from visualizer.app.window.main_window import MainWindow
from visualizer.app.work import newest_job
from visualizer.diagnosis.predict import verify as verification
from visualizer.diagnosis.statistics import statistics
from visualizer.programs.parameters import LessonConfig


@pytest.fixture
def pane_window(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """A window that shows the statistics of its recording."""
    window.show_pane("statistics")
    qtbot.waitUntil(lambda: bool(window.panes["statistics"].charts.charts))
    return window


def test_the_numbers_follow_the_range_in_view(pane_window: MainWindow, qtbot: QtBot) -> None:
    pane = pane_window.panes["statistics"]
    assert pane.range.text().startswith("The whole recording")
    pane_window.timeline.zoom_in()
    pane_window.timeline.zoom_in()
    qtbot.waitUntil(lambda: not pane.headline.isEnabled())
    assert pane.range.text().startswith("The whole recording")
    qtbot.waitUntil(lambda: pane.headline.isEnabled())
    assert pane.range.text().endswith("of the recording")


def test_a_pane_that_nobody_saw_catches_up(pane_window: MainWindow, qtbot: QtBot) -> None:
    pane = pane_window.panes["statistics"]
    pane_window.show_pane("code")
    pane_window.timeline.zoom_in()
    QApplication.processEvents()
    assert pane.headline.isEnabled()
    pane_window.show_pane("statistics")
    qtbot.waitUntil(lambda: pane.headline.isEnabled() and pane.range.text().endswith("of the recording"))


def test_long_recordings_are_worked_out_in_a_thread(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, threads, compute = threading.Event(), set(), statistics.statistics

    def held(*arguments: object) -> object:
        threads.add(threading.get_ident())
        assert go_on.wait(30)
        return compute(*arguments)

    monkeypatch.setattr(statistics, "statistics", held)
    monkeypatch.setattr(newest_job, "AT_ONCE", 0)
    pane = window.panes["statistics"]
    window.show_pane("statistics")
    QApplication.processEvents()
    assert not pane.charts.charts
    go_on.set()
    qtbot.waitUntil(lambda: bool(pane.charts.charts))
    assert threads
    assert threading.get_ident() not in threads


def test_numbers_of_another_recording_are_not_shown(
    pane_window: MainWindow, make_document: Callable[..., Document], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(newest_job, "AT_ONCE", 0)
    pane = pane_window.panes["statistics"]
    pane_window.show_document(make_document(LessonConfig(tiles=5)))
    slow = make_document(LessonConfig(tiles=20, consumer_delay=5000))
    pane_window.show_document(slow)
    qtbot.waitUntil(lambda: bool(pane.charts.charts))
    assert "consumer-bound" in pane.headline.text().lower()
    length = f"{slow.history.trace.duration_ps / 1e6:.2f} µs"
    qtbot.waitUntil(lambda: length in pane.range.text())


def test_the_critical_path_lies_on_the_lanes_it_names(pane_window: MainWindow, qtbot: QtBot) -> None:
    pane, overlay = pane_window.panes["statistics"], pane_window.analysis.overlay
    qtbot.mouseClick(
        pane.path, Qt.MouseButton.LeftButton, pos=pane.path.rect().topLeft() + pane.path.rect().center() / 9
    )
    assert overlay.isVisible()
    scene = pane_window.timeline.scene
    bottoms = {
        round(scene.top(row) + scene.height(row))
        for name in ("producer", "consumer.w1", "consumer.w2", "consumer.w3", "tma")
        if (row := scene.rows_shown.row_of(name)) is not None
    }
    rects = overlay.rectangles()
    bars = rects[rects[:, 3] == 4]
    assert len(bars)
    assert all(any(abs(y + 5 - bottom) <= 1 for bottom in bottoms) for y in bars[:, 1])
    shown = pane_window.timeline.viewport().grab().toImage()
    pane.path.toggle()
    assert not overlay.isVisible()
    assert pane_window.timeline.viewport().grab().toImage() != shown


def test_a_prediction_is_verified_and_shown(window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification, "choose_source", lambda: "simulator")
    pane = window.panes["predict"]
    window.show_pane("predict")
    qtbot.waitUntil(lambda: pane.can_verify)
    with qtbot.waitSignal(window.analysis.verifying.succeeded):
        window.actions_by_id["play.verify"].trigger()
    assert "Simulated: " in pane.remarks.text()
    assert "simulated (" in pane.chart.accessibleDescription()


def test_verifying_can_be_cancelled(window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification, "choose_source", lambda: "simulator")
    pane = window.panes["predict"]
    window.show_pane("predict")
    qtbot.waitUntil(lambda: pane.can_verify)
    with qtbot.waitSignal(window.analysis.verifying.cancelled):
        pane.verify_button.click()
        pane.verify_button.click()
    assert pane.stage_of_work.text() == "Cancelled."
    assert pane.can_verify


def test_a_knob_brings_another_prediction(window: MainWindow, qtbot: QtBot) -> None:
    pane = window.panes["predict"]
    window.show_pane("predict")
    qtbot.waitUntil(lambda: pane.can_verify)
    before = pane.summary.text()
    pane.delay.setValue(5000)
    qtbot.waitUntil(lambda: pane.can_verify and pane.summary.text() != before)
    pane.copy_time.setValue(900)
    qtbot.waitUntil(lambda: "Another copy time cannot be verified" in pane.remarks.text())
    assert not pane.verify_button.isEnabled()


def test_too_short_a_recording_says_so(
    window: MainWindow, make_document: Callable[..., Document], qtbot: QtBot
) -> None:
    window.show_pane("predict")
    window.show_document(make_document(LessonConfig(tiles=2)))
    qtbot.waitUntil(lambda: "record more tiles" in window.panes["predict"].summary.text())
    assert not window.panes["predict"].verify_button.isEnabled()
