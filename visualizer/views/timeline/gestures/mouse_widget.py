"""What a hand does on the timeline: where the pointer is, and what its buttons and its wheel ask for."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from visualizer.views.timeline.gestures.gestures import Gesture, PanDrag
from visualizer.views.timeline.gestures.measure import CLICK, MeasureDrag
from visualizer.views.timeline.layers.scene import Scene
from visualizer.views.timeline.time.navigation import PAN_SHARE, ZOOM_STEP

NOTCH = 120.0  # wheel units of one notch
_NOTCH_ROWS = 3  # that one notch scrolls


class TimelineMouse(QObject):
    """Watches the viewport of one timeline; without a scene nothing is asked for."""

    moved = Signal()
    """The pointer is elsewhere, or a gesture has ended: what is shown of them is out of date."""

    zoomed = Signal(float)
    panned = Signal(float)
    """By so many pixels, to later times."""

    scrolled = Signal(float)
    """By so many pixels, downwards."""

    scrolled_rows = Signal(float)
    measured = Signal(object)
    """The Measurement that is dragged out; None: a click that measures nothing."""

    clicked = Signal(QPointF)
    double_clicked = Signal()

    def __init__(self, viewport: QWidget, scene: Callable[[], Scene | None]) -> None:
        super().__init__(viewport)
        self._scene = scene
        self._gesture: Gesture | None = None
        self._hovers = False  # since the pointer moved, and until the focus does
        self.pointer: QPointF | None = None
        viewport.setMouseTracking(True)
        viewport.installEventFilter(self)

    @property
    def hovered(self) -> QPointF | None:
        """Where the pointer asks what lies under it."""
        return self.pointer if self._hovers and self._gesture is None else None

    def forget_hover(self) -> None:
        """Say nothing of what is under the pointer until it moves."""
        self._hovers = False

    def forget_gesture(self) -> None:
        self._gesture = None

    def leave(self) -> None:
        """The pointer is not over the timeline any more."""
        self.pointer = None
        self.moved.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.Wheel:
            self._wheel(event)
        elif kind == QEvent.Type.MouseButtonPress:
            self._press(event)
        elif kind == QEvent.Type.MouseButtonDblClick:
            self._press_twice(event)
        elif kind == QEvent.Type.MouseMove:
            self._move(event)
        elif kind == QEvent.Type.MouseButtonRelease:
            self._release()
        else:
            return super().eventFilter(watched, event)
        event.accept()
        return True

    def _wheel(self, event: QWheelEvent) -> None:
        scene, turn = self._scene(), event.angleDelta()
        notches = (turn.y() or turn.x()) / NOTCH
        self.pointer = event.position()
        if scene is None:
            return
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoomed.emit(ZOOM_STEP**notches)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier or not turn.y():
            self.panned.emit(-notches * PAN_SHARE / 2 * scene.view.width)
        else:
            self.scrolled_rows.emit(-notches * _NOTCH_ROWS)

    def _press(self, event: QMouseEvent) -> None:
        scene, at = self._scene(), event.position()
        if scene is None:
            return
        if event.button() == Qt.MouseButton.MiddleButton:
            self._gesture = PanDrag(at.x(), at.y(), self.panned.emit, self.scrolled.emit)
        elif event.button() == Qt.MouseButton.LeftButton and scene.frame.ruler.contains(at):
            self._gesture = MeasureDrag(at.x(), _free(event), scene.ruler_time, self.measured.emit)
        elif event.button() == Qt.MouseButton.LeftButton:
            if scene.frame.lanes.contains(at):
                self._gesture = MeasureDrag(at.x(), _free(event), scene.ruler_time, self.measured.emit, CLICK)
            self.clicked.emit(at)

    def _press_twice(self, event: QMouseEvent) -> None:
        """On a name, or with another button, it is two clicks."""
        scene = self._scene()
        left = event.button() == Qt.MouseButton.LeftButton
        if scene is not None and left and scene.frame.lanes.contains(event.position()):
            self.double_clicked.emit()
        else:
            self._press(event)

    def _move(self, event: QMouseEvent) -> None:
        self.pointer, self._hovers = event.position(), True
        if self._gesture is not None:
            self._gesture.move(self.pointer.x(), self.pointer.y(), _free(event))
        self.moved.emit()

    def _release(self) -> None:
        if self._gesture is not None:
            self._gesture.release()
            self._gesture = None
            self.moved.emit()


def _free(event: QMouseEvent) -> bool:
    """Alt asks not to snap."""
    return bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
