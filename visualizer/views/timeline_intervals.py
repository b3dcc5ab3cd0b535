"""Lanes made of intervals (agents, copy engine, stage buffers): exact boxes where there is room, exact shares where not.

An interval narrower than two pixels gives up its own box; the pixel columns it touches are split by time in state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.replay.spans import Spans
from visualizer.views.level_of_detail import StateMix, folded_columns, stacked
from visualizer.views.timeline_model import Label, Layer, Metrics, Picture, Style, add_boxes, body, hatch
from visualizer.views.timeline_scale import View

LEAST_PIXELS = 2.0
"""An interval narrower than this is folded."""
_DENSE = 16  # intervals per pixel of view beyond which no interval is looked at singly
_FOLD_LABEL_COLUMNS = 24  # folded columns in a row that are worth a count


@dataclass(frozen=True, eq=False)
class Intervals:
    """A lane's intervals, not overlapping, with the role each state is painted in; "" leaves a state unpainted."""

    spans: Spans
    mix: StateMix
    roles: dict[int, str]  # state -> role, in the order folded columns stack them, bottom first
    texts: Callable[[int], list[str]]  # row -> labels, longest first


def make_intervals(spans: Spans, roles: dict[int, str], texts: Callable[[int], list[str]]) -> Intervals:
    return Intervals(spans, StateMix(spans.start, spans.end, spans.state), roles, texts)


def rows_in_view(spans: Spans, view: View) -> slice:
    """Rows of the spans that touch the view; ends ascend because spans do not overlap."""
    first = int(np.searchsorted(spans.end, view.start, side="left"))
    last = int(np.searchsorted(spans.start, view.end, side="right"))
    return slice(first, max(last, first))


def add_intervals(
    picture: Picture, intervals: Intervals, view: View, top: float, height: float, metrics: Metrics
) -> None:
    """Draw one row of intervals between `top` and `top + height`."""
    spans = intervals.spans
    rows = rows_in_view(spans, view)
    count = rows.stop - rows.start
    if count > _DENSE * view.width:
        _add_columns(picture, intervals, view, np.ones(view.width, bool), top, height, metrics)
        return
    left, right = view.pixels(spans.start[rows]), view.pixels(spans.end[rows])
    folded = folded_columns(left, right, view.width, LEAST_PIXELS)
    wide = right - left >= LEAST_PIXELS
    state = spans.state[rows]
    for value, role in intervals.roles.items():
        mask = wide & (state == value)
        if not role or not mask.any():
            continue
        add_boxes(picture, role, left[mask], right[mask], top, height, view.width)
        if role in ("waiting", "error"):
            picture.add(hatch(role), left[mask] + 1, top + 1, np.maximum(right[mask] - left[mask] - 2, 0), height - 2)
    if folded.any():
        _add_columns(picture, intervals, view, folded, top, height, metrics)
    _add_texts(picture, intervals, view, rows, left, right, top, height, metrics)


def _add_texts(
    picture: Picture,
    intervals: Intervals,
    view: View,
    rows: slice,
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    top: float,
    height: float,
    metrics: Metrics,
) -> None:
    """A label in each interval with room for its shortest text, centred in the part that is in view."""
    if height < metrics.em * 0.8:
        return
    seen_left, seen_right = np.maximum(left, 0), np.minimum(right, view.width)
    for index in np.flatnonzero(seen_right - seen_left > metrics.em * 0.7).tolist():
        row = rows.start + index
        role = intervals.roles.get(int(intervals.spans.state[row]), "")
        room = float(seen_right[index] - seen_left[index])
        text = metrics.first_that_fits(intervals.texts(row), room - metrics.em * 0.4) if role else ""
        if text:
            picture.labels.append(Label(float(seen_left[index]), top, room, height, text, role))


def _add_columns(
    picture: Picture,
    intervals: Intervals,
    view: View,
    folded: NDArray[np.bool_],
    top: float,
    height: float,
    metrics: Metrics,
) -> None:
    """Split each folded pixel column by time in state; errors keep a mark of their own however short they are."""
    edges = view.column_edges()
    shares = intervals.mix.shares(edges)
    begun = {state: intervals.mix.begun_in(state, edges) for state in shares}
    painted = [(state, role) for state, role in intervals.roles.items() if role and state in shares]
    tiny = 1e-9  # of no length, but there: it gets the least size that can be seen
    parts = [np.maximum(shares[state], np.where(begun[state] > 0, tiny, 0.0))[folded] for state, _ in painted]
    x = np.flatnonzero(folded).astype(np.float64)
    bottom = np.full(len(x), top + height)
    for (_, role), size in zip(painted, stacked(parts, round(height)), strict=True):
        some = size > 0
        bottom -= size
        picture.add(body(role), x[some], bottom[some], 1.0, size[some].astype(np.float64))
        if role == "error":
            picture.add(Style(Layer.MARK, role, "outline"), x[some] - 1, top, 3.0, height)
    add_fold_counts(picture, view, folded, intervals.mix.begun(edges), "intervals", top, height, metrics)


def add_fold_counts(
    picture: Picture,
    view: View,
    folded: NDArray[np.bool_],
    begun: NDArray[np.int64],
    what: str,
    top: float,
    height: float,
    metrics: Metrics,
) -> None:
    """ "n intervals folded" in each long run of folded columns, so that nobody takes the mix for single intervals."""
    change = np.flatnonzero(np.diff(np.concatenate(([0], folded.astype(np.int8), [0]))))
    for first, last in zip(change[::2].tolist(), change[1::2].tolist(), strict=True):
        if last - first < _FOLD_LABEL_COLUMNS:
            continue
        count = int(begun[first:last].sum())
        text = metrics.first_that_fits((f"{count} {what} folded", f"{count} folded", f"{count}"), last - first - metrics.em)
        if text and height >= metrics.em:
            wide = metrics.text_width(text) + metrics.em * 0.6
            picture.labels.append(Label((first + last - wide) / 2, top, wide, height, text, "fold_count"))
