"""The events of all CTAs in one order of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, distinct, in_order
from visualizer.arrays.parallel import each
from visualizer.reconstruction.event_memory import ROW
from visualizer.reconstruction.event_rows import EventRows
from visualizer.reconstruction.logged import Log
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


class LogParts:
    """A source of parts whose events are rows of a log, and some that were made."""

    def __init__(self, log: Log, parts: Sequence[EventRows]) -> None:
        self.times: Sequence[Ints] = [part.time for part in parts]
        self._log, self._parts = log, parts

    def write(self, begins: Sequence[int], ends: Sequence[int], order: Ints, target: NDArray[np.void]) -> None:
        """As Source.write."""
        own = zip(self._parts, begins, ends, strict=True)
        source = np.concatenate([part.source[begin:end] for part, begin, end in own])
        # The events of a part that were made lie in their order, so that between two of its rows they are a slice.
        at = np.flatnonzero(source < 0)
        edges = np.searchsorted(at, [0, *np.cumsum(np.subtract(ends, begins))]).tolist()
        made = [
            part.made.view(ROW)[(first := ~int(source[at[low]])) : first + high - low]
            for part, low, high in zip(self._parts, edges, edges[1:], strict=False)
            if high > low
        ]
        source[at] = ~np.arange(len(at))
        source = source.take(order)
        self._log.write(source, target)
        if made:
            at = np.flatnonzero(source < 0)
            target.view(ROW)[at] = np.concatenate(made).take(~source[at])


class Mixed:
    """A source of parts that other sources have, each one of them."""

    def __init__(self, sources: Sequence[Source], of_part: Sequence[tuple[int, int]]) -> None:
        """`of_part`: which source has each part, and as which of its own, ascending."""
        self.times: Sequence[Ints] = [sources[which].times[place] for which, place in of_part]
        self._sources = sources
        self._of_part = np.array(of_part, np.int64).reshape(-1, 2)

    def write(self, begins: Sequence[int], ends: Sequence[int], order: Ints, target: NDArray[np.void]) -> None:
        """As Source.write."""
        of_event = np.repeat(self._of_part[:, 0], np.subtract(ends, begins))
        for which, source in enumerate(self._sources):
            own = self._of_part[:, 0] == which
            own_begins, own_ends = np.zeros((2, len(source.times)), np.int64)
            own_begins[self._of_part[own, 1]] = np.array(begins)[own]
            own_ends[self._of_part[own, 1]] = np.array(ends)[own]
            mine = of_event == which
            number = np.cumsum(mine) - 1  # among the source's own
            places = np.flatnonzero(mine[order])
            events = np.empty(len(places), EVENT_DTYPE)
            source.write(own_begins.tolist(), own_ends.tolist(), number[order[places]], events)
            target.view(ROW)[places] = events.view(ROW)


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
        order, time = in_order(time)
        target = merged[places[piece] : places[piece + 1]]
        source.write(begins, ends, order, target)
        target["time"] = time - start
        if start:
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
