"""Memory for the events that a source decodes, of all parts: a block of its own, which takes none until written."""

from __future__ import annotations

import mmap
from collections.abc import Sequence

import numpy as np

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
        if hasattr(self._map, "madvise") and hasattr(mmap, "MADV_HUGEPAGE"):
            self._map.madvise(mmap.MADV_HUGEPAGE)
        self.events = np.frombuffer(self._map, np.uint8)[: self._starts[-1] * EVENT_DTYPE.itemsize].view(EVENT_DTYPE)
        """The room of all parts, EVENT_DTYPE; zeros until they are written."""

    def of(self, part: int) -> slice:
        """Which of `events` are the part's."""
        return slice(self._starts[part], self._starts[part + 1])
