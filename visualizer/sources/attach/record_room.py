"""Memory for the records of a log's parts, which are decoded several at a time and lie one behind another.

Memory that nobody wrote to before costs more than what happens to a record, so each is written once, where it stays.
"""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from visualizer.reconstruction.discover import RECORD_DTYPE


class RecordRoom:
    """Room for so many records; what is not taken costs nothing. Safe to use from several threads."""

    def __init__(self, records: int) -> None:
        self._room = np.empty(records, RECORD_DTYPE)
        self._parts: list[NDArray[np.void]] = []
        self._end = 0
        self._taken = threading.Condition()

    def take(self, part: int, records: int) -> NDArray[np.void]:
        """The room of a part, once all before it have theirs: each has to be taken, even if it failed. RECORD_DTYPE."""
        with self._taken:
            self._taken.wait_for(lambda: len(self._parts) == part)
            room = self._room[self._end : self._end + records]
            if len(room) < records:
                room = np.empty(records, RECORD_DTYPE)
            self._parts.append(room)
            self._end += records
            self._taken.notify_all()
            return room

    @property
    def records(self) -> NDArray[np.void]:
        """The records of all parts."""
        return self._room[: self._end] if self._end <= len(self._room) else np.concatenate(self._parts)
