"""Tables as dataclasses of columns: arrays with a row for each thing, all of one length."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")

_ROWS_AT_ONCE = 1 << 13


def rows_of(table: T, chosen: NDArray[np.bool_] | slice) -> T:
    """The table with the `chosen` rows alone; every field of it is a column."""
    columns: Any = table
    rows: T = replace(columns, **{field.name: getattr(table, field.name)[chosen] for field in fields(columns)})
    return rows


def read_columns(rows: NDArray[np.void], *names: str) -> list[NDArray[Any]]:
    """Columns of structured rows, each contiguous: some rows at a time, so that they come from memory once, not
    again for every column."""
    columns = [np.empty(len(rows), rows.dtype[name]) for name in names]
    for begin in range(0, len(rows), _ROWS_AT_ONCE):
        piece = rows[begin : begin + _ROWS_AT_ONCE]
        for name, column in zip(names, columns, strict=True):
            column[begin : begin + _ROWS_AT_ONCE] = piece[name]
    return columns
