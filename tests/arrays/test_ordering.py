"""Looking up many values at once finds what looking up each would; rows once each are what numpy finds."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from visualizer.arrays.ordering import distinct_rows, search


@pytest.mark.parametrize("side", ["left", "right"])
def test_search_is_searchsorted_in_any_order(side: Literal["left", "right"]) -> None:
    random = np.random.default_rng(0)
    keys = np.sort(random.integers(-50, 50, 40))
    values = random.integers(-60, 60, 300)
    assert search(keys, values, side).tolist() == np.searchsorted(keys, values, side).tolist()
    assert search(keys[:0], values, side).tolist() == [0] * 300
    assert search(keys, values[:0], side).tolist() == []


def test_distinct_rows_are_numpys() -> None:
    random = np.random.default_rng(0)
    columns = random.integers(-3, 3, (3, 200))
    assert np.stack(distinct_rows(*columns), axis=1).tolist() == np.unique(columns.T, axis=0).tolist()
    assert [len(column) for column in distinct_rows(*columns[:, :0])] == [0, 0, 0]
