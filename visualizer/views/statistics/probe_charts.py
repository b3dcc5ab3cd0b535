"""What a probe saw of a barrier, as charts: its samples as bars, and the line that the recording gives. Pure, no Qt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visualizer.language import tr, trn
from visualizer.replay.history import History
from visualizer.views.charts.chart_model import (
    Axis,
    Boxes,
    Chart,
    Curve,
    Floats,
    Series,
    byte_unit,
    floats,
    time_unit,
    with_unit,
)
from visualizer.views.timeline.shapes.samples import SampleLane, make_sample_lane

MOST_RUNS = 4000
"""More than that a chart cannot tell apart: a shorter range is asked for."""
_THICK = 0.035  # of the values' range: half of a bar's height, so that a line that agrees runs along its middle


def probed_barriers(history: History | None) -> list[tuple[int, str]]:
    """Row and name of each barrier that a probe looked at."""
    if history is None:
        return []
    rows = np.unique(history.trace.samples["barrier"]).tolist()
    return [(row, history.trace.barriers[row].name) for row in rows]


def probe_charts(history: History, barrier: int, first: int, last: int) -> list[Chart]:
    """Of the barrier with this row, over first..last (ps): counts, or the parity if the probe saw no more."""
    name = history.trace.barriers[barrier].name
    samples, curve = make_sample_lane(history.trace, barrier), history.barrier_curve(barrier)
    own = slice(
        int(np.searchsorted(samples.end, first, side="left")), int(np.searchsorted(samples.start, last, side="right"))
    )
    begin = max(int(np.searchsorted(curve.time, first, side="right")) - 1, 0)
    kept = slice(begin, int(np.searchsorted(curve.time, last)))
    size, unit = time_unit(float(last))
    runs = max(own.stop - own.start, 0)
    caption = trn("{n} run of equal samples", "{n} runs of equal samples", runs)
    if runs > MOST_RUNS or kept.stop - kept.start > MOST_RUNS:
        caption = tr("{n} runs of equal samples are too many to draw; zoom in", n=f"{runs:,}")
        own = kept = slice(0, 0)
    time = np.append(curve.time[kept], last)
    x, ends = Axis(with_unit(tr("time"), unit), ends=(first / size, last / size)), (first, last)

    def chart(title: str, y: str, role: str, seen: NDArray[np.int32], told: NDArray[np.int32], scale: float) -> Chart:
        values = floats(told[kept]) / scale
        series: list[Series] = [_bars(samples, own, floats(seen[own]) / scale, size, ends)]
        if len(values):
            series.append(Curve(tr("recorded"), role, np.clip(time, first, last) / size, values, steps=True))
        return Chart(title, caption, x, Axis(y, whole=True), tuple(series) if runs and own.stop else ())

    if samples.phases_only:
        title = tr("parity of {barrier}, probed", barrier=name)
        return [chart(title, tr("parity"), "pending", samples.parity.astype(np.int32), curve.phase & 1, 1.0)]
    most = max(float(np.abs(samples.tx).max(initial=0)), float(np.abs(curve.tx).max(initial=0)))
    amount, unit_of_bytes = byte_unit(most)
    missing = tr("arrivals missing at {barrier}, probed", barrier=name)
    charts = [chart(missing, tr("missing"), "pending", samples.pending, curve.pending, 1.0)]
    if most:
        outstanding = tr("bytes outstanding at {barrier}, probed", barrier=name)
        label = with_unit(tr("outstanding"), unit_of_bytes)
        charts.append(chart(outstanding, label, "tx", samples.tx, curve.tx, amount))
    return charts


def _bars(samples: SampleLane, own: slice, values: Floats, size: float, ends: tuple[int, int]) -> Boxes:
    start, end = (np.clip(edge[own], *ends) / size for edge in (samples.start, samples.end))
    # A single sample is an instant: as wide as can be seen.
    least = (ends[1] - ends[0]) / size / 400
    half = _THICK * max(float(np.ptp(values)) if len(values) else 1.0, 1e-9)
    return Boxes(tr("probe"), "probe", start, np.maximum(end, start + least), values - half, values + half)
