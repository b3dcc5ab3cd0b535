"""What all tests share: Qt without a screen, a simulated lesson, and a check that no test leaves Qt objects behind."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

# Before anything imports Qt.
os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["QT_API"] = "pyside6"
# Tests read English, whatever the language of who runs them.
os.environ["LC_ALL"] = "C.UTF-8"
# Compiled code is kept, whatever the caller's setting: every process of a run would compile all the modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

if TYPE_CHECKING:
    from visualizer.recording.trace import Trace
    from visualizer.replay.history import History


def pytest_collection_finish() -> None:
    """What stays for the whole run, the modules and the tests themselves, is not walked again by every collection,
    nor after every test by the check for threads and timers left behind."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def lesson_trace() -> Trace:
    """The lesson as the simulator records it with seed 0."""
    from visualizer.programs.lesson import lesson
    from visualizer.programs.parameters import LessonConfig
    from visualizer.sources.simulator.simulate import simulate

    return simulate(lesson(LessonConfig()))


@pytest.fixture(scope="session")
def lesson_history(lesson_trace: Trace) -> History:
    """State at any step of the simulated lesson."""
    from visualizer.replay.history import History

    return History(lesson_trace)


@pytest.fixture(scope="session")
def lesson_file(lesson_trace: Trace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The simulated lesson as a recording file; read it, do not change it."""
    from visualizer.recording.file import save

    path = tmp_path_factory.mktemp("recordings") / "lesson.pscope"
    save(lesson_trace, path)
    return path


@pytest.fixture(autouse=True)
def _english_again() -> Iterator[None]:
    """A test may choose a language; the next one starts in English."""
    yield
    from visualizer import language

    language.use("en")


@pytest.fixture(autouse=True)
def _own_font_again(request: pytest.FixtureRequest) -> Iterator[None]:
    """A window that speaks Chinese gives the application another font; the next test starts with its own."""
    if not {"qtbot", "qapp"} & set(request.fixturenames):
        yield
        return
    from PySide6.QtGui import QGuiApplication

    request.getfixturevalue("qapp")
    font = QGuiApplication.font()
    yield
    QGuiApplication.setFont(font)


@pytest.fixture(autouse=True)
def _no_dangling_qt(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves a thread running, a timer ticking or a window open: it would disturb the next one."""
    yield
    if not {"qtbot", "qapp"} & set(request.fixturenames):
        return
    from PySide6.QtCore import QCoreApplication, QEvent, QThread, QTimer
    from PySide6.QtWidgets import QApplication
    from shiboken6 import isValid

    if (job := sys.modules.get("visualizer.app.work.job")) is not None:
        assert job.all_ended(within_s=60), "a job that was let go never ends"
    windows = [widget for widget in QApplication.topLevelWidgets() if widget.isVisible()]
    # By type: a weak proxy whose object is gone cannot even be asked for its class.
    things = gc.get_objects()
    kinds = {kind for kind in set(map(type, things)) if issubclass(kind, QThread | QTimer)}
    alive = [thing for thing in things if type(thing) in kinds and isValid(thing)]
    del things
    threads = [thing for thing in alive if isinstance(thing, QThread) and thing.isRunning()]
    timers = [thing for thing in alive if isinstance(thing, QTimer) and thing.isActive()]
    # Closed here too, so that one culprit is reported and not every test after it.
    for window in windows:
        window.close()
    for timer in timers:
        timer.stop()
    # qtbot's deleteLater waits for an event loop: the next test's window would style this one's 700 widgets again.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not windows, f"windows left open: {windows}"
    assert not threads, f"threads left running: {threads}"
    assert not timers, f"timers left ticking: {timers}"
