"""Pixel columns as an image: of a lane that is far higher than the window, what is in view alone is made."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from visualizer.views.look.theme import load_theme
from visualizer.views.timeline.painting import columns as columns_module
from visualizer.views.timeline.painting.columns import paint_columns
from visualizer.views.timeline.shapes.picture import Columns, Part

_WIDE, _HIGH = 60, 90


def _painted(columns: list[Columns], clip: QRectF | None) -> np.ndarray:
    image = QImage(_WIDE, _HIGH, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    try:
        if clip is not None:
            painter.setClipRect(clip)
        painter.translate(3, 0)
        paint_columns(painter, columns, load_theme("light"))
    finally:
        painter.end()
    return np.array(image.constBits()).reshape(_HIGH, _WIDE, 4)


@pytest.mark.parametrize("clip", [(0, 20, 60, 31), (5, 0, 20, 13), (0, 83, 60, 7), (0, 33, 60, 1)])
def test_what_is_clipped_away_is_not_made_and_the_rest_is_the_same(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, clip: tuple[float, float, float, float]
) -> None:
    parts = (Part("waiting", "fill"), Part("running", "outline"))
    x = np.arange(40)
    high = np.stack([np.full(40, 9_000), 500 + x])
    low = np.stack([np.full(40, 7), x % 5])
    columns = [Columns(x, 25.0, 17_000, parts, high), Columns(x, 4.0, 12, parts, low)]
    area = QRectF(*clip)
    whole, made = _painted(columns, None), list[int]()
    stack = columns_module._stack
    monkeypatch.setattr(columns_module, "_stack", lambda *given: made.append(given[2] - given[1]) or stack(*given))
    clipped = _painted(columns, area)
    assert sum(made) < _HIGH
    rows, across = slice(int(area.top()), int(area.bottom())), slice(int(area.left()), int(area.right()))
    assert np.array_equal(clipped[rows, across], whole[rows, across])
