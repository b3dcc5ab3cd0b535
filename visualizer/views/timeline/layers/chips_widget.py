"""Chips: small boxes over the lanes that say what cannot be seen here, and lead there by a click."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from visualizer.language import tr
from visualizer.views.look.painting import brush, colour, pen
from visualizer.views.timeline.layers.layers_widget import Look
from visualizer.views.timeline.layers.scene import Scene
from visualizer.views.timeline.painting.paint import paint_text

_PAD = 8.0


class Chip(NamedTuple):
    """A text and the box in the viewport (pixels) that it stands in."""

    text: str
    box: QRectF


def beyond_chip(scene: Scene, look: Look) -> Chip | None:
    """Where the focused event is, if its lane is above or below those in view; a click goes there."""
    side = scene.event_beyond()
    if not side or scene.focused is None:
        return None
    home = scene.store.lanes[scene.store.row_of[scene.focused.home]]
    if side < 0:
        return _chip(scene, look, f"▲ {home.name}", Qt.Corner.TopRightCorner)
    return _chip(scene, look, f"▼ {home.name}", Qt.Corner.BottomRightCorner)


def folded_chip(scene: Scene, look: Look) -> Chip | None:
    """What lies folded to the left of a hang's view, which a click shows."""
    return _chip(scene, look, scene.folded, Qt.Corner.BottomLeftCorner) if scene.folded else None


def building_chip(scene: Scene, look: Look, left: int) -> Chip:
    """How many lanes are still to be built, `left`, and how to stop it."""
    total = len(scene.rows())
    text = tr("reading lanes: {done} of {total}, Esc stops", done=max(total - left, 0), total=total)
    return _chip(scene, look, text, Qt.Corner.BottomLeftCorner)


def paint_chip(painter: QPainter, chip: Chip, look: Look) -> None:
    painter.setPen(pen(look.theme.accent))
    painter.setBrush(brush(look.theme.raised))
    painter.drawRect(chip.box)
    painter.setPen(colour(look.theme.text))
    painter.setFont(look.fonts.bold)
    paint_text(painter, look.fonts, chip.text, chip.box.x() + _PAD, chip.box.y(), chip.box.height())


def _chip(scene: Scene, look: Look, text: str, corner: Qt.Corner) -> Chip:
    """In a corner of the lanes that scroll."""
    area, fonts = scene.frame.lanes, look.fonts
    width, height = round(fonts.width(text) + 2 * _PAD), round(fonts.em * 1.35)
    right = corner in (Qt.Corner.TopRightCorner, Qt.Corner.BottomRightCorner)
    x = area.right() - width - _PAD if right else area.left() + _PAD
    top = corner in (Qt.Corner.TopLeftCorner, Qt.Corner.TopRightCorner)
    y = area.top() + scene.layout.pinned_edge + 4 if top else area.bottom() - height - 4
    return Chip(text, QRectF(round(x), round(y), width, height))
