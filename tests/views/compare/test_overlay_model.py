"""The overlay's picture: both runs in their rows, marks where they differ, the anchor's line, at any zoom."""

from __future__ import annotations

import numpy as np
import pytest
from recording_files import shipped_history
from timeline_pictures import METRICS

from visualizer.diagnosis.comparison.compare import Comparison
from visualizer.diagnosis.comparison.compare_overlay import Anchor, Overlay, OverlayLane, differing, lay_over
from visualizer.diagnosis.wording import duration
from visualizer.replay.spans import Spans
from visualizer.views.compare.overlay_model import (
    ANCHOR,
    DIFFERENCE,
    FLAG_GAP,
    OverlayPicture,
    hover_note,
    next_difference,
    place_flags,
)
from visualizer.views.timeline.time.scale import View, fit_range

WIDTH = 900


def overlay(a: str = "lesson", b: str = "slow-consumer") -> Overlay:
    return lay_over(Comparison(*(shipped_history(name) for name in (a, b))), Anchor(3))


def spans(states: list[int], bounds: list[int], tile: int = -1) -> Spans:
    start, end = np.array(bounds[:-1], np.int64), np.array(bounds[1:], np.int64)
    none = np.full(len(states), -1, np.int32)
    return Spans(start, end, np.array(states, np.uint8), none * -tile, none + 1, start, end)


def whole(laid: Overlay) -> View:
    return View(laid.begin, (laid.end - laid.begin) / WIDTH, WIDTH)


def test_each_agent_has_a_above_and_b_below_it() -> None:
    laid = overlay()
    picture, view = OverlayPicture(laid), whole(laid)
    drawn = picture.draw(view, METRICS)
    height = picture.lane_height(METRICS)
    waiting = np.concatenate(
        [rects for style, rects in drawn.batches() if (style.role, style.part) == ("waiting", "outline")]
    )
    (number,) = (row for row, lane in enumerate(laid.lanes) if lane.name == "consumer.w1")
    lane = laid.lanes[number]
    for spans, top in ((lane.a, number * height), (lane.b, number * height + 22)):
        own = waiting[waiting[:, 1] == top]
        wide = (spans.state == 2) & (spans.end - spans.start > 2 * view.ps_per_px)
        np.testing.assert_allclose(own[:, 0], np.maximum(view.pixels(spans.start[wide]), -2))
        np.testing.assert_allclose(own[:, 2], np.maximum(view.pixels(spans.end[wide]) - own[:, 0], 1))


def test_marks_are_where_the_two_differ_and_nowhere_else() -> None:
    laid = overlay()
    picture, view = OverlayPicture(laid), whole(laid)
    (marks,) = (rects for style, rects in picture.draw(view, METRICS).batches() if style == DIFFERENCE)
    expected = np.concatenate([lane.differs for lane in laid.lanes])
    assert len(marks) == len(expected)
    np.testing.assert_allclose(marks[:, 0], view.pixels(expected[:, 0]), atol=1e-6)
    assert (marks[:, 2] >= 1).all()
    same = overlay(b="lesson")
    assert not any(style == DIFFERENCE for style, _ in OverlayPicture(same).draw(whole(same), METRICS).batches())


@pytest.mark.parametrize("zoom", [1, 7, 300])
def test_at_any_zoom_marks_stay_in_the_view_and_the_anchor_is_a_line(zoom: int) -> None:
    laid = overlay()
    picture = OverlayPicture(laid)
    half = (laid.end - laid.begin) // (2 * zoom)
    view = fit_range(laid.at - half, laid.at + half, WIDTH, laid.end)
    drawn = dict(picture.draw(view, METRICS).batches())
    assert drawn[ANCHOR][0].tolist() == [view.pixel(laid.at), 0.0, 1.0, len(laid.lanes) * picture.lane_height(METRICS)]
    marks = drawn.get(DIFFERENCE, np.empty((0, 4)))
    assert ((marks[:, 0] >= 0) & (marks[:, 0] + marks[:, 2] <= WIDTH + 1)).all()


def test_labels_name_activity_and_tile_and_fit() -> None:
    laid = overlay()
    labels = OverlayPicture(laid).draw(whole(laid), METRICS).labels
    assert any("tile 3" in label.text for label in labels)
    assert all(METRICS.text_width(label.text) <= label.width for label in labels)


def test_the_picture_of_two_short_lanes_line_by_line() -> None:
    """Running then waiting; b waits 200 ps later and never names a tile."""
    a = spans([1, 2], [0, 400, 1000], tile=3)
    b = spans([1, 2], [0, 600, 1000])
    lane = OverlayLane("warp0", a, b, differing(a, b))
    drawn = OverlayPicture(Overlay(Anchor(3), 500, 0, (lane,), (("CTA0.full[0]",), ("CTA0.full[0]",)))).draw(
        View(0, 2.0, 500), METRICS
    )
    assert drawn.lines() == [
        "body_edge running.outline 0.0 0.0 200.0 18.0",
        "body_edge running.outline 0.0 22.0 300.0 18.0",
        "body_edge waiting.outline 200.0 0.0 300.0 18.0",
        "body_edge waiting.outline 300.0 22.0 200.0 18.0",
        "body running.fill 1.0 1.0 198.0 16.0",
        "body running.fill 1.0 23.0 298.0 16.0",
        "body waiting.fill 201.0 1.0 298.0 16.0",
        "body waiting.fill 301.0 23.0 198.0 16.0",
        "hatch waiting.hatch 201.0 1.0 298.0 16.0",
        "hatch waiting.hatch 301.0 23.0 198.0 16.0",
        "curve text.colour 250.0 0.0 1.0 46.0",
        "mark accent.colour 200.0 18.0 100.0 4.0",
        "label running 0.0 0.0 'running · tile 3'",
        "label waiting 200.0 0.0 'waits full[0] · tile 3'",
        "label running 0.0 22.0 'running'",
        "label waiting 300.0 22.0 'waits full[0]'",
    ]


def test_the_row_under_the_pointer() -> None:
    picture = OverlayPicture(overlay())
    height = picture.lane_height(METRICS)
    for lane in range(4):
        for in_b, top in enumerate(picture.row_tops(lane, METRICS)):
            for y in (top + 1, top + picture.row_height(METRICS) - 1):
                assert picture.row_at(y, METRICS) == (lane, bool(in_b))
    assert picture.row_at(-1, METRICS) is None
    assert picture.row_at(4 * height, METRICS) is None


def test_a_note_says_both_by_their_own_clocks() -> None:
    laid = overlay()
    (lane,) = (lane for lane in laid.lanes if lane.name == "producer")
    begin, end = lane.differs[-1].tolist()
    note = hover_note(laid, lane, end - 1)
    assert note[0] == "producer"
    assert note[1] == "a: not running"  # b runs on alone
    own = lane.b.start[np.searchsorted(lane.b.start, end - 1, side="right") - 1] - laid.shift
    assert note[2].startswith("b: ")
    assert note[2].endswith(f" from {duration(int(own))}")
    assert note[3] == f"not in the same state for {duration(end - begin)}"
    assert len(hover_note(laid, lane, end)) == 3


def test_the_next_difference_is_the_nearest_in_that_direction() -> None:
    laid = overlay()
    begins = sorted({int(begin) for lane in laid.lanes for begin in lane.differs[:, 0]})
    time, seen = laid.begin - 1, []
    while (found := next_difference(laid, range(4), time, forward=True)) is not None:
        assert found[1] in laid.lanes[found[0]].differs[:, 0]
        time = found[1]
        seen.append(time)
    assert seen == begins
    time, seen = laid.end + 1, []
    while (found := next_difference(laid, [0], time, forward=False)) is not None:
        time = found[1]
        seen.append(time)
    assert seen == laid.lanes[0].differs[::-1, 0].tolist()


@pytest.mark.parametrize(
    ("middles", "expected"),
    [
        ([50.0, 100.0], [40.0, 90.0]),
        ([50.0, 50.0], [40.0, 64.0]),
        ([0.0, 1.0, 200.0], [0.0, 24.0, 180.0]),
        ([199.0, 198.0], [180.0, 156.0]),
    ],
)
def test_flags_stand_beside_each_other_within_the_ends(middles: list[float], expected: list[float]) -> None:
    assert FLAG_GAP == 4
    assert place_flags(middles, [20.0] * len(middles), 0.0, 200.0) == expected
