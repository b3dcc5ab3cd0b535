"""Memory for the events of all parts while a Trace is made, given back part by part as it is used up.

A block of its own, because the peak counts: another copy of a hundred million events is five gigabytes.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.schema import EVENT_DTYPE

ROW = np.dtype((np.void, EVENT_DTYPE.itemsize))
"""An event as a block of bytes: numpy copies structured rows column by column, several times slower."""


class EventMemory:
    """Room for so many events of each part. What is not written to takes no memory."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self._starts: list[int] = np.concatenate([[0], np.cumsum(sizes)]).tolist()
        size = max(self._starts[-1] * EVENT_DTYPE.itemsize, 1)
        if hasattr(mmap, "MAP_PRIVATE"):  # else it would be shared memory, which costs more to touch
            self._map = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        else:
            self._map = mmap.mmap(-1, size)
        self._advise("MADV_HUGEPAGE", 0, size)
        self._events = np.frombuffer(self._map, np.uint8)[: self._starts[-1] * EVENT_DTYPE.itemsize].view(EVENT_DTYPE)

    def events(self, part: int) -> NDArray[np.void]:
        """The part's room, EVENT_DTYPE; zeros until they are written."""
        return self._events[self._starts[part] : self._starts[part + 1]]

    def give_back(self, part: int, begin: int, end: int) -> None:
        """Give the memory of some events of a part back to the system, whole pages only; they are lost."""
        first, last = ((self._starts[part] + row) * EVENT_DTYPE.itemsize for row in (begin, end))
        first, last = -(-first // mmap.PAGESIZE) * mmap.PAGESIZE, last // mmap.PAGESIZE * mmap.PAGESIZE
        if first < last:
            self._advise("MADV_DONTNEED", first, last - first)

    def _advise(self, advice: str, begin: int, size: int) -> None:
        """Where the system takes no such advice, the memory is given back when the pool is."""
        if hasattr(self._map, "madvise") and hasattr(mmap, advice):
            self._map.madvise(getattr(mmap, advice), begin, size)
