"""The events of all CTAs in one order of time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from visualizer.trace.ordering import distinct, order_by
from visualizer.trace.parallel import each
from visualizer.trace.pool import ROW, Pool
from visualizer.trace.schema import EVENT_DTYPE

_EVENTS_AT_ONCE = 1 << 15
"""Events merged at a time: they and their order stay in the processor's cache."""
_SAMPLE = 1 << 6
"""Of every so many events one is looked at to find times that divide them evenly."""
_GIVE_BACK = 16
"""How many times the pool gets back what has been merged."""


def merge(parts: Sequence[NDArray[np.void]], pool: Pool) -> NDArray[np.void]:
    """All events of `parts` (EVENT_DTYPE, each in order of time) in order of time, from 0; ties in order of parts.

    The parts lie in `pool` and are gone afterwards.
    """
    merged = np.empty(sum(map(len, parts)), EVENT_DTYPE)
    start = first_time(parts)
    edges = _edges(parts)
    # cuts[p, e]: rows of part p before edge e
    cuts = np.array([[0, *np.searchsorted(part["time"], edges).tolist(), len(part)] for part in parts])
    places = cuts.sum(axis=0)
    rows = [part.view(ROW) for part in parts]

    def fill(piece: int) -> None:
        begins, ends = cuts[:, piece].tolist(), cuts[:, piece + 1].tolist()
        taken = np.concatenate([row[begin:end] for row, begin, end in zip(rows, begins, ends, strict=True)])
        target = merged[places[piece] : places[piece + 1]]
        order = order_by(taken.view(EVENT_DTYPE)["time"])
        # "clip" because every row is there, and checking makes a copy.
        np.take(taken, order, out=target.view(ROW), mode="clip")
        if start:
            target["time"] -= start
            target["measured"] -= start

    pieces = range(len(places) - 1)
    done = 0
    for batch in np.array_split(pieces, min(_GIVE_BACK, len(pieces))):
        each(fill, batch.tolist())
        for part, (begin, end) in enumerate(cuts[:, [done, batch[-1] + 1]].tolist()):
            pool.give_back(part, begin, end)
        done = batch[-1] + 1
    return merged


def first_time(parts: Sequence[NDArray[np.void]]) -> int:
    """The time that merging makes 0."""
    return min((int(part["time"][0]) for part in parts if len(part)), default=0)


def _edges(parts: Sequence[NDArray[np.void]]) -> NDArray[np.int64]:
    """Times between which about _EVENTS_AT_ONCE events lie."""
    sample = np.sort(np.concatenate([part["time"][::_SAMPLE] for part in parts]))
    return distinct(sample[_EVENTS_AT_ONCE // _SAMPLE :: _EVENTS_AT_ONCE // _SAMPLE])
