"""The bytes of copies whose size nobody told: their barriers expect them.

A kernel that makes its tensor maps itself (grouped GEMMs) says the bytes of a copy nowhere, and few logs do. What a
barrier expects is known, so the copies of a turn together bring that; how it divides among them is a guess: in equal
shares.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, order_by
from visualizer.recording.schema import EventKind


def told_by_barriers(
    kind: NDArray[np.uint8], amount: NDArray[np.integer[Any]], barrier: NDArray[np.integer[Any]], time: Ints
) -> tuple[Ints, Ints]:
    """Rows of the copies of unknown size (amount 0), and their bytes: shares of what their barriers expect.

    `barrier`: any number that tells barriers apart, negative for none. All of one shape (n,), in any order.
    """
    copies = np.flatnonzero(kind == EventKind.COPY_ISSUE)
    copies = copies[barrier[copies] >= 0]
    if (amount[copies] != 0).all():
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    expects = np.flatnonzero((kind == EventKind.ARRIVE_EXPECT_TX) | (kind == EventKind.EXPECT_TX))
    rows = np.concatenate([expects[barrier[expects] >= 0], copies])
    barriers, place = np.unique(barrier[rows], return_inverse=True)
    order = order_by(place, time[rows])
    rows, place = rows[order], place[order]
    bytes_ = amount[rows].astype(np.int64)
    is_copy = kind[rows] == EventKind.COPY_ISSUE
    asks, unknown = np.flatnonzero(~is_copy), np.flatnonzero(is_copy & (bytes_ == 0))
    told = np.flatnonzero(is_copy & (bytes_ > 0))

    # As many turns as let each have equally many expectations and equally many copies.
    asked, copied = (np.bincount(place[some], minlength=len(barriers)) for some in (asks, unknown))
    turns = np.gcd(asked, copied)
    first = np.cumsum(turns) - turns
    asked_in = first[place[asks]] + _turn(place[asks], asked, turns)
    copied_in = first[place[unknown]] + _turn(place[unknown], copied, turns)
    due = np.bincount(asked_in, bytes_[asks], int(turns.sum())).astype(np.int64)
    known = np.bincount(place[told], bytes_[told], len(barriers)).astype(np.int64)
    due = np.maximum(due - np.repeat(known // np.maximum(turns, 1), turns), 0)

    size = np.bincount(copied_in, minlength=len(due))
    share = due[copied_in] // size[copied_in]
    last = np.diff(copied_in, append=-1) != 0
    share[last] += due[copied_in[last]] - share[last] * size[copied_in[last]]
    return rows[unknown], share


def _turn(barrier: Ints, count: Ints, turns: Ints) -> Ints:
    """Which of its barrier's `turns` each of rows is in, which are sorted by barrier; `count` of them to a barrier."""
    begins = np.cumsum(count) - count
    place = np.arange(len(barrier)) - begins[barrier]
    return place * turns[barrier] // count[barrier]
