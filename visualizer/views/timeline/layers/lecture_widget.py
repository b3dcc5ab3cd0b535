"""What a lecture lays over the timeline: lanes that do not matter now are dimmed, and the future may be veiled."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter

from visualizer.views.look.theme import Theme
from visualizer.views.timeline.lanes.lanes import Lane
from visualizer.views.timeline.layers.scene import Scene

DIMMED = 150
"""Opacity, of 255, of what is laid over lanes that do not matter now: still there, no longer in the way."""


def lanes_to_try(lanes: Sequence[Lane], stressed: frozenset[str]) -> list[frozenset[str]]:
    """Which lanes to show, the most first, until they fit: all (no keys), those that matter with the agents, those."""
    if not stressed:
        return [frozenset()]
    ctas = {lane.cta for lane in lanes if lane.key in stressed}
    groups = {lane.key for lane in lanes if lane.kind == "warps"}  # which stand for their warps
    agents = {lane.key for lane in lanes if lane.kind in ("agent", "warps") and lane.cta in ctas}
    agents -= {lane.key for lane in lanes if lane.parent in groups}
    titles = {lane.key for lane in lanes if lane.kind == "cta" and lane.cta in ctas}
    return [frozenset(), stressed | agents | titles, stressed | titles]


def paint_dimming(painter: QPainter, scene: Scene, stressed: frozenset[str], theme: Theme) -> None:
    """Dim every lane but those with these keys and those they are folded into; none if there are none to stress."""
    if not stressed:
        return
    cover = QColor(theme.panel)
    cover.setAlpha(DIMMED)
    painter.save()
    painter.setClipRect(QRectF(0, scene.frame.lanes.top(), scene.frame.values.right(), scene.frame.lanes.height()))
    lit = {scene.rows_shown.row_of(key) for key in stressed}
    for row in scene.rows():
        if row not in lit:
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
