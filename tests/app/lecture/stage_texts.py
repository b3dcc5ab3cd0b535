"""What text a lecture's stage shows, how large and where: for tests that it can be read from the back row.

Painted text is heard at QPainter.drawText; text of Qt's own widgets is asked of the widgets.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontInfo, QFontMetricsF, QPainter
from PySide6.QtWidgets import QLabel, QTableView, QTextEdit, QWidget


@dataclass(frozen=True)
class Drawn:
    """One painted text: pixels of its font, its box on the device it was painted on, and that device's size."""

    text: str
    pixels: int
    box: QRectF
    device: tuple[int, int, int]  # which, width, height

    @property
    def inside(self) -> bool:
        _, width, height = self.device
        return QRectF(-1.5, -1.5, width + 3, height + 3).contains(self.box)


@contextmanager
def hearing(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Drawn]]:
    """Everything painted meanwhile by drawText that is not clipped away."""
    heard: list[Drawn] = []
    original = QPainter.drawText

    def draw_text(painter: QPainter, *arguments: object) -> object:
        box = _box(painter, arguments)
        if box is not None:
            text = next(argument for argument in arguments if isinstance(argument, str))
            place = painter.combinedTransform().mapRect(box)
            clip = painter.clipBoundingRect() if painter.hasClipping() else box
            device = painter.device()
            if text.strip() and clip.intersects(box):
                size = (id(device), device.width(), device.height())
                pixels = round(QFontInfo(painter.font()).pixelSize() * painter.combinedTransform().m22())
                heard.append(Drawn(text, pixels, place, size))
        return original(painter, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(QPainter, "drawText", draw_text)
        yield heard


def _box(painter: QPainter, arguments: tuple[object, ...]) -> QRectF | None:
    first = arguments[0]
    text = next((argument for argument in arguments if isinstance(argument, str)), "")
    metrics = QFontMetricsF(painter.font())
    if isinstance(first, QPointF):
        return QRectF(first.x(), first.y() - metrics.capHeight(), metrics.horizontalAdvance(text), metrics.capHeight())
    if isinstance(first, QRect | QRectF):
        flags = next(argument for argument in arguments[1:] if not isinstance(argument, str))
        flags = flags.value if isinstance(flags, Qt.AlignmentFlag) else int(flags)
        room = painter.boundingRect(QRectF(first), flags, text)
        # Letters, not lines: lines may touch.
        spare = max((metrics.height() - metrics.capHeight()) / 2 - 0.5, 0)
        return room.adjusted(0, spare, 0, -spare)
    return None


def overlapping(heard: list[Drawn]) -> list[tuple[str, str]]:
    """Pairs of different texts on one device that lie over each other."""
    pairs = []
    for number, one in enumerate(heard):
        for other in heard[:number]:
            common = one.box.intersected(other.box)
            if one.device == other.device and common.width() > 1 and common.height() > 1 and one != other:
                pairs.append((other.text, one.text))
    return pairs


def widgets_below(pane: QWidget, pixels: int) -> list[str]:
    """Qt's own widgets in the pane that show text smaller than this."""
    kinds = (QLabel, QTableView, QTextEdit)
    return [
        f"{type(widget).__name__} {widget.accessibleName()}: {widget.fontInfo().pixelSize()} px"
        for widget in [pane, *pane.findChildren(QWidget)]
        if isinstance(widget, kinds) and widget.isVisible() and widget.fontInfo().pixelSize() < pixels
    ]


def cut_columns(pane: QWidget) -> list[str]:
    """Table cells in the pane that do not have the width of their text."""
    cut = []
    for table in pane.findChildren(QTableView):
        model, metrics = table.model(), table.fontMetrics()
        right = table.viewport().width()
        for column in range(model.columnCount()):
            texts = [str(model.index(row, column).data() or "") for row in range(model.rowCount())]
            left, width = table.columnViewportPosition(column), table.columnWidth(column)
            wanted = max((metrics.horizontalAdvance(text) for text in texts), default=0)
            if wanted > width or (wanted and left + wanted > right):
                cut.append(f"{table.accessibleName()}: {max(texts, key=len)!r}")
    return cut
