"""What a chart spans: the places of all its series, with room where there would be none."""

from __future__ import annotations

import pytest

from visualizer.views.charts.chart_model import Axis, Boxes, Chart, Curve, Diamonds, Rule, Series, Spans, floats

BOXES = Boxes("boxes", "full", floats([1, 3]), floats([2, 5]), floats([0, 0]), floats([4, 7]))
STEPS = Curve("curve", "tx", floats([0, 2, 4]), floats([-3, 6]), steps=True)
SPANS = Spans("spans", floats([2]), floats([1]), floats([9]))
POINT = Diamonds("diamonds", "tx", floats([8]), floats([5]))
ACROSS, UP = Axis("x"), Axis("y")
RULE = Rule("rule", 100.0, thick=True)


def ends(*series: Series, x: Axis = ACROSS, y: Axis = UP) -> tuple[float, float, float, float]:
    return Chart("title", "caption", x, y, series).ends


@pytest.mark.parametrize(
    ("series", "wanted"),
    [
        ((BOXES,), (1, 5, 0, 7)),
        ((STEPS,), (0, 4, -3, 6)),
        ((SPANS,), (2, 3, 0, 9)),
        ((POINT, RULE), (8, 9, 0, 5)),
        ((BOXES, STEPS, SPANS, POINT), (0, 8, -3, 9)),
    ],
)
def test_all_that_is_drawn_lies_within_and_nothing_has_no_width(
    series: tuple[Series, ...], wanted: tuple[float, ...]
) -> None:
    assert ends(*series) == wanted


def test_an_axis_that_says_where_it_ends_ends_there() -> None:
    assert ends(BOXES, x=Axis("x", ends=(0, 10)), y=Axis("y", ends=(1, 2))) == (0, 10, 1, 2)


@pytest.mark.parametrize("series", [(), (RULE,), (Diamonds("none", "tx", floats([]), floats([])),)])
def test_where_nothing_is_drawn_there_is_room_all_the_same(series: tuple[Series, ...]) -> None:
    assert ends(*series) == (0, 1, 0, 1)
