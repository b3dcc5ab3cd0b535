"""The records of a log in the order in which their warps made them, with whole clocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, order_by
from visualizer.sources.attach.log_format import LANE_BITS, LEFT, PARITY_BIT, PART_BITS, Keep, Log


@dataclass(eq=False)
class Rows:
    """Records of some CTAs, warp by warp in program order. All shapes (n,)."""

    warp: Ints  # slot * warps of a CTA + warp
    stream: Ints  # of the log
    clock: Ints  # whole, of the SM
    site: Ints
    part: NDArray[np.uint8]
    lanes: NDArray[np.uint8]
    address: NDArray[np.uint32]  # a wait's parity in bit 0
    value: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.clock)

    def take(self, chosen: Ints | NDArray[np.bool_]) -> Rows:
        return Rows(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))


def made(log: Log) -> Ints:
    """Records that the lane of each stream made, those without room among them; -1: it has not left."""
    counts = log.counts.reshape(-1)
    return np.where(counts >= LEFT, (counts & ~np.uint32(LEFT)).astype(np.int64), np.int64(-1))


def counts(log: Log, before: Ints | None = None) -> Ints:
    """Records of every stream that are there, (streams,). A stream that began again has all.

    `before`: what they were some time ago; streams that have not grown since are looked at once.
    """
    room = log.layout.records
    told = made(log)
    count = np.minimum(told, room)
    streams = np.flatnonzero(told < 0)
    words = log.records["word"].reshape(-1, room)
    low = np.zeros(len(streams), np.int64) if before is None else before[streams]
    count[streams] = low
    streams, low = streams[low < room], low[low < room]
    grown = words[streams, low] != 0
    streams, low = streams[grown], low[grown] + 1
    high = np.full(len(streams), room)
    reach = 1  # further each time: what lies far behind the last record is memory that nobody wrote to, or copied
    while (low < high).any():
        middle = np.minimum((low + high) // 2, low + reach)
        reach *= 2
        there = words[streams, np.minimum(middle, room - 1)] != 0
        there &= low < high
        high = np.where(there | (low >= high), high, middle)
        low = np.where(there, middle + 1, low)
    count[streams] = low
    return count


def oldest(log: Log) -> Ints:
    """The place of each stream's oldest record, (streams,): 0 unless it began again, then where the clock goes back."""
    room = log.layout.records
    place = np.zeros(log.layout.streams, np.int64)
    if log.layout.keep is Keep.LAST:
        told = made(log)
        place[told > room] = told[told > room] % room
        records = log.records.reshape(-1, room)
        untold = np.flatnonzero(told < 0)
        untold = untold[records["word"][untold, -1] != 0]
        clocks = records["clock"][untold]
        steps = np.roll(clocks, -1, axis=1) - clocks  # u32: the one step that goes back is the greatest
        place[untold] = (np.argmax(steps, axis=1) + 1) % room
    return place


def lost(log: Log, count: Ints) -> Ints:
    """Records of each stream that are not there, (streams,). A lane that has not left and whose room is full did not
    say: then one, at least. `count`: as `counts` has it."""
    told, room = made(log), log.layout.records
    return np.where(told >= 0, np.maximum(told - room, 0), np.where(count == room, 1, 0))


def rows_of(log: Log, slots: slice, count: Ints, begins: Ints, missing: Ints) -> Rows:
    """The records of the CTAs in some slots. The others: as `counts`, `oldest` and `lost` have them."""
    layout = log.layout
    lanes = len(layout.lanes)
    first, after = (slot * layout.shape.warps * lanes for slot in (slots.start, slots.stop))
    streams = first + np.flatnonzero(count[first:after])
    count, begins = count[streams], begins[streams]
    stream = np.repeat(streams, count)
    row = np.arange(len(stream)) - np.repeat(np.cumsum(count) - count - begins, count)
    if layout.keep is Keep.LAST:
        row %= layout.records
    found = np.ascontiguousarray(log.records.reshape(-1, layout.records)[stream, row]).view("<u4").reshape(-1, 4)
    word = found[:, 1]
    return Rows(
        stream // lanes,
        stream,
        _whole_clocks(log, found[:, 0], streams, count, missing),
        ((word & ((1 << PARITY_BIT) - 1)) >> (LANE_BITS + PART_BITS)).astype(np.int64),
        (word >> LANE_BITS & ((1 << PART_BITS) - 1)).astype(np.uint8),
        (word & ((1 << LANE_BITS) - 1)).astype(np.uint8),
        found[:, 2] | word >> PARITY_BIT,
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


def kept_by_all(rows: Rows, losing: Ints, keep: Keep) -> Rows:
    """The records of when all streams of a warp kept theirs, of which `losing` lost the end, or the beginning where the
    last ones are kept: lanes of a warp may keep records of different times."""
    ends = {"append": -1} if keep is Keep.FIRST else {"prepend": -1}
    edge = np.flatnonzero(np.diff(rows.stream, **ends) != 0)  # the last, or first, record of each stream
    cut = edge[np.isin(rows.stream[edge], losing)]
    if not len(cut):
        return rows
    clock = rows.clock if keep is Keep.FIRST else -rows.clock
    first = int(rows.warp.min())
    limit = np.full(int(rows.warp.max()) - first + 1, np.iinfo(np.int64).max)
    np.minimum.at(limit, rows.warp[cut] - first, clock[cut])
    return rows.take(clock <= limit[rows.warp - first])


def _whole_clocks(log: Log, low: NDArray[np.uint32], streams: Ints, count: Ints, missing: Ints) -> Ints:
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
        headless = np.flatnonzero(missing[streams])
        ends = begins + count - 1
        known = np.delete(clock[ends], headless)
        latest = max(int(log.headers["exit_clock"].max()), int(known.max(initial=0)), int(start.max(initial=0)))
        for stream in headless.tolist():
            end = int(headers["exit_clock"][stream]) or latest
            last = end - ((end - int(low[ends[stream]])) & 0xFFFFFFFF)
            clock[begins[stream] : ends[stream] + 1] += last - int(clock[ends[stream]])
    return clock
