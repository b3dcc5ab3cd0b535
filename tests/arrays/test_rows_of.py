"""Tables of columns: their rows are taken from every column alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from visualizer.arrays.columns import rows_of


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
