"""Where lanes stand, which are in view, and which one a y belongs to."""

from itertools import pairwise

import numpy as np
import pytest

from visualizer.views.timeline.lanes.lanes import Lane, build_lanes
from visualizer.views.timeline.lanes.layout import LaneLayout, lay_out


@pytest.fixture
def layout(lesson_trace) -> LaneLayout:
    return lay_out(build_lanes(lesson_trace), 16.0, 300.0, 3)


def test_lanes_do_not_overlap(layout):
    assert (layout.top[1:] > layout.top[:-1] + layout.height[:-1]).all()
    assert layout.top[0] > 0
    assert layout.total > layout.top[-1] + layout.height[-1]


def test_groups_stand_apart(layout, lesson_trace):
    lanes = build_lanes(lesson_trace)
    gaps = layout.top[1:] - (layout.top[:-1] + layout.height[:-1])
    same = np.array([a.kind == b.kind for a, b in pairwise(lanes)])
    assert gaps[same].max() < gaps[~same].min()


def test_few_lanes_grow_into_the_room_there_is(lesson_trace):
    lanes = build_lanes(lesson_trace)
    small, tall = lay_out(lanes, 16.0, 100.0, 3), lay_out(lanes, 16.0, 800.0, 3)
    assert tall.total > small.total * 1.3
    assert tall.total <= 810


def test_rows_in_range_are_those_that_touch_it(layout):
    for low, high in ((0, 100), (50, 51), (200, 400), (-100, 1e6), (1e6, 2e6)):
        expected = [row for row in range(14) if layout.top[row] + layout.height[row] > low and layout.top[row] < high]
        assert list(layout.in_range(low, high)) == expected


def test_every_y_belongs_to_the_nearest_lane(layout):
    for row in range(14):
        middle = float(layout.top[row] + layout.height[row] / 2)
        assert layout.row_at(middle) == row
        assert layout.row_at(float(layout.top[row]) + 0.5) == row
    assert layout.row_at(float(layout.top[3]) - 1) == 3
    assert layout.row_at(float(layout.top[2] + layout.height[2]) + 1) == 2
    assert layout.row_at(-1) is None
    assert layout.row_at(layout.total + 1) is None


def test_copy_lane_has_room_for_its_rows():
    lanes = [Lane("tma", "tma", "copy", 0, 0)]
    assert lay_out(lanes, 16.0, 10.0, 8).height[0] > lay_out(lanes, 16.0, 10.0, 1).height[0] * 2


def test_no_lanes():
    empty = lay_out([], 16.0, 100.0, 1)
    assert empty.total == 0
    assert empty.row_at(0) is None
    assert list(empty.in_range(0, 100)) == []
