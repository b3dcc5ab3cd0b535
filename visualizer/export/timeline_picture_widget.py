"""The timeline as a picture of any size on any QPainter: lanes, names and ruler, and if asked the state at one step.

The same painting as the window's, without the window: PNG, SVG, PDF and GIF are this with different devices.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QGuiApplication, QPainter

from visualizer.diagnosis.explain import explain
from visualizer.export.errors import ExportError
from visualizer.export.selection import Selection
from visualizer.language import tr
from visualizer.playback.lane_steps import home_lane
from visualizer.replay.causality import Causality
from visualizer.views.arrows_model import causes, place
from visualizer.views.painting import brush, colour
from visualizer.views.theme import Theme
from visualizer.views.timeline_chrome import (
    make_frame,
    paint_background,
    paint_cursor,
    paint_event_mark,
    paint_names,
    paint_ruler,
    paint_values,
)
from visualizer.views.timeline_lanes import LaneStore
from visualizer.views.timeline_layout import lay_out
from visualizer.views.timeline_paint import Fonts, paint_arrows, paint_picture
from visualizer.views.timeline_picture import lanes_picture
from visualizer.views.timeline_scale import View
from visualizer.views.timeline_text import lane_value

MOST_LANES = 400
"""More would not fit into an image, nor could anybody read it."""
_FONT_PIXELS = 13  # pixels, not points: an SVG's and a PDF's points are not those of the screen
_CAPTION_LINES = 3
_MARGIN = 0.01  # of the width, left and right of the stretch that is shown


class TimelinePicture:
    """`width` x `height` pixels; `with_step` keeps room for the values and the explanation of a step."""

    def __init__(self, selection: Selection, theme: Theme, width: int, with_step: bool) -> None:
        if len(selection.lanes) > MOST_LANES:
            raise ExportError(
                tr(
                    "a picture has room for {most} lanes, and {lanes} are chosen; name some with --lanes, such as"
                    ' --lanes "CTA0.*"',
                    most=MOST_LANES,
                    lanes=len(selection.lanes),
                )
            )
        font = QFont(QGuiApplication.font())
        font.setPixelSize(_FONT_PIXELS)
        self._fonts = Fonts(font)
        self._theme = theme
        self._history = selection.history
        self._lanes = list(selection.lanes)
        self._store = LaneStore(selection.history)
        self._store.lanes = self._lanes
        self._row_of = {lane.key: row for row, lane in enumerate(self._lanes)}
        em = self._fonts.em
        self._layout = lay_out(self._lanes, em, 0, selection.history.trace.stages)
        self._caption = round(em * (_CAPTION_LINES + 1)) if with_step else 0
        frame = make_frame(width, self._layout.total + round(em * 1.9), self._fonts, self._lanes)
        if not with_step:
            frame = replace(
                frame,
                ruler=frame.ruler.adjusted(0, 0, frame.values.width(), 0),
                lanes=frame.lanes.adjusted(0, 0, frame.values.width(), 0),
                values=QRectF(frame.values.right(), frame.values.top(), 0, frame.values.height()),
            )
        self._frame = frame
        self.width, self.height = width, round(frame.lanes.bottom()) + self._caption
        end = selection.end
        if selection.last == self._history.steps - 1:
            end = max(end, self._store.end)
        across = max(round(frame.lanes.width()), 1)
        ps_per_px = max((end - selection.begin) / (across * (1 - 2 * _MARGIN)), 1e-3)
        self._view = View(round(selection.begin - _MARGIN * across * ps_per_px), ps_per_px, across)

    def paint(self, painter: QPainter) -> None:
        """Everything but a step; fills the whole picture."""
        frame, layout, fonts, theme = self._frame, self._layout, self._fonts, self._theme
        trace = self._history.trace
        painter.fillRect(QRectF(0, 0, self.width, self.height), brush(theme.panel))
        paint_background(painter, frame, self._view, trace.duration_ps, theme, fonts)
        height = frame.lanes.height()
        picture = lanes_picture(self._store, self._view, layout, 0.0, height, fonts.metrics)
        painter.save()
        painter.setClipRect(frame.lanes.adjusted(1, 1, 0, 0))
        painter.translate(frame.lanes.topLeft())
        paint_picture(painter, picture, theme, fonts)
        painter.restore()
        paint_names(painter, frame, self._lanes, trace, layout, 0.0, theme, fonts)
        paint_ruler(painter, frame, self._view, theme, fonts)

    def paint_step(self, painter: QPainter, step: int) -> None:
        """Over that: the cursor at event `step`, its causes, every lane's value, and what happened in words."""
        frame, fonts, theme, view, history = self._frame, self._fonts, self._theme, self._view, self._history
        state, time = history.state_at(step), int(history.trace.events["time"][step])
        values = [
            (self._top(row), float(self._layout.height[row]), lane_value(self._store, state, lane))
            for row, lane in enumerate(self._lanes)
        ]
        paint_values(painter, frame, values, theme, fonts, tr("at step {step}", step=step))
        if view.contains(time):
            paint_cursor(painter, frame, view.pixel(time), time, round(view.ps_per_px), theme, fonts)
        painter.save()
        painter.setClipRect(frame.lanes)
        painter.translate(frame.lanes.left(), 0)
        paint_arrows(painter, place(causes(Causality(history), step), view, self._middle), theme)
        middle = self._middle(home_lane(history.trace, step))
        if middle is not None and view.contains(time):
            paint_event_mark(painter, view.pixel(time), middle, theme)
        painter.restore()
        self._paint_caption(painter, explain(history, step))

    def _paint_caption(self, painter: QPainter, text: str) -> None:
        box = QRectF(0, self.height - self._caption, self.width, self._caption)
        painter.fillRect(box, brush(self._theme.header))
        painter.setPen(colour(self._theme.text))
        painter.setFont(self._fonts.plain)
        pad = self._fonts.em / 2
        painter.drawText(box.adjusted(pad, pad, -pad, -pad), int(Qt.TextFlag.TextWordWrap), text)

    def _top(self, row: int) -> float:
        return float(self._frame.lanes.top()) + float(self._layout.top[row])

    def _middle(self, key: str) -> float | None:
        row = self._row_of.get(key)
        return None if row is None else self._top(row) + float(self._layout.height[row]) / 2
