"""The events of all regular CTAs until they are merged: which row each is, and what its row does not say.

Half the memory of whole events, which are written once only, where they belong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.trace.clocks import Ints
from visualizer.trace.parts import Span
from visualizer.trace.pool import ROW
from visualizer.trace.regular.rows import RegularRows


class RegularColumns:
    """Columns of (parts, events), each part's in order of time; `spans` are the parts'."""

    def __init__(self, rows: RegularRows, spans: Sequence[Span]) -> None:
        self.rows = rows
        shape = (len(spans), rows.grid.events)
        self.time, self.measured = np.empty(shape, np.int64), np.empty(shape, np.int64)
        self.row, self.flags = np.empty(shape, np.uint32), np.empty(shape, np.uint8)
        self._agents = np.array([span.agents.start for span in spans], np.int32)
        self._barriers = np.array([span.barriers.start for span in spans], np.int32)

    @property
    def times(self) -> Sequence[Ints]:
        """As Source.times."""
        return list(self.time)

    def write(self, begins: Sequence[int], ends: Sequence[int], order: Ints, target: NDArray[np.void]) -> None:
        """As Source.write."""

        def merged(column: NDArray[Any]) -> NDArray[Any]:
            own: list[NDArray[Any]] = [part[begin:end] for part, begin, end in zip(column, begins, ends, strict=True)]
            return np.concatenate(own).take(order)

        # "clip" because every row is there, and checking makes a copy.
        np.take(self.rows.events, merged(self.row), out=target.view(ROW), mode="clip")
        target["measured"] = merged(self.measured)
        target["flags"] = merged(self.flags)
        part = np.repeat(np.arange(len(begins)), np.subtract(ends, begins)).take(order)
        target["agent"] += self._agents.take(part)
        barrier = np.ascontiguousarray(target["barrier"])
        target["barrier"] = barrier + self._barriers.take(part) * (barrier >= 0)

    def give_back(self, part: int, begin: int, end: int) -> None:
        """As Source.give_back: nothing, for what little there is."""

    def write_part(self, part: int, room: NDArray[np.void]) -> NDArray[np.void]:
        """All events of one part, in the beginning of `room`."""
        begins, ends = np.zeros((2, len(self.time)), np.int64)
        ends[part] = size = self.rows.grid.events
        events = room[:size]
        self.write(begins.tolist(), ends.tolist(), np.arange(size), events)
        events["time"] = self.time[part]
        return events
