"""What a pixel shows when several intervals share it: exact shares of time, never a sample.

Prefix sums answer "how long was this state between two times" by two binary searches, so a frame costs the same for
a thousand intervals as for ten million, and needs no pyramid.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import distinct

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_TINY = 1e-9
_WORTH_A_TABLE = 2000  # intervals


class Mix(NamedTuple):
    """Each state (first axis) in consecutive columns (second): its share (0..1); and how many intervals begin there."""

    share: Floats  # (states, columns)
    begun: Ints  # (columns,), of any state
    visible: Floats  # the share, just above 0 where only intervals of no length are: `stacked` gives those a pixel too


class Grid:
    """The whole of a recording in equal bins: finds a view's columns in all lanes at once, without a search in each.

    A column's edge is taken to be the nearest bin's, so that every tick of time still counts in exactly one column.
    """

    BINS = 8192
    _WIDEST = 0.67  # of a pixel column: wider bins would show

    def __init__(self, span: int) -> None:
        """Bins from 0 to `span` (ps)."""
        self.bin = max(span, 1) / self.BINS

    def serves(self, ps_per_px: float) -> bool:
        """Whether the bins are fine enough for columns of `ps_per_px`."""
        return self.bin <= self._WIDEST * ps_per_px

    def edges(self) -> Ints:
        """Times (ps) of the bins' borders, shape (BINS + 1,)."""
        edges: Ints = np.rint(np.arange(self.BINS + 1) * self.bin).astype(np.int64)
        return edges

    def nearest(self, times: Ints) -> Ints:
        """The bin border nearest to each time (ps)."""
        borders: Ints = np.clip(np.rint(times / self.bin), 0, self.BINS).astype(np.int64)
        return borders


class ColumnMix:
    """What columns of time in state have in common, wherever the times come from."""

    states: tuple[int, ...]
    _brief: list[tuple[int, Ints]]  # row of a state, and where its intervals of no length begin
    at_bins: NDArray[np.float32] | None = None
    """Time (ps) in each state before each border of a Grid's bins, shape (BINS + 1, states); None for short lanes."""

    def put_on(self, grid: Grid) -> None:
        """Make `at_bins`, if a search takes longer than the table is worth."""
        if self.intervals > _WORTH_A_TABLE and self.states:
            self.at_bins = np.ascontiguousarray(self.spent(grid.edges())[0].T, np.float32)

    @property
    def intervals(self) -> int:
        raise NotImplementedError

    def spent(self, edges: Ints) -> tuple[Ints | Floats, Ints]:
        """Time (ps) in each state before each edge (ps, ascending), shape (states, edges); begun intervals (edges,)."""
        raise NotImplementedError

    def show_brief(self, shares: NDArray[np.floating], edges: Ints) -> None:
        """Raise `shares` (states, columns) just above 0 where an interval of no length begins."""
        for row, start in self._brief:
            there = np.diff(start.searchsorted(edges)) > 0
            shares[row] = np.maximum(shares[row], there * _TINY)

    def columns(self, edges: Ints) -> Mix:
        """All `states` in the columns between consecutive `edges` (ps, ascending)."""
        width = len(edges) - 1
        if not self.states:
            return Mix(np.empty((0, width)), np.zeros(width, np.int64), np.empty((0, width)))
        time, begun = self.spent(edges)
        share: Floats = (time[:, 1:] - time[:, :-1]) / np.maximum(edges[1:] - edges[:-1], 1)
        visible = share.copy() if self._brief else share
        self.show_brief(visible, edges)
        return Mix(share, begun[1:] - begun[:-1], visible)


class StateMix(ColumnMix):
    """Intervals that do not overlap, in order of time, each in one state: time spent in each state up to any time.

    One search finds the interval at each column's edge; the time spent before it is a prefix sum by state.
    """

    def __init__(self, start: Ints, end: Ints, state: NDArray[np.uint8], order: Sequence[int]) -> None:
        """`start`, `end` (ps) and `state` have shape (n,); start is ascending and end[i] <= start[i + 1].

        `order` names the states to tell apart; `states` are those of them that occur, in that order.
        """
        self.states = tuple(value for value in order if (state == value).any())
        row_of = np.zeros(256, np.intp)
        row_of[list(self.states)] = range(len(self.states))
        told = np.isin(state, self.states)
        self._start, self._length, self._row = start[told], (end - start)[told], row_of[state[told]]
        rows = np.arange(len(self._row))
        self._before = np.zeros((len(rows) + 1, len(self.states)), np.int64)
        self._before[rows + 1, self._row] = self._length
        np.cumsum(self._before, axis=0, out=self._before)
        brief = self._length == 0
        self._brief = [(row, self._start[brief & (self._row == row)]) for row in distinct(self._row[brief]).tolist()]

    @property
    def intervals(self) -> int:
        return len(self._start)

    def spent(self, edges: Ints) -> tuple[Ints | Floats, Ints]:
        begun = _search(self._start, edges)
        at = np.maximum(begun - 1, 0)
        time = self._before.take(at, axis=0)
        so_far = np.minimum(edges - self._start.take(at), self._length.take(at))
        # Before the first interval, `so_far` is negative.
        time[np.arange(len(edges)), self._row.take(at)] += np.maximum(so_far, 0)
        return time.T, begun


class SummedMix(ColumnMix):
    """Several lanes' intervals as one: each state's share of all lanes. Exact, like StateMix."""

    def __init__(self, lanes: Sequence[tuple[Ints, Ints, NDArray[np.uint8]]], order: Sequence[int]) -> None:
        """Each lane is (start, end, state) as StateMix takes them."""
        start = np.concatenate([np.empty(0, np.int64), *(lane[0] for lane in lanes)])
        end = np.concatenate([np.empty(0, np.int64), *(lane[1] for lane in lanes)])
        state = np.concatenate([np.empty(0, np.uint8), *(lane[2] for lane in lanes)])
        self.states = tuple(value for value in order if (state == value).any())
        told = np.isin(state, self.states)
        start, end, state = start[told], end[told], state[told]
        self._begun = np.sort(start)
        self._time, at = np.unique(np.concatenate((start, end)), return_inverse=True)
        inside = np.zeros((len(self._time), len(self.states)), np.int16)
        for row, value in enumerate(self.states):
            mine = np.flatnonzero(state == value)
            inside[:, row] += np.bincount(at[mine], minlength=len(self._time)).astype(np.int16)
            inside[:, row] -= np.bincount(at[len(start) + mine], minlength=len(self._time)).astype(np.int16)
        self._inside = np.cumsum(inside, axis=0, dtype=np.int16)
        self._before = np.zeros(inside.shape, np.int64)
        np.cumsum(np.diff(self._time)[:, None] * self._inside[:-1], axis=0, out=self._before[1:])
        self._lanes = max(len(lanes), 1)
        brief = start == end
        self._brief = [
            (row, np.sort(start[brief & (state == value)]))
            for row, value in enumerate(self.states)
            if (brief & (state == value)).any()
        ]

    @property
    def intervals(self) -> int:
        return len(self._begun)

    def spent(self, edges: Ints) -> tuple[Ints | Floats, Ints]:
        at = np.maximum(_search(self._time, edges) - 1, 0)
        since = np.maximum(edges - self._time.take(at), 0)[:, None]
        time: Floats = (self._before.take(at, axis=0) + since * self._inside.take(at, axis=0)) / self._lanes
        return time.T, _search(self._begun, edges)


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
        at = np.maximum(_search(self._time, edges) - 1, 0)
        since = np.maximum(edges - self._time[at], 0)  # 0 before the first change
        integral = self._integral[:, at] + since * self._values[:, at]
        means: Floats = (integral[:, 1:] - integral[:, :-1]) / np.maximum(edges[1:] - edges[:-1], 1)
        return means


def _search(sorted_: Ints, edges: Ints) -> Ints:
    """The first row at or after each edge; edges ascend, so the search is among the rows between the outer ones."""
    first, last = sorted_.searchsorted(edges[[0, -1]]).tolist()
    rows: Ints = sorted_[first:last].searchsorted(edges) + first
    return rows


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


def stacked(shares: NDArray[np.floating], height: int) -> NDArray[np.int16]:
    """Whole-pixel heights of each share in each column, so that what is there at all gets at least one pixel.

    `shares` has shape (..., states, columns), in stacking order, 0..1; so has the result. A column's heights sum to at
    most `height`; where the minimum sizes need room, the largest share gives it.
    """
    heights = np.empty(shares.shape, np.int16)
    total = np.zeros(np.delete(shares.shape, -2), shares.dtype)
    below: NDArray[np.int16] | int = 0
    for state in range(shares.shape[-2]):  # a few; numpy's cumsum along an inner axis takes ten times as long
        total += shares[..., state, :]
        level = np.rint(total * shares.dtype.type(height)).astype(np.int16)
        np.subtract(level, below, out=heights[..., state, :])
        below = level
    hidden = (heights == 0) & (shares > 0)
    if hidden.any():
        heights[hidden] = 1
        excess = np.maximum(heights.sum(axis=-2) - height, 0).astype(np.int16)
        columns = np.nonzero(excess)
        crowded = np.moveaxis(heights, -2, -1)[columns]
        rows = np.arange(len(crowded))
        largest = np.argmax(crowded, axis=1)
        crowded[rows, largest] = np.maximum(crowded[rows, largest] - excess[columns], 1)
        np.moveaxis(heights, -2, -1)[columns] = crowded
    return heights
