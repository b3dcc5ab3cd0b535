"""Two runs on one axis of time, to be looked at closely: zoom, pan, hover, a click that goes to the event, and keys.

Where the runs differ is also said in words: the accessible description is the overlay's text.
"""

from __future__ import annotations

from time import monotonic

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from visualizer.diagnosis.comparison.compare import Comparison
from visualizer.diagnosis.comparison.compare_overlay import Overlay
from visualizer.diagnosis.comparison.overlay_text import overlay_text
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.views.compare.overlay_model import hover_note
from visualizer.views.compare.overlay_paint import paint_overlay
from visualizer.views.compare.overlay_scene import OverlayScene
from visualizer.views.look.painted_widget import Painted
from visualizer.views.look.painting import brush, colour
from visualizer.views.look.theme import Theme, load_theme
from visualizer.views.timeline.gestures.gestures import PanDrag
from visualizer.views.timeline.gestures.mouse_widget import NOTCH
from visualizer.views.timeline.painting.paint import Fonts, paint_note
from visualizer.views.timeline.time.navigation import PAN_SHARE, ZOOM_STEP

_PLAIN, _CTRL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier


class OverlayTimeline(Painted, QAbstractScrollArea):
    """Emits `focus_requested(Focus)` in steps of a."""

    focus_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Both runs over each other"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self._theme: Theme = load_theme("dark")
        self._fonts = Fonts(self.font())
        self.scene: OverlayScene | None = None
        self._why_not = ""
        self._pointer: QPointF | None = None
        self._drag: PanDrag | None = None
        self._keys = {
            (Qt.Key.Key_W, _PLAIN): lambda: self._zoom(ZOOM_STEP),
            (Qt.Key.Key_S, _PLAIN): lambda: self._zoom(1 / ZOOM_STEP),
            (Qt.Key.Key_A, _PLAIN): lambda: self._pan(-PAN_SHARE),
            (Qt.Key.Key_D, _PLAIN): lambda: self._pan(PAN_SHARE),
            (Qt.Key.Key_0, _CTRL): self.fit_all,
            (Qt.Key.Key_F, _PLAIN): self.centre_focus,
            (Qt.Key.Key_Backspace, _PLAIN): self.undo_zoom,
            (Qt.Key.Key_Left, _PLAIN): lambda: self.go_to_difference(forward=False),
            (Qt.Key.Key_Right, _PLAIN): lambda: self.go_to_difference(forward=True),
        }

    def show_overlay(self, comparison: Comparison, overlay: Overlay) -> None:
        """Show this one; the focus stays."""
        focus = None if self.scene is None else self.scene.focus
        size = self.viewport().size()
        self.scene = OverlayScene(comparison, overlay, self._fonts, size.width(), size.height())
        self.scene.focus = focus
        self._why_not = ""
        self.setAccessibleDescription(". ".join(overlay_text(overlay)))
        self._arrange()

    def show_nothing(self, why: str) -> None:
        """In place of an overlay, a sentence."""
        self.scene, self._why_not = None, why
        self.setAccessibleDescription(why)
        self._arrange()

    def set_focus(self, focus: Focus | None) -> None:
        scene = self.scene
        if scene is None or focus == scene.focus:
            return
        scene.focus, self._pointer = focus, None
        if (moments := scene.moments()) is not None:
            scene.navigation.reveal(moments[0] - scene.overlay.begin)
        self.viewport().update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.viewport().update()

    def sizeHint(self) -> QSize:
        wanted = 0 if self.scene is None else self.scene.wanted_height
        return QSize(self._fonts.em * 60, max(wanted, round(self._fonts.em * 8)))

    def minimumSizeHint(self) -> QSize:
        return QSize(round(self._fonts.em * 16), round(self._fonts.em * 8))

    def fit_all(self) -> None:
        """Both recordings whole."""
        if self.scene is not None:
            self.scene.navigation.fit()
            self.viewport().update()

    def centre_focus(self) -> None:
        """The focused events of both in view, a's in the middle if both have room."""
        if self.scene is not None and (moments := self.scene.moments()) is not None:
            begin, navigation = self.scene.overlay.begin, self.scene.navigation
            if abs(moments[0] - moments[1]) < navigation.view.span / 2.5:
                navigation.centre(moments[0] - begin)
            else:
                navigation.show(min(moments) - begin, max(moments) - begin)
            self.viewport().update()

    def undo_zoom(self) -> None:
        if self.scene is not None:
            self.scene.navigation.undo()
            self.viewport().update()

    def go_to_difference(self, forward: bool) -> None:
        """Ask for the event at which the next, or the one before, begins; of the focused agent, or of any."""
        scene = self.scene
        found = None if scene is None else scene.difference(forward)
        if scene is not None and found is not None:
            begin, focus = found
            self.focus_requested.emit(focus)
            scene.navigation.reveal(begin - scene.overlay.begin)
            self.viewport().update()

    def _zoom(self, factor: float) -> None:
        scene = self.scene
        if scene is None:
            return
        lanes, moments = scene.frame.lanes, scene.moments()
        x = lanes.width() / 2
        if self._pointer is not None and self._pointer.x() >= lanes.left():
            x = self._pointer.x() - lanes.left()
        elif moments is not None and scene.view.contains(moments[0]):
            x = scene.view.pixel(moments[0])
        scene.navigation.zoom(factor, x, monotonic())
        self.viewport().update()

    def _pan(self, share: float) -> None:
        if self.scene is not None:
            self._pan_pixels(share * self.scene.view.width)

    def _pan_pixels(self, pixels: float) -> None:
        if self.scene is not None:
            self.scene.navigation.pan(pixels)
            self.viewport().update()

    def _arrange(self) -> None:
        """Lay out for the present size and font."""
        bar, size = self.verticalScrollBar(), self.viewport().size()
        if self.scene is not None:
            self.scene.resize(size.width(), size.height(), self._fonts)
            page = round(self.scene.frame.lanes.height())
            bar.setRange(0, max(0, round(self.scene.total) - page))
            bar.setPageStep(page)
            bar.setSingleStep(round(self._fonts.em * 2))
            self.scene.scroll = float(bar.value())
        else:
            bar.setRange(0, 0)
        self.updateGeometry()
        self.viewport().update()

    def paint(self, painter: QPainter) -> None:
        scene, box = self.scene, self.viewport().rect()
        if scene is None:
            painter.fillRect(box, brush(self._theme.panel))
            painter.setFont(self._fonts.plain)
            painter.setPen(colour(self._theme.text))
            room = box.adjusted(*(round(self._fonts.em) * sign for sign in (1, 1, -1, -1)))
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._why_not)
            return
        paint_overlay(painter, scene, self._theme)
        if self._pointer is None or self._drag is not None or self._pointer.x() < scene.frame.lanes.left():
            return
        if (row := scene.row_at(self._pointer)) is not None:
            time = scene.time_at(self._pointer.x())
            lines = hover_note(scene.overlay, scene.overlay.lanes[row[0]], time)
            paint_note(painter, self._fonts, self._theme, lines, self._pointer, QRectF(box))

    # Events

    def resizeEvent(self, event) -> None:
        self._arrange()

    def changeEvent(self, event) -> None:
        if event.type() == QEvent.Type.FontChange:
            self._fonts = Fonts(self.font())
            self._arrange()
        super().changeEvent(event)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        if self.scene is not None:
            self.scene.scroll = float(self.verticalScrollBar().value())
        self.viewport().update()

    def wheelEvent(self, event) -> None:
        turn, bar = event.angleDelta(), self.verticalScrollBar()
        notches = (turn.y() or turn.x()) / NOTCH
        self._pointer = event.position()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._zoom(ZOOM_STEP**notches)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier or not turn.y():
            self._pan(-notches * PAN_SHARE / 2)
        else:
            bar.setValue(round(bar.value() - notches * 3 * bar.singleStep()))
        event.accept()

    def mousePressEvent(self, event) -> None:
        at, bar = event.position(), self.verticalScrollBar()
        if self.scene is None:
            return
        if event.button() == Qt.MouseButton.MiddleButton:
            self._drag = PanDrag(at.x(), at.y(), self._pan_pixels, lambda dy: bar.setValue(round(bar.value() + dy)))
        elif event.button() == Qt.MouseButton.LeftButton:
            focus = self.scene.click(at)
            if focus is not None:
                self.focus_requested.emit(focus)

    def mouseMoveEvent(self, event) -> None:
        self._pointer = event.position()
        if self._drag is not None:
            self._drag.move(self._pointer.x(), self._pointer.y(), free=False)
        self.viewport().update()

    def mouseReleaseEvent(self, event) -> None:
        self._drag = None

    def leaveEvent(self, event) -> None:
        self._pointer = None
        self.viewport().update()

    def keyPressEvent(self, event) -> None:
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        act = self._keys.get((Qt.Key(event.key()), modifiers))
        if act is None:
            super().keyPressEvent(event)
        else:
            act()
