"""What a pixel shows when several intervals share it: exact shares of time, never a sample.

Prefix sums answer "how long was this state between two times" by two binary searches, so a frame costs the same for
a thousand intervals as for ten million, and needs no pyramid.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class StateMix:
    """Intervals that do not overlap, in order of time, each in one state: time spent in each state up to any time."""

    def __init__(self, start: Ints, end: Ints, state: NDArray[np.uint8]) -> None:
        """`start`, `end` (ps) and `state` have shape (n,); start is ascending and end[i] <= start[i + 1]."""
        self._begins = start
        self._states: dict[int, tuple[Ints, Ints, Ints]] = {}
        for value in np.unique(state):
            mask = state == value
            begin, finish = start[mask], end[mask]
            total = np.zeros(len(begin) + 1, np.int64)
            np.cumsum(finish - begin, out=total[1:])
            self._states[int(value)] = begin, finish, total

    def time_in(self, state: int, times: Ints) -> Ints:
        """Picoseconds spent in `state` before each of `times`."""
        if state not in self._states:
            return np.zeros(len(times), np.int64)
        begin, finish, total = self._states[state]
        index = np.searchsorted(begin, times, side="right") - 1
        at = np.maximum(index, 0)
        inside = np.clip(times - begin[at], 0, finish[at] - begin[at])
        return np.where(index < 0, 0, total[at] + inside)

    def shares(self, edges: Ints) -> dict[int, Floats]:
        """For each state, its share (0..1) of each of the columns between consecutive `edges` (ps).

        A state that only has intervals of no length in a column has share 0 there; `begun` still counts them.
        """
        length = np.maximum(np.diff(edges), 1)
        return {state: np.diff(self.time_in(state, edges)) / length for state in self._states}

    def begun(self, edges: Ints) -> NDArray[np.int64]:
        """How many intervals begin in each column."""
        return np.diff(np.searchsorted(self._begins, edges, side="left"))

    def begun_in(self, state: int, edges: Ints) -> NDArray[np.int64]:
        """How many intervals of `state` begin in each column."""
        if state not in self._states:
            return np.zeros(len(edges) - 1, np.int64)
        return np.diff(np.searchsorted(self._states[state][0], edges, side="left"))


class StepMean:
    """A curve that keeps each value until its next change: its exact mean over any stretch of time."""

    def __init__(self, time: Ints, value: NDArray[np.int64]) -> None:
        """`time` (ps, ascending) and `value` have shape (n,); before the first change the value is 0."""
        self._time = time
        self._value = value.astype(np.float64)
        self._integral = np.zeros(len(time))
        if len(time):
            np.cumsum(np.diff(time) * self._value[:-1], out=self._integral[1:])

    def means(self, edges: Ints) -> Floats:
        """Mean value in each of the columns between consecutive `edges` (ps)."""
        if not len(self._time):
            return np.zeros(len(edges) - 1)
        index = np.searchsorted(self._time, edges, side="right") - 1
        at = np.maximum(index, 0)
        integral = np.where(index < 0, 0.0, self._integral[at] + (edges - self._time[at]) * self._value[at])
        return np.diff(integral) / np.maximum(np.diff(edges), 1)


def folded_columns(left: Floats, right: Floats, width: int, least: float) -> NDArray[np.bool_]:
    """Which pixel columns hold an interval narrower than `least` pixels, and so must show shares of time.

    `left` and `right` (pixels) have shape (n,); the result has shape (width,).
    """
    small = (right - left) < least
    first = np.clip(np.floor(left[small]), 0, width).astype(np.int64)
    last = np.clip(np.floor(right[small]) + 1, 0, width).astype(np.int64)
    change = np.bincount(first, minlength=width + 1) - np.bincount(last, minlength=width + 1)
    return np.cumsum(change)[:width] > 0


def stacked(shares: list[Floats], height: int) -> list[NDArray[np.int64]]:
    """Whole-pixel heights of each share in each column, so that what is there at all gets at least one pixel.

    `shares` are in stacking order, each of shape (columns,) and 0..1; so are the results. A column's heights sum to
    at most `height`; where the minimum sizes need room, the largest share gives it.
    """
    if not shares:
        return []
    table = np.stack(shares)
    rounded = np.rint(np.cumsum(table, axis=0) * height)
    heights = np.diff(rounded, axis=0, prepend=0.0).astype(np.int64)
    heights = np.where(table > 0, np.maximum(heights, 1), 0)
    excess = np.maximum(heights.sum(axis=0) - height, 0)
    largest = np.argmax(heights, axis=0)
    columns = np.arange(table.shape[1])
    heights[largest, columns] = np.maximum(heights[largest, columns] - excess, 1)
    return list(heights)
