"""Sorting by several columns at once, which most of the way from a log to a Trace consists of."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
_Int = TypeVar("_Int", bound=np.integer[Any])

_KEY_BITS = 63


def order_by(*columns: NDArray[np.integer]) -> Ints:
    """The stable order that sorts by the first column, by the second where that is equal, and so on; shape (n,).

    numpy sorts plain 64-bit integers about ten times as fast as `np.lexsort` sorts an order, so the columns and the row
    become digits of one number wherever they fit.
    """
    size = len(columns[0])
    if size < 2:
        return np.arange(size)
    # Contiguous first: the columns may be those of events, of 48 bytes each.
    columns = tuple(np.ascontiguousarray(column) for column in columns)
    lows = [int(column.min()) for column in columns]
    widths = [(int(column.max()) - low).bit_length() for column, low in zip(columns, lows, strict=True)]
    row_bits = (size - 1).bit_length()
    bits = sum(widths) + row_bits
    if bits > _KEY_BITS:
        return np.lexsort(columns[::-1])
    digits = (column.astype(np.int64, copy=False) - low for column, low in zip(columns, lows, strict=True))
    # Numbers of 32 bits are sorted twice as fast again.
    key: NDArray[Any] = next(digits).astype(np.uint32 if bits <= 32 else np.int64, copy=False)
    for digit, width in zip(digits, widths[1:], strict=True):
        key <<= width
        key |= digit.astype(key.dtype, copy=False)
    return sort_with_rows(key, row_bits).astype(np.int64, copy=False)


def in_order(column: Ints) -> tuple[Ints, Ints]:
    """`order_by` of one column, and the column in that order, read off the numbers that were sorted: to gather it would
    jump through all of it once more. Shapes (n,)."""
    size = len(column)
    low, high = (int(column.min()), int(column.max())) if size else (0, 0)
    row_bits = max(size - 1, 0).bit_length()
    if (high - low).bit_length() + row_bits > _KEY_BITS:
        order = np.argsort(column, kind="stable")
        return order, column[order]
    key = _sort_above_rows(column - low, row_bits)
    values = key >> row_bits
    values += low
    key &= (1 << row_bits) - 1
    return key, values


def sort_with_rows(key: NDArray[Any], row_bits: int, rows: NDArray[np.integer] | None = None) -> NDArray[Any]:
    """The stable order that sorts `key`, in its type; told by `rows` instead of 0, 1, 2, ... if these are given, which
    ascend. `key` is used up, and its type must have room for `row_bits` more bits: a row's number."""
    key = _sort_above_rows(key, row_bits, rows)
    key &= (1 << row_bits) - 1
    return key


def _sort_above_rows(key: NDArray[Any], row_bits: int, rows: NDArray[np.integer] | None = None) -> NDArray[Any]:
    """`key` with the number of its row below it, sorted in place."""
    key <<= row_bits
    key |= np.arange(len(key), dtype=key.dtype) if rows is None else rows.astype(key.dtype)
    key.sort()
    return key


def search(keys: Ints, values: Ints, side: Literal["left", "right"] = "left") -> Ints:
    """np.searchsorted of many values in any order. They are looked up in ascending order, which walks through `keys`
    once where each by itself would miss the cache."""
    order = order_by(values)
    found = np.empty(len(values), np.int64)
    found[order] = np.searchsorted(keys, values[order], side)
    return found


def distinct(values: NDArray[_Int]) -> NDArray[_Int]:
    """The values once each, ascending. (`np.unique` hashes, which is slower for the few values that this is for, and
    its first call imports numpy's masked arrays: as long as ten modules of ours.)"""
    values = np.sort(values)
    return values[np.concatenate([[True], values[1:] != values[:-1]])] if len(values) else values


def distinct_rows(*columns: NDArray[np.integer]) -> list[NDArray[np.integer]]:
    """The rows of these columns once each, sorted by the first column, by the second where that is equal, and so on.
    (`np.unique` compares rows as bytes, many times slower.)"""
    order = order_by(*columns)
    ordered = [column[order] for column in columns]
    new = np.zeros(len(order), bool)
    new[:1] = True
    for column in ordered:
        new[1:] |= column[1:] != column[:-1]
    return [column[new] for column in ordered]


def running_total(group: Ints, amount: Ints) -> Ints:
    """Sum of the amounts before each row within its group; equal groups must be adjacent."""
    before = np.cumsum(amount) - amount
    first, length = _runs(group)
    before -= np.repeat(before[first], length)
    return before


def group_starts(group: Ints) -> Ints:
    """For each row, the first row of its run of equal values."""
    return np.repeat(*_runs(group))


def _runs(group: Ints) -> tuple[Ints, Ints]:
    """The first row of each run of equal values, and how many rows it has."""
    first = np.flatnonzero(group[1:] != group[:-1]) + 1
    first = np.concatenate([np.zeros(min(len(group), 1), np.int64), first])
    return first, np.diff(first, append=len(group))
