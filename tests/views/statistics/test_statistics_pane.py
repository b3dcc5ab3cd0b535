"""The Statistics pane: what its model says, that its charts follow, and where its lines lead."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pane_testing import requested
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from statistics_facts import history_of, statistics_of, with_a_late_tile
from two_ring_traces import two_rings

from visualizer.playback.focus import Focus
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.structure.find import structure_of
from visualizer.views.statistics.statistics_model import headline, places, range_text
from visualizer.views.statistics.statistics_widget import StatisticsWidget
from visualizer.views.timeline.lanes.lanes import build_lanes


@pytest.fixture(scope="module")
def history() -> History:
    return with_a_late_tile(history_of(consumer_delay=1000))


@pytest.fixture
def pane(qtbot: QtBot) -> StatisticsWidget:
    pane = StatisticsWidget()
    qtbot.addWidget(pane)
    pane.resize(500, 700)
    pane.show()
    return pane


def test_the_range_is_named(history: History) -> None:
    duration = history.trace.duration_ps
    assert range_text(statistics_of(history), duration).startswith("The whole recording")
    part = range_text(statistics_of(history, duration // 4, duration // 2), duration)
    assert part.endswith("of the recording")
    assert " to " in part


def test_several_ctas_name_the_slowest() -> None:
    history = history_of(ctas=3)
    found = statistics_of(history)
    first = places(found, history)[0]
    assert found.ctas is not None
    assert first.text.startswith(f"slowest CTA: {found.ctas.slowest}")
    assert first.focus.step == found.ctas.slowest_step


def test_a_late_tile_is_looked_for_in_its_stages_lane_though_no_event_tells_the_stage() -> None:
    history = with_a_late_tile(history_of(consumer_delay=1000))
    events = history.trace.events.copy()
    events["stage"][events["kind"] == EventKind.PHASE_COMPLETE] = -1
    untold = History(replace(history.trace, events=events))
    late = [place for place in places(statistics_of(untold), untold) if place.text.startswith("tile 9 took")]
    assert [place.focus.lane for place in late] == ["stage[0]"]


def test_a_late_tile_of_a_ring_that_a_person_named_is_looked_for_in_a_lane_that_is_there() -> None:
    told = with_a_late_tile(History(two_rings(16))).trace
    history = History(told, structure_of(told, [{"ring": "V", "name": "values"}]))
    late = [place for place in places(statistics_of(history), history) if "tile 9 took" in place.text]
    assert {place.focus.lane for place in late} == {"values.stage[1]"}
    assert {place.focus.lane for place in late} <= {lane.key for lane in build_lanes(told, history.structure)}


def test_the_numbers_are_shown_and_an_outlier_leads_to_its_event(pane: StatisticsWidget, history: History) -> None:
    wishes = requested(pane)
    asked: list[History | None] = []
    pane.history_changed.connect(asked.append)
    pane.set_history(history)
    assert asked == [history]
    found = statistics_of(history)
    pane.show_statistics(found)
    assert pane.headline.text() == headline(found)
    rows = [pane.outliers.item(row).text() for row in range(pane.outliers.count())]
    row = next(row for row, text in enumerate(rows) if text.startswith("tile 9 took"))
    pane.outliers.itemClicked.emit(pane.outliers.item(row))
    outlier = next(one for one in found.outliers if one.kind == "tile")
    assert wishes == [Focus(outlier.step, f"stage[{9 % 3}]")]


def test_an_outlier_is_reached_with_the_keyboard(pane: StatisticsWidget, history: History, qtbot: QtBot) -> None:
    pane.set_history(history)
    pane.show_statistics(statistics_of(history))
    wishes = requested(pane)
    pane.outliers.setCurrentRow(0)
    qtbot.keyClick(pane.outliers, Qt.Key.Key_Return)
    assert len(wishes) == 1


def test_old_numbers_stay_greyed_until_new_ones_come(pane: StatisticsWidget, history: History) -> None:
    pane.set_history(history)
    pane.show_statistics(statistics_of(history))
    text = pane.headline.text()
    pane.set_stale(True)
    assert (pane.headline.text(), pane.headline.isEnabled()) == (text, False)
    greyed = pane.charts.grab().toImage()
    pane.show_statistics(statistics_of(history))
    assert pane.headline.isEnabled()
    assert pane.charts.grab().toImage() != greyed


def test_without_a_recording_it_says_what_to_do(pane: StatisticsWidget, history: History) -> None:
    pane.set_history(history)
    pane.show_statistics(statistics_of(history))
    pane.set_history(None)
    assert "Open or run a recording" in pane.headline.text()
    assert not pane.charts.charts
    assert not pane.outliers.isVisible()
