"""The overlay's picture: both runs in their rows, marks where they differ, the anchor's line, at any zoom."""

from __future__ import annotations

import numpy as np
import pytest

from tests.timeline_pictures import METRICS
from visualizer.diagnosis.comparison.compare import Comparison
from visualizer.diagnosis.comparison.compare_overlay import Anchor, Overlay, lay_over
from visualizer.recording.file import load
from visualizer.replay.history import History
from visualizer.resources import shipped_recording
from visualizer.views.compare.overlay_model import ANCHOR, DIFFERENCE, OverlayPicture
from visualizer.views.timeline.scale import View, fit_range

WIDTH = 900


def overlay(a: str = "lesson", b: str = "slow-consumer") -> Overlay:
    return lay_over(Comparison(*(History(load(shipped_recording(name))) for name in (a, b))), Anchor(3))


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
    for spans, top in ((lane.a, number * height), (lane.b, number * height + 20)):
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
