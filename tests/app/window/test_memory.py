"""A recording that is replaced or closed is freed, whatever pane has shown it."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from visualizer.app.session.document import Document
from visualizer.app.window.main_window import MainWindow
from visualizer.programs.parameters import LessonConfig
from visualizer.replay.history import History


def _show_every_pane(window: MainWindow) -> None:
    for dock in window.docks.all():
        dock.show()
        dock.raise_()
        QApplication.processEvents()


def _hide_every_pane(window: MainWindow) -> None:
    for dock in window.docks.all():
        dock.hide()
    QApplication.processEvents()


def _alive(histories: list[weakref.ref[History]]) -> int:
    gc.collect()
    return sum(history() is not None for history in histories)


def test_only_the_present_recording_is_kept(
    make_window: Callable[[], MainWindow], make_document: Callable[..., Document], qtbot: QtBot
) -> None:
    window = make_window()
    shown: list[weakref.ref[History]] = []
    names = list(window.panes)
    for tiles, name in enumerate(names[:6], start=3):
        _hide_every_pane(window)  # but for one, another each time: the others are not shown what is new
        window.docks[name].show()
        QApplication.processEvents()
        document = make_document(LessonConfig(tiles=tiles))
        shown.append(weakref.ref(document.history))
        window.show_document(document)
        del document
        qtbot.waitUntil(lambda: _alive(shown) == 1, timeout=20_000)
    window.close()


def test_recordings_opened_from_files_are_freed_too(window: MainWindow, lesson_file: Path, qtbot: QtBot) -> None:
    shown: list[weakref.ref[History]] = []
    for _ in range(4):
        with qtbot.waitSignal(window.jobs.succeeded, timeout=20_000):
            window.files.open(lesson_file)
        assert window.document is not None
        shown.append(weakref.ref(window.document.history))
        qtbot.waitUntil(lambda: window.document is not None and window.document.read, timeout=20_000)
        _show_every_pane(window)
        _hide_every_pane(window)
    qtbot.waitUntil(lambda: _alive(shown) == 1, timeout=20_000)


@pytest.mark.parametrize("pane", ["ring", "events", "statistics"])
def test_a_pane_behind_another_tab_catches_up_when_it_is_shown(
    window: MainWindow, make_document: Callable[..., Document], pane: str
) -> None:
    _show_every_pane(window)
    window.docks[pane].hide()
    window.show_document(make_document(LessonConfig(tiles=3)))
    window.docks[pane].show()
    window.docks[pane].raise_()
    entry = next(entry for entry in window.pane_host._entries if entry.pane is window.panes[pane])
    assert not entry.empty
    assert not entry.stale_history
