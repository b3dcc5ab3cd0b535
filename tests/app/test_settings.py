"""What the window remembers, and that nonsense in the file is not believed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QTabBar
from pytestqt.qtbot import QtBot

from visualizer.app.main_window import MainWindow
from visualizer.app.settings import RECENT_LIMIT, SCALES, Settings


def test_values_survive_in_the_file(tmp_path: Path) -> None:
    ini = str(tmp_path / "settings.ini")
    recording = tmp_path / "a.pscope"
    recording.touch()
    first = Settings(QSettings(ini, QSettings.Format.IniFormat))
    assert (first.theme, first.scale, first.recent) == ("", 100, [])
    first.theme = "dark"
    first.scale = 150
    first.add_recent(recording)
    first.flush()
    second = Settings(QSettings(ini, QSettings.Format.IniFormat))
    assert (second.theme, second.scale, second.recent) == ("dark", 150, [recording])


@pytest.mark.parametrize("scale", ["huge", "-5", "101"])
def test_nonsense_reads_as_the_default(tmp_path: Path, scale: str) -> None:
    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    store.setValue("theme", "plaid")
    store.setValue("scale", scale)
    store.setValue("window/geometry", "not bytes")
    settings = Settings(store)
    assert (settings.theme, settings.scale, settings.geometry.size()) == ("", SCALES[0], 0)


def test_the_recent_list_is_short_and_has_no_file_twice(settings: Settings, tmp_path: Path) -> None:
    paths = [tmp_path / f"{n}.pscope" for n in range(RECENT_LIMIT + 3)]
    for path in [*paths, paths[-2]]:
        path.touch()
        settings.add_recent(path)
    recent = settings.recent
    assert recent[:2] == [paths[-2], paths[-1]]
    assert len(recent) == len(set(recent)) == RECENT_LIMIT


def test_the_window_comes_back_as_it_was_left(make_window: Callable[[], MainWindow], qtbot: QtBot) -> None:
    first = make_window()
    first.resize(701, 555)
    first.docks["ring"].hide()
    first.appearance.set_theme("dark")
    first.appearance.set_scale(125)
    first.close()
    second = make_window()
    assert (second.width(), second.height()) == (701, 555)
    assert not second.docks["ring"].isVisible()
    assert second.appearance.theme.name == "dark"
    assert second.appearance.scale == 125
    second.appearance.set_scale(100)


def test_reset_layout_brings_every_pane_back(window: MainWindow) -> None:
    for dock in window.docks.all():
        dock.hide()
    window.actions_by_id["window.reset_layout"].trigger()
    assert all(not dock.isHidden() for dock in window.docks.all())
    assert not any(dock.isFloating() for dock in window.docks.all())


def test_the_tabs_are_still_there_after_a_reset(window: MainWindow) -> None:
    """Qt loses the tab bars when something else in the window changes before it lays the docks out again."""
    window.reset_layout()
    window.show_document(window.document)
    bars = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    titles = [bar.tabText(index) for bar in bars if bar.isVisible() for index in range(bar.count())]
    assert {"Code", "Per tile", "Events", "Shared memory", "Diagnosis"} <= set(titles)
    assert len(titles) == len(set(titles)), "a bar of the arrangement before is still there"
