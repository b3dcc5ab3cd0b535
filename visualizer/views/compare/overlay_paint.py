"""Paints an overlay scene: flags, ruler, names with a and b beside them, both runs, and the focus in each."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from visualizer.views.compare.overlay_scene import PAD, OverlayScene
from visualizer.views.look.painting import brush, colour, pen
from visualizer.views.look.theme import Theme
from visualizer.views.timeline.layers.chrome import clear_times, paint_background, paint_ruler
from visualizer.views.timeline.painting.paint import paint_picture, paint_text


def paint_overlay(painter: QPainter, scene: OverlayScene, theme: Theme) -> None:
    """The whole viewport."""
    frame, fonts, top = scene.frame, scene.fonts, scene.top
    lanes = frame.lanes
    painter.fillRect(QRectF(0, 0, lanes.right(), top), brush(theme.header))
    painter.save()
    painter.translate(0, top)
    paint_background(painter, frame, scene.view, scene.overlay.end, theme, fonts)
    paint_ruler(painter, frame, scene.view, theme, fonts)
    # A flag's stem would run through a time.
    stems = [QRectF(flag.at - fonts.line, 0, 2 * fonts.line, frame.ruler.height()) for flag in scene.flags()]
    clear_times(painter, frame, scene.view, stems, theme, fonts)
    painter.fillRect(frame.names, brush(theme.header))
    painter.save()
    painter.setClipRect(lanes.adjusted(1, 1, 0, 0))
    painter.translate(lanes.left(), lanes.top() - scene.scroll)
    paint_picture(painter, scene.picture(), theme, fonts)
    _paint_cursors(painter, scene, theme)
    painter.restore()
    painter.setClipRect(frame.names)
    painter.translate(0, lanes.top() - scene.scroll)
    _paint_names(painter, scene, theme)
    painter.restore()
    _paint_flags(painter, scene, theme)


def _paint_cursors(painter: QPainter, scene: OverlayScene, theme: Theme) -> None:
    """The focused event in the rows of a, the like event in those of b: two broken lines, or one where they agree."""
    moments = scene.moments()
    if moments is None:
        return
    metrics, line = scene.fonts.metrics, scene.fonts.line
    height = scene.model.row_height(metrics)
    for lane in range(len(scene.overlay.lanes)):
        for time, y in zip(moments, scene.model.row_tops(lane, metrics), strict=True):
            if scene.view.contains(time):
                x = round(scene.view.pixel(time) - line / 2)
                # With a halo in the panel's colour, so that it shows on every state.
                painter.fillRect(QRectF(x - 1, y - 2, line + 2, height + 4), brush(theme.panel))
                painter.fillRect(QRectF(x, y - 2, line, height + 4), brush(theme.accent))


def _paint_names(painter: QPainter, scene: OverlayScene, theme: Theme) -> None:
    fonts, right = scene.fonts, scene.frame.names.right()
    metrics, focused = fonts.metrics, scene.focused_lane()
    height, lane_height = scene.model.row_height(metrics), scene.model.lane_height(metrics)
    letters = max(fonts.width("a"), fonts.width("b"))
    for number, lane in enumerate(scene.overlay.lanes):
        tops = scene.model.row_tops(number, metrics)
        both = tops[1] + height - tops[0]
        if number == focused:
            painter.fillRect(QRectF(0, tops[0], round(fonts.em * 0.3), both), brush(theme.accent))
        painter.setPen(colour(theme.text))
        painter.setFont(fonts.plain)
        paint_text(painter, fonts, lane.name, PAD + round(fonts.em * 0.3), tops[0], both)
        painter.setFont(fonts.bold)
        for letter, y in zip("ab", tops, strict=True):
            paint_text(painter, fonts, letter, right - PAD - letters, y, height)
        painter.setPen(pen(theme.border))
        y = tops[0] + lane_height - 3 * fonts.scale
        painter.drawLine(0, round(y), round(right), round(y))


def _paint_flags(painter: QPainter, scene: OverlayScene, theme: Theme) -> None:
    """Each with a stem down to the ruler, to the moment it is about."""
    fonts = scene.fonts
    painter.setFont(fonts.bold)
    for flag in scene.flags():
        fill = theme.colour(flag.role)
        painter.setPen(pen(fill, fonts.line))
        foot = QPointF(flag.at, scene.top + scene.frame.ruler.bottom())
        knee = QPointF(flag.at, scene.top + 1)  # upright through the ruler, where times stand
        painter.drawPolyline([QPointF(flag.box.center().x(), flag.box.bottom()), knee, foot])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.fillRect(flag.box, brush(fill))
        painter.setPen(colour(theme.accent_text if flag.role == "accent" else theme.panel))
        paint_text(painter, fonts, flag.text, flag.box.x() + PAD, flag.box.y(), flag.box.height())
