"""The chart of predictions as numbers: bars, the knee, what does not fit, spreads and measurements."""

from __future__ import annotations

import numpy as np
import pytest

from visualizer.views.charts.chart_model import Boxes, Diamonds, Spans
from visualizer.views.statistics.predict_charts import prediction_chart
from visualizer.views.statistics.predict_model import Point

POINTS = (
    Point(1, 20e6, 18e6, 24e6, 21e6, is_knee=False, is_recorded=False, fits=True),
    Point(2, 12e6, 11e6, 13e6, None, is_knee=True, is_recorded=False, fits=True),
    Point(3, 12e6, 11e6, 13e6, 12.5e6, is_knee=False, is_recorded=True, fits=True),
    Point(4, 12e6, 11e6, 13e6, None, is_knee=False, is_recorded=False, fits=False),
)


def test_bars_by_kind_their_spread_and_what_was_measured_in_one_unit() -> None:
    chart = prediction_chart(POINTS)
    assert (chart.x.label, chart.y.label, chart.x.ends) == ("stages", "time per tile (µs)", (0.5, 4.5))
    boxes = {series.name: series for series in chart.series if isinstance(series, Boxes)}
    middles = {name: ((one.x0 + one.x1) / 2).tolist() for name, one in boxes.items()}
    assert middles == {
        "predicted, at the knee": [2],
        "predicted": [1, 3],
        "predicted, not enough shared memory": [4],
    }
    assert boxes["predicted"].y1.tolist() == [20, 12]
    (spans,) = (series for series in chart.series if isinstance(series, Spans))
    assert (spans.low.tolist(), spans.high.tolist()) == ([18, 11, 11, 11], [24, 13, 13, 13])
    (measured,) = (series for series in chart.series if isinstance(series, Diamonds))
    assert measured.y.tolist() == [21, 12.5]
    assert np.floor(measured.x).tolist() == [1, 3]


def test_ticks_and_notes_name_the_knee_and_the_recorded_count() -> None:
    chart = prediction_chart(POINTS)
    assert [texts for _, texts in chart.x.ticks] == [("1", "1"), ("2\nknee", "2"), ("3\nrecorded", "3"), ("4", "4")]
    assert [(note.text, note.strong) for note in chart.notes] == [
        ("20", False), ("12", True), ("12", False), ("12", False),
    ]  # fmt: skip
    assert chart.caption.splitlines() == [point.text for point in POINTS]


@pytest.mark.parametrize("points", [(), POINTS[1:2]])
def test_without_measurements_none_are_in_the_key(points: tuple[Point, ...]) -> None:
    assert not [series for series in prediction_chart(points).series if isinstance(series, Diamonds)]
