"""The per-tile table pane: the lesson's cells, marks, and clicks that go to where a cell happened."""

from __future__ import annotations

import pytest
from pane_testing import LAST, hand_history, requested, two_cta_history
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from stranger_traces import stranger

from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.views.look.pane import Pane
from visualizer.views.tables.tile_table_model import COLUMNS, TileRows
from visualizer.views.tables.tile_table_widget import TileTableWidget

KEYS = [column.key for column in COLUMNS]


def test_golden_rows() -> None:
    rows = TileRows(hand_history(), 0)
    rows.step = LAST
    assert [[rows.cell(row, column).text for column in range(len(KEYS))] for row in range(rows.rows())] == [
        [
            "0",
            "stage 0, phase 1",
            "wait(1) fresh",
            "full[0] 0→1",
            "stage 0, phase 0",
            "wait(0) blocked",
            "empty[0] 0→1",
        ],
        [
            "1",
            "stage 1, phase 1",
            "wait(1) fresh",
            "full[1] 0→1",
            "stage 1, phase 0",
            "wait(0) never passed",
            "not yet",
        ],
        ["2", "stage 0, phase 0", "wait(0) blocked", "not yet", "not yet", "not yet", "not yet"],
    ]


def test_every_cell_knows_its_step() -> None:
    rows = TileRows(hand_history(), 0)
    assert [rows.cell(0, column).step for column in range(len(KEYS))] == [5, 5, 6, 20, 7, 22, 32]


def test_blocked_waits_the_focused_cell_and_the_future_stand_out() -> None:
    rows = TileRows(hand_history(), 0)
    rows.step = 32
    tones = {key: rows.cell(0, column).tone for column, key in enumerate(KEYS)}
    assert tones["full_wait"] == "waiting"
    assert tones["empty_phase"] == "focus"
    assert tones["empty_wait"] == ""
    assert rows.cell(2, KEYS.index("empty_wait")).tone == "muted"


def test_rows_by_tile() -> None:
    rows = TileRows(hand_history(), 0)
    assert [rows.row_of(tile) for tile in (0, 2, 3, -1)] == [0, 2, None, None]


@pytest.fixture
def pane(qtbot: QtBot) -> TileTableWidget:
    widget = TileTableWidget()
    qtbot.addWidget(widget)
    widget.resize(760, 260)
    widget.set_history(hand_history())
    widget.set_focus(Focus(20, None))
    return widget


def test_is_a_pane(pane: TileTableWidget) -> None:
    assert isinstance(pane, Pane)


@pytest.mark.parametrize(
    ("row", "key", "expected"),
    [
        (0, "full_phase", Focus(20, "full[0]")),
        (0, "full_wait", Focus(22, "consumer.w1")),
        (2, "empty_wait", Focus(34, "producer")),
        (1, "pipe_write", Focus(12, "producer")),
    ],
)
def test_click_goes_to_where_the_cell_happened(
    qtbot: QtBot, pane: TileTableWidget, row: int, key: str, expected: Focus
) -> None:
    wishes = requested(pane)
    place = pane.tables[0].table.visualRect(pane.tables[0].table.model().index(row, KEYS.index(key))).center()
    qtbot.mouseClick(pane.tables[0].table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert wishes == [expected]


def test_click_on_what_did_not_happen_asks_for_nothing(qtbot: QtBot, pane: TileTableWidget) -> None:
    wishes = requested(pane)
    place = pane.tables[0].table.visualRect(pane.tables[0].table.model().index(2, KEYS.index("full_phase"))).center()
    qtbot.mouseClick(pane.tables[0].table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert wishes == []


def test_arrows_and_return_choose_a_cell(qtbot: QtBot, pane: TileTableWidget) -> None:
    wishes = requested(pane)
    pane.tables[0].table.setCurrentIndex(pane.tables[0].table.model().index(0, KEYS.index("full_phase")))
    qtbot.keyClick(pane.tables[0].table, Qt.Key.Key_Right)
    qtbot.keyClick(pane.tables[0].table, Qt.Key.Key_Return)
    assert wishes == [Focus(7, "consumer.w1")]


def test_the_tile_of_the_event_is_the_current_row(pane: TileTableWidget) -> None:
    assert pane.tables[0].table.cells.current_row == 0
    pane.set_focus(Focus(34, None))
    assert pane.tables[0].table.cells.current_row == 2
    pane.set_focus(Focus(4, None))
    assert pane.tables[0].table.cells.current_row == -1


def test_shows_the_focused_events_cta(pane: TileTableWidget) -> None:
    pane.set_history(two_cta_history())
    pane.set_focus(Focus(38 + 20, None))
    assert pane.tables[0].title.text() == " CTA 1 of 2"
    assert pane.tables[0].table.model().data(pane.tables[0].table.model().index(0, 3)) == "full[0] 0→1"
    pane.set_history(None)
    assert pane.tables[0].table.model().rowCount() == 0


def test_without_tiles_it_says_why_it_is_empty(pane: TileTableWidget) -> None:
    pane.set_history(History(stranger(2)))
    pane.set_focus(Focus(5, None))
    assert pane.tables[0].table.cells.rowCount() == 0
    assert pane.tables[0].table.nothing == "No event of a ring of this CTA names a tile."
