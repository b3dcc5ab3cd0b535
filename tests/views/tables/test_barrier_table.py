"""The barrier table: counts, marks of what changed, who waits; clicks select the lane."""

from __future__ import annotations

import pytest
from pane_testing import LAST, hand_history, requested, two_cta_history
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from visualizer.language import use
from visualizer.playback.focus import Focus
from visualizer.views.look.pane import Pane
from visualizer.views.tables import barrier_table_model
from visualizer.views.tables.barrier_table_model import BarrierRows
from visualizer.views.tables.barrier_table_widget import BarrierTableWidget


def texts(rows: BarrierRows, row: int) -> list[str]:
    return [rows.cell(row, column).text for column in range(len(rows.columns))]


def test_golden_rows() -> None:
    rows = BarrierRows(hand_history(), 18)
    assert [texts(rows, row) for row in range(rows.rows())] == [
        ["full[0]", "#0", "0", "1/1", "* 4/16 KiB", "w1 w2 (parity 0)"],
        ["full[1]", "#0", "0", "1/1", "0/16 KiB", ""],
        ["empty[0]", "#0", "0", "0/64", "", "producer (parity 0)"],
        ["empty[1]", "#0", "0", "0/64", "", ""],
    ]


def test_what_the_step_changed_is_marked_by_sign_and_tone() -> None:
    rows = BarrierRows(hand_history(), 20)
    changed = [rows.columns[c].key for c in range(len(rows.columns)) if rows.cell(0, c).tone == "changed"]
    assert changed == ["phase", "parity", "arrived", "landed"]
    assert texts(rows, 0)[1:4] == ["* #1", "* 1", "* 0/1"]


def test_what_the_barrier_itself_counts_is_a_hover_away() -> None:
    rows = BarrierRows(hand_history(), 18)
    assert rows.cell(0, 3).hint == "pending 0, tx 12288 bytes"
    assert BarrierRows(hand_history(), 0).cell(1, 3).hint == ""


def test_the_first_step_changes_nothing_seen_before() -> None:
    rows = BarrierRows(hand_history(), 0)
    assert texts(rows, 0) == ["full[0]", "#0", "0", "0/1", "", ""]
    assert texts(rows, 1) == ["full[1]", "-", "-", "-", "-", ""]


def test_all_ctas_when_barriers_are_few_else_the_focused_one(monkeypatch: pytest.MonkeyPatch) -> None:
    history = two_cta_history()
    assert BarrierRows(history, 40).rows() == 8
    monkeypatch.setattr(barrier_table_model, "FEW_BARRIERS", 7)
    rows = BarrierRows(history, 40)
    assert [rows.lane(row) for row in range(rows.rows())] == [
        "CTA1.full[0]",
        "CTA1.full[1]",
        "CTA1.empty[0]",
        "CTA1.empty[1]",
    ]


@pytest.fixture
def pane(qtbot: QtBot) -> BarrierTableWidget:
    widget = BarrierTableWidget()
    qtbot.addWidget(widget)
    widget.resize(520, 260)
    widget.set_history(hand_history())
    widget.set_focus(Focus(18, None))
    return widget


def test_is_a_pane(pane: BarrierTableWidget) -> None:
    assert isinstance(pane, Pane)


def test_click_selects_the_barriers_lane_at_the_same_step(qtbot: QtBot, pane: BarrierTableWidget) -> None:
    wishes = requested(pane)
    table = pane.table
    place = table.visualRect(table.model().index(2, 1)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert wishes == [Focus(18, "empty[0]")]


def test_return_selects_too(qtbot: QtBot, pane: BarrierTableWidget) -> None:
    wishes = requested(pane)
    pane.table.setCurrentIndex(pane.table.model().index(3, 0))
    qtbot.keyClick(pane.table, Qt.Key.Key_Return)
    assert wishes == [Focus(18, "empty[1]")]


def test_the_row_of_the_lane_else_of_the_event_is_current(pane: BarrierTableWidget) -> None:
    assert pane.table.cells.current_row == 0
    pane.set_focus(Focus(18, "empty[1]"))
    assert pane.table.cells.current_row == 3
    pane.set_focus(Focus(24, None))  # a read is about no barrier
    assert pane.table.cells.current_row == -1


def test_following_the_focus_asks_for_nothing(pane: BarrierTableWidget) -> None:
    wishes = requested(pane)
    for step in range(LAST + 1):
        pane.set_focus(Focus(step, None))
    assert wishes == []


def test_screen_readers_hear_the_column_and_the_change(pane: BarrierTableWidget) -> None:
    model = pane.table.model()
    spoken = model.data(model.index(0, 4), Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "landed * 4/16 KiB changed"
    use("zh")
    assert model.data(model.index(0, 4), Qt.ItemDataRole.AccessibleTextRole).endswith("已改变")


def test_no_recording_no_rows(pane: BarrierTableWidget) -> None:
    pane.set_history(None)
    pane.set_focus(Focus(0, None))
    assert pane.table.model().rowCount() == 0
