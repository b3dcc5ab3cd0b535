"""The timeline: every lane over time. The widget owns the mouse and two layers; what it shows is in the Scene.

The lanes are painted once into a pixmap and kept until the view, scroll, size, font or theme changes; cursor, arrows,
hover and values are painted over it. So moving the focus or the pointer never repaints the lanes.
"""

from __future__ import annotations

from time import monotonic

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from visualizer.diagnosis.report import Report
from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.views.diagnosis_model import first_divergence
from visualizer.views.painting import brush, colour
from visualizer.views.theme import Theme, load_theme
from visualizer.views.timeline_chrome import (
    cursor_flag,
    paint_background,
    paint_cursor,
    paint_divergence,
    paint_event_mark,
    paint_lane_highlight,
    paint_measurement,
    paint_names,
    paint_ruler,
    paint_values,
)
from visualizer.views.timeline_gestures import Gesture, MeasureDrag, Measurement, PanDrag
from visualizer.views.timeline_navigation import PAN_SHARE, ZOOM_STEP
from visualizer.views.timeline_paint import Fonts, paint_arrows, paint_note, paint_picture, paint_text
from visualizer.views.timeline_picture import lanes_picture
from visualizer.views.timeline_scale import View, format_time
from visualizer.views.timeline_scene import Scene
from visualizer.views.timeline_text import hover_note, lane_value

_NOTCH = 120.0  # wheel units of one notch


class TimelineWidget(QAbstractScrollArea):
    """Pane that shows all lanes of a recording; emits `focus_requested(Focus)` on a click."""

    focus_requested = Signal(object)

    def __init__(self, parent=None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Timeline")
        self.setAccessibleDescription("All lanes over time; the event table has the same as text")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._theme: Theme = load_theme("dark")
        self._fonts = Fonts(self.font())
        self._scene: Scene | None = None
        self._gesture: Gesture | None = None
        self._measured: Measurement | None = None
        self._pointer: QPointF | None = None
        self._lanes_layer: QPixmap | None = None
        self._divergence: int | None = None

    # The Pane protocol

    def set_report(self, report: Report | None) -> None:
        """What to mark in the recording whose `set_history` follows."""
        self._divergence = first_divergence(report) if report is not None else None

    def set_history(self, history: History | None) -> None:
        size = self.viewport().size()
        shown = history is not None and history.steps > 0
        self._scene = Scene(history, size.width(), size.height(), self._fonts) if shown else None
        self._measured = self._gesture = None
        self.verticalScrollBar().setValue(0)
        self._arrange()

    def set_focus(self, focus: Focus) -> None:
        scene = self._scene
        if scene is None or (scene.focused is not None and focus == scene.focused.focus):
            return
        scene.focus(focus)
        before = scene.view
        scene.navigation.reveal(scene.focused.time)
        self.verticalScrollBar().setValue(round(scene.scroll_to_focus()))
        if scene.view != before:
            self._repaint_lanes()
        self.viewport().update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._repaint_lanes()

    # What the window's commands call

    @property
    def view(self) -> View | None:
        """The stretch of time in view; None without a recording."""
        return self._scene.view if self._scene else None

    @property
    def scene(self) -> Scene | None:
        """What is shown where, for what is painted over it; None without a recording."""
        return self._scene

    @property
    def measured(self) -> Measurement | None:
        """What was last marked on the ruler."""
        return self._measured

    def zoom_in(self) -> None:
        """Magnify time about the pointer, or the focused event if the pointer is elsewhere."""
        self._zoom(ZOOM_STEP)

    def zoom_out(self) -> None:
        self._zoom(1 / ZOOM_STEP)

    def pan_left(self) -> None:
        self._pan(-PAN_SHARE)

    def pan_right(self) -> None:
        self._pan(PAN_SHARE)

    def fit_all(self) -> None:
        """Show the whole recording."""
        if self._scene is not None:
            self._scene.navigation.fit()
            self._repaint_lanes()

    def centre_or_fit_focus(self) -> None:
        """Centre the focused event; once it is centred, fit the interval of its lane that holds it."""
        if self._scene is not None:
            self._scene.centre_or_fit_focus()
            self._repaint_lanes()

    def undo_zoom(self) -> None:
        if self._scene is not None:
            self._scene.navigation.undo()
            self._repaint_lanes()

    def _zoom(self, factor: float) -> None:
        if self._scene is not None:
            self._scene.navigation.zoom(factor, self._scene.anchor(self._pointer), monotonic())
            self._repaint_lanes()

    def _pan(self, share: float) -> None:
        if self._scene is not None:
            self._pan_pixels(share * self._scene.view.width)

    def _pan_pixels(self, pixels: float) -> None:
        self._scene.navigation.pan(pixels)
        self._repaint_lanes()

    def _show_measured(self, measured: Measurement | None) -> None:
        self._measured = measured
        self.viewport().update()

    # Layers

    def _arrange(self) -> None:
        """Lay out for the present size and font."""
        if self._scene is not None:
            size, bar = self.viewport().size(), self.verticalScrollBar()
            self._scene.arrange(size.width(), size.height(), self._fonts)
            page = int(self._scene.frame.lanes.height())
            bar.setRange(0, max(0, round(self._scene.layout.total) - page))
            bar.setPageStep(page)
            bar.setSingleStep(round(self._fonts.em * 2))
            self._scene.scroll = float(bar.value())
        self._repaint_lanes()

    def _repaint_lanes(self) -> None:
        self._lanes_layer = None
        self.viewport().update()

    def _paint_lanes(self, scene: Scene) -> QPixmap:
        ratio = self.devicePixelRatioF()
        layer = QPixmap(self.viewport().size() * ratio)
        layer.setDevicePixelRatio(ratio)
        painter = QPainter(layer)
        theme, fonts, frame, scroll = self._theme, self._fonts, scene.frame, scene.scroll
        trace = scene.history.trace
        paint_background(painter, frame, scene.view, trace.duration_ps, theme, fonts)
        picture = lanes_picture(scene.store, scene.view, scene.layout, scroll, frame.lanes.height(), fonts.metrics)
        painter.save()
        painter.setClipRect(frame.lanes.adjusted(1, 1, 0, 0))
        painter.translate(frame.lanes.topLeft())
        paint_picture(painter, picture, theme, fonts)
        painter.restore()
        paint_names(painter, frame, scene.lanes, trace, scene.layout, scroll, theme, fonts)
        paint_ruler(painter, frame, scene.view, theme, fonts)
        painter.end()
        return layer

    def paintEvent(self, event) -> None:
        painter = QPainter(self.viewport())
        scene = self._scene
        if scene is None:
            self._paint_nothing(painter)
            return
        if self._lanes_layer is None:
            self._lanes_layer = self._paint_lanes(scene)
        painter.drawPixmap(0, 0, self._lanes_layer)
        if self._measured is not None:
            paint_measurement(painter, scene.frame, scene.view, self._measured, self._theme, self._fonts)
        if scene.focused is not None:
            self._paint_focus(painter, scene)
        self._paint_divergence(painter, scene)
        if self._pointer is not None and self._gesture is None:
            self._paint_hover(painter, scene, self._pointer)

    def _paint_nothing(self, painter: QPainter) -> None:
        box = self.viewport().rect()
        painter.fillRect(box, brush(self._theme.panel))
        painter.setFont(self._fonts.plain)
        painter.setPen(colour(self._theme.text_muted))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "No recording. Open one, or run an experiment.")

    def _paint_focus(self, painter: QPainter, scene: Scene) -> None:
        frame, theme, fonts, focused = scene.frame, self._theme, self._fonts, scene.focused
        rows = scene.rows()
        values = [
            (scene.top(row), scene.height(row), lane_value(scene.store, focused.state, scene.lanes[row]))
            for row in rows
        ]
        paint_values(painter, frame, values, theme, fonts, f"at step {focused.focus.step}")
        painter.setFont(fonts.plain)
        painter.setPen(colour(theme.text_muted))
        paint_text(painter, fonts, f"{scene.history.steps} events", 13, 0, frame.ruler.height())
        painter.save()
        painter.setClipRect(QRectF(0, frame.lanes.top(), frame.values.right(), frame.lanes.height()))
        row = scene.store.row_of.get(focused.focus.lane)
        if row is not None:
            paint_lane_highlight(painter, frame, scene.top(row), scene.height(row), theme)
        painter.restore()
        if scene.view.contains(focused.time):
            x, step_ps = scene.view.pixel(focused.time), round(scene.view.ps_per_px)
            paint_cursor(painter, frame, x, focused.time, step_ps, theme, fonts)
        painter.save()
        painter.setClipRect(frame.lanes)
        painter.translate(frame.lanes.left(), 0)
        paint_arrows(painter, scene.arrows(), theme)
        middle = scene.middle(focused.home)
        if middle is not None and scene.view.contains(focused.time):
            paint_event_mark(painter, scene.view.pixel(focused.time), middle, theme)
        painter.restore()

    def _paint_divergence(self, painter: QPainter, scene: Scene) -> None:
        if self._divergence is None:
            return
        time, view, avoid = int(scene.history.trace.events["time"][self._divergence]), scene.view, QRectF()
        if not view.contains(time):
            return
        if scene.focused is not None and view.contains(scene.focused.time):
            text = format_time(scene.focused.time, round(view.ps_per_px))
            avoid = cursor_flag(scene.frame, view.pixel(scene.focused.time), text, self._fonts)
        paint_divergence(painter, scene.frame, view.pixel(time), avoid, self._theme, self._fonts)

    def _paint_hover(self, painter: QPainter, scene: Scene, pointer: QPointF) -> None:
        frame = scene.frame
        row = scene.row_at(pointer.y())
        if row is None or not frame.lanes.contains(pointer):
            return
        lane = scene.lanes[row]
        x = pointer.x() - frame.lanes.left()
        snapped = scene.snapped(lane, x)
        line = x if snapped is None else scene.view.pixel(snapped)
        at = QRectF(round(frame.lanes.left() + line), frame.lanes.top(), 1, frame.lanes.height())
        painter.fillRect(at, brush(self._theme.hover))
        down = (pointer.y() - scene.top(row)) / scene.height(row)
        note = hover_note(scene.store, lane, scene.view, x, min(max(down, 0.0), 0.999))
        paint_note(painter, self._fonts, self._theme, note, pointer, QRectF(self.viewport().rect()))

    # Events

    def resizeEvent(self, event) -> None:
        self._arrange()

    def changeEvent(self, event) -> None:
        if event.type() == QEvent.Type.FontChange:
            self._fonts = Fonts(self.font())
            self._arrange()
        super().changeEvent(event)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        if self._scene is not None:
            self._scene.scroll = float(self.verticalScrollBar().value())
        self._repaint_lanes()

    def wheelEvent(self, event) -> None:
        turn = event.angleDelta()
        notches = (turn.y() or turn.x()) / _NOTCH
        self._pointer = event.position()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._zoom(ZOOM_STEP**notches)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier or not turn.y():
            self._pan(-notches * PAN_SHARE / 2)
        else:
            bar = self.verticalScrollBar()
            bar.setValue(round(bar.value() - notches * 3 * bar.singleStep()))
        event.accept()

    def mousePressEvent(self, event) -> None:
        scene, at = self._scene, event.position()
        if scene is None:
            return
        if event.button() == Qt.MouseButton.MiddleButton:
            bar = self.verticalScrollBar()
            self._gesture = PanDrag(at.x(), at.y(), self._pan_pixels, lambda dy: bar.setValue(round(bar.value() + dy)))
        elif event.button() == Qt.MouseButton.LeftButton and scene.frame.ruler.contains(at):
            self._gesture = MeasureDrag(at.x(), _free(event), scene.ruler_time, self._show_measured)
        elif event.button() == Qt.MouseButton.LeftButton:
            focus = scene.click(at)
            if focus is not None:
                self.focus_requested.emit(focus)

    def mouseMoveEvent(self, event) -> None:
        self._pointer = event.position()
        if self._gesture is not None:
            self._gesture.move(self._pointer.x(), self._pointer.y(), _free(event))
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


def _free(event) -> bool:
    """Alt asks not to snap."""
    return bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
