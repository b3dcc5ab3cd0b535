"""What is painted over the timeline's cached layers: cursor, arrows, measurement, hover note and what lies beyond."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from visualizer.language import tr
from visualizer.views.look.painting import brush, colour, pen
from visualizer.views.timeline.lanes.lane_kinds import kind_of
from visualizer.views.timeline.layers.chrome import (
    clear_times,
    cursor_flag,
    cursor_time,
    divergence_flag,
    paint_cursor,
    paint_divergence,
    paint_event_mark,
    paint_lane_highlight,
)
from visualizer.views.timeline.layers.layers_widget import Look
from visualizer.views.timeline.layers.marks import Marks, upper_flags
from visualizer.views.timeline.layers.scene import Scene
from visualizer.views.timeline.painting.paint import Fonts, paint_arrows, paint_note, paint_text

_PAD = 8.0
_STEPS_LEFT = 13
"""Where the events' number begins, pixels."""


def paint_focus(painter: QPainter, scene: Scene, look: Look) -> None:
    """The focused event: its step, its lane, a line through all lanes, arrows, and a mark where it happened."""
    frame, theme, fonts, focused = scene.frame, look.theme, look.fonts, scene.focused
    assert focused is not None
    painter.setFont(fonts.bold)
    painter.setPen(colour(theme.text))
    if frame.values.width():
        step = tr("at step {step}", step=focused.focus.step)
        paint_text(painter, fonts, step, frame.values.left() + _PAD, 0, frame.ruler.height())
    painter.save()
    painter.setClipRect(QRectF(0, frame.lanes.top(), frame.values.right(), frame.lanes.height()))
    row = scene.rows_shown.row_of(focused.focus.lane) if focused.focus.lane else None
    if row is not None:
        paint_lane_highlight(painter, frame, scene.top(row), scene.height(row), theme, fonts)
    painter.restore()
    if scene.view.contains(focused.time):
        paint_cursor(painter, frame, scene.view, focused.time, theme, fonts)
    painter.save()
    painter.setClipRect(frame.lanes)
    painter.translate(frame.lanes.left(), 0)
    paint_arrows(painter, scene.arrows(), theme, fonts)
    middle = scene.middle(focused.home)
    if middle is not None and scene.view.contains(focused.time):
        paint_event_mark(painter, scene.view.pixel(focused.time), middle, theme, fonts)
    painter.restore()


def paint_steps(painter: QPainter, scene: Scene, look: Look) -> None:
    """How many events there are, over the names."""
    painter.setFont(look.fonts.plain)
    painter.setPen(colour(look.theme.text_muted))
    text = steps_text(scene.history.steps, scene.frame.names.width() - _STEPS_LEFT, look.fonts)
    paint_text(painter, look.fonts, text, _STEPS_LEFT, 0, scene.frame.ruler.height())


def steps_text(count: int, room: float, fonts: Fonts) -> str:
    """The events' number in `room` pixels: the number alone, or nothing, where names are short; times begin behind."""
    texts = (tr("{count} events", count=count), str(count))
    return next((text for text in texts if fonts.width(text) <= room), "")


def clear_flagged_times(
    painter: QPainter, scene: Scene, marks: Mapping[str, Marks], divergence: int | None, look: Look
) -> None:
    """Take away the ruler's times that a flag would cover: of a mark, of the cursor, of the first divergence (a step).
    Before any of these is painted."""
    upper = upper_flags(scene.history.trace, scene.frame, scene.view, marks, look.fonts)
    flags = [flag.box for flag in upper] + lower_flags(scene, divergence, look)
    clear_times(painter, scene.frame, scene.view, flags, look.theme, look.fonts)


def lower_flags(scene: Scene, divergence: int | None, look: Look) -> list[QRectF]:
    """Where the flags at the ruler's lower edge stand: the cursor's, and that of the first divergence, a step."""
    flags = [flag] if (flag := _flag_of_cursor(scene, look)) is not None else []
    if divergence is not None:
        time = int(scene.history.trace.events["time"][divergence])
        if scene.view.contains(time):
            at = round(scene.frame.lanes.left() + scene.view.pixel(time))
            flags.append(divergence_flag(scene.frame, at, flags[0] if flags else QRectF(), look.fonts)[1])
    return flags


def _flag_of_cursor(scene: Scene, look: Look) -> QRectF | None:
    view = scene.view
    if scene.focused is None or not view.contains(scene.focused.time):
        return None
    text = cursor_time(view, scene.focused.time)
    return cursor_flag(scene.frame, view.pixel(scene.focused.time), text, look.fonts)


def paint_divergence_at(painter: QPainter, scene: Scene, step: int, look: Look) -> None:
    """The flag of the first divergence, beside the cursor's."""
    time, view = int(scene.history.trace.events["time"][step]), scene.view
    if view.contains(time):
        avoid = _flag_of_cursor(scene, look) or QRectF()
        paint_divergence(painter, scene.frame, view, time, avoid, look.theme, look.fonts)


def paint_hover(painter: QPainter, scene: Scene, pointer: QPointF, bounds: QRectF, look: Look) -> None:
    """A line at the pointer, snapped to its lane's events, and a note of what is there."""
    frame = scene.frame
    row = scene.row_at(pointer.y())
    if row is None or not frame.lanes.contains(pointer) or not scene.store.has(scene.lanes[row]):
        return
    lane = scene.lanes[row]
    x = pointer.x() - frame.lanes.left()
    snapped = scene.snapped(lane, x)
    line = x if snapped is None else scene.view.pixel(snapped)
    at = QRectF(round(frame.lanes.left() + line), frame.lanes.top(), 1, frame.lanes.height())
    painter.fillRect(at, brush(look.theme.hover))
    down = (pointer.y() - scene.top(row)) / scene.height(row)
    note = kind_of(lane).note(scene.store, lane, scene.view, x, min(max(down, 0.0), 0.999))
    paint_note(painter, look.fonts, look.theme, note, pointer, bounds)


def paint_open_edges(painter: QPainter, scene: Scene, look: Look) -> None:
    """Waits that the recording ends in have a torn edge: they go on."""
    x = scene.frame.lanes.left() + scene.view.pixel(scene.store.end)
    if not scene.store.stuck or not scene.frame.lanes.left() < x <= scene.frame.lanes.right():
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.setPen(pen(look.theme.panel, 1.0))
    painter.setBrush(brush(look.theme.panel))
    tooth = look.fonts.em / 3
    for row in scene.rows():
        lane = scene.lanes[row]
        if lane.kind != "agent" or not scene.store.has(lane) or not scene.store.waits_on(lane):
            continue
        teeth = max(round(scene.height(row) / tooth / 1.5), 2)
        high = scene.height(row) / teeth
        for number in range(teeth):
            top = scene.top(row) + number * high
            painter.drawPolygon([QPointF(x + 1, top), QPointF(x - tooth, top + high / 2), QPointF(x + 1, top + high)])
    painter.restore()


def paint_nothing(painter: QPainter, area: QRectF, look: Look) -> None:
    """There is no recording."""
    painter.fillRect(area, brush(look.theme.panel))
    painter.setFont(look.fonts.plain)
    painter.setPen(colour(look.theme.text_muted))
    text = tr("No recording. Open one, or run an experiment.")
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)
