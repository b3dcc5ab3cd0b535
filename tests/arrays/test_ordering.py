"""Orders are numpy's, however wide the values; looking up many values at once finds what looking up each would; rows
once each are what numpy finds."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from visualizer.arrays.ordering import distinct_rows, in_order, order_by, search


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


@pytest.mark.parametrize("most", [3, 1 << 14, 1 << 20, 1 << 50, (1 << 63) - 1])
@pytest.mark.parametrize("size", [0, 1, 2, 300])
def test_orders_are_numpys_however_wide_the_values_are(most: int, size: int) -> None:
    random = np.random.default_rng(0)
    first, second = random.integers(-3, 3, size), random.integers(-most, most, size)
    assert order_by(first, second).tolist() == np.lexsort((second, first)).tolist()
    assert order_by(second).tolist() == np.argsort(second, kind="stable").tolist()
    order, ordered = in_order(second)
    assert order.tolist() == np.argsort(second, kind="stable").tolist()
    assert ordered.tolist() == sorted(second.tolist())


def test_narrow_columns_are_ordered_over_their_whole_range() -> None:
    column = np.array([32767, -32768, 0, -1], np.int16)
    assert order_by(np.zeros(4, np.int16), column).tolist() == [1, 3, 2, 0]
