"""The charts of the Statistics pane as numbers: every one against the Statistics it is made of."""

from __future__ import annotations

import numpy as np
import pytest
from statistics_facts import history_of, statistics_of, with_a_late_tile
from two_ring_traces import two_rings

from visualizer.diagnosis.statistics.statistics import Statistics
from visualizer.replay.history import History
from visualizer.views.charts.chart_model import Boxes, Chart, Curve, Rule
from visualizer.views.statistics.statistics_charts import charts


@pytest.fixture(scope="module")
def found() -> Statistics:
    return statistics_of(with_a_late_tile(history_of(consumer_delay=1000)))


@pytest.fixture(scope="module")
def shown(found: Statistics) -> dict[str, Chart]:
    return {chart.title: chart for chart in charts(found)}


def _boxes(chart: Chart) -> dict[str, Boxes]:
    return {series.name: series for series in chart.series if isinstance(series, Boxes)}


def _rules(chart: Chart) -> dict[str, float]:
    return {series.name: series.x for series in chart.series if isinstance(series, Rule)}


def test_all_charts_in_their_order_with_units_on_their_axes(shown: dict[str, Chart]) -> None:
    assert {title: (chart.x.label, chart.y.label) for title, chart in shown.items()} == {
        "what each role did": ("share of time (%)", ""),
        "state of the stages": ("share of time (%)", ""),
        "critical path": ("share of time (%)", ""),
        "stages over time": ("time (µs)", "stages of a CTA"),
        "bytes in flight": ("time (µs)", "in flight (KiB)"),
        "time per tile": ("time (µs)", "tiles"),
        "lengths of blocked waits": ("time (µs)", "blocked waits"),
        "copy latency": ("time (ns)", "copies"),
        "copy throughput": ("throughput (B/ns)", "copies"),
        "producer lead": ("tiles ahead", "time (%)"),
    }
    assert list(shown)[:5] == [
        "what each role did", "state of the stages", "critical path", "stages over time", "bytes in flight",
    ]  # fmt: skip


def test_bars_fill_a_hundred_per_cent_and_say_their_shares(shown: dict[str, Chart], found: Statistics) -> None:
    for title in ("what each role did", "state of the stages", "critical path"):
        chart = shown[title]
        for row, _ in chart.y.ticks:
            parts = [
                (series.x0[at], series.x1[at])
                for series in _boxes(chart).values()
                for at in np.flatnonzero((series.y0 < row) & (series.y1 > row))
            ]
            parts.sort()
            assert parts[0][0] == 0
            assert parts[-1][1] == pytest.approx(100)
            assert [end for _, end in parts[:-1]] == pytest.approx([begin for begin, _ in parts[1:]])
    roles = shown["what each role did"]
    producer = found.roles[0]
    waited = _boxes(roles)["back-pressure"]
    assert waited.role == "waiting"
    assert waited.x1[0] - waited.x0[0] == pytest.approx(100 * producer.share(producer.back_pressure))
    assert f"back-pressure {producer.share(producer.back_pressure):.1%}" in roles.caption
    assert roles.rows == len(roles.y.ticks) == 2


def test_the_stages_stack_to_their_number_and_the_bytes_to_what_landed(
    shown: dict[str, Chart], found: Statistics
) -> None:
    stages = _boxes(shown["stages over time"])
    assert list(stages) == ["reading", "full", "filling", "empty"]
    assert stages["empty"].y1 == pytest.approx(np.full(240, 3.0))
    assert (stages["full"].y0 == stages["reading"].y1).all()
    flying = shown["bytes in flight"]
    mean = _boxes(flying)["mean"]
    most = next(series for series in flying.series if isinstance(series, Curve))
    assert len(most.x) == len(most.y) + 1
    assert (most.y >= mean.y1 - 1e-9).all()
    assert most.y.max() == pytest.approx(32)  # KiB: two tiles of 16
    assert (
        flying.caption
        == f"{found.over_time.bytes_mean.mean() / 1024:.1f} KiB on average, 32.0 KiB at most, of all CTAs"
    )


def test_histograms_hold_every_value_and_mark_median_and_95_per_cent(
    shown: dict[str, Chart], found: Statistics
) -> None:
    latency = shown["copy latency"]
    (bars,) = _boxes(latency).values()
    assert bars.y1.sum() == found.latency.count
    assert bars.x0[0] == pytest.approx(found.latency.least / 1000)
    assert _rules(latency) == {
        "median": pytest.approx(found.latency.median / 1000),
        "95%": pytest.approx(min(found.latency.p95, found.latency.edges[-1]) / 1000),
    }
    assert f"median {found.latency.median / 1000:.0f} ns" in latency.caption
    lead = _boxes(shown["producer lead"])[""]
    assert lead.y1.tolist() == pytest.approx([100 * share for share in found.occupancy.lead])


def test_waits_of_each_cause_stand_on_one_another(shown: dict[str, Chart], found: Statistics) -> None:
    waits = shown["lengths of blocked waits"]
    back, starved = _boxes(waits)["back-pressure"], _boxes(waits)["starved"]
    assert (back.y1 - back.y0).sum() == found.waits.back_pressure.count
    assert (starved.y1 - starved.y0).sum() == found.waits.starved.count
    assert (starved.y0 == back.y1).all()
    assert (starved.x0 == back.x0).all()
    assert waits.caption.startswith(f"back-pressure: {found.waits.back_pressure.count}, median ")


def test_a_range_without_tiles_says_so(found: Statistics) -> None:
    shown = {chart.title: chart for chart in charts(statistics_of(history_of(), 0, 1))}
    for title in ("time per tile", "copy latency", "copy throughput", "lengths of blocked waits"):
        assert (shown[title].caption, shown[title].series) == ("none in this range", ())


def test_of_several_rings_each_has_its_stages_its_path_and_its_times() -> None:
    found = statistics_of(History(two_rings()))
    shown = {chart.title: chart for chart in charts(found)}
    assert [texts[0] for _, texts in shown["state of the stages"].y.ticks] == ["stages of K", "stages of V"]
    shares = [f"{ring.path_share:.0%} of it, to {ring.name}" for ring in found.rings if ring.path.shares]
    assert shares
    assert [texts[0] for _, texts in shown["critical path"].y.ticks] == ["critical path", *shares]
    assert list(shown)[-5:-1] == ["time per tile of K", "copy latency of K", "time per tile of V", "copy latency of V"]
    (latency,) = _boxes(shown["copy latency of V"]).values()
    assert latency.y1.sum() == found.rings[1].latency.count


def test_several_ctas_have_their_spread() -> None:
    last = charts(statistics_of(history_of(ctas=3)))[-1]
    assert last.title == "time per tile of 3 CTAs"
    (bars,) = _boxes(last).values()
    assert bars.y1.sum() == 3
