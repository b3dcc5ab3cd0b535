"""A small window, large text, long names: the lanes are there, and nothing makes the window wider or higher."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from stranger_traces import stranger

from visualizer.app.session.document import Document
from visualizer.app.settings.settings import Settings
from visualizer.app.window.main_window import MainWindow
from visualizer.recording.trace import Trace
from visualizer.replay.history import History

SMALL = (1280, 800)
LONG = "cutlass_device_kernel_" + "GemmUniversal_CollectiveMma_Sm90TmaGmmaWarpSpecialized_" * 6


@pytest.fixture
def small(settings: Settings, make_window: Callable[[], MainWindow], trace: Trace, tmp_path: Path) -> MainWindow:
    """A newcomer's window with two recordings in its strip, both with a name of hundreds of characters."""
    settings.first_steps = True
    window = make_window()
    window.resize(*SMALL)
    for number in range(2):
        history = History(replace(trace, meta=replace(trace.meta, program=LONG)))
        window.show_document(Document(history, path=tmp_path / f"{LONG}{number}.pscope", saved=True))
    return window


@pytest.fixture
def trace() -> Trace:
    return stranger(4, ctas=2)


@pytest.mark.parametrize("scale", [100, 200])
def test_lanes_stay_in_a_window_that_stays_as_it_is(small: MainWindow, qtbot: QtBot, scale: int) -> None:
    small.appearance.set_scale(scale)
    small.workspaces.reset()
    small.messages.show_note("The run ended with timeout.")
    QApplication.processEvents()
    assert small.size().toTuple() == SMALL
    timeline = small.timeline
    lane = np.median(timeline.scene.layout.height)
    assert timeline.scene.frame.lanes.height() >= 2 * lane
    status = small.statusBar()
    assert status.geometry().bottom() < SMALL[1]


def test_larger_text_leaves_of_the_first_steps_the_buttons_alone(small: MainWindow) -> None:
    small.resize(1600, 1000)
    cards = small.first_steps
    assert cards.legend.isVisible()
    small.appearance.set_scale(200)
    QApplication.processEvents()
    assert not cards.legend.isVisible()
    assert cards.lesson.isVisible()
    small.appearance.set_scale(100)
    QApplication.processEvents()
    assert cards.legend.isVisible()


def test_a_long_name_shows_its_beginning_and_its_end(small: MainWindow) -> None:
    for text in (small.runs.title(small.runs.all[1]), small.statusBar().text("file")):
        assert text.startswith("cutlass_device_kernel_")
        assert text.endswith("1.pscope")
        assert len(text) <= 40
