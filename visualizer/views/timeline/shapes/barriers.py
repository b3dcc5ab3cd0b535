"""A barrier's lane: its phase as a two-level waveform with the digit in each phase, and inside it the two counts.

The upper half is the phase (high: parity 1), the lower half the pending arrivals and the transaction bytes as steps,
each against its own largest value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.diagnosis.arrived import bytes_of, numbered, parity_text
from visualizer.language import tr
from visualizer.replay.barrier_columns import Counting
from visualizer.replay.history import BarrierCurve
from visualizer.views.timeline.shapes.intervals import add_fold_counts, selection
from visualizer.views.timeline.shapes.level_of_detail import StateMix, StepMean, folded_columns, stacked
from visualizer.views.timeline.shapes.picture import Columns, Label, Layer, Metrics, Part, Picture, Style, body
from visualizer.views.timeline.time.scale import View

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ROLES = ("phase_even", "phase_odd")
WAVE_PARTS = (Part("phase_even", "fill"), Part("phase_odd", "outline"))
"""How the wave's folded columns are painted, by parity."""
_LEAST_PIXELS = 4.0  # a phase narrower than this is folded: its wave would be all edges
_LINE = 2.0  # pixels; no thin anti-aliased lines, for big rooms
_DENSE = 1  # phases per pixel of view beyond which no phase is looked at singly
_CURVE_DENSE = 0.4  # changes per pixel beyond which the curves show their exact means


@dataclass(frozen=True, eq=False)
class BarrierLane:
    """One barrier's phases (shape (phases,)) and count curves (shape (changes,)). Times in ps."""

    curve: BarrierCurve
    arrived: Ints  # at each change: arrivals of its phase that are in ...
    needed: Ints  # ... of so many
    landed: Ints  # and bytes
    start: Ints
    end: Ints
    number: Ints  # of the phase, from 0
    mix: StateMix
    mean: StepMean  # of bytes landed and arrivals
    top_arrived: int
    top_landed: int


def make_barrier_lane(curve: BarrierCurve, end: int) -> BarrierLane:
    """`end` (ps) is where the last phase stops being drawn: the recording's end."""
    first = np.ones(len(curve.phase), bool)
    first[1:] = curve.phase[1:] != curve.phase[:-1]
    start = curve.time[first].astype(np.int64)
    number = curve.phase[first].astype(np.int64)
    stop = np.append(start[1:], end)[: len(start)]
    needed, landed = _needed(curve, first), _landed(curve, first)
    if curve.counting == Counting.NOTHING:
        landed[:] = 0  # a sum of all phases
    arrived = needed - curve.pending
    return BarrierLane(
        curve,
        arrived,
        needed,
        landed,
        start,
        stop,
        number,
        StateMix(start, stop, (number & 1).astype(np.uint8), (0, 1)),
        StepMean(curve.time, np.stack((landed, arrived)).astype(np.float64)),
        max(int(needed.max(initial=0)), 1),
        int((landed + np.maximum(curve.tx, 0)).max(initial=0)),
    )


def _needed(curve: BarrierCurve, first: NDArray[np.bool_]) -> Ints:
    """The arrivals that each change's phase takes: what it began with, or was raised to. `first`: where one begins."""
    begins = np.flatnonzero(first)
    if not len(begins):
        return np.empty(0, np.int64)
    most = np.maximum.reduceat(curve.pending, begins).astype(np.int64)
    most[0] = max(most[0], curve.expected[0])  # its first arrivals may be from before the recording
    return np.repeat(most, np.diff(begins, append=len(first)))


def _landed(curve: BarrierCurve, first: NDArray[np.bool_]) -> Ints:
    """The bytes of each change's phase that are in after it: all that lowered tx since the phase began."""
    before = np.where(first, 0, np.append(0, curve.tx[:-1]))
    came = np.cumsum(np.maximum(before - curve.tx, 0), dtype=np.int64)
    begins = np.flatnonzero(first)
    base = np.append(0, came)[begins]
    landed: Ints = came - np.repeat(base, np.diff(begins, append=len(first)))
    return landed


def wave_height(height: float) -> int:
    """Pixels of a barrier's lane that the wave takes; the counts have the rest."""
    return round(height * 0.46)


def curve_place(top: float, height: float) -> tuple[float, float]:
    """Top and height of the counts' curves in a lane between `top` and `top + height`."""
    wave = wave_height(height)
    return top + wave + 3, height - wave - 4


def add_barrier(
    picture: Picture, lane: BarrierLane, view: View, end: int, top: float, height: float, metrics: Metrics
) -> None:
    """Draw the barrier between `top` and `top + height`; nothing is drawn after `end` (ps)."""
    wave = wave_height(height)
    first = int(np.searchsorted(lane.end, view.start, side="left"))
    last = max(int(np.searchsorted(lane.start, view.end, side="right")), first)
    folded = np.ones(view.width, bool)
    left = right = np.empty(0)
    if last - first <= _DENSE * view.width:
        left, right = view.pixels(lane.start[first:last]), view.pixels(lane.end[first:last])
        folded = folded_columns(left, right, view.width, _LEAST_PIXELS)
        odd = (lane.number[first:last] & 1).astype(bool)
        if lane.curve.counting == Counting.NOTHING:
            picture.add(body("empty"), left, top, right - left, height)
        else:
            _add_wave(picture, odd, left, right, view.width, top, wave, height)
    if folded.any():
        _add_folded_wave(picture, lane, view, folded, top, wave, height, metrics)
    _add_digits(picture, lane, slice(first, last), left, right, view.width, top, wave, metrics)
    if lane.curve.counting != Counting.NOTHING:
        _add_curves(picture, lane, view, min(view.width, view.pixel(end)), *curve_place(top, height), metrics)


def _add_wave(
    picture: Picture,
    odd: NDArray[np.bool_],
    left: Floats,
    right: Floats,
    width: int,
    top: float,
    wave: int,
    height: float,
) -> None:
    left, right = np.maximum(left, -_LINE), np.minimum(right, width + _LINE)
    wide = right - left >= _LEAST_PIXELS
    for value, role in enumerate(_ROLES):
        mask = wide & (odd == bool(value))
        level = top if value else top + wave - _LINE
        x, size = left[mask], right[mask] - left[mask]
        picture.add(body(role), x, top, size, height)
        picture.add(Style(Layer.CURVE, "phase_odd", "outline"), x, level, size, _LINE)
    # Between two folded phases the mix shows the flips; lines would cover it.
    flips = left[1:][(wide[1:] | wide[:-1]) & (left[1:] > -_LINE) & (left[1:] < width)]
    picture.add(Style(Layer.MARK, "phase_odd", "outline"), flips - _LINE / 2, top, _LINE, float(wave))


def _add_folded_wave(
    picture: Picture,
    lane: BarrierLane,
    view: View,
    folded: NDArray[np.bool_],
    top: float,
    wave: int,
    height: float,
    metrics: Metrics,
) -> None:
    """Split the wave's columns by time in each parity; a lone flip keeps a full-height mark."""
    x = np.flatnonzero(folded)
    mix = lane.mix.columns(view.column_edges(int(x[0]), int(x[-1])))
    at = selection(x)
    lived = x[mix.share.sum(axis=0)[at] > 0]
    if len(lived):
        picture.add_one(body("phase_even"), float(lived[0]), top + wave, float(lived[-1] - lived[0] + 1), height - wave)
    parts = tuple(WAVE_PARTS[parity] for parity in lane.mix.states)
    picture.columns.append(Columns(x, top, wave, parts, stacked(mix.visible[:, at], wave)))
    flips = mix.begun[at]
    alone = ~(np.roll(folded, 2) & np.roll(folded, -2))[x] & (flips > 0)
    picture.add(Style(Layer.MARK, "phase_odd", "outline"), x[alone].astype(np.float64), top, _LINE, float(wave))
    add_fold_counts(picture, x, flips, "phases", top, float(wave), metrics)


def _add_digits(
    picture: Picture,
    lane: BarrierLane,
    rows: slice,
    left: Floats,
    right: Floats,
    width: int,
    top: float,
    wave: int,
    metrics: Metrics,
) -> None:
    """The parity digit in each phase, and "#k" before it where there is room."""
    seen_left, seen_right = np.maximum(left, 0), np.minimum(right, width)
    for row in np.flatnonzero(seen_right - seen_left > metrics.em * 0.6).tolist():
        k = int(lane.number[rows][row])
        number, parity = numbered(k, lane.curve.counting), parity_text(k, lane.curve.counting)
        room = float(seen_right[row] - seen_left[row])
        text = metrics.first_that_fits(
            (f"phase #{number} ({parity})", f"#{number} ({parity})", parity), room - metrics.em * 0.4
        )
        if text:
            role = "empty" if parity == "?" else _ROLES[k & 1]
            picture.labels.append(Label(float(seen_left[row]), top, room, float(wave), text, role, bold=True))


def _add_curves(
    picture: Picture, lane: BarrierLane, view: View, stop: float, top: float, height: float, metrics: Metrics
) -> None:
    """Arrivals and bytes that are in, as steps while they can be told apart, else as means per column: they rise to
    the flip."""
    curve = lane.curve
    first = max(int(np.searchsorted(curve.time, view.start, side="right")) - 1, 0)
    last = int(np.searchsorted(curve.time, view.end, side="right"))
    if last - first > _CURVE_DENSE * view.width:
        _add_means(picture, lane, view, stop, top, height)
        return
    if last <= first:
        return
    left = view.pixels(curve.time[first:last])
    right = np.append(left[1:], stop)
    for role, values, most in (("tx", lane.landed, lane.top_landed), ("pending", lane.arrived, lane.top_arrived)):
        if most:
            _add_steps(picture, role, left, right, values[first:last] / most, view.width, top, height)
    if last - first <= view.width // 8:
        _add_counts(picture, lane, slice(first, last), left, right, view.width, top, height, metrics)


def _add_means(picture: Picture, lane: BarrierLane, view: View, stop: float, top: float, height: float) -> None:
    """Each column's exact mean of both counts, as a line over its area."""
    begin = max(0, int(np.ceil(view.pixel(int(lane.curve.time[0])))))
    x = np.arange(begin, max(int(stop), begin))
    if not len(x):
        return
    landed, arrived = lane.mean.means(view.column_edges(int(x[0]), int(x[-1])))
    for role, mean, most in (("tx", landed, lane.top_landed), ("pending", arrived, lane.top_arrived)):
        if not most:
            continue
        share = np.clip(mean / most, 0, 1)
        level = np.rint(share * (height - _LINE)).astype(np.int64)
        before = np.concatenate((level[:1], level[:-1]))
        area = np.minimum(level, before)
        parts = (Part(role, "tint"), Part(role, "colour"))
        line = np.abs(level - before) + int(_LINE)
        picture.columns.append(Columns(x, top, round(height), parts, np.stack((area, line))))


def _add_steps(
    picture: Picture, role: str, left: Floats, right: Floats, share: Floats, width: int, top: float, height: float
) -> None:
    left, right = np.clip(left, -_LINE, width + _LINE), np.clip(right, -_LINE, width + _LINE)
    level = np.rint(top + (height - _LINE) * (1 - np.clip(share, 0, 1)))
    line = Style(Layer.CURVE, role, "colour")
    some = (right > left) & (share > 0)
    size = right - left
    picture.add(
        Style(Layer.CURVE_FILL, role, "tint"), left[some], level[some], size[some], (top + height - level)[some]
    )
    drawn = right > left
    picture.add(line, left[drawn], level[drawn], size[drawn], _LINE)
    risers = np.flatnonzero((level[1:] != level[:-1]) & (left[1:] > -_LINE) & (left[1:] < width)) + 1
    high, low = np.minimum(level[risers], level[risers - 1]), np.maximum(level[risers], level[risers - 1])
    picture.add(line, left[risers] - _LINE / 2, high, _LINE, low - high + _LINE)


def _add_counts(
    picture: Picture,
    lane: BarrierLane,
    rows: slice,
    left: Floats,
    right: Floats,
    width: int,
    top: float,
    height: float,
    metrics: Metrics,
) -> None:
    """The numbers on each step that has room for them: arrivals that are in of all it takes, and bytes."""
    if height < metrics.em:
        return
    seen_left, seen_right = np.maximum(left, 0), np.minimum(right, width)
    for index in np.flatnonzero(seen_right - seen_left > metrics.em * 2).tolist():
        row = rows.start + index
        arrived = f"{int(lane.arrived[row])}/{int(lane.needed[row])}"
        texts = [tr("arrived {arrived}", arrived=arrived), arrived]
        landed = int(lane.landed[row])
        if bytes_expected := landed + max(int(lane.curve.tx[row]), 0):
            some = bytes_of(landed, bytes_expected)
            texts = [tr("arrived {arrived} · landed {bytes}", arrived=arrived, bytes=some), f"{arrived} · {some}", some]
        room = float(seen_right[index] - seen_left[index])
        # The patch behind the text hides a part of the curve: enough of it must show on both sides.
        text = metrics.first_that_fits(texts, room - metrics.em * 2.4)
        if text:
            role = _ROLES[int(lane.curve.phase[row]) & 1]
            picture.labels.append(Label(float(seen_left[index]), top + 1, room, height - 1, text, role, backed=True))
