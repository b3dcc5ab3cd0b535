"""The Statistics pane: what its model says, that its charts are painted, and where its lines lead."""

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
from visualizer.views.charts_widget import Charts
from visualizer.views.lanes import build_lanes
from visualizer.views.statistics_model import Bar, Histogram, charts, headline, places, range_text
from visualizer.views.statistics_widget import StatisticsWidget
from visualizer.views.theme import load_theme


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


def test_bars_sum_to_one_and_say_their_shares(history: History) -> None:
    bars = [chart for chart in charts(statistics_of(history)) if isinstance(chart, Bar)]
    assert [bar.title for bar in bars] == ["producer", "consumers", "stages", "critical path"]
    for bar in bars:
        assert sum(part.share for part in bar.parts) == pytest.approx(1)
    assert "back-pressure" in bars[0].text


def test_histograms_hold_every_value_and_mark_the_median(history: History) -> None:
    found = statistics_of(history)
    histograms = {chart.title: chart for chart in charts(found) if isinstance(chart, Histogram)}
    tiles = histograms["time per tile"]
    assert sum(tiles.counts) == found.per_tile.count
    assert tiles.median is not None
    assert tiles.p95 is not None
    assert 0 <= tiles.median <= tiles.p95 <= 1
    assert f"median {found.per_tile.median / 1000:.0f} ns" in tiles.caption
    assert histograms["producer lead"].counts == found.occupancy.lead


def test_the_range_is_named(history: History) -> None:
    duration = history.trace.duration_ps
    assert range_text(statistics_of(history), duration).startswith("The whole recording")
    part = range_text(statistics_of(history, duration // 4, duration // 2), duration)
    assert part.endswith("of the recording")
    assert " to " in part


def test_a_range_without_tiles_says_so(history: History) -> None:
    shown = charts(statistics_of(history, 0, 1))
    assert next(chart.caption for chart in shown if isinstance(chart, Histogram)) == "none in this range"


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


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_charts_are_painted_in_the_theme_and_have_a_twin_in_words(qtbot: QtBot, history: History, theme: str) -> None:
    widget = Charts("charts")
    qtbot.addWidget(widget)
    shown = charts(statistics_of(history))
    widget.set_charts(shown)
    widget.set_theme(load_theme(theme))
    widget.resize(700, widget.heightForWidth(700))
    image = widget.grab().toImage()
    colours = {image.pixelColor(x, y).name() for x in range(0, 700, 2) for y in range(0, image.height(), 2)}
    assert {load_theme(theme).waiting.fill, load_theme(theme).filling.fill, load_theme(theme).reading.fill} <= colours
    assert widget.accessibleDescription().count("\n") == len(shown) - 1


def test_narrow_charts_stand_below_each_other(qtbot: QtBot, history: History) -> None:
    widget = Charts("charts")
    qtbot.addWidget(widget)
    widget.set_charts(charts(statistics_of(history)))
    assert widget.heightForWidth(200) > widget.heightForWidth(1200)


def test_of_several_rings_each_has_its_stages_its_path_and_its_times() -> None:
    found = statistics_of(History(two_rings()))
    shown = charts(found)
    titles = [chart.title for chart in shown]
    shares = [f"{ring.path_share:.0%} of it, to {ring.name}" for ring in found.rings if ring.path.shares]
    assert titles[2:-1] == [
        "stages of K", "stages of V", "critical path", *shares, "time per tile", "copy latency", "copy throughput",
        "time per tile of K", "copy latency of K", "time per tile of V", "copy latency of V",
    ]  # fmt: skip
    assert shares
    for bar in shown:
        if isinstance(bar, Bar):
            assert sum(part.share for part in bar.parts) == pytest.approx(1)
