"""Memory for the events of all parts while a Trace is made: laid out in place, and given back as they are merged.

A block of its own, because the peak counts: with hundred million events a second copy of them is five gigabytes.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from visualizer.trace.schema import EVENT_DTYPE

ROW = np.dtype((np.void, EVENT_DTYPE.itemsize))
"""An event as a block of bytes: numpy copies structured rows column by column, several times slower."""

_ROOM = 1.5
"""Events that there is room for, per event that agents logged. Room that is not written to takes no memory."""
_ROOM_LEAST = 64


class Pool:
    """Room for each part's events. A part that needs more gets memory of its own."""

    def __init__(self, sizes: Sequence[int]) -> None:
        room = [int(size * _ROOM) + _ROOM_LEAST for size in sizes]
        self._starts = np.concatenate([[0], np.cumsum(room)]).tolist()
        size = max(self._starts[-1] * EVENT_DTYPE.itemsize, 1)
        if hasattr(mmap, "MAP_PRIVATE"):  # else it would be shared memory, which costs more to touch
            reserve = getattr(mmap, "MAP_NORESERVE", 0)
            self._map = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | reserve)
        else:
            self._map = mmap.mmap(-1, size)
        self._advise("MADV_HUGEPAGE", 0, size)
        self._bytes = np.frombuffer(self._map, np.uint8)

    def events(self, part: int, size: int) -> NDArray[np.void]:
        """`size` events at the beginning of the part's room, as they were left there; EVENT_DTYPE."""
        begin, end = self._starts[part], self._starts[part + 1]
        if size > end - begin:
            return np.empty(size, EVENT_DTYPE)
        itemsize = EVENT_DTYPE.itemsize
        return self._bytes[begin * itemsize : (begin + size) * itemsize].view(EVENT_DTYPE)

    def give_back(self, part: int, begin: int, end: int) -> None:
        """The part's events `begin` to `end`, all below `end` given back before or now, are of no more use."""
        start, itemsize = self._starts[part], EVENT_DTYPE.itemsize
        # Whole pages, rounded down on both sides: what is left of the last one goes with the next call.
        first = (start + begin) * itemsize // mmap.PAGESIZE * mmap.PAGESIZE
        first += mmap.PAGESIZE if begin == 0 and (start * itemsize) % mmap.PAGESIZE else 0
        last = (start + end) * itemsize // mmap.PAGESIZE * mmap.PAGESIZE
        if start + end <= self._starts[part + 1] and last > first:
            self._advise("MADV_DONTNEED", first, last - first)

    def _advise(self, advice: str, begin: int, size: int) -> None:
        """Where the system takes no such advice, memory is given back when the pool is."""
        if hasattr(self._map, "madvise") and hasattr(mmap, advice):
            self._map.madvise(getattr(mmap, advice), begin, size)
