"""The ear that the back-row test listens with hears what is small, cut or overlapping."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QImage, QPainter
from PySide6.QtWidgets import QApplication
from stage_texts import hearing, overlapping


def test_it_hears_size_place_and_overlap(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    image = QImage(200, 100, QImage.Format.Format_RGB32)
    with hearing(monkeypatch) as heard:
        painter = QPainter(image)
        font = QFont()
        font.setPixelSize(20)
        painter.setFont(font)
        painter.drawText(QPointF(10, 40), "one")
        painter.drawText(QRectF(0, 20, 60, 30), Qt.AlignmentFlag.AlignCenter, "two")
        painter.scale(0.5, 0.5)
        painter.drawText(QPointF(390, 150), "beyond")
        painter.end()
    assert [(drawn.text, drawn.pixels) for drawn in heard] == [("one", 20), ("two", 20), ("beyond", 10)]
    assert overlapping(heard) == [("one", "two")]
    assert [drawn.inside for drawn in heard] == [True, True, False]
