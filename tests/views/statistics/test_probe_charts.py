"""What a probe saw as charts: bars where the recording's line runs, cut to the range; of flips the parity alone."""

from __future__ import annotations

import numpy as np
import pytest
from probed import probed
from pytestqt.qtbot import QtBot
from statistics_facts import history_of, statistics_of

from visualizer.replay.history import History
from visualizer.views.charts.chart_model import Boxes, Chart, Curve
from visualizer.views.statistics import probe_charts as module
from visualizer.views.statistics.probe_charts import probe_charts, probed_barriers
from visualizer.views.statistics.statistics_widget import StatisticsWidget

PERIOD = 20_000  # ps


@pytest.fixture(scope="module")
def history() -> History:
    return History(probed(history_of(tiles=6).trace, PERIOD))


def _parts(chart: Chart) -> tuple[Boxes, Curve]:
    bars, curve = chart.series
    assert isinstance(bars, Boxes)
    assert isinstance(curve, Curve)
    return bars, curve


def test_the_probed_barriers_are_named(history: History) -> None:
    assert probed_barriers(history) == list(enumerate(barrier.name for barrier in history.trace.barriers))
    assert probed_barriers(history_of(tiles=2)) == probed_barriers(None) == []


def test_bars_and_line_tell_the_same_counts(history: History) -> None:
    duration = history.trace.duration_ps
    pending, outstanding = probe_charts(history, 0, 0, duration)
    assert (pending.title, pending.x.label) == ("arrivals missing at full[0], probed", "time (µs)")
    assert outstanding.y.label == "outstanding (KiB)"
    assert outstanding.x.ends == (0, duration / 1e6)
    for chart, most in ((pending, 1), (outstanding, 16)):
        bars, curve = _parts(chart)
        seen = (bars.y0 + bars.y1) / 2
        assert seen.max() == most
        assert len(curve.x) == len(curve.y) + 1
        # In the middle of what the probe saw for a while, the recording has the same.
        long = (bars.x1 - bars.x0) > 3 * PERIOD / 1e6
        assert long.sum() > 3
        at = np.searchsorted(curve.x, ((bars.x0 + bars.x1) / 2)[long], side="right") - 1
        assert seen[long] == pytest.approx(curve.y[at], abs=2)  # a token shows bytes to 2 KiB


def test_a_range_holds_what_lies_in_it_only(history: History) -> None:
    duration = history.trace.duration_ps
    (pending, _) = probe_charts(history, 0, duration // 3, duration // 2)
    assert pending.x.ends == (duration // 3 / 1000, duration // 2 / 1000)
    assert pending.x.label == "time (ns)"
    for series in _parts(pending):
        x = series.x if isinstance(series, Curve) else np.append(series.x0, series.x1)
        left, right = pending.x.ends
        assert x.min() >= left
        assert x.max() <= right * 1.01


def test_a_probe_of_flips_shows_the_parity() -> None:
    flips = History(probed(history_of(tiles=6).trace, PERIOD, "flips"))
    (chart,) = probe_charts(flips, 0, 0, flips.trace.duration_ps)
    bars, curve = _parts(chart)
    assert set(((bars.y0 + bars.y1) / 2).tolist()) == set(curve.y.tolist()) == {0, 1}


def test_too_many_samples_ask_for_a_shorter_range(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_RUNS", 3)
    chart = probe_charts(history, 0, 0, history.trace.duration_ps)[0]
    assert chart.series == ()
    assert chart.caption.endswith("too many to draw; zoom in")


def test_the_pane_shows_them_of_the_chosen_barrier(qtbot: QtBot, history: History) -> None:
    pane = StatisticsWidget()
    qtbot.addWidget(pane)
    pane.resize(500, 700)
    pane.show()
    pane.set_history(history)
    pane.show_statistics(statistics_of(history))
    assert pane.probed.isVisible()
    assert pane.probe_charts.charts[0].title == "arrivals missing at full[0], probed"
    pane.probed.setCurrentIndex(1)
    assert pane.probe_charts.charts[0].title == "arrivals missing at full[1], probed"
    plain = history_of(tiles=4)
    pane.set_history(plain)
    pane.show_statistics(statistics_of(plain))
    assert not pane.probed.isVisible()
    assert not pane.probe_charts.charts
