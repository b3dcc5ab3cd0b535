"""Measuring: time, tiles and time per tile; and which marks are drawn however many there are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pane_testing import STEP_PS, hand_history, two_cta_history

from visualizer.views.timeline.gestures.measure import Measurement, TileCount, measurement_text
from visualizer.views.timeline.layers.marks import visible_rows
from visualizer.views.timeline.time.scale import View


def test_the_tiles_that_landed_in_a_stretch_are_counted() -> None:
    tiles = TileCount(hand_history())
    assert tiles.within(Measurement(0, 37 * STEP_PS), 0) == 2
    assert tiles.within(Measurement(37 * STEP_PS, 0), 0) == 2
    assert tiles.within(Measurement(20 * STEP_PS, 36 * STEP_PS), 0) == 1, "what landed at its begin is not in it"
    assert tiles.within(Measurement(0, 19 * STEP_PS), 0) == 0
    assert TileCount(two_cta_history()).within(Measurement(0, 100 * STEP_PS), 1) == 2


@pytest.mark.parametrize(
    ("tiles", "wanted"),
    [(0, "Δ 1.25 µs"), (1, "Δ 1.25 µs, 1 tile"), (5, "Δ 1.25 µs, 5 tiles, 250 ns per tile")],
)
def test_the_text_says_time_tiles_and_time_per_tile(tiles: int, wanted: str) -> None:
    assert measurement_text(Measurement(2_000_000, 750_000), tiles) == wanted


_TRACE = hand_history().trace


@given(
    steps=st.lists(st.integers(0, len(_TRACE) - 1), max_size=60, unique=True).map(sorted),
    start=st.integers(-100, 30_000),
    scale=st.floats(2.0, 100.0),
)
def test_no_mark_vanishes_and_signs_stand_apart(steps: list[int], start: int, scale: float) -> None:
    view = View(start, scale, 300)
    times = _TRACE.events["time"][steps] if steps else np.empty(0, np.int64)
    rows = visible_rows(_TRACE, np.array(steps, np.int64), view)
    shown = view.pixels(times[rows])
    inside = [view.pixel(time) for time in times.tolist() if view.start <= time <= view.end]
    assert all(np.abs(shown - x).min() <= 6 for x in inside)
    assert len(shown) <= 300 / 5 + 2
    assert np.all(np.diff(shown) > 0)
