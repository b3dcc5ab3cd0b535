"""The bytes of copies whose size nobody told: what their barriers expect, in equal shares."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.schema import EventKind


def told_by_barriers(
    kind: NDArray[np.uint8], amount: NDArray[np.int64], barrier: NDArray[np.signedinteger[Any]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of the copies of unknown size (amount 0), and their bytes. `barrier`: any number that tells barriers apart,
    -1 for none. All of one shape (n,)."""
    copies = (kind == EventKind.COPY_ISSUE) & (barrier >= 0)
    unknown = np.flatnonzero(copies & (amount == 0))
    if not len(unknown):
        return unknown, unknown
    expects = (kind == EventKind.ARRIVE_EXPECT_TX) | (kind == EventKind.EXPECT_TX)
    rows = np.flatnonzero((copies | expects) & (barrier >= 0))
    barriers, place = np.unique(barrier[rows], return_inverse=True)
    asks = expects[rows]
    signed = np.where(asks, amount[rows], -amount[rows])
    due = np.bincount(place, signed, len(barriers))
    of_unknown = place[~asks & (amount[rows] == 0)]
    shares = np.maximum(due, 0) // np.maximum(np.bincount(of_unknown, minlength=len(barriers)), 1)
    return unknown, shares[of_unknown].astype(np.int64)
