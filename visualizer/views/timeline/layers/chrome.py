"""What stands around and over the lanes: lane names, ruler, value column, cursor, hover note, measurement."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from visualizer.language import mark, tr
from visualizer.views.look.painting import brush, colour, pen
from visualizer.views.look.theme import Theme
from visualizer.views.timeline.lanes.lane_kinds import kind_of
from visualizer.views.timeline.lanes.text import Value, own_name
from visualizer.views.timeline.layers.frame import INDENT, LOWER_FLAG, STRIPE, Frame, heading
from visualizer.views.timeline.layers.scene import Scene
from visualizer.views.timeline.painting.paint import Fonts, paint_text
from visualizer.views.timeline.time.scale import View, format_time, ticks

DIVERGENCE = mark("⚑ first divergence")
_PAD = 8.0


def paint_background(painter: QPainter, frame: Frame, view: View, recorded: int, theme: Theme, fonts: Fonts) -> None:
    """Surfaces, the grid of the ruler's ticks through the lanes, and a dashed line where the recording ends (ps)."""
    painter.fillRect(frame.lanes, brush(theme.panel))
    painter.fillRect(frame.values, brush(theme.panel_alternate))
    width = frame.lanes.right() + frame.values.width()
    painter.fillRect(QRectF(0, 0, width, frame.ruler.height()), brush(theme.header))
    times, _ = ticks(view, fonts.em * 6)
    x = view.pixels(times) + frame.lanes.left()
    for at in x.tolist():
        painter.fillRect(QRectF(round(at), frame.lanes.top(), 1, frame.lanes.height()), brush(theme.grid))
    end = frame.lanes.left() + round(view.pixel(recorded))
    if frame.lanes.left() <= end <= frame.lanes.right():
        painter.setPen(pen(theme.text_muted, 1.0, dashed=True))
        painter.drawLine(QPointF(end, frame.lanes.top()), QPointF(end, frame.lanes.bottom()))
    painter.setPen(pen(theme.border))
    painter.drawLine(QPointF(0, frame.ruler.bottom()), QPointF(width, frame.ruler.bottom()))
    painter.drawLine(frame.lanes.topLeft(), frame.lanes.bottomLeft())
    painter.drawLine(frame.values.topLeft(), frame.values.bottomLeft())


def paint_ruler(painter: QPainter, frame: Frame, view: View, theme: Theme, fonts: Fonts) -> None:
    """Ticks with times, and small ticks between them."""
    painter.save()
    painter.setClipRect(frame.ruler)
    times, step = ticks(view, fonts.em * 6)
    bottom = frame.ruler.bottom()
    for small in range(1, 5):
        for at in (view.pixels(times - step * small // 5) + frame.ruler.left()).tolist():
            painter.fillRect(QRectF(round(at), bottom - 4, 1, 4), brush(theme.text_disabled))
    painter.setFont(fonts.plain)
    painter.setPen(colour(theme.text_muted))
    for at in (view.pixels(times) + frame.ruler.left()).tolist():
        painter.fillRect(QRectF(round(at), bottom - 9, 1, 9), brush(theme.text_muted))
    for text, box in ruler_labels(frame, view, fonts):
        paint_text(painter, fonts, text, box.x(), 0, frame.ruler.height() - 4)
    painter.restore()


@lru_cache(maxsize=2)
def ruler_labels(frame: Frame, view: View, fonts: Fonts) -> list[tuple[str, QRectF]]:
    """The times beside the ticks, and their boxes; those that would be cut at the right are left out. Kept for a view:
    every step asks which of them its flag would cover."""
    times, step = ticks(view, fonts.em * 6)
    labels = []
    for time, at in zip(times.tolist(), (view.pixels(times) + frame.ruler.left()).tolist(), strict=True):
        text = format_time(time, step, round(view.end))
        box = QRectF(at + 4, 0, fonts.plain_width(text), frame.ruler.height() - 9)
        if box.right() <= frame.ruler.right():
            labels.append((text, box))
    return labels


def paint_names(painter: QPainter, scene: Scene, theme: Theme, fonts: Fonts) -> None:
    """The names of the lanes in view, each with a stripe of who acts there; with a sign those that fold others."""
    frame = scene.frame
    painter.save()
    painter.fillRect(frame.names, brush(theme.header))
    for rows, area in scene.row_groups():
        painter.save()
        box = QRectF(0, area.top(), frame.names.width(), area.height())
        painter.setClipRect(box, Qt.ClipOperation.IntersectClip)
        reach = painter.clipBoundingRect()
        for row in rows:
            if scene.top(row) < reach.bottom() and scene.top(row) + scene.height(row) > reach.top():
                _paint_name(painter, scene, row, theme, fonts)
        painter.restore()
    edge = scene.layout.pinned_edge
    if edge:
        y = round(frame.lanes.top() + edge)
        painter.fillRect(QRectF(0, y, frame.names.right(), fonts.line), brush(theme.border))
    painter.restore()


def _paint_name(painter: QPainter, scene: Scene, row: int, theme: Theme, fonts: Fonts) -> None:
    lane, top, height = scene.lanes[row], scene.top(row), scene.height(row)
    stripe = round(fonts.em * STRIPE)
    if lane.folds:
        painter.fillRect(QRectF(0, top, scene.frame.names.width(), height), brush(theme.panel_alternate))
    if role := kind_of(lane).stripe(scene.history.structure, lane):
        painter.fillRect(QRectF(0, top, stripe, height), brush(theme.paint(role).outline))
    text, x = heading(lane, scene.rows_shown), _PAD + stripe + fonts.em * INDENT * scene.rows_shown.depth(lane)
    painter.setFont(fonts.small if height < fonts.em else fonts.plain)
    painter.setPen(colour(theme.text))
    paint_text(painter, fonts, text, x, top, height)
    if address := own_name(lane):
        left = scene.frame.names.right() - fonts.width(address) - _PAD
        if left > x + fonts.width(text) + _PAD:
            painter.setPen(colour(theme.text_muted))
            paint_text(painter, fonts, address, left, top, height)


def paint_values(
    painter: QPainter, left: float, values: Sequence[tuple[float, float, Value]], theme: Theme, fonts: Fonts
) -> None:
    """Lanes' values, each with a swatch of its state, at the top and of the height that stand before it. All swatches
    come first: a painter that goes to and fro between boxes and text takes half as long again."""
    left += _PAD
    for top, height, value in values:
        if value.role:
            paint, size = theme.paint(value.role), round(min(fonts.em * 0.6, height - 2))
            painter.setPen(pen(paint.outline))
            painter.setBrush(brush(paint.fill))
            painter.drawRect(QRectF(left, round(top + (height - size) / 2), size, size))
    for top, height, value in values:
        painter.setFont(fonts.small if height < fonts.em else fonts.plain)
        painter.setPen(colour(theme.text if value.role else theme.text_muted))
        paint_text(painter, fonts, value.text, left + fonts.em, top, height)


def paint_lane_highlight(
    painter: QPainter, frame: Frame, top: float, height: float, theme: Theme, fonts: Fonts
) -> None:
    """The focused lane: a bar at its name and a frame through all columns, never a wash that would change colours."""
    box = QRectF(1, top - 2, frame.values.right() - 2, height + 3)
    painter.setPen(pen(theme.accent))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(box)
    painter.fillRect(QRectF(0, top - 2, round(fonts.em * 0.3), height + 4), brush(theme.accent))


def cursor_flag(frame: Frame, x: float, text: str, fonts: Fonts) -> QRectF:
    """Where the cursor at x (pixels into the lanes) has its flag."""
    width = fonts.width(text) + 2 * 6
    left = min(max(frame.lanes.left() + x - width / 2, frame.ruler.left()), frame.ruler.right() - width)
    height = round(fonts.em * LOWER_FLAG)
    return QRectF(round(left), frame.ruler.bottom() - height, round(width), height)


def clear_times(
    painter: QPainter, frame: Frame, view: View, flags: Sequence[QRectF], theme: Theme, fonts: Fonts
) -> None:
    """Take away the ruler's times that flags would cover a part of; before any flag is painted."""
    for _, box in ruler_labels(frame, view, fonts):
        if any(box.left() < flag.right() and flag.left() < box.right() for flag in flags):
            painter.fillRect(box.adjusted(-1, 0, 1, 0), brush(theme.header))


def cursor_time(view: View, time: int) -> str:
    """The focused event's time as its flag says it: to the pixel, in the ruler's unit."""
    return format_time(time, round(view.ps_per_px), round(view.end))


def paint_cursor(painter: QPainter, frame: Frame, view: View, time: int, theme: Theme, fonts: Fonts) -> None:
    """The focused event: a line through all lanes and its time on a flag in the ruler."""
    x, text = view.pixel(time), cursor_time(view, time)
    at = round(frame.lanes.left() + x)
    painter.fillRect(
        QRectF(at - fonts.line / 2, frame.ruler.bottom(), fonts.line, frame.lanes.height()), brush(theme.accent)
    )
    flag = cursor_flag(frame, x, text, fonts)
    painter.fillRect(flag, brush(theme.accent))
    painter.setPen(colour(theme.accent_text))
    painter.setFont(fonts.bold)
    paint_text(painter, fonts, text, flag.x() + 6, flag.y(), flag.height())


def paint_divergence(
    painter: QPainter, frame: Frame, view: View, time: int, avoid: QRectF, theme: Theme, fonts: Fonts
) -> None:
    """Where a run first departed from a sound one: a flag in the ruler, beside the cursor's (`avoid`), and a line."""
    at = round(frame.lanes.left() + view.pixel(time))
    painter.setPen(pen(theme.error.outline, 2.0, dashed=True))
    painter.drawLine(QPointF(at, frame.ruler.bottom()), QPointF(at, frame.lanes.bottom()))
    text, flag = divergence_flag(frame, at, avoid, fonts)
    painter.fillRect(flag, brush(theme.error.fill))
    painter.setPen(colour(theme.error.text))
    painter.setFont(fonts.bold)
    paint_text(painter, fonts, text, flag.x() + 6, flag.y(), flag.height())


def divergence_flag(frame: Frame, at: float, avoid: QRectF, fonts: Fonts) -> tuple[str, QRectF]:
    """The flag's text and place: beside its line or what covers it (`avoid`), without words if need be."""
    height = round(fonts.em * LOWER_FLAG)
    for text in (tr(DIVERGENCE), DIVERGENCE[0]):
        width = round(fonts.width(text) + 2 * 6)
        beside = (avoid.right() + 2, avoid.left() - 2 - width) if avoid.left() <= at <= avoid.right() else ()
        for left in (at, at - width, *beside):
            flag = QRectF(left, frame.ruler.bottom() - height, width, height)
            inside = frame.ruler.left() - 1 <= flag.left() and flag.right() <= frame.ruler.right()
            if inside and not flag.intersects(avoid):
                return text, flag
    return text, flag


def paint_event_mark(painter: QPainter, x: float, y: float, theme: Theme, fonts: Fonts) -> None:
    """A diamond where the focused event happened, so that it shows on its lane and not only in time."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.setPen(pen(theme.panel, 1.5))
    painter.setBrush(brush(theme.accent))
    size = 7 * fonts.scale
    painter.drawPolygon([QPointF(x, y - size), QPointF(x + size, y), QPointF(x, y + size), QPointF(x - size, y)])
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
