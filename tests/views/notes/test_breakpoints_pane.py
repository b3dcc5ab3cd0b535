"""The breakpoints pane: what it shows and what it asks for."""

from __future__ import annotations

import pytest
from pane_testing import hand_history, requested
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from visualizer.playback.breakpoints import Breakpoint, evaluated
from visualizer.playback.focus import Focus
from visualizer.playback.query.events import Events
from visualizer.views.look.pane import Pane
from visualizer.views.look.theme import load_theme
from visualizer.views.notes.breakpoints_widget import BreakpointsWidget

HISTORY = hand_history()


def _breakpoints(*queries: str) -> tuple[Breakpoint, ...]:
    return tuple(evaluated(Breakpoint(query), Events(HISTORY)) for query in queries)


@pytest.fixture
def pane(qtbot: QtBot) -> BreakpointsWidget:
    pane = BreakpointsWidget()
    qtbot.addWidget(pane)
    pane.set_theme(load_theme("light"))
    pane.set_history(HISTORY)
    pane.set_focus(Focus(0))
    pane.resize(900, 300)
    with qtbot.waitExposed(pane):
        pane.show()
    return pane


def test_it_is_a_pane(pane: BreakpointsWidget) -> None:
    assert isinstance(pane, Pane)
    pane.set_history(None)
    pane.set_breakpoints(())
    assert pane.list.topLevelItemCount() == 0
    assert pane.hits.cells.rowCount() == 0


def test_every_breakpoint_is_listed_with_its_hits(pane: BreakpointsWidget) -> None:
    pane.set_breakpoints((*_breakpoints("kind == phase_complete", "barrier == full[9]"), Breakpoint("blocked", False)))
    rows = [pane.list.topLevelItem(row) for row in range(3)]
    assert [row.text(1) for row in rows] == ["3", "does not fit", "..."]
    assert [row.checkState(0) for row in rows] == [Qt.CheckState.Checked] * 2 + [Qt.CheckState.Unchecked]
    assert "no barrier full[9]" in rows[1].toolTip(0)
    assert pane.hits.cells.rowCount() == 3
    pane.list.setCurrentItem(rows[2])
    assert pane.hits.cells.rowCount() == 0


def test_a_click_on_a_hit_and_return_on_a_breakpoint_go_there(pane: BreakpointsWidget) -> None:
    wishes = requested(pane)
    pane.set_breakpoints(_breakpoints("kind == phase_complete"))
    pane.hits.chosen.emit(1, 0)
    assert wishes == [Focus(32, "empty[0]")]
    pane.list.itemActivated.emit(pane.list.topLevelItem(0), 0)
    assert wishes[1:] == [Focus(20, "full[0]")]
    pane.set_focus(Focus(20, "full[0]"))
    assert pane.hits.cells.current_row == 0
    pane.set_focus(Focus(21))
    assert pane.hits.cells.current_row == -1


def test_a_new_query_is_asked_for_and_a_wrong_one_pointed_at(pane: BreakpointsWidget, qtbot: QtBot) -> None:
    added: list[str] = []
    pane.added.connect(added.append)
    pane.line.setText("wait > 500")
    qtbot.keyClick(pane.line, Qt.Key.Key_Return)
    assert added == []
    assert pane.problem.isVisible()
    assert "       ^^^\nA time needs a unit" in pane.problem.text
    qtbot.keyClicks(pane.line, " ns")
    pane.line.hide_options()
    assert not pane.problem.isVisible()
    qtbot.mouseClick(pane.add_button, Qt.MouseButton.LeftButton)
    assert added == ["wait > 500 ns"]
    assert pane.line.text() == ""
    qtbot.mouseClick(pane.add_button, Qt.MouseButton.LeftButton)
    assert len(added) == 1


def test_the_check_box_and_delete_ask_for_changes(pane: BreakpointsWidget, qtbot: QtBot) -> None:
    pane.set_breakpoints(_breakpoints("blocked", "derived"))
    changes: list[object] = []
    pane.enabled_changed.connect(lambda row, on: changes.append((row, on)))
    pane.removed.connect(changes.append)
    pane.list.setCurrentItem(pane.list.topLevelItem(1))
    pane.list.topLevelItem(1).setCheckState(0, Qt.CheckState.Unchecked)
    qtbot.keyClick(pane.list, Qt.Key.Key_Delete)
    assert changes == [(1, False), 1]


def test_the_line_completes_columns_and_names(pane: BreakpointsWidget, qtbot: QtBot) -> None:
    qtbot.keyClicks(pane.line, "barr")
    assert pane.line.options() == ["barrier", "barrier.kind"]
    pane.line.insert("barrier")
    assert pane.line.text() == "barrier "
    qtbot.keyClicks(pane.line, "== full")
    assert pane.line.options() == ["full[0]", "full[1]"]
    popup = pane.line.completer_.popup()
    assert popup.isVisible()
    QTest.keyClick(popup, Qt.Key.Key_Down)
    QTest.keyClick(popup, Qt.Key.Key_Return)
    assert pane.line.text() == "barrier == full[0] "
    pane.line.hide_options()


def test_the_hits_stand_below_where_it_is_narrow(pane: BreakpointsWidget, qtbot: QtBot) -> None:
    pane.resize(300, 400)
    qtbot.waitUntil(lambda: pane.splitter.orientation() == Qt.Orientation.Vertical)
    pane.resize(1600, 400)
    qtbot.waitUntil(lambda: pane.splitter.orientation() == Qt.Orientation.Horizontal)
