"""Distributions as Charts: histograms with median and 95th percentile, alone or one cause on another. Pure, no Qt."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from visualizer.diagnosis.statistics.distribution import Distribution
from visualizer.diagnosis.wording import duration
from visualizer.language import tr
from visualizer.views.charts.chart_model import Axis, Boxes, Chart, Rule, floats, stacked, time_unit, with_unit


def length_chart(title: str, what: str, values: Distribution) -> Chart:
    """Of times in ps; `what` is counted."""
    caption = tr(
        "median {median}, 5% {p5}, 95% {p95}, most {most}",
        median=duration(values.median),
        p5=duration(values.p5),
        p95=duration(values.p95),
        most=duration(values.most),
    )
    size, unit = time_unit(values.edges[-1] if values.edges else 0.0)
    return histogram(title, caption, with_unit(tr("time"), unit), what, values, size)


def histogram(title: str, caption: str, x: str, what: str, values: Distribution, size: float = 1.0) -> Chart:
    """`x` names the values with their unit, of which there are `size` in one of the distribution's."""
    if not values.count:
        return Chart(title, tr("none in this range"), Axis(x), Axis(what, whole=True))
    edges, counts = floats(values.edges) / size, floats(values.counts)
    last = float(edges[-1])
    series = (
        Boxes(what, "filling", edges[:-1], edges[1:], np.zeros(len(counts)), counts),
        Rule(tr("median"), min(values.median / size, last), thick=True),
        Rule(tr("95%"), min(values.p95 / size, last), thick=False),
    )
    return Chart(title, caption, Axis(x), Axis(what, whole=True), series)


def stacked_histogram(title: str, what: str, caption: str, parts: Sequence[tuple[str, str, Distribution]]) -> Chart:
    """Of times in ps by (Paint, name, distribution); all have the same edges, and each stands on the one before it."""
    edges = floats(parts[0][2].edges) if parts else np.zeros(1)
    size, unit = time_unit(float(edges[-1]))
    x, y = Axis(with_unit(tr("time"), unit)), Axis(what, whole=True)
    if not parts:
        return Chart(title, tr("none in this range"), x, y)
    heights = stacked([floats(values.counts) for _, _, values in parts])
    series = tuple(
        Boxes(name, role, edges[:-1] / size, edges[1:] / size, low, high)
        for (role, name, _), (low, high) in zip(parts, heights, strict=True)
    )
    return Chart(title, caption, x, y, series)
