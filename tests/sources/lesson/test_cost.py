"""The slowdown of recording: a median over pairs of runs, with an interval that holds it as often as it says."""

from __future__ import annotations

import numpy as np
import pytest

from visualizer.sources.runner.cost import LEAST_PAIRS, slowdown


def test_the_median_of_the_pairs_not_of_the_runs() -> None:
    off = [100.0, 200.0, 100.0, 200.0, 100.0, 200.0]
    cost = slowdown(off, [time * 1.02 for time in off])
    assert cost["slowdown_percent"] == pytest.approx(2.0)
    assert cost["spread_percent"] == pytest.approx(0.0, abs=1e-9)
    assert (cost["pairs"], cost["off_ns"]) == (6, 150.0)


def test_one_disturbed_run_moves_little() -> None:
    off, on = [100.0] * 20, [101.0] * 20
    on[7] = 500.0
    cost = slowdown(off, on)
    assert cost["slowdown_percent"] == pytest.approx(1.0)
    assert cost["spread_percent"] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("pairs", [LEAST_PAIRS, 20])
def test_the_interval_holds_the_truth_as_often_as_it_says(pairs: int) -> None:
    random = np.random.default_rng(4)
    held = 0
    for _ in range(2000):
        ratio = 1.01 + random.exponential(0.01, pairs) - 0.01 * np.log(2)  # skewed; its median is 1.01
        off = np.full(pairs, 1e5)
        cost = slowdown(off.tolist(), (off * ratio).tolist())
        ordered = np.sort(ratio)
        low = {LEAST_PAIRS: 0, 20: 5}[pairs]
        assert cost["spread_percent"] == pytest.approx((ordered[-1 - low] - ordered[low]) * 50)
        held += ordered[low] <= 1.01 <= ordered[-1 - low]
    assert held / 2000 >= 0.94
