"""Copies of unknown bytes get what their barriers expect, turn by turn."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from visualizer.reconstruction.discover import RECORD_DTYPE
from visualizer.reconstruction.told_bytes import told_by_barriers
from visualizer.recording.schema import EventKind


def turns(expected: list[int], copies: int, told: int = 0, barrier: int = 0x100) -> NDArray[np.void]:
    """Of one barrier: an expectation, a copy of `told` bytes unless that is 0, and `copies` of unknown ones, for each
    of `expected`."""
    rows = []
    for turn, amount in enumerate(expected):
        time = 1000 * turn
        rows.append((time, barrier, amount, EventKind.ARRIVE_EXPECT_TX))
        if told:
            rows.append((time + 1, barrier, told, EventKind.COPY_ISSUE))
        rows += [(time + 2 + n, barrier, 0, EventKind.COPY_ISSUE) for n in range(copies)]
    records = np.zeros(len(rows), RECORD_DTYPE)
    for name, column in zip(("time", "address", "amount", "kind"), zip(*rows, strict=True), strict=True):
        records[name] = column
    return records


def give(records: NDArray[np.void]) -> int:
    """Write what is told of the copies into them; how many those are."""
    rows, shares = told_by_barriers(
        records["kind"], records["amount"], records["address"].astype(np.int64), records["time"]
    )
    records["amount"][rows] = shares
    return len(rows)


@given(st.lists(st.integers(1, 1 << 20), min_size=1, max_size=9), st.integers(1, 5))
def test_the_copies_of_every_turn_bring_what_it_expects(expected: list[int], copies: int) -> None:
    records = turns(expected, copies)
    assert give(records) == copies * len(expected)
    brought = records["amount"][records["kind"] == EventKind.COPY_ISSUE].reshape(-1, copies)
    assert brought.sum(axis=1).tolist() == expected
    assert (np.ptp(brought, axis=1) < copies).all()


def test_three_copies_bring_all_of_a_number_that_three_does_not_divide() -> None:
    records = turns([32768, 32768], 3)
    give(records)
    assert records["amount"][1:4].tolist() == [10922, 10922, 10924]


def test_copies_of_known_bytes_leave_the_rest_to_the_others() -> None:
    records = turns([32768, 32768], 2, told=16384)
    assert give(records) == 4
    assert records["amount"].tolist() == [32768, 16384, 8192, 8192] * 2


def test_barriers_are_told_apart_and_where_nothing_is_expected_nothing_is_known() -> None:
    other = turns([0], 2, barrier=0x200)[1:]
    records = np.concatenate([turns([600], 2), other])
    assert give(records) == 4
    assert records["amount"].tolist() == [600, 300, 300, 0, 0]
