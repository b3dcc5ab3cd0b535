"""What a probe saw of a barrier, under the curves of its lane: a bar for each run of equal samples, gaps between them.

The bars are thicker than the curves' lines, so where both agree a line runs along the middle of a bar.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.language import mark, tr, trn
from visualizer.recording.trace import Trace
from visualizer.semantics.word import decode
from visualizer.views.timeline.shapes.barriers import BarrierLane, curve_place
from visualizer.views.timeline.shapes.picture import Label, Layer, Metrics, Picture, Style
from visualizer.views.timeline.time.scale import View, format_time

PROBE_LABELS = (mark("probe (experimental)"), mark("probe"))
"""What the bars are, longest first."""
_BAR = 6.0  # pixels, and no bar is narrower
_DENSE = 0.25  # runs per pixel of view beyond which only a mark tells that there are samples
_BARS = Style(Layer.CURVE_FILL, "probe", "outline")

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SampleLane:
    """The runs of samples of one barrier in order, all shape (runs,). Times in ps, tx in bytes."""

    start: Ints
    end: Ints
    parity: NDArray[np.int8]
    pending: NDArray[np.int32]
    tx: NDArray[np.int32]
    phases_only: bool  # the probe saw the parity alone

    def __len__(self) -> int:
        return len(self.start)

    def arrived(self, lane: BarrierLane, rows: slice) -> NDArray[np.int64]:
        """What the probe saw of arrivals, as the lane counts them: of those a phase takes there."""
        return lane.top_arrived - self.pending[rows].astype(np.int64)

    def landed(self, lane: BarrierLane, rows: slice) -> NDArray[np.int64]:
        """What it saw of bytes, likewise: nothing while none were expected yet."""
        tx = self.tx[rows].astype(np.int64)
        return np.where(tx > 0, lane.top_landed - tx, np.maximum(-tx, 0))


def make_sample_lane(trace: Trace, barrier: int) -> SampleLane:
    """The samples of the barrier with this row; without any the lane is empty."""
    runs = trace.samples[slice(*np.searchsorted(trace.samples["barrier"], [barrier, barrier + 1]).tolist())]
    phases_only = bool(trace.meta.source.get("probe", {}).get("mode") == "flips")
    # A single sample lies between the clocks before and after it; the later one stands first in the table.
    start, end = np.minimum(runs["begin"], runs["end"]), np.maximum(runs["begin"], runs["end"])
    return SampleLane(start.astype(np.int64), end.astype(np.int64), *decode(runs["word"]), phases_only)


def add_samples(
    picture: Picture, samples: SampleLane, lane: BarrierLane, view: View, top: float, height: float, metrics: Metrics
) -> None:
    """Draw the runs in the lane's lower half, on the scale of its curves."""
    first = int(np.searchsorted(samples.end, view.start, side="left"))
    last = max(int(np.searchsorted(samples.start, view.end, side="right")), first)
    band, room = curve_place(top, height)
    if last == first or room < 2 * _BAR:  # a compact lane has no room for two levels
        return
    left, right = view.pixels(samples.start[first:last]), view.pixels(samples.end[first:last])
    if last - first > _DENSE * view.width:
        x = np.unique(np.clip(left, 0, view.width - 1).astype(np.int64)).astype(np.float64)
        picture.add(_BARS, x, band + room - _BAR / 2, 1.0, _BAR / 2)
    elif samples.phases_only:
        _add_bars(picture, left, right, samples.parity[first:last].astype(np.float64), view.width, band, room)
    else:
        rows = slice(first, last)
        for values, most in (
            (samples.landed(lane, rows), lane.top_landed),
            (samples.arrived(lane, rows), lane.top_arrived),
        ):
            # One pending arrival more or less would only cover the bytes.
            if most > 1:
                _add_bars(picture, left, right, values / most, view.width, band, room)
    _add_name(picture, band, room, view.width, metrics)


def _add_bars(
    picture: Picture,
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    share: NDArray[np.float64],
    width: int,
    top: float,
    height: float,
) -> None:
    middle = (left + right) / 2
    half = np.maximum(right - left, _BAR) / 2
    begin, end = np.clip(middle - half, -_BAR, width + _BAR), np.clip(middle + half, -_BAR, width + _BAR)
    level = np.rint(top + (height - 2) * (1 - np.clip(share, 0, 1))) + 1 - _BAR / 2
    drawn = end > begin
    picture.add(_BARS, begin[drawn], level[drawn], (end - begin)[drawn], _BAR)


def _add_name(picture: Picture, top: float, height: float, width: int, metrics: Metrics) -> None:
    """What the bars are, at the left edge; counts that it would cover give way."""
    text = metrics.first_that_fits([tr(label) for label in PROBE_LABELS], width / 4)
    if not text or height < metrics.em:
        return
    room = metrics.text_width(text) + metrics.em * 0.5
    picture.labels = [
        label
        for label in picture.labels
        if not (
            label.backed and top <= label.y + label.height / 2 <= top + height and _text_left(label, metrics) < room
        )
    ]
    picture.labels.append(Label(0.0, top, room, height, text, "probe", backed=True))


def _text_left(label: Label, metrics: Metrics) -> float:
    return label.x + (label.width - metrics.text_width(label.text)) / 2 - 3


def sample_text(samples: SampleLane, time: int) -> str:
    """What the probe saw last at `time` (ps), in words; "" before its first sample."""
    row = int(np.searchsorted(samples.start, time, side="right")) - 1
    if row < 0:
        return ""
    start, end, parity = int(samples.start[row]), int(samples.end[row]), int(samples.parity[row])
    when = {"start": format_time(start, among=end), "end": format_time(end), "parity": parity}
    if samples.phases_only:
        return tr("probe (experimental) saw parity {parity} from {start} to {end}", **when)
    return trn(
        "probe (experimental) saw parity {parity}, {n} arrival and {tx} B missing from {start} to {end}",
        "probe (experimental) saw parity {parity}, {n} arrivals and {tx} B missing from {start} to {end}",
        int(samples.pending[row]),
        tx=int(samples.tx[row]),
        **when,
    )
