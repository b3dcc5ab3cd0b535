"""Tables of columns: their rows are taken from every column alike; columns of structured rows are what numpy gives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from visualizer.arrays.columns import read_columns, rows_of


@dataclass(frozen=True, eq=False)
class Table:
    time: NDArray[np.int64]
    name: NDArray[np.str_]


@pytest.mark.parametrize("chosen", [np.array([False, True, True]), slice(1, None)])
def test_every_column_keeps_the_chosen_rows(chosen: NDArray[np.bool_] | slice) -> None:
    table = Table(np.array([3, 4, 5]), np.array(["a", "b", "c"]))
    kept = rows_of(table, chosen)
    assert kept.time.tolist() == [4, 5]
    assert kept.name.tolist() == ["b", "c"]
    assert table.time.tolist() == [3, 4, 5]


@pytest.mark.parametrize("size", [0, 1, 20_000])
def test_columns_read_together_are_those_of_the_rows(size: int) -> None:
    rows = np.zeros(size + 1, [("time", "<i8"), ("kind", "u1"), ("site", "<i2")])
    rows["time"], rows["site"] = np.arange(size + 1), np.arange(size + 1) % 1000
    site, time = read_columns(rows[1:], "site", "time")
    assert (site.dtype, site.tolist()) == (np.int16, rows["site"][1:].tolist())
    assert site.flags.c_contiguous
    assert time.flags.c_contiguous
    assert (time.dtype, time.tolist()) == (np.int64, rows["time"][1:].tolist())
