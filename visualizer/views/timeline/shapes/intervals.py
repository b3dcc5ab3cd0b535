"""Lanes made of intervals (agents, copies, stage buffers): exact boxes where there is room, exact shares where not.

An interval narrower than two pixels gives up its own box; the pixel columns it touches are split by time in state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from visualizer.language import tr
from visualizer.replay.spans import Spans
from visualizer.views.look.theme import HATCHED
from visualizer.views.timeline.shapes.level_of_detail import StateMix, folded_columns, stacked
from visualizer.views.timeline.shapes.picture import (
    Columns,
    Label,
    Layer,
    Metrics,
    Part,
    Picture,
    Style,
    add_boxes,
    hatch,
)
from visualizer.views.timeline.time.scale import View

LEAST_PIXELS = 2.0
"""An interval narrower than this is folded."""
_DENSE = 1  # intervals per pixel of view beyond which no interval is looked at singly
_FOLD_LABEL_COLUMNS = 24  # folded columns in a row that are worth a count


@dataclass(frozen=True, eq=False)
class Intervals:
    """A lane's intervals, not overlapping, with the role each state is painted in."""

    spans: Spans
    mix: StateMix
    roles: dict[int, str]  # state -> role, in the order folded columns stack them, bottom first
    texts: Callable[[int], list[str]]  # row -> labels, longest first

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """How the mix's states are painted."""
        return tuple(Part(self.roles[state], "fill") for state in self.mix.states)


def make_intervals(spans: Spans, roles: dict[int, str], texts: Callable[[int], list[str]]) -> Intervals:
    return Intervals(spans, StateMix(spans.start, spans.end, spans.state, tuple(roles)), roles, texts)


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
        if not mask.any():
            continue
        add_boxes(picture, role, left[mask], right[mask], top, height, view.width)
        if role in HATCHED:
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
        text = metrics.first_that_fits(intervals.texts(row), room - metrics.em * 0.4)
        if text:
            picture.labels.append(Label(float(seen_left[index]), top, room, height, text, role, backed=role in HATCHED))


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
    x = np.flatnonzero(folded)
    mix = intervals.mix.columns(view.column_edges(int(x[0]), int(x[-1])))
    at = selection(x)
    shares = mix.visible[:, at]
    parts = intervals.parts
    picture.columns.append(Columns(x, top, round(height), parts, stacked(shares, round(height))))
    for part, share in zip(parts, shares, strict=True):
        if part.role == "error":
            picture.add(Style(Layer.MARK, part.role, "outline"), x[share > 0] - 1.0, top, 3.0, height)
    add_fold_counts(picture, x, mix.begun[at], "intervals", top, height, metrics)


def selection(x: NDArray[np.int64]) -> NDArray[np.int64] | slice:
    """Which of the columns x[0]..x[-1] are in `x`; a slice if all are, which costs nothing to index with."""
    return slice(0, len(x)) if x[-1] - x[0] + 1 == len(x) else x - x[0]


def add_fold_counts(
    picture: Picture,
    x: NDArray[np.int64],
    begun: NDArray[np.int64],
    what: str,
    top: float,
    height: float,
    metrics: Metrics,
) -> None:
    """ "n intervals folded" in each long run of folded columns, so that nobody takes the mix for single intervals.

    `x` are the folded columns, ascending, `begun` how many intervals begin in each; both have shape (columns,).
    """
    if height < metrics.em * 1.2:
        return
    first = np.flatnonzero(np.diff(x, prepend=-2) > 1)
    last = np.append(first[1:], len(x))
    for run in np.flatnonzero(last - first >= _FOLD_LABEL_COLUMNS).tolist():
        begin, end = int(first[run]), int(last[run])
        count = int(begun[begin:end].sum())
        texts = (tr("{count} {what} folded", count=count, what=tr(what)), tr("{count} folded", count=count), f"{count}")
        text = metrics.first_that_fits(texts, end - begin - metrics.em)
        if text:
            wide = metrics.text_width(text) + metrics.em * 0.8
            left = (int(x[begin]) + int(x[end - 1]) - wide) / 2
            picture.labels.append(Label(left, top, wide, height, text, "fold_count"))
