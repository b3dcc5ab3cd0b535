"""The passes over a complete CTA's clocks, against plain loops."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from visualizer.sources.lesson.complete_ctas.times import _in_order, _rank
from visualizer.sources.lesson.tile_clocks import LAP, unwrap


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 12), max_size=80), st.integers(0, 6))
def test_times_are_raised_above_the_one_before(times: list[int], pace: int) -> None:
    found = np.array(times, np.int64) + pace * np.arange(len(times))  # the faster the pace, the fewer are late
    wanted = found.tolist()
    for row in range(1, len(wanted)):
        wanted[row] = max(wanted[row], wanted[row - 1] + 1)
    _in_order(found)
    assert found.tolist() == wanted


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 5), st.lists(st.integers(0, 3), min_size=5, max_size=40))
def test_the_rank_of_an_arrival_is_that_of_a_stable_sort(consumers: int, times: list[int]) -> None:
    tiles = len(times) // consumers
    releases = np.array(times[: consumers * tiles], np.int64).reshape(consumers, tiles)
    order = np.argsort(releases, axis=0, kind="stable")
    np.testing.assert_array_equal(
        np.take_along_axis(_rank(releases), order, 0), np.arange(consumers)[:, None] + 0 * order
    )


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**40), st.lists(st.integers(0, 2**32 - 2**17), max_size=20), st.integers(0, 2**32 - 2**17))
def test_words_follow_the_begin_lap_after_lap(begin: int, gaps: list[int], rest: int) -> None:
    clocks = begin + np.cumsum([*gaps, rest])
    words = (clocks % LAP).astype(np.uint32)[None]
    both = np.concatenate([words, words])
    found = unwrap(np.array([begin, begin + LAP]), both[:, :-1], both[:, -1:])
    np.testing.assert_array_equal(found, [clocks, clocks + LAP])


def test_a_word_a_little_back_is_no_lap() -> None:
    words = np.array([[100, 99, 120]], np.uint32)
    assert unwrap(np.array([LAP + 90]), words).tolist() == [[LAP + 100, LAP + 100, LAP + 120]]
