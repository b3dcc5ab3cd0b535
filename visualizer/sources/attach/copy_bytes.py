"""The bytes of copies whose tensor maps nobody saw made: their barriers expect them.

A kernel that makes its tensor maps itself (grouped GEMMs) says the bytes of a copy nowhere. What a barrier expects is
logged, so the copies of a turn together bring that; how it divides among them is a guess: in equal shares.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, order_by
from visualizer.reconstruction.discover import NO_ADDRESS
from visualizer.recording.schema import EventKind


def tell_bytes(records: NDArray[np.void], cluster: int) -> int:
    """Give copies of unknown bytes shares of what their barriers expect, turn by turn; how many copies those are.

    `records` (RECORD_DTYPE) of CTAs counted cluster by cluster, `cluster` of them in each.
    """
    kind = records["kind"]
    copies = (kind == EventKind.COPY_ISSUE) & (records["address"] != NO_ADDRESS)
    if not (copies & (records["amount"] == 0)).any():
        return 0
    expects = (kind == EventKind.ARRIVE_EXPECT_TX) | (kind == EventKind.EXPECT_TX)
    rows = np.flatnonzero(copies | expects)
    key = (records["cta"][rows].astype(np.int64) // cluster) << 32 | records["address"][rows]
    barriers, barrier = np.unique(key, return_inverse=True)
    order = order_by(barrier, records["time"][rows])
    rows, barrier = rows[order], barrier[order]
    amount = records["amount"][rows].astype(np.int64)
    asks = np.flatnonzero(expects[rows])
    unknown = np.flatnonzero(copies[rows] & (amount == 0))
    told = np.flatnonzero(copies[rows] & (amount > 0))

    # As many turns as let each have equally many expectations and equally many copies.
    asked, copied = (np.bincount(barrier[some], minlength=len(barriers)) for some in (asks, unknown))
    turns = np.gcd(asked, copied)
    first = np.cumsum(turns) - turns
    ask_turn = _turn(barrier[asks], asked, turns)
    turn = _turn(barrier[unknown], copied, turns)
    due = np.bincount(ask_turn + first[barrier[asks]], amount[asks], int(turns.sum())).astype(np.int64)
    known = np.bincount(barrier[told], amount[told], len(barriers)).astype(np.int64)
    of = np.repeat(np.arange(len(barriers)), turns)
    due -= known[of] // np.maximum(turns[of], 1)
    due = np.maximum(due, 0)

    turn += first[barrier[unknown]]
    size = np.bincount(turn, minlength=len(due))
    share = due[turn] // size[turn]
    last = np.diff(turn, append=-1) != 0
    share[last] += due[turn[last]] - share[last] * size[turn[last]]
    records["amount"][rows[unknown]] = share
    return len(unknown)


def _turn(barrier: Ints, count: Ints, turns: Ints) -> Ints:
    """Which of its barrier's `turns` each of rows is in, which are sorted by barrier; `count` of them to a barrier."""
    begins = np.cumsum(count) - count
    place = np.arange(len(barrier)) - begins[barrier]
    return place * turns[barrier] // count[barrier]
