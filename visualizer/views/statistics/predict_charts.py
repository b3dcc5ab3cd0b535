"""The chart of the Predict pane: time per tile over stage counts, measured beside predicted. Pure, no Qt."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from visualizer.language import tr
from visualizer.views.charts.chart_model import (
    Axis,
    Boxes,
    Chart,
    Diamonds,
    Note,
    Series,
    Spans,
    floats,
    time_unit,
    with_unit,
)
from visualizer.views.statistics.predict_model import Point

_HALF = 0.27  # of the distance between two stage counts: what a bar takes on each side of its middle
_BESIDE = 0.38  # and where the measurement stands, so that it hides no spread


def prediction_chart(points: Sequence[Point]) -> Chart:
    """A bar for each stage count, their spread, and diamonds where something was measured."""
    most = max((max(point.high, point.predicted, point.measured or 0.0) for point in points), default=0.0)
    size, unit = time_unit(most)
    stages = floats([point.stages for point in points])
    predicted, low, high = (
        floats([getattr(point, name) for point in points]) / size for name in ("predicted", "low", "high")
    )
    series: list[Series] = []
    kinds = np.array([0 if point.is_knee else 1 if point.fits else 2 for point in points])
    for kind, (role, name) in enumerate(
        (
            ("full", tr("predicted, at the knee")),
            ("filling", tr("predicted")),
            ("empty", tr("predicted, not enough shared memory")),
        )
    ):
        own = kinds == kind
        x, top = stages[own], predicted[own]
        if own.any():
            series.append(Boxes(name, role, x - _HALF, x + _HALF, np.zeros(len(x)), top))
    series.append(Spans(tr("5% to 95% of tiles"), stages, low, high))
    measured = [(point.stages + _BESIDE, point.measured) for point in points if point.measured is not None]
    if measured:
        x, y = floats(measured).T
        name = tr("simulated") if any(point.simulated for point in points) else tr("measured")
        series.append(Diamonds(name, "accent", x, y / size))
    notes = [
        Note(point.stages, max(point.high, point.predicted) / size, f"{point.predicted / size:.4g}", point.is_knee)
        for point in points
    ]
    ticks = tuple((float(point.stages), _tick(point)) for point in points)
    return Chart(
        tr("Time per tile over stages"),
        "\n".join(point.text for point in points),
        Axis(tr("stages"), ticks, (points[0].stages - 0.5, points[-1].stages + 0.5) if points else None),
        Axis(with_unit(tr("time per tile"), unit)),
        tuple(series) if points else (),
        tuple(notes),
    )


def _tick(point: Point) -> tuple[str, ...]:
    said = [str(point.stages), *([tr("knee")] if point.is_knee else [])]
    return ("\n".join([*said, *([tr("recorded")] if point.is_recorded else [])]), str(point.stages))
