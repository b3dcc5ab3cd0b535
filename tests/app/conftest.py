"""A real window on the simulated lesson, with settings of its own, for the tests of the app."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from standing import Standing, changes, standing

from visualizer.app.session.document import Document
from visualizer.app.settings.settings import Settings
from visualizer.app.window.main_window import MainWindow
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Those of somebody who has been here: the first steps are dismissed."""
    settings = Settings(tmp_path / "settings.ini")
    settings.first_steps = False
    return settings


def _forget_document(window: MainWindow) -> None:
    """Closing at the end of a test must not ask about a recording or a story that is not saved."""
    window.document = None
    window.runs.all.clear()
    if window.lectures.editor is not None:
        window.lectures.editor.setWindowModified(False)


@pytest.fixture
def make_window(qtbot: QtBot, qapp: QApplication, settings: Settings) -> Callable[[], MainWindow]:
    """Make an empty window that is shown and active; qtbot closes it."""

    def make() -> MainWindow:
        window = MainWindow(qapp, settings)
        qtbot.addWidget(window, before_close_func=_forget_document)
        with qtbot.waitActive(window):
            window.show()
            window.activateWindow()
        return window

    return make


@pytest.fixture
def window(make_window: Callable[[], MainWindow], lesson_history: History) -> MainWindow:
    """A window on the simulated lesson, as if it had been opened from a file."""
    window = make_window()
    window.show_document(Document(lesson_history, path=None, saved=True))
    return window


@pytest.fixture(scope="module")
def one_window(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[MainWindow, Standing]]:
    """A window for all tests of a module, and room for how it stood when it was new."""
    settings = Settings(tmp_path_factory.mktemp("window") / "settings.ini")
    settings.first_steps = False
    window = MainWindow(qapp, settings)
    yield window, {}
    _forget_document(window)
    window.close()
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def shared_window(
    one_window: tuple[MainWindow, Standing], qtbot: QtBot, lesson_history: History
) -> Iterator[MainWindow]:
    """The module's window on a document of its own, for a test that changes nothing that outlives the document: it
    costs a third of a new one. What is not as it was when the window was new fails the test that comes upon it."""
    window, new = one_window
    window.show_document(Document(lesson_history, path=None, saved=True))
    try:
        with qtbot.waitActive(window):
            window.show()
            window.activateWindow()
        window.timeline.setFocus()
        qtbot.waitUntil(lambda: not window.work.is_busy)
        QApplication.processEvents()
        now = standing(window)
        if not new:
            new |= now
        otherwise = changes(new, now)
        assert not otherwise, "a test before left the window otherwise than it was:\n" + "\n".join(otherwise)
        yield window
    finally:
        _forget_document(window)
        window.close()


@pytest.fixture
def make_document() -> Callable[..., Document]:
    """Make a simulated document of a configuration; `recorded` replaces the configuration it says it has."""

    def make(config: LessonConfig, recorded: dict[str, int] | None = None) -> Document:
        trace = simulate(lesson(config))
        if recorded is not None:
            trace = replace(trace, meta=replace(trace.meta, config=recorded))
        return Document(History(trace), path=None, saved=True)

    return make
