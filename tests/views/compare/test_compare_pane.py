"""The Compare pane: two timelines in step, tables and bars that lead to differences."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot
from stranger_traces import stranger
from two_ring_traces import two_rings

from visualizer.diagnosis.comparison.compare import Comparison
from visualizer.playback.focus import Focus
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.views.compare.compare_model import OrderRows, StateRows, TileTimeRows, tile_bars
from visualizer.views.compare.compare_widget import CompareWidget
from visualizer.views.look.theme import load_theme


@pytest.fixture(scope="module")
def slow() -> History:
    return History(simulate(lesson(LessonConfig(consumer_delay=2000, tiles=10)), seed=1))


@pytest.fixture
def comparison(lesson_history: History, slow: History) -> Comparison:
    return Comparison(lesson_history, slow)


@pytest.fixture
def pane(comparison: Comparison, qtbot: QtBot) -> CompareWidget:
    pane = CompareWidget()
    qtbot.addWidget(pane)
    pane.resize(1200, 800)
    pane.set_theme(load_theme("light"))
    pane.set_comparison(comparison, "lesson.pscope", "slow.pscope")
    pane.set_focus(Focus(0))
    with qtbot.waitExposed(pane):
        pane.show()
    return pane


def cursor_x(timeline) -> float:
    scene = timeline._scene
    return scene.view.pixel(scene.focused.time)


def texts(rows, row: int) -> list[str]:
    return [rows.cell(row, column).text for column in range(len(rows.columns))]


def test_the_tables_say_what_the_comparison_says(comparison: Comparison) -> None:
    order = OrderRows(comparison)
    assert order.rows() == len(comparison.differing) == 5
    first = comparison.differing[0]
    assert texts(order, 0)[:2] == [first.agent, str(first.index)]
    assert order.cell(0, 0).step == first.step_a
    tiles = TileTimeRows(comparison)
    assert tiles.rows() == 8
    assert tiles.cell(3, 1).text == "3"
    assert tiles.cell(3, 4).text.endswith("longer")
    assert tiles.row_of(0, 5) == 5
    assert tiles.row_of(0, 9) is None
    units = {tiles.cell(row, column).text.split()[1] for row in range(8) for column in (2, 3, 4, 5)}
    assert units == {"µs"}, "a column has one unit"


def test_agents_of_one_recording_end_the_order_table(lesson_history: History) -> None:
    two = History(simulate(lesson(LessonConfig(consumer_warps=2))))
    rows = OrderRows(Comparison(lesson_history, two))
    assert texts(rows, rows.rows() - 1) == ["consumer.w3", "", "is here", "–"]


def test_states_that_differ_are_listed(comparison: Comparison, lesson_history: History, slow: History) -> None:
    last = lesson_history.steps - 1
    rows = StateRows(comparison, last)
    shown = {texts(rows, row)[0] for row in range(rows.rows())}
    a, b = lesson_history.state_at(last), slow.state_at(comparison.in_b(last))
    for row, barrier in enumerate(lesson_history.trace.barriers):
        same = a.barrier_phase[row] == b.barrier_phase[row] and a.barrier_pending[row] == b.barrier_pending[row]
        assert (barrier.name in shown) == (not same or a.barrier_tx[row] != b.barrier_tx[row])


def test_bars_are_the_tiles_differences_and_keep_the_largest(comparison: Comparison) -> None:
    wide = tile_bars(comparison, 800)
    assert wide.value.tolist() == comparison.tiles.longer.tolist()
    narrow = tile_bars(comparison, 3)
    assert len(narrow.value) == 3
    assert np.abs(narrow.value).max() == np.abs(comparison.tiles.longer).max()
    assert not len(tile_bars(comparison, 0).value)


def test_both_timelines_stand_at_the_like_event(pane: CompareWidget, comparison: Comparison, qtbot: QtBot) -> None:
    for step in (30, 120, 200):
        pane.set_focus(Focus(step, "producer"))
        assert pane.a._scene.focused.focus == Focus(step, "producer")
        assert pane.b._scene.focused.focus == Focus(comparison.in_b(step), "producer")
        assert cursor_x(pane.a) == pytest.approx(cursor_x(pane.b), abs=1)
        assert pane.a.view.ps_per_px == pytest.approx(pane.b.view.ps_per_px, rel=0.01)


@pytest.mark.parametrize("which", ["a", "b"])
def test_zoom_in_one_zooms_the_other(pane: CompareWidget, qtbot: QtBot, which: str) -> None:
    pane.set_focus(Focus(120))
    one, other = (pane.a, pane.b) if which == "a" else (pane.b, pane.a)
    before = other.view
    with qtbot.waitSignal(one.view_changed):
        one.zoom_in()
    qtbot.waitUntil(lambda: other.view != before)
    assert one.view.span == pytest.approx(other.view.span, rel=0.01)
    assert cursor_x(pane.a) == pytest.approx(cursor_x(pane.b), abs=1)


def test_a_click_in_b_asks_for_the_like_step_of_a(pane: CompareWidget, comparison: Comparison, qtbot: QtBot) -> None:
    scene = pane.b._scene
    row = scene.store.row_of["producer"]
    at = QPoint(round(scene.frame.lanes.center().x()), round(scene.top(row) + scene.height(row) / 2))
    wanted = scene.click(at.toPointF() if hasattr(at, "toPointF") else at)
    with qtbot.waitSignal(pane.focus_requested) as asked:
        qtbot.mouseClick(pane.b.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert asked.args == [Focus(comparison.in_a(wanted.step), "producer")]


def test_a_row_leads_to_its_difference(pane: CompareWidget, comparison: Comparison, qtbot: QtBot) -> None:
    with qtbot.waitSignal(pane.focus_requested) as asked:
        pane.order.chosen.emit(0, 2)
    assert asked.args[0].step == comparison.differing[0].step_a
    with qtbot.waitSignal(pane.focus_requested) as asked:
        pane.tiles.chosen.emit(4, 0)
    assert asked.args[0] == Focus(comparison.tile_step(comparison.a, 0, 4), "full[1]")


def test_a_bar_leads_to_its_tile(pane: CompareWidget, comparison: Comparison, qtbot: QtBot) -> None:
    bars = pane.bars
    at = QPoint(round(bars._area().left() + bars._bars().width * 5.5), bars.height() // 2)
    with qtbot.waitSignal(pane.focus_requested) as asked:
        qtbot.mouseClick(bars, Qt.MouseButton.LeftButton, pos=at)
    assert asked.args[0].step == comparison.tile_step(comparison.a, 0, 5)


def test_the_focused_tile_is_marked(pane: CompareWidget, comparison: Comparison) -> None:
    pane.set_focus(Focus(comparison.tile_step(comparison.a, 0, 6)))
    assert pane.bars._current == 6
    assert pane.tiles.cells.current_row == 6
    image = pane.bars.grab().toImage()
    accent = load_theme("light").accent
    assert any(image.pixelColor(x, image.height() // 2).name() == accent for x in range(image.width()))


def test_the_verdict_in_words(pane: CompareWidget, lesson_history: History) -> None:
    assert pane.verdict.text().startswith("The order of events differs in 5 agents of 5;")
    assert pane.tabs.currentWidget() is pane.order
    pane.set_comparison(Comparison(lesson_history, lesson_history), "a", "b")
    assert pane.verdict.text() == "Every agent does the same in the same order in both. 8 tiles are aligned."
    assert pane.tabs.currentWidget() is pane.tiles


def test_where_no_tile_is_named_the_tables_have_the_room_of_the_bars(
    pane: CompareWidget, comparison: Comparison
) -> None:
    nameless = History(stranger())
    assert pane.bars.isVisibleTo(pane)
    pane.set_comparison(Comparison(nameless, nameless), "a", "b")
    assert not pane.bars.isVisibleTo(pane)
    pane.set_comparison(comparison, "a", "b")
    assert pane.bars.isVisibleTo(pane)


def test_it_can_be_emptied(pane: CompareWidget) -> None:
    pane.forget()
    pane.set_focus(Focus(3))
    assert pane.a.view is None
    assert pane.bars.grab().toImage().width() > 0


def test_a_zoom_is_not_undone_by_what_the_other_has_yet_to_paint(pane: CompareWidget, qtbot: QtBot) -> None:
    """Both have pictures to paint when a person zooms one: the last move counts."""
    for step in (10, 60, 120):
        pane.set_focus(Focus(step))
        span = pane.a.view.span
        with qtbot.waitSignal(pane.a.view_changed):
            pane.a.zoom_in()
        qtbot.waitUntil(lambda span=span: pane.b.view.span < span * 0.9)
        assert pane.a.view.span < span * 0.9


def test_tiles_of_several_rings_follow_those_of_all_together(qtbot: QtBot) -> None:
    a, b = History(two_rings(tiles=4)), History(two_rings(tiles=4, seed=2))
    comparison = Comparison(a, b)
    rows = TileTimeRows(comparison)
    assert [column.key for column in rows.columns][:3] == ["ring", "cta", "tile"]
    assert [texts(rows, row)[:3] for row in (0, 4, 11)] == [["all", "0", "0"], ["K", "0", "0"], ["V", "0", "3"]]
    assert rows.rows() == 12
    assert rows.row_of(0, 3) == 3
    step = rows.step(11)
    assert step is not None
    assert a.trace.barriers[a.trace.events["barrier"][step]].name == "V.full[1]"
    pane = CompareWidget()
    qtbot.addWidget(pane)
    pane.set_comparison(comparison, "a", "b")
    with qtbot.waitSignal(pane.focus_requested) as asked:
        pane._choose_tile(11)
    assert asked.args[0].step == step


def test_a_ring_without_a_partner_is_told_above(qtbot: QtBot, lesson_history: History) -> None:
    pane = CompareWidget()
    qtbot.addWidget(pane)
    pane.set_comparison(Comparison(History(two_rings(tiles=4)), lesson_history), "a", "b")
    assert "Ring K: in a alone, so it is not compared." in pane.verdict.text()
