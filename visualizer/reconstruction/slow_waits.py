"""Waits that passed at their first test, but took long: whether they were blocked or the processor was late.

A test of a barrier may be suspended until its phase completes, and then says that it passed; so may one whose
instructions had yet to be fetched, and which need not have waited. The order of events tells the two apart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, order_by
from visualizer.arrays.parallel import each
from visualizer.recording.schema import EventFlag, EventKind

_EVENTS_AT_ONCE = 1 << 16


def tell_slow_waits(events: NDArray[np.void]) -> None:
    """Of EVENT_DTYPE, all of a recording: SLOW goes, and is BLOCKED where a phase completed within the wait."""

    def look(first: int) -> tuple[Ints, NDArray[np.int32], NDArray[np.bool_], Ints]:
        piece = events[first : first + _EVENTS_AT_ONCE]
        kind = np.ascontiguousarray(piece["kind"])
        slow = (piece["flags"] & EventFlag.SLOW) != 0
        waits = np.flatnonzero(slow | (kind == EventKind.WAIT_BEGIN))
        flips = np.flatnonzero(kind == EventKind.PHASE_COMPLETE)
        return first + waits, piece["agent"][waits], slow[waits], first + flips

    found = each(look, range(0, len(events), _EVENTS_AT_ONCE))
    rows, agent, slow, flips = (np.concatenate(column) for column in zip(*found, strict=True))
    flags, barrier = events["flags"], events["barrier"]
    order = order_by(agent)
    late = np.flatnonzero(slow[order])
    ends, begins = rows[order[late]], rows[order[np.maximum(late - 1, 0)]]
    completed = np.sort(barrier[flips].astype(np.int64) * len(events) + flips)
    of = barrier[ends].astype(np.int64) * len(events)
    within = np.searchsorted(completed, of + ends) > np.searchsorted(completed, of + begins)
    blocked = np.where(within, np.uint8(EventFlag.BLOCKED), np.uint8(0))
    flags[ends] = (flags[ends] & ~np.uint8(EventFlag.SLOW)) | blocked
