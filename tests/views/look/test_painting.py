"""Batched painting draws the very pixels that single rectangles would, with and without the pointer."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter

from visualizer.views.look import painting
from visualizer.views.look.painting import brush, colour, draw_arrow_head, draw_rects, hatch_brush, pen


def drawn(paint) -> np.ndarray:
    """The alpha channel after `paint(painter)`, shape (60, 100)."""
    image = QImage(100, 60, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setPen(Qt.PenStyle.NoPen)
    paint(painter)
    painter.end()
    return np.frombuffer(image.constBits(), np.uint32).reshape(60, 100) >> 24


@pytest.fixture(params=["pointer", "list"])
def way(request, qapp, monkeypatch):
    if request.param == "list":
        monkeypatch.setattr(painting, "_wrap_instance", None)
    else:
        assert painting._wrap_instance is not None
    return request.param


def test_pixels_of_many_rects(way):
    rects = np.array([[1, 2, 10, 5], [20, 10, 3, 40], [50, 0, 1, 60], [90, 50, 5, 5]], float)

    def paint(painter):
        painter.setBrush(brush("#ff0000"))
        draw_rects(painter, rects)

    alpha = drawn(paint)
    assert int((alpha > 0).sum()) == 10 * 5 + 3 * 40 + 60 + 25
    expected = np.zeros((60, 100), bool)
    for x, y, width, height in rects.astype(int):
        expected[y : y + height, x : x + width] = True
    np.testing.assert_array_equal(alpha > 0, expected)


def test_a_strided_view_is_drawn_as_itself(way):
    rects = np.array([[0, 0, 4, 4], [9, 9, 9, 9], [10, 0, 4, 4]], float)[::2]

    def paint(painter):
        painter.setBrush(brush("#00ff00"))
        draw_rects(painter, rects)

    assert int((drawn(paint) > 0).sum()) == 32


def test_no_rects_draw_nothing(way):
    assert not drawn(lambda painter: draw_rects(painter, np.empty((0, 4)))).any()


def test_hatch_leaves_gaps(qapp):
    def paint(painter):
        painter.setBrush(hatch_brush("#000000"))
        draw_rects(painter, np.array([[0.0, 0.0, 80.0, 40.0]]))

    share = (drawn(paint)[:40, :80] > 0).mean()
    assert 0.05 < share < 0.4


def test_arrow_head_points_where_it_should(qapp):
    def paint(painter):
        painter.setBrush(brush("#ffffff"))
        draw_arrow_head(painter, 50, 30, 1, 0, 20)

    ys, xs = np.nonzero(drawn(paint))
    assert xs.max() <= 50
    assert xs.min() == pytest.approx(30, abs=1)
    heights = [np.ptp(ys[xs == x]) for x in (32, 40, 48)]
    assert heights == sorted(heights, reverse=True)


def test_colours_are_cached_and_carry_alpha():
    assert colour("#102030") is colour("#102030")
    assert colour("#102030", 36).alpha() == 36
    assert pen("#102030").isCosmetic()
    assert pen("#102030", 2.0, dashed=True).dashPattern() == [3, 3]
