"""What a lecture lays over the timeline: lanes that do not matter now are dimmed, and the future may be veiled."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter

from visualizer.views.theme import Theme
from visualizer.views.timeline_scene import Scene

DIMMED = 150
"""Opacity, of 255, of what is laid over lanes that do not matter now: still there, no longer in the way."""


def paint_dimming(painter: QPainter, scene: Scene, stressed: frozenset[str], theme: Theme) -> None:
    """Dim every lane but those with these keys; none are dimmed if there are none to stress."""
    if not stressed:
        return
    cover = QColor(theme.panel)
    cover.setAlpha(DIMMED)
    painter.save()
    painter.setClipRect(QRectF(0, scene.frame.lanes.top(), scene.frame.values.right(), scene.frame.lanes.height()))
    for row in scene.rows():
        if scene.lanes[row].key not in stressed:
            painter.fillRect(QRectF(0, scene.top(row), scene.frame.values.right(), scene.height(row)), cover)
    painter.restore()


def paint_veil(painter: QPainter, scene: Scene, time: int, theme: Theme) -> None:
    """Hide everything after `time` (ps): the room is still to say what comes."""
    lanes = scene.frame.lanes
    left = max(lanes.left() + scene.view.pixel(time) + 1, lanes.left())
    if left >= lanes.right():
        return
    box = QRectF(left, lanes.top(), lanes.right() - left, lanes.height())
    painter.fillRect(box, QColor(theme.panel_alternate))
    painter.fillRect(box, QBrush(QColor(theme.border), Qt.BrushStyle.BDiagPattern))
    painter.setPen(QColor(theme.text))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "?")
