"""The timeline: every lane over time. It owns the view and the mouse; what it draws is made in the timeline_* modules.

Two layers. The lanes are painted once into a pixmap and kept until the view, scroll, size, font or theme changes;
cursor, arrows, hover and values are painted over it. So moving the focus or the pointer never repaints the lanes.
"""

from __future__ import annotations

from time import monotonic

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFont, QPainter, QPixmap
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import home_lane
from visualizer.replay.causality import Causality
from visualizer.replay.history import History, State
from visualizer.views.arrows_model import Cause, causes, place
from visualizer.views.lanes import Lane
from visualizer.views.painting import brush, colour
from visualizer.views.theme import Theme, load_theme
from visualizer.views.timeline_chrome import (
    make_frame,
    paint_background,
    paint_cursor,
    paint_event_mark,
    paint_lane_highlight,
    paint_measurement,
    paint_names,
    paint_ruler,
    paint_values,
)
from visualizer.views.timeline_gestures import Gesture, MeasureDrag, Measurement, PanDrag
from visualizer.views.timeline_lanes import LaneStore
from visualizer.views.timeline_layout import lay_out
from visualizer.views.timeline_navigation import PAN_SHARE, ZOOM_STEP, Navigation
from visualizer.views.timeline_paint import Fonts, paint_arrows, paint_note, paint_picture, paint_text
from visualizer.views.timeline_picture import lanes_picture
from visualizer.views.timeline_scale import View
from visualizer.views.timeline_text import hover_note, lane_value

SNAP = 8.0
"""Pixels within which the hover cursor and measurements snap to an event."""
_NOTCH = 120.0  # wheel units of one notch


class TimelineWidget(QAbstractScrollArea):
    """Pane that shows all lanes of a recording; emits `focus_requested(Focus)` on a click."""

    focus_requested = Signal(object)

    def __init__(self, parent=None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Timeline")
        self.setAccessibleDescription("Agents, copies, stage buffers and barriers over time; the event table has the same as text")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._theme: Theme = load_theme("dark")
        self._fonts = Fonts(self.font())
        self._store: LaneStore | None = None
        self._causality: Causality | None = None
        self._navigation = Navigation(1, 1)
        self._focus: Focus | None = None
        self._state: State | None = None
        self._causes: list[Cause] = []
        self._gesture: Gesture | None = None
        self._measured: Measurement | None = None
        self._pointer: QPointF | None = None
        self._lanes_layer: QPixmap | None = None
        self._arrange()

    # The Pane protocol

    def set_history(self, history: History | None) -> None:
        self._store = LaneStore(history) if history is not None and history.steps else None
        self._causality = Causality(history) if self._store else None
        self._focus = self._state = self._measured = None
        self._causes = []
        self._navigation = Navigation(self._store.end if self._store else 1, self._navigation.view.width)
        self.verticalScrollBar().setValue(0)
        self._arrange()

    def set_focus(self, focus: Focus) -> None:
        if self._store is None or focus == self._focus:
            return
        self._focus = focus
        history = self._store.history
        self._state = history.state_at(focus.step)
        self._causes = causes(self._causality, focus.step)
        self._reveal_focus()
        self.viewport().update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._repaint_lanes()

    # What the window's commands call

    @property
    def view(self) -> View:
        """The stretch of time in view."""
        return self._navigation.view

    @property
    def measured(self) -> Measurement | None:
        """What was last marked on the ruler."""
        return self._measured

    def zoom_in(self) -> None:
        """Magnify time about the pointer, or the focused event if the pointer is elsewhere."""
        self._zoom(ZOOM_STEP, self._anchor())

    def zoom_out(self) -> None:
        self._zoom(1 / ZOOM_STEP, self._anchor())

    def pan_left(self) -> None:
        self._pan(-PAN_SHARE * self.view.width)

    def pan_right(self) -> None:
        self._pan(PAN_SHARE * self.view.width)

    def fit_all(self) -> None:
        self._navigation.fit()
        self._repaint_lanes()

    def centre_or_fit_focus(self) -> None:
        """Centre the focused event; if it is centred already, fit the interval of its lane that holds it."""
        if self._store is None or self._focus is None:
            return
        before, time = self.view, self._focus_time()
        self._navigation.centre(time)
        if self.view == before:
            self._navigation.show(*self._interval_at_focus(time))
        self._repaint_lanes()

    def undo_zoom(self) -> None:
        self._navigation.undo()
        self._repaint_lanes()

    # Geometry

    def _arrange(self) -> None:
        """Lay out columns and lanes for the present size and font."""
        lanes = self._store.lanes if self._store else []
        size = self.viewport().size()
        self._frame = make_frame(size.width(), size.height(), self._fonts, lanes)
        stages = self._store.history.trace.stages if self._store else 1
        self._layout = lay_out(lanes, self._fonts.em, self._frame.lanes.height(), stages)
        self._navigation.resize(int(self._frame.lanes.width()))
        bar = self.verticalScrollBar()
        page = int(self._frame.lanes.height())
        bar.setRange(0, max(0, round(self._layout.total) - page))
        bar.setPageStep(page)
        bar.setSingleStep(round(self._fonts.em * 2))
        self._repaint_lanes()

    def _scroll(self) -> float:
        return float(self.verticalScrollBar().value())

    def _lane_top(self, row: int) -> float:
        return self._frame.lanes.top() + float(self._layout.top[row]) - self._scroll()

    def _lane_middle(self, key: str) -> float | None:
        row = self._store.row_of.get(key)
        return None if row is None else self._lane_top(row) + float(self._layout.height[row]) / 2

    def _row_at(self, y: float) -> int | None:
        if self._store is None or y < self._frame.lanes.top():
            return None
        return self._layout.row_at(y - self._frame.lanes.top() + self._scroll())

    def _focus_time(self) -> int:
        return int(self._store.history.trace.events["time"][self._focus.step])

    def _focus_row(self) -> int:
        """The selected lane, or the one where the focused event is at home."""
        lane = self._focus.lane if self._focus.lane in self._store.row_of else None
        return self._store.row_of[lane or home_lane(self._store.history, self._focus.step)]

    def _reveal_focus(self) -> None:
        before = self.view
        self._navigation.reveal(self._focus_time())
        row, bar = self._focus_row(), self.verticalScrollBar()
        top, bottom = self._layout.top[row] - 4, self._layout.top[row] + self._layout.height[row] + 4
        if top < bar.value() or bottom > bar.value() + self._frame.lanes.height():
            bar.setValue(round((top + bottom - self._frame.lanes.height()) / 2))
        if self.view != before:
            self._repaint_lanes()

    def _interval_at_focus(self, time: int) -> tuple[int, int]:
        lane = self._store.lanes[self._focus_row()]
        if lane.kind == "barrier":
            data = self._store.barrier(lane)
            start, end = data.start, data.end
        else:
            rows = self._store.copies(lane).rows if lane.kind == "copy" else [self._store.intervals(lane)]
            start = np.concatenate([row.spans.start for row in rows])
            end = np.concatenate([row.spans.end for row in rows])
        holds = np.flatnonzero((start <= time) & (time <= end))
        if not len(holds):
            return time, time
        widest = holds[np.argmax(end[holds] - start[holds])]
        return int(start[widest]), int(end[widest])

    def _anchor(self) -> float:
        """Where a key zooms: at the pointer, else at the focused event, else in the middle."""
        if self._pointer is not None and self._frame.lanes.contains(self._pointer):
            return self._pointer.x() - self._frame.lanes.left()
        if self._focus is not None and self.view.contains(self._focus_time()):
            return self.view.pixel(self._focus_time())
        return self.view.width / 2

    def _zoom(self, factor: float, x: float) -> None:
        self._navigation.zoom(factor, x, monotonic())
        self._repaint_lanes()

    def _pan(self, pixels: float) -> None:
        self._navigation.pan(pixels)
        self._repaint_lanes()

    # Snapping

    def _snapped(self, lane: Lane, x: float) -> int | None:
        """Time of the lane's event within SNAP pixels of x."""
        step = self._store.nearest_step(lane, self.view.time(x))
        if step is None:
            return None
        time = int(self._store.history.trace.events["time"][step])
        return time if abs(self.view.pixel(time) - x) <= SNAP else None

    def _ruler_time(self, widget_x: float, free: bool) -> int:
        """Time at a pixel of the ruler, snapped to the nearest event of the lanes in view unless `free`."""
        x = widget_x - self._frame.lanes.left()
        time = self.view.time(x)
        if free or self._store is None:
            return time
        scroll = self._scroll()
        rows = self._layout.in_range(scroll, scroll + self._frame.lanes.height())
        near = [snapped for row in rows if (snapped := self._snapped(self._store.lanes[row], x)) is not None]
        return min(near, key=lambda candidate: abs(candidate - time), default=time)

    def _show_measured(self, measured: Measurement | None) -> None:
        self._measured = measured
        self.viewport().update()

    # Painting

    def _repaint_lanes(self) -> None:
        self._lanes_layer = None
        self.viewport().update()

    def _paint_lanes(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        layer = QPixmap(self.viewport().size() * ratio)
        layer.setDevicePixelRatio(ratio)
        layer.fill(colour(self._theme.panel))
        painter = QPainter(layer)
        frame, scroll = self._frame, self._scroll()
        paint_background(painter, frame, self.view, self._layout, scroll, self._theme, self._fonts)
        if self._store is not None:
            picture = lanes_picture(
                self._store, self.view, self._layout, scroll, frame.lanes.height(), self._fonts.metrics
            )
            painter.save()
            painter.setClipRect(frame.lanes.adjusted(1, 1, 0, 0))
            painter.translate(frame.lanes.topLeft())
            paint_picture(painter, picture, self._theme, self._fonts)
            painter.restore()
            trace = self._store.history.trace
            paint_names(painter, frame, self._store.lanes, trace, self._layout, scroll, self._theme, self._fonts)
            paint_ruler(painter, frame, self.view, self._theme, self._fonts)
        painter.end()
        return layer

    def paintEvent(self, event) -> None:
        if self._lanes_layer is None:
            self._lanes_layer = self._paint_lanes()
        painter = QPainter(self.viewport())
        painter.drawPixmap(0, 0, self._lanes_layer)
        if self._store is None:
            self._paint_nothing(painter)
            return
        if self._measured is not None:
            paint_measurement(painter, self._frame, self.view, self._measured, self._theme, self._fonts)
        if self._focus is not None:
            self._paint_focus(painter)
        if self._pointer is not None and self._gesture is None:
            self._paint_hover(painter)

    def _paint_nothing(self, painter: QPainter) -> None:
        painter.setFont(self._fonts.plain)
        painter.setPen(colour(self._theme.text_muted))
        painter.drawText(self._frame.lanes, Qt.AlignmentFlag.AlignCenter, "No recording. Open one, or run an experiment.")

    def _paint_focus(self, painter: QPainter) -> None:
        frame, store, theme = self._frame, self._store, self._theme
        scroll = self._scroll()
        rows = self._layout.in_range(scroll, scroll + frame.lanes.height())
        values = [
            (self._lane_top(row), float(self._layout.height[row]), lane_value(store.history.trace, self._state, store.lanes[row]))
            for row in rows
        ]
        paint_values(painter, frame, values, theme, self._fonts, f"at step {self._focus.step}")
        painter.setFont(self._fonts.plain)
        painter.setPen(colour(theme.text_muted))
        paint_text(painter, self._fonts, f"{store.history.steps} events", 13, 0, frame.ruler.height())
        time = self._focus_time()
        painter.save()
        painter.setClipRect(QRectF(0, frame.lanes.top(), frame.values.right(), frame.lanes.height()))
        if self._focus.lane in store.row_of:
            row = store.row_of[self._focus.lane]
            paint_lane_highlight(painter, frame, self._lane_top(row), float(self._layout.height[row]), theme)
        painter.restore()
        if not self.view.contains(time):
            return
        x = self.view.pixel(time)
        paint_cursor(painter, frame, x, time, round(self.view.ps_per_px), theme, self._fonts)
        painter.save()
        painter.setClipRect(frame.lanes)
        painter.translate(frame.lanes.left(), 0)
        paint_arrows(painter, place(self._causes, self.view, self._lane_middle), theme)
        middle = self._lane_middle(home_lane(store.history, self._focus.step))
        paint_event_mark(painter, x, middle, theme)
        painter.restore()

    def _paint_hover(self, painter: QPainter) -> None:
        frame, pointer = self._frame, self._pointer
        row = self._row_at(pointer.y())
        if row is None or not frame.lanes.contains(pointer):
            return
        lane = self._store.lanes[row]
        x = pointer.x() - frame.lanes.left()
        snapped = self._snapped(lane, x)
        line = x if snapped is None else self.view.pixel(snapped)
        painter.fillRect(QRectF(round(frame.lanes.left() + line), frame.lanes.top(), 1, frame.lanes.height()), brush(self._theme.hover))
        down = (pointer.y() - self._lane_top(row)) / float(self._layout.height[row])
        note = hover_note(self._store, lane, self.view, x, min(max(down, 0.0), 0.999))
        paint_note(painter, self._fonts, self._theme, note, pointer, QRectF(self.viewport().rect()))

    # Events

    def resizeEvent(self, event) -> None:
        self._arrange()

    def changeEvent(self, event) -> None:
        if event.type() == QEvent.Type.FontChange:
            self._fonts = Fonts(QFont(self.font()))
            self._arrange()
        super().changeEvent(event)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self._repaint_lanes()

    def wheelEvent(self, event) -> None:
        turn = event.angleDelta()
        notches = (turn.y() or turn.x()) / _NOTCH
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._zoom(ZOOM_STEP**notches, event.position().x() - self._frame.lanes.left())
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier or not turn.y():
            self._pan(-notches * PAN_SHARE / 2 * self.view.width)
        else:
            bar = self.verticalScrollBar()
            bar.setValue(round(bar.value() - notches * 3 * bar.singleStep()))
        event.accept()

    def mousePressEvent(self, event) -> None:
        at = event.position()
        free = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if event.button() == Qt.MouseButton.MiddleButton:
            bar = self.verticalScrollBar()
            self._gesture = PanDrag(at.x(), at.y(), self._pan, lambda dy: bar.setValue(round(bar.value() + dy)))
        elif event.button() == Qt.MouseButton.LeftButton and self._frame.ruler.contains(at):
            self._gesture = MeasureDrag(at.x(), free, self._ruler_time, self._show_measured)
        elif event.button() == Qt.MouseButton.LeftButton:
            self._click(at)

    def _click(self, at: QPointF) -> None:
        """Focus the lane's nearest event; on its name or value only select the lane."""
        row = self._row_at(at.y())
        if row is None:
            return
        lane = self._store.lanes[row]
        if self._frame.lanes.contains(at):
            step = self._store.nearest_step(lane, self.view.time(at.x() - self._frame.lanes.left()))
            if step is not None:
                self.focus_requested.emit(Focus(step, lane.key))
        elif self._focus is not None:
            self.focus_requested.emit(Focus(self._focus.step, lane.key))

    def mouseMoveEvent(self, event) -> None:
        self._pointer = event.position()
        if self._gesture is not None:
            free = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
            self._gesture.move(self._pointer.x(), self._pointer.y(), free)
        self.viewport().update()

    def mouseReleaseEvent(self, event) -> None:
        if self._gesture is not None:
            self._gesture.release()
            self._gesture = None
            self.viewport().update()

    def leaveEvent(self, event) -> None:
        self._pointer = None
        self.viewport().update()

    def keyPressEvent(self, event) -> None:
        if event.key() == Qt.Key.Key_Escape and self._measured is not None:
            self._show_measured(None)
        else:
            super().keyPressEvent(event)
