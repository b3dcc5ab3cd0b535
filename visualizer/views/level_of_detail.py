"""What a pixel shows when several intervals share it: exact shares of time, never a sample.

Prefix sums answer "how long was this state between two times" by two binary searches, so a frame costs the same for
a thousand intervals as for ten million, and needs no pyramid.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_TINY = 1e-9


class Mix(NamedTuple):
    """Each state (first axis) in consecutive columns (second): its share (0..1), and how many intervals begin there."""

    share: Floats
    begun: Ints

    @property
    def visible(self) -> Floats:
        """The share, just above 0 where only intervals of no length are: `stacked` gives those a pixel too."""
        visible: Floats = np.maximum(self.share, (self.begun > 0) * _TINY)
        return visible


class StateMix:
    """Intervals that do not overlap, in order of time, each in one state: time spent in each state up to any time.

    All states lie behind each other in one sorted array of keys, so that one search answers for all of them.
    """

    def __init__(self, start: Ints, end: Ints, state: NDArray[np.uint8], order: Sequence[int]) -> None:
        """`start`, `end` (ps) and `state` have shape (n,); start is ascending and end[i] <= start[i + 1].

        `order` names the states to tell apart; `states` are those of them that occur, in that order.
        """
        rows = [np.flatnonzero(state == value) for value in order]
        self.states = tuple(value for value, found in zip(order, rows, strict=True) if len(found))
        row = np.concatenate([np.empty(0, np.int64), *rows])
        counts = np.array([len(found) for found in rows if len(found)], np.int64)
        first = np.cumsum(counts) - counts
        length = (end - start)[row]
        # In an interval, the time spent so far is the time of day plus `_shift`, up to `_until`.
        self._until = np.cumsum(length)
        self._shift = self._until - length - start[row]
        self._first, self._before = first[:, None], (self._until - length)[first][:, None]
        low, high = (int(start[0]), int(end.max())) if len(start) else (0, 0)
        self._low, self._high = low, high + 1
        self._offset = np.arange(len(counts), dtype=np.int64)[:, None] * (high - low + 2)
        self._keys = start[row] + np.repeat(self._offset[:, 0], counts)

    def columns(self, edges: Ints) -> Mix:
        """All `states` in the columns between consecutive `edges` (ps, ascending)."""
        begun = np.searchsorted(self._keys, np.minimum(np.maximum(edges, self._low), self._high) + self._offset)
        latest = np.maximum(begun - 1, self._first)
        time = np.minimum(edges + self._shift[latest], self._until[latest])
        np.maximum(time, self._before, out=time)  # before the state's first interval
        share: Floats = (time[:, 1:] - time[:, :-1]) / np.maximum(edges[1:] - edges[:-1], 1)
        return Mix(share, begun[:, 1:] - begun[:, :-1])


class StepMean:
    """Curves that change together and keep their values until the next change: exact means over any stretch of time."""

    def __init__(self, time: Ints, values: Floats) -> None:
        """`time` (ps, ascending) has shape (n,), `values` (curves, n); before the first change all are 0."""
        self._time = time
        self._values = values
        self._integral = np.zeros(values.shape)
        np.cumsum(np.diff(time) * values[:, :-1], axis=1, out=self._integral[:, 1:])

    def means(self, edges: Ints) -> Floats:
        """Mean value in each of the columns between consecutive `edges` (ps): shape (curves, columns)."""
        if not len(self._time):
            return np.zeros((len(self._values), len(edges) - 1))
        at = np.maximum(np.searchsorted(self._time, edges, side="right") - 1, 0)
        since = np.maximum(edges - self._time[at], 0)  # 0 before the first change
        integral = self._integral[:, at] + since * self._values[:, at]
        means: Floats = (integral[:, 1:] - integral[:, :-1]) / np.maximum(edges[1:] - edges[:-1], 1)
        return means


def folded_columns(left: Floats, right: Floats, width: int, least: float) -> NDArray[np.bool_]:
    """Which pixel columns hold an interval narrower than `least` pixels, and so must show shares of time.

    `left` and `right` (pixels) have shape (n,); the result has shape (width,).
    """
    small = (right - left) < least
    first = np.clip(np.floor(left[small]), 0, width).astype(np.int64)
    last = np.clip(np.floor(right[small]) + 1, 0, width).astype(np.int64)
    change = np.bincount(first, minlength=width + 1) - np.bincount(last, minlength=width + 1)
    folded: NDArray[np.bool_] = np.cumsum(change)[:width] > 0
    return folded


def stacked(shares: Floats, height: int) -> Ints:
    """Whole-pixel heights of each share in each column, so that what is there at all gets at least one pixel.

    `shares` has shape (states, columns), in stacking order, 0..1; so has the result. A column's heights sum to at
    most `height`; where the minimum sizes need room, the largest share gives it.
    """
    heights = np.empty(shares.shape, np.int64)
    total, below = np.zeros(shares.shape[1]), np.zeros(shares.shape[1], np.int64)
    for row, share in enumerate(shares):  # a few states; numpy's cumsum along the first axis is slower
        total += share * height
        level = np.rint(total).astype(np.int64)
        heights[row] = level - below
        below = level
    hidden = (heights == 0) & (shares > 0)
    if hidden.any():
        heights[hidden] = 1
        excess = np.maximum(heights.sum(axis=0) - height, 0)
        columns = np.flatnonzero(excess)
        largest = np.argmax(heights[:, columns], axis=0)
        heights[largest, columns] = np.maximum(heights[largest, columns] - excess[columns], 1)
    return heights
