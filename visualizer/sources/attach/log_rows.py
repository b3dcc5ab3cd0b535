"""The records of a log in the order in which their warps made them, with whole clocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, order_by
from visualizer.sources.attach.record import LANE_BITS, PART_BITS, RECORD_DTYPE, Keep, Log

_WORD_AT = 1
"""The place of `word` among a record's four numbers."""


@dataclass(eq=False)
class Rows:
    """Records of some CTAs, warp by warp in program order. All shapes (n,)."""

    warp: Ints  # slot * warps of a CTA + warp
    stream: Ints  # of the log
    clock: Ints  # whole, of the SM
    site: Ints
    part: NDArray[np.uint8]
    lanes: NDArray[np.uint8]
    address: NDArray[np.uint32]
    value: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.clock)

    def take(self, chosen: Ints | NDArray[np.bool_]) -> Rows:
        return Rows(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))


def counts(log: Log) -> Ints:
    """Records of every stream that are there, (streams,). A stream that began again has all."""
    words = log.records["word"].reshape(-1, log.layout.records)
    streams = np.arange(len(words))
    low, high = np.zeros(len(words), np.int64), np.full(len(words), log.layout.records)
    while (low < high).any():
        middle = (low + high) // 2
        there = words[streams, np.minimum(middle, log.layout.records - 1)] != 0
        there &= low < high
        high = np.where(there | (low >= high), high, middle)
        low = np.where(there, middle + 1, low)
    return low


def rows_of(log: Log, slots: slice, count: Ints) -> Rows:
    """The records of the CTAs in some slots. `count`: that of `counts`."""
    layout = log.layout
    lanes, warps = len(layout.lanes), layout.shape.warps
    first = slots.start * warps * lanes
    count = count[first : slots.stop * warps * lanes]
    streams = np.flatnonzero(count)
    count = count[streams]
    total = int(count.sum())
    begins = np.cumsum(count) - count
    row = np.arange(total) - np.repeat(begins, count)
    records = log.records[slots].reshape(-1, layout.records)
    again = _begins_again(log, slots, records, streams)
    if layout.keep is Keep.LAST:
        row = (row + np.repeat(again, count)) % layout.records
    found = _gather(records, np.repeat(streams, count), row)
    warp = (first // lanes) + np.repeat(streams // lanes, count)
    word = found[:, _WORD_AT]
    return Rows(
        warp,
        first + np.repeat(streams, count),
        _whole_clocks(log, found[:, 0], streams + first, count),
        (word >> (LANE_BITS + PART_BITS)).astype(np.int64),
        (word >> LANE_BITS & ((1 << PART_BITS) - 1)).astype(np.uint8),
        (word & ((1 << LANE_BITS) - 1)).astype(np.uint8),
        found[:, 2],
        found[:, 3],
    )


def by_warp(rows: Rows) -> Rows:
    """Streams of one warp brought into one, by their clocks: all count the same SM's cycles."""
    changes = np.flatnonzero(np.diff(rows.stream) != 0)
    shared = changes[rows.warp[changes] == rows.warp[changes + 1]]
    if not len(shared):
        return rows
    several = np.isin(rows.warp, rows.warp[shared])
    order = np.arange(len(rows))
    of = np.flatnonzero(several)
    order[of] = of[order_by(rows.warp[of], rows.clock[of] - int(rows.clock[of].min()), rows.stream[of])]
    return rows.take(order)


def _gather(records: NDArray[np.void], stream: Ints, row: Ints) -> NDArray[np.uint32]:
    """Records by stream and row, as their four numbers: (n, 4)."""
    found = records[stream, row]
    return np.ascontiguousarray(found).view("<u4").reshape(-1, RECORD_DTYPE.itemsize // 4)


def _begins_again(log: Log, slots: slice, records: NDArray[np.void], streams: Ints) -> Ints:
    """The oldest record of each of `streams`: 0 unless it began again, then where the clock goes back."""
    oldest = np.zeros(len(streams), np.int64)
    if log.layout.keep is Keep.FIRST:
        return oldest
    again = np.flatnonzero(log.beyond[slots].reshape(-1)[streams])
    clocks = records["clock"][streams[again]]
    steps = np.roll(clocks, -1, axis=1) - clocks  # u32: the one step that goes back is the greatest
    oldest[again] = (np.argmax(steps, axis=1) + 1) % log.layout.records
    return oldest


def _whole_clocks(log: Log, low: NDArray[np.uint32], streams: Ints, count: Ints) -> Ints:
    """Clocks of 64 bits from their low halves: of records next to each other they lie less than 2^32 cycles apart.

    A stream that lacks its beginning is put before its warp's exit, or before the last clock that is known.
    """
    lanes = len(log.layout.lanes)
    headers = log.headers.reshape(-1)[streams // lanes]
    start = headers["start_clock"].astype(np.int64)
    begins = np.cumsum(count) - count
    step = np.empty(len(low), np.uint32)
    step[1:] = low[1:] - low[:-1]
    step[begins] = low[begins] - start.astype(np.uint32)
    clock = np.cumsum(step, dtype=np.int64)
    clock += np.repeat(start - (clock[begins] - step[begins]), count)
    if log.layout.keep is Keep.LAST and len(low):
        headless = np.flatnonzero(log.beyond.reshape(-1)[streams])
        ends = begins + count - 1
        known = np.delete(clock[ends], headless)
        latest = max(int(log.headers["exit_clock"].max()), int(known.max(initial=0)), int(start.max(initial=0)))
        for stream in headless.tolist():
            end = int(headers["exit_clock"][stream]) or latest
            last = end - ((end - int(low[ends[stream]])) & 0xFFFFFFFF)
            clock[begins[stream] : ends[stream] + 1] += last - int(clock[ends[stream]])
    return clock
