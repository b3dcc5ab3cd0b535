"""Which of a CTA's rings a pane shows: that of the focus, one chosen by hand, or all side by side."""

from __future__ import annotations

import numpy as np
import pytest
from pane_testing import hand_history, requested
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from two_ring_traces import STAGES, two_rings

from visualizer.playback.focus import Focus
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.views.look.ring_choice_widget import RingChoice
from visualizer.views.ring.ring_widget import SIDE_BY_SIDE, RingWidget
from visualizer.views.tables.tile_table_widget import TileTableWidget

NARROW, WIDE = 420, 2400


def copy_into(history: History, ring: int) -> int:
    """The first copy into a ring, by its row in Trace.rings."""
    events = history.trace.events
    return int(np.flatnonzero((events["kind"] == EventKind.COPY_ISSUE) & (events["ring"] == ring))[0])


def choose(qtbot: QtBot, choice: RingChoice, name: str) -> None:
    """As a person does: down to the name by keys."""
    while choice.currentText() != name:
        before = choice.currentIndex()
        qtbot.keyClick(choice, Qt.Key.Key_Down)
        assert choice.currentIndex() == before + 1


@pytest.fixture
def history() -> History:
    return History(two_rings(6))


@pytest.fixture
def pane(qtbot: QtBot, history: History) -> RingWidget:
    widget = RingWidget()
    qtbot.addWidget(widget)
    widget.resize(NARROW, 480)
    widget.set_history(history)
    widget.set_focus(Focus(copy_into(history, 0), None))
    widget.show()
    return widget


@pytest.fixture
def table(qtbot: QtBot, history: History) -> TileTableWidget:
    widget = TileTableWidget()
    qtbot.addWidget(widget)
    widget.resize(NARROW, 300)
    widget.set_history(history)
    widget.set_focus(Focus(copy_into(history, 0), None))
    widget.show()
    return widget


def names(pane: RingWidget) -> list[str | None]:
    return [picture.ring.name for picture in pane.pictures()]


def titles(table: TileTableWidget) -> list[str]:
    return [one.title.text().strip() for one in table.tables if one.isVisible()]


def test_there_is_nothing_to_choose_of_one_ring(qtbot: QtBot) -> None:
    for widget in (RingWidget(), TileTableWidget()):
        qtbot.addWidget(widget)
        widget.set_history(hand_history())
        widget.set_focus(Focus(20, None))
        assert widget.choice.isHidden()
        assert widget.choice.chosen is None


def test_the_ring_follows_the_focus_until_one_is_chosen(qtbot: QtBot, pane: RingWidget, history: History) -> None:
    assert names(pane) == ["K"]
    pane.set_focus(Focus(copy_into(history, 1), None))
    assert names(pane) == ["V"]
    choose(qtbot, pane.choice, "K")
    assert names(pane) == ["K"]
    pane.set_focus(Focus(copy_into(history, 0), None))
    pane.set_focus(Focus(copy_into(history, 1), None))
    assert names(pane) == ["K"]
    assert len(pane.pictures()[0].ring.stages) == STAGES["K"]
    qtbot.keyClick(pane.choice, Qt.Key.Key_Home)
    assert names(pane) == ["V"]


def test_a_wide_pane_shows_all_rings_side_by_side(qtbot: QtBot, pane: RingWidget, history: History) -> None:
    pane.resize(WIDE, 480)
    assert names(pane) == ["K", "V"]
    left, right = (picture.shapes.bounds for picture in pane.pictures())
    assert left.x + left.width == right.x
    assert right.x + right.width == WIDE
    assert left.y >= pane.choice.height()  # nothing lies under the choice
    wishes = requested(pane)
    layout = pane.pictures()[1].layout
    x, y = layout.point(layout.angles[1], (layout.inner + layout.outer) / 2)
    at = pane.rect().topLeft()
    at.setX(round(x))
    at.setY(round(y))
    qtbot.mouseClick(pane, Qt.MouseButton.LeftButton, pos=at)
    assert [wish.lane for wish in wishes] == ["V.stage[1]"]
    assert history.event_places.at(wishes[0].step) == history.structure.place(0, "V", 1)
    choose(qtbot, pane.choice, "V")
    assert names(pane) == ["V"]
    assert pane.pictures()[0].shapes.bounds.width == WIDE


def test_how_wide_is_wide_enough_follows_the_text(pane: RingWidget) -> None:
    pane.resize(2 * SIDE_BY_SIDE * pane.fontMetrics().height(), 480)
    assert names(pane) == ["K", "V"]
    font = pane.font()
    font.setPointSizeF(font.pointSizeF() * 1.5)
    pane.setFont(font)
    assert names(pane) == ["K"]


def test_keys_walk_the_rings_one_after_the_other(qtbot: QtBot, pane: RingWidget) -> None:
    pane.resize(WIDE, 480)
    first = len(pane.pictures()[0].shapes.hits)
    wishes = requested(pane)
    for _ in range(first + 1):
        qtbot.keyClick(pane, Qt.Key.Key_Down)
    qtbot.keyClick(pane, Qt.Key.Key_Return)
    assert [wish.lane for wish in wishes] == ["V.stage[0]"]
    assert not pane.grab().isNull()


def test_the_description_tells_all_rings_shown(pane: RingWidget) -> None:
    assert pane.accessibleDescription().count("ring ") == 1
    pane.resize(WIDE, 480)
    assert "ring K" in pane.accessibleDescription()
    assert "ring V" in pane.accessibleDescription()


def test_a_choice_outlives_a_change_of_cta_and_is_gone_with_the_ring(qtbot: QtBot, pane: RingWidget) -> None:
    choose(qtbot, pane.choice, "V")
    several = History(two_rings(3, ctas=2))
    pane.set_history(several)
    step = int(np.flatnonzero(several.trace.agent_cta[several.trace.events["agent"]] == 1)[-1])
    pane.set_focus(Focus(step, None))
    assert (names(pane), pane.pictures()[0].ring.cta) == (["V"], 1)
    pane.set_history(hand_history())
    pane.set_focus(Focus(20, None))
    assert pane.choice.chosen is None
    assert names(pane) == [""]
    pane.set_history(None)
    assert pane.choice.isHidden()
    assert pane.hits() == ()


def test_the_table_follows_chooses_and_stands_side_by_side(
    qtbot: QtBot, table: TileTableWidget, history: History
) -> None:
    assert titles(table) == ["ring K"]
    table.set_focus(Focus(copy_into(history, 1), None))
    assert titles(table) == ["ring V"]
    choose(qtbot, table.choice, "K")
    assert titles(table) == ["ring K"]
    qtbot.keyClick(table.choice, Qt.Key.Key_Home)
    table.resize(WIDE, 300)
    assert titles(table) == ["ring K", "ring V"]
    wishes = requested(table)
    second = table.tables[1].table
    cell = second.model().index(0, 3)
    assert second.model().data(cell) == "full[0] 0→1"
    qtbot.mouseClick(second.viewport(), Qt.MouseButton.LeftButton, pos=second.visualRect(cell).center())
    assert [wish.lane for wish in wishes] == ["V.full[0]"]
    table.resize(NARROW, 300)
    assert titles(table) == ["ring V"]
