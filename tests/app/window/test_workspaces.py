"""Workspaces: what is open in each, that each is remembered and can be reset, and that no pane is lost."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTabBar
from pytestqt.qtbot import QtBot

from visualizer.app.session.document import Document
from visualizer.app.settings.workspace_table import WORKSPACES
from visualizer.app.window.main_window import MainWindow
from visualizer.replay.history import History

SIZES = [(1280, 800), (1600, 1000), (2560, 1440)]


def _open(window: MainWindow) -> set[str]:
    return set(window.docks.open)


def _shown(window: MainWindow) -> list[str]:
    """The panes that are seen, not those behind another's tab."""
    return [name for name in window.docks.names if not window.docks[name].visibleRegion().isEmpty()]


def _resized(window: MainWindow, width: int, height: int) -> None:
    window.resize(width, height)
    window.workspaces.reset()
    for _ in range(3):
        QApplication.processEvents()


@pytest.mark.parametrize("name", WORKSPACES)
def test_a_workspace_knows_every_pane_once(window: MainWindow, name: str) -> None:
    workspace = WORKSPACES[name]
    panes = [*workspace.left, *(pane for group in workspace.bottom for pane in group)]
    assert sorted(panes) == sorted(window.docks.names)
    assert workspace.open <= set(panes)


@pytest.mark.parametrize(("key", "name"), [("F7", "experiment"), ("F8", "teach"), ("F2", "look")])
def test_each_has_a_key(window: MainWindow, key: str, name: str) -> None:
    QTest.keySequence(window.timeline, QKeySequence(key))
    assert window.workspaces.name == window.settings.workspace == name
    assert _open(window) == WORKSPACES[name].open
    assert window.actions_by_id[f"window.{name}"].isChecked()


@pytest.mark.parametrize("size", SIZES[1:])
def test_look_gives_the_lanes_their_width_and_the_code_its_columns(window: MainWindow, size: tuple[int, int]) -> None:
    _resized(window, *size)
    scene = window.timeline.scene
    assert scene is not None
    assert scene.frame.lanes.width() >= 0.7 * window.width()
    view = window.panes["code"].view
    assert view.viewport().width() >= 80 * QFontMetrics(view.font()).horizontalAdvance("0")
    assert _shown(window) == ["code", "ring", "inspector"]
    assert window.sentence.text.text()


@pytest.mark.parametrize("scale", [100, 200])
def test_nothing_reaches_beyond_the_window(window: MainWindow, qtbot: QtBot, scale: int) -> None:
    window.appearance.set_scale(scale)
    qtbot.waitUntil(lambda: window.fontMetrics().height() >= 13 * scale // 100)
    for name, size in product(WORKSPACES, SIZES):
        window.workspaces.go_to(name)
        _resized(window, *size)
        assert (window.width(), window.height()) == size
        inside = window.rect()
        for pane in _shown(window):
            assert inside.contains(window.docks[pane].geometry()), (name, size, pane)
            assert window.docks[pane].widget().width() <= window.docks[pane].width(), (name, size, pane)
        assert inside.contains(window.statusBar().geometry()), (name, size)
    window.appearance.set_scale(100)


def test_the_timeline_has_nothing_beside_it_where_there_is_no_room(window: MainWindow) -> None:
    window.workspaces.go_to("experiment")
    _resized(window, 700, 600)
    assert window.timeline.width() == window.width()
    assert _open(window) == WORKSPACES["experiment"].open


def test_an_arrangement_is_remembered_for_its_workspace(
    make_window: Callable[[], MainWindow], lesson_history: History
) -> None:
    first = make_window()
    first.docks["ring"].hide()
    first.workspaces.go_to("experiment")
    first.docks["tiles"].hide()
    first.workspaces.go_to("look")
    assert first.docks["ring"].isHidden()
    assert not first.docks["inspector"].isHidden()
    first.workspaces.go_to("experiment")
    first.close()
    second = make_window()
    assert second.workspaces.name == "experiment"
    assert second.docks["tiles"].isHidden()
    second.workspaces.go_to("look")
    assert second.docks["ring"].isHidden()
    second.workspaces.reset()
    assert _open(second) == WORKSPACES["look"].open


def test_another_size_of_text_has_the_same_panes_and_an_arrangement_of_its_own(window: MainWindow) -> None:
    window.docks["ring"].hide()
    window.appearance.set_scale(200)
    assert _open(window) == {"code", "inspector"}
    window.docks["inspector"].hide()
    window.appearance.set_scale(100)
    assert _open(window) == {"code", "inspector"}
    window.appearance.set_scale(200)
    assert _open(window) == {"code"}
    window.appearance.set_scale(100)


@pytest.mark.parametrize("open_panes", [(), ("events", "memory", "inspector", "explanation")])
def test_text_of_another_size_cuts_no_field(window: MainWindow, qtbot: QtBot, open_panes: tuple[str, ...]) -> None:
    window.resize(1600, 1000)
    window.workspaces.go_to("experiment")
    for name in open_panes:
        window.show_pane(name)
    window.show_pane("experiment")
    for scale in (200, 100, 150, 100):
        window.appearance.set_scale(scale)
        qtbot.waitUntil(
            lambda: window.docks["experiment"].widget().horizontalScrollBar().maximum() == 0, timeout=30_000
        )
        needed = window.experiment.minimumSizeHint().width()
        assert window.experiment.width() >= needed
    fresh = window.experiment.minimumSizeHint().width()
    assert fresh < 400, "what the largest text needed is not asked for at the smallest"


def test_a_pane_opens_behind_none_and_with_what_it_shows(window: MainWindow, qtbot: QtBot) -> None:
    for name in window.docks.names:
        window.show_pane(name)
        QApplication.processEvents()
        assert name in _shown(window)
        assert not window.docks[name].isFloating()


def test_reset_puts_back_what_was_taken_out(window: MainWindow) -> None:
    for dock in window.docks.all():
        dock.show()
    window.docks["ring"].setFloating(True)
    window.actions_by_id["window.reset_layout"].trigger()
    assert _open(window) == WORKSPACES["look"].open
    assert not any(dock.isFloating() for dock in window.docks.all())


def test_the_tabs_are_still_there_after_a_reset(window: MainWindow) -> None:
    """Qt loses the tab bars when something else in the window changes before it lays the docks out again."""
    window.workspaces.go_to("experiment")
    window.workspaces.reset()
    window.show_document(window.document)
    bars = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    titles = [bar.tabText(index) for bar in bars if bar.isVisible() for index in range(bar.count())]
    assert {"Statistics", "Predict"} <= set(titles)
    assert len(titles) == len(set(titles)), "a bar of the arrangement before is still there"


@pytest.mark.parametrize("size", [(1280, 800), (1600, 1000)])
@pytest.mark.parametrize("scale", [100, 150, 200])
def test_no_tabs_of_another_arrangement_are_left(window: MainWindow, size: tuple[int, int], scale: int) -> None:
    """They showed in the gaps between panes, and over the tabs there are."""
    window.resize(*size)
    window.appearance.set_scale(scale)
    for name in ("look", "experiment", "teach", "look", "teach", "experiment"):
        window.workspaces.go_to(name)
        QApplication.processEvents()
        bars = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
        seen = [bar for bar in bars if bar.isVisible() and window.rect().intersects(bar.geometry())]
        shown = sorted(sorted(bar.tabText(index) for index in range(bar.count())) for bar in seen)
        groups = {
            tuple(sorted(one.windowTitle() for one in (dock, *window.tabifiedDockWidgets(dock)) if not one.isHidden()))
            for dock in window.docks.all()
            if not dock.isHidden()
        }
        assert shown == sorted(list(group) for group in groups if len(group) > 1)


def test_a_pane_opened_behind_another_gets_its_tab_again(window: MainWindow) -> None:
    window.workspaces.go_to("experiment")
    window.docks["predict"].hide()
    for name in ("look", "experiment"):
        window.workspaces.go_to(name)
        QApplication.processEvents()
    window.show_pane("predict")
    QApplication.processEvents()
    bars = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    seen = [bar for bar in bars if bar.isVisible() and window.rect().intersects(bar.geometry())]
    assert ["Statistics", "Predict"] in [[bar.tabText(index) for index in range(bar.count())] for bar in seen]


def test_every_pane_says_something_without_a_recording(make_window: Callable[[], MainWindow]) -> None:
    window = make_window()
    for name in WORKSPACES:
        window.workspaces.go_to(name)
        for pane in _shown(window):
            shown = window.docks[pane].grab().toImage()
            colours = {shown.pixel(x, y) for x in range(0, shown.width(), 2) for y in range(30, shown.height(), 2)}
            assert len(colours) > 2, f"{pane} is blank in {name}"


def test_a_document_comes_with_the_workspace_it_is_in(window: MainWindow, lesson_history: History) -> None:
    window.workspaces.go_to("teach")
    window.show_document(Document(lesson_history, path=None, saved=True))
    assert window.workspaces.name == "teach"
