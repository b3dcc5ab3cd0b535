"""What a pixel column shows is exact: shares and means against brute force, and nothing that is there vanishes."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from visualizer.views.timeline.shapes.level_of_detail import StateMix, StepMean, folded_columns, stacked

FEW = settings(max_examples=60, deadline=None)


@st.composite
def lanes(draw):
    """Intervals that do not overlap (some of no length, some with gaps between) and column edges."""
    gaps = draw(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9), st.integers(0, 2)), min_size=1, max_size=30))
    at, start, end, state = 0, [], [], []
    for gap, length, value in gaps:
        start.append(at + gap)
        at += gap + length
        end.append(at)
        state.append(value)
    edges = sorted(draw(st.sets(st.integers(-10, at + 10), min_size=2, max_size=12)))
    return np.array(start), np.array(end), np.array(state, np.uint8), np.array(edges)


@FEW
@given(lanes())
def test_shares_are_exact(lane):
    start, end, state, edges = lane
    mix = StateMix(start, end, state, (2, 0, 1))
    assert mix.states == tuple(value for value in (2, 0, 1) if value in state)
    found = mix.columns(edges)
    for row, value in enumerate(mix.states):
        for column, (low, high) in enumerate(pairwise(edges)):
            mine = state == value
            inside = np.minimum(end, high) - np.maximum(start, low)
            expected = np.maximum(inside, 0)[mine].sum() / (high - low)
            assert abs(found.share[row, column] - expected) < 1e-12
            brief = mine & (start == end) & (start >= low) & (start < high)
            assert (found.visible[row, column] > 0) == (expected > 0 or brief.any())
    for column, (low, high) in enumerate(pairwise(edges)):
        assert found.begun[column] == ((start >= low) & (start < high)).sum()


def test_times_beyond_what_a_float_holds():
    base = 2**60
    mix = StateMix(np.array([base, base + 10]), np.array([base + 10, base + 20]), np.array([0, 1], np.uint8), (0, 1))
    np.testing.assert_array_equal(
        mix.columns(np.array([base, base + 5, base + 15, base + 20])).share, [[1, 0.5, 0], [0, 0.5, 1]]
    )


def test_no_intervals():
    mix = StateMix(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint8), (0, 1))
    assert mix.states == ()
    assert mix.columns(np.array([0, 1, 2])).share.shape == (0, 2)


@FEW
@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(-5, 5)), min_size=1, max_size=20),
    st.sets(st.integers(-5, 120), min_size=2, max_size=8),
)
def test_means_are_exact(changes, edges):
    time = np.cumsum([step for step, _ in changes])
    values = np.array([value for _, value in changes], float)
    edges = np.array(sorted(edges))
    ticks = np.arange(-5, 121)
    at = np.searchsorted(time, ticks, side="right") - 1
    curve = np.where(at < 0, 0, values[np.maximum(at, 0)])
    means = StepMean(time, np.stack((values, -values))).means(edges)
    for column, (low, high) in enumerate(pairwise(edges)):
        expected = curve[(ticks >= low) & (ticks < high)].mean()
        np.testing.assert_allclose(means[:, column], [expected, -expected], atol=1e-9)


@FEW
@given(st.lists(st.tuples(st.floats(-5, 50), st.floats(0, 6)), max_size=15))
def test_folded_columns_are_those_that_narrow_intervals_touch(intervals):
    left = np.array([x for x, _ in intervals], float)
    right = left + [length for _, length in intervals]
    folded = folded_columns(left, right, 40, 2.0)
    expected = np.zeros(40, bool)
    for low, high in zip(left, right, strict=True):
        if high - low < 2:
            for column in range(max(int(np.floor(low)), 0), min(int(np.floor(high)), 39) + 1):
                expected[column] = True
    np.testing.assert_array_equal(folded, expected)


@FEW
@given(st.lists(st.lists(st.floats(0, 1), min_size=4, max_size=4), min_size=1, max_size=10), st.integers(8, 60))
def test_stacked_heights_fit_and_show_everything(columns, height):
    shares = np.array(columns).T
    shares = shares / np.maximum(shares.sum(axis=0), 1)
    heights = stacked(shares, height)
    assert (heights.sum(axis=0) <= height).all()
    assert (heights[shares > 0] >= 1).all()
    np.testing.assert_allclose(heights, shares * height, atol=4.0)
