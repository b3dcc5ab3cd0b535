"""The event table: cells, the filter line, and the focus in step both ways."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pane_testing import LAST, hand_history, hand_trace, requested
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from visualizer.playback.focus import Focus
from visualizer.programs.builder import Builder
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.views.look.pane import Pane
from visualizer.views.tables.event_table_model import COLUMNS, EventRows, cell_text, time_text
from visualizer.views.tables.event_table_widget import EventTableWidget


def row(step: int) -> list[str]:
    return [cell_text(hand_history(), step, column.key) for column in COLUMNS]


def test_cells() -> None:
    assert row(9) == [
        "9",
        "0.090 µs",
        "producer",
        "arrive_expect_tx",
        "full[0]",
        "0",
        "0",
        "",
        "16384 B",
        "producer_acquire :4",
    ]
    assert row(4) == ["4", "0.040 µs", "producer", "fence", "", "", "", "", "", ""]
    assert row(34)[3] == "wait_end blocked"
    assert row(35)[1] == "~0.350 µs"
    assert [row(step)[8] for step in (2, 11, 27, 32)] == ["x64", "count 1", "x32", "#0"]


@pytest.mark.parametrize(
    ("ps", "text"), [(0, "0.000 µs"), (1_900, "0.002 µs"), (9_999_900, "10.000 µs"), (12_345_678, "12.346 µs")]
)
def test_times(ps: int, text: str) -> None:
    assert time_text(ps) == text


def test_rows_and_steps_are_inverse_under_a_filter() -> None:
    rows = EventRows(hand_history(), np.array([3, 7, 20]))
    assert [rows.step_of(row) for row in range(rows.rows())] == [3, 7, 20]
    assert [rows.row_of(step) for step in (3, 7, 20, 8, 37)] == [0, 1, 2, None, None]


@pytest.fixture
def pane(qtbot: QtBot) -> EventTableWidget:
    widget = EventTableWidget()
    qtbot.addWidget(widget)
    widget.resize(900, 300)
    widget.set_history(hand_history())
    widget.set_focus(Focus(20, None))
    return widget


def test_is_a_pane(pane: EventTableWidget) -> None:
    assert isinstance(pane, Pane)


@pytest.fixture
def host(qtbot: QtBot) -> QWidget:
    """A window that is not shown yet."""
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(900, 300)
    return window


@pytest.fixture
def hosted(host: QWidget) -> EventTableWidget:
    widget = EventTableWidget(host)
    widget.resize(host.size())
    widget.set_history(hand_history())
    return widget


def current_is_visible(pane: EventTableWidget) -> bool:
    table = pane.table
    return table.viewport().rect().contains(table.visualRect(table.currentIndex()).center())


def test_the_focused_event_is_the_current_row_and_visible(hosted: EventTableWidget) -> None:
    hosted.window().show()
    for step in (LAST, 0, 25):
        hosted.set_focus(Focus(step, None))
        assert hosted.table.cells.current_row == hosted.table.currentIndex().row() == step
        assert current_is_visible(hosted)


def test_a_focus_moved_while_hidden_is_visible_once_shown(hosted: EventTableWidget) -> None:
    hosted.set_focus(Focus(LAST, None))
    hosted.window().show()
    assert current_is_visible(hosted)


def test_click_focuses_the_event_and_its_lane(qtbot: QtBot, pane: EventTableWidget) -> None:
    wishes = requested(pane)
    place = pane.table.visualRect(pane.table.model().index(22, 2)).center()
    qtbot.mouseClick(pane.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert wishes == [Focus(22, "consumer.w1")]


def test_arrow_keys_focus_the_next_event(qtbot: QtBot, pane: EventTableWidget) -> None:
    wishes = requested(pane)
    qtbot.keyClick(pane.table, Qt.Key.Key_Down)
    assert wishes == [Focus(21, "tma")]


def test_following_the_focus_asks_for_nothing(pane: EventTableWidget) -> None:
    wishes = requested(pane)
    for step in range(LAST + 1):
        pane.set_focus(Focus(step, None))
    pane.filter_line.setText("producer")
    pane.filter_line.clear()
    assert wishes == []


def test_filter_narrows_and_keeps_the_focus(qtbot: QtBot, pane: EventTableWidget) -> None:
    qtbot.keyClicks(pane.filter_line, "kind:phase_complete")
    assert pane.table.model().rowCount() == 3
    assert pane.table.currentIndex().row() == 0  # step 20
    assert pane.count.text() == "3 of 38 events"
    pane.set_focus(Focus(32, None))
    assert pane.table.currentIndex().row() == 1


def test_a_focus_the_filter_hides_is_said_not_faked(pane: EventTableWidget) -> None:
    pane.filter_line.setText("kind:copy_issue")
    assert pane.table.cells.current_row == -1
    assert pane.count.text() == "2 of 38 events; step 20 is filtered out"


def test_click_on_a_filtered_row_focuses_its_step(qtbot: QtBot, pane: EventTableWidget) -> None:
    pane.filter_line.setText("kind:copy_issue")
    wishes = requested(pane)
    place = pane.table.visualRect(pane.table.model().index(1, 0)).center()
    qtbot.mouseClick(pane.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert wishes == [Focus(15, "producer")]


def test_a_wrong_key_is_explained_under_the_line_and_rows_stay(pane: EventTableWidget) -> None:
    pane.filter_line.setText("kind:copy_issue")
    pane.filter_line.setText("bar:full[0]")
    assert pane.message.isVisibleTo(pane)
    assert pane.message.text().startswith("unknown key 'bar'")
    assert pane.table.model().rowCount() == 2
    pane.filter_line.setText("barrier:full[0]")
    assert not pane.message.isVisibleTo(pane)


def test_a_filter_outlives_the_recording(pane: EventTableWidget) -> None:
    pane.filter_line.setText("producer")
    pane.set_history(None)
    assert pane.table.model().rowCount() == 0
    pane.set_history(hand_history())
    pane.set_focus(Focus(0, None))
    assert pane.count.text() == "17 of 38 events"


def test_millions_of_rows_make_no_row_objects(qtbot: QtBot, pane: EventTableWidget) -> None:
    trace = hand_trace()
    events = np.tile(trace.events, 100_000)
    events["time"] = np.arange(len(events))
    pane.set_history(History(replace(trace, events=events)))
    pane.set_focus(Focus(3_000_000, None))
    model = pane.table.model()
    assert model.rowCount() == 3_800_000
    assert model.data(model.index(3_000_000, 0)) == "3000000"
    assert pane.table.currentIndex().row() == 3_000_000


def test_the_filter_line_takes_queries_as_well(pane: EventTableWidget) -> None:
    pane.filter_line.setText("kind == phase_complete and barrier.kind == full")
    assert pane.count.text() == "2 of 38 events"
    pane.filter_line.setText("wait > 500")
    assert "A time needs a unit" in pane.message.text()
    assert pane.count.text() == "2 of 38 events", "a line that cannot be read leaves the rows as they were"
    pane.filter_line.setText("kind:phase_complete barrier:full")
    assert pane.count.text() == "2 of 38 events"


def test_named_barriers_and_groups_have_their_numbers_in_the_table() -> None:
    b = Builder("test")
    a = b.agent("A", threads=64)
    a.syncthreads()
    a.bar_sync(2, 64)
    a.wgmma_commit()
    a.wgmma_wait(1)
    history = History(simulate(b.build()))
    cells = [tuple(cell_text(history, step, name) for name in ("kind", "barrier", "amount")) for step in range(7)]
    assert cells == [
        ("sync_begin", "bar 0", "the CTA"),
        ("sync_end", "bar 0", "the CTA"),
        ("sync_begin", "bar 2", "64 threads"),
        ("sync_end", "bar 2", "64 threads"),
        ("wgmma_commit", "", ""),
        ("wgmma_wait_begin", "", "keep 1"),
        ("wgmma_wait_end", "", "keep 1"),
    ]
