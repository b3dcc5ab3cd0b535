"""What a lecture lays over the timeline: lanes that do not matter now are dimmed, and the future may be veiled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter

from visualizer.views.look.theme import Theme
from visualizer.views.timeline.lanes.lanes import Lane
from visualizer.views.timeline.layers.scene import Scene

DIMMED = 150
"""Opacity, of 255, of what is laid over lanes that do not matter now: still there, no longer in the way."""


@dataclass(slots=True)
class Lecture:
    """What a lecture asks the timeline for: `stressed` are keys of the lanes that matter now (none: all do), after the
    step `veiled_after` all is hidden (None: nothing is)."""

    stressed: frozenset[str] = frozenset()
    veiled_after: int | None = None

    def lanes_to_try(self, lanes: Sequence[Lane]) -> list[frozenset[str]]:
        """Keys of the lanes to show, the most first, until they fit: all (no keys), those that matter with the agents,
        those."""
        if not self.stressed:
            return [frozenset()]
        ctas = {lane.cta for lane in lanes if lane.key in self.stressed}
        groups = {lane.key for lane in lanes if lane.kind == "warps"}  # which stand for their warps
        agents = {lane.key for lane in lanes if lane.kind in ("agent", "warps") and lane.cta in ctas}
        agents -= {lane.key for lane in lanes if lane.parent in groups}
        titles = {lane.key for lane in lanes if lane.kind == "cta" and lane.cta in ctas}
        return [frozenset(), self.stressed | agents | titles, self.stressed | titles]

    def paint(self, painter: QPainter, scene: Scene, theme: Theme) -> None:
        """Dim every lane but those that matter and those they are folded into, and hide what is still to come."""
        if self.stressed:
            _paint_dimming(painter, scene, self.stressed, theme)
        if self.veiled_after is not None:
            _paint_veil(painter, scene, int(scene.history.trace.events["time"][self.veiled_after]), theme)


def _paint_dimming(painter: QPainter, scene: Scene, stressed: frozenset[str], theme: Theme) -> None:
    cover = QColor(theme.panel)
    cover.setAlpha(DIMMED)
    painter.save()
    painter.setClipRect(QRectF(0, scene.frame.lanes.top(), scene.frame.values.right(), scene.frame.lanes.height()))
    lit = {scene.rows_shown.row_of(key) for key in stressed}
    for row in scene.rows():
        if row not in lit:
            painter.fillRect(QRectF(0, scene.top(row), scene.frame.values.right(), scene.height(row)), cover)
    painter.restore()


def _paint_veil(painter: QPainter, scene: Scene, time: int, theme: Theme) -> None:
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
