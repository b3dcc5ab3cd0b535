"""The events of all CTAs in one order of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, distinct, order_by
from visualizer.arrays.parallel import each
from visualizer.reconstruction.event_memory import ROW
from visualizer.reconstruction.event_rows import EventRows
from visualizer.recording.schema import EVENT_DTYPE

_EVENTS_AT_ONCE = 1 << 16
"""Events merged at a time: they and their order stay in the processor's cache."""
_SAMPLE = 1 << 6
"""Of every so many events one is looked at to find times that divide them evenly."""


class Source(Protocol):
    """Where the events of all parts come from, each part's in order of time."""

    @property
    def times(self) -> Sequence[Ints]:
        """Of each part."""

    def write(self, begins: Sequence[int], ends: Sequence[int], order: Ints, target: NDArray[np.void]) -> None:
        """Write the events from `begins` to `ends` of the parts, one part after another and then in `order`, to
        `target`, EVENT_DTYPE; their times may be left out."""


class EventParts:
    """A source of parts whose events are rows."""

    def __init__(self, parts: Sequence[EventRows]) -> None:
        self.times: Sequence[Ints] = [part.time for part in parts]
        self._parts = parts

    def write(self, begins: Sequence[int], ends: Sequence[int], order: Ints, target: NDArray[np.void]) -> None:
        """As Source.write."""
        taken = np.empty(len(target), ROW)
        filled = 0
        for part, begin, end in zip(self._parts, begins, ends, strict=True):
            if end > begin:
                part.write(begin, end, taken[filled : (filled := filled + end - begin)])
        # "clip" because every row is there, and checking makes a copy.
        np.take(taken, order, out=target.view(ROW), mode="clip")


def merge(source: Source) -> NDArray[np.void]:
    """All events of `source` in order of time, from 0; ties in order of parts. EVENT_DTYPE."""
    times = source.times
    merged = np.empty(sum(map(len, times)), EVENT_DTYPE)
    start = first_time(times)
    edges = _edges(times)
    # cuts[p, e]: rows of part p before edge e
    cuts = np.array([[0, *np.searchsorted(part, edges).tolist(), len(part)] for part in times])
    places = cuts.sum(axis=0)

    def fill(piece: int) -> None:
        begins, ends = cuts[:, piece].tolist(), cuts[:, piece + 1].tolist()
        time = np.concatenate([part[begin:end] for part, begin, end in zip(times, begins, ends, strict=True)])
        order = order_by(time)
        target = merged[places[piece] : places[piece + 1]]
        source.write(begins, ends, order, target)
        target["time"] = time.take(order)
        if start:
            target["time"] -= start
            target["measured"] -= start

    each(fill, range(len(places) - 1))
    return merged


def first_time(times: Sequence[Ints]) -> int:
    """The time that merging makes 0."""
    return min((int(part[0]) for part in times if len(part)), default=0)


def _edges(times: Sequence[Ints]) -> NDArray[np.int64]:
    """Times between which about _EVENTS_AT_ONCE events lie."""
    sample = np.sort(np.concatenate([part[::_SAMPLE] for part in times]))
    return distinct(sample[_EVENTS_AT_ONCE // _SAMPLE :: _EVENTS_AT_ONCE // _SAMPLE])
