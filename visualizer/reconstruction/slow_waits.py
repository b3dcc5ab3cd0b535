"""Waits that passed at their first test, but took long: whether they were blocked or the processor was late.

A test of a barrier may be suspended until its phase completes, and then says that it passed; so may one whose
instructions had yet to be fetched, and which need not have waited. The order of events tells the two apart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import order_by
from visualizer.recording.schema import EventFlag, EventKind


def tell_slow_waits(events: NDArray[np.void]) -> None:
    """Of EVENT_DTYPE, all of a recording: SLOW goes, and is BLOCKED where a phase completed within the wait."""
    flags, kind, barrier = events["flags"], events["kind"], events["barrier"]
    slow = (flags & EventFlag.SLOW) != 0
    rows = np.flatnonzero(slow | (kind == EventKind.WAIT_BEGIN))
    rows = rows[order_by(events["agent"][rows], rows)]
    ends = rows[slow[rows]]
    begins = rows[np.maximum(np.flatnonzero(slow[rows]) - 1, 0)]
    flips = np.flatnonzero(kind == EventKind.PHASE_COMPLETE)
    completed = np.sort(barrier[flips].astype(np.int64) * len(events) + flips)
    of = barrier[ends].astype(np.int64) * len(events)
    within = np.searchsorted(completed, of + ends) > np.searchsorted(completed, of + begins)
    blocked = np.where(within, np.uint8(EventFlag.BLOCKED), np.uint8(0))
    flags[ends] = (flags[ends] & ~np.uint8(EventFlag.SLOW)) | blocked
