"""The timeline: every lane over time. The widget owns the layers; what it shows is in the Scene.

The lanes are painted once into a pixmap and kept until the view, scroll, size, font or theme changes; cursor, arrows,
hover and values are painted over it. So moving the focus or the pointer never repaints the lanes.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QPainter
from PySide6.QtWidgets import QFrame

from visualizer.diagnosis.report import Report
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.views.look.painted_widget import Painted
from visualizer.views.look.theme import Theme, load_theme
from visualizer.views.timeline.commands_widget import TimelineCommands
from visualizer.views.timeline.gestures.lane_filter_widget import LaneFilter
from visualizer.views.timeline.gestures.measuring_widget import Measuring
from visualizer.views.timeline.gestures.mouse_widget import TimelineMouse
from visualizer.views.timeline.layers.chips_widget import beyond_chip, building_chip, folded_chip, paint_chip
from visualizer.views.timeline.layers.fresh_lanes_widget import FreshLanes
from visualizer.views.timeline.layers.layers_widget import Look, ValuesLayer
from visualizer.views.timeline.layers.lecture_widget import Lecture
from visualizer.views.timeline.layers.marks import Marks, paint_marks
from visualizer.views.timeline.layers.overlay_widget import (
    clear_flagged_times,
    paint_divergence_at,
    paint_focus,
    paint_hover,
    paint_nothing,
    paint_open_edges,
    paint_steps,
)
from visualizer.views.timeline.layers.scene import Scene
from visualizer.views.timeline.painting.paint import Fonts
from visualizer.views.timeline.time.overview_widget import OverviewStrip
from visualizer.views.words.findings import first_divergence

_LEAST_LINES = 6.5
"""Line heights of the ruler and three lanes."""
_LEAST_PIXELS = 240
"""It asks for no more, or the largest text would push the window off a screen."""
_STEPPING = 64  # moves of so few events are steps, which do not scroll from CTA to CTA


class TimelineWidget(Painted, TimelineCommands):
    """Pane that shows all lanes of a recording; emits `focus_requested(Focus)` on a click."""

    focus_requested = Signal(object)
    menu_requested = Signal(object, QPoint)
    """Where (None: at the focus) somebody asks what can be done, and the place on the screen."""

    def __init__(self, parent=None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Timeline"))
        self.setAccessibleDescription(tr("All lanes over time; the event table has the same as text"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._theme: Theme = load_theme("dark")
        self._fonts = Fonts(self.font())
        self._scene: Scene | None = None
        self.measuring = Measuring(self)
        self.measuring.changed.connect(self.measured_changed)
        self.measuring.changed.connect(lambda measured: self.viewport().update())
        self.marks: dict[str, Marks] = {}
        self.mouse = TimelineMouse(self.viewport(), lambda: self._scene)
        self._lanes = FreshLanes(self)
        self._lanes.coarse.connect(self.viewport().update)
        self._lanes.built.connect(self._repaint_lanes)
        self._values = ValuesLayer()
        self._divergence: int | None = None
        self._told = None
        self.lecture = Lecture()
        self.overview = OverviewStrip(self)
        self.overview.centre_requested.connect(self.centre_time)
        self.filter = LaneFilter(self)
        self.filter.text_changed.connect(self.set_lane_filter)
        self._place_overview()
        self._connect_mouse()

    def _connect_mouse(self) -> None:
        bar = self.verticalScrollBar()
        self.mouse.moved.connect(self.viewport().update)
        self.mouse.zoomed.connect(self._zoom)
        self.mouse.panned.connect(self._pan_pixels)
        self.mouse.scrolled.connect(lambda pixels: bar.setValue(round(bar.value() + pixels)))
        self.mouse.scrolled_rows.connect(lambda rows: bar.setValue(round(bar.value() + rows * bar.singleStep())))
        self.mouse.measured.connect(self.measuring.show)
        self.mouse.clicked.connect(self._click)
        self.mouse.double_clicked.connect(self.zoom_to_slice)

    # The Pane protocol

    def set_report(self, report: Report | None) -> None:
        """What to mark in the recording whose `set_history` follows."""
        self._divergence = first_divergence(report) if report is not None else None

    def set_history(self, history: History | None) -> None:
        if history is not None and self._scene is not None and self._scene.history is history:
            self.read()
        else:
            self.show_lanes(history, answers=True)

    def show_lanes(self, history: History | None, answers: bool) -> None:
        """Show a recording; without `answers` only its lanes, for `history` is still being built. See `read`."""
        size = self.viewport().size()
        shown = history is not None and history.steps > 0
        self._lanes.stop()
        self._scene = Scene(history, size.width(), size.height(), self._fonts, answers) if shown else None
        self.mouse.forget_gesture()
        self.lecture.veiled_after = None
        self.marks = {}
        self.measuring.begin_anew()
        self.filter.clear_quietly()
        self.overview.set_trace(history.trace if shown else None, self._scene.store.end if self._scene else 1)
        self.verticalScrollBar().setValue(0)
        self._arrange()
        self.lanes_changed.emit()

    def read(self) -> None:
        """The history shown is built now: state, causes and values can be asked for."""
        if self._scene is not None and not self._scene.answers:
            self._scene.answers = True
            if self._scene.focused is not None:
                self._scene.focus(self._scene.focused.focus)
        self.viewport().update()

    def set_focus(self, focus: Focus) -> None:
        scene = self._scene
        if scene is None or (scene.focused is not None and focus == scene.focused.focus):
            return
        before, was = scene.view, scene.focused
        self.mouse.forget_hover()  # what it says would lie over the lanes that are stepped through
        scene.focus(focus)
        scene.navigation.reveal(scene.focused.time)
        if was is None:
            self._show_rows(lambda rows: rows.unfold_cta(scene.focused.home))
        stepped = was is not None and abs(focus.step - was.focus.step) <= _STEPPING
        if not stepped or (focus.lane is not None) or not scene.rows_shown.ctas:
            self.verticalScrollBar().setValue(round(scene.scroll_to_focus()))
        if scene.view != before:
            self._move()
        self.measuring.follow(scene.focused.time)
        # At once, before the other panes show the same focus: this is what the eye follows.
        self.viewport().repaint()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.overview.set_theme(theme)
        self._repaint_lanes()

    # Layers

    def _arrange(self) -> None:
        """Lay out for the present size and font."""
        if self._scene is not None:
            size, bar = self.viewport().size(), self.verticalScrollBar()
            for lanes in self.lecture.lanes_to_try(self._scene.rows_shown.lanes):
                self._scene.rows_shown.show_only(lanes)
                self._scene.arrange(size.width(), size.height(), self._fonts)
                if self._scene.layout.total <= self._scene.frame.lanes.height():
                    break
            page = int(self._scene.frame.lanes.height())
            bar.setRange(0, max(0, round(self._scene.layout.total) - page))
            bar.setPageStep(page)
            bar.setSingleStep(round(self._fonts.em * 2))
            self._scene.scroll = float(bar.value())
            self.filter.place(self._scene.frame)
        self.overview.set_view(self.view)
        self._lanes.resume()
        self._repaint_lanes()

    def _repaint_lanes(self) -> None:
        self._lanes.layer.forget()
        self._values.forget()
        self.viewport().update()

    def _move(self) -> None:
        """The view has changed, and may go on changing."""
        self._lanes.move()
        self.overview.set_view(self.view)
        self.viewport().update()

    def _look(self) -> Look:
        return Look(self._theme, self._fonts, self.viewport().size(), self.devicePixelRatioF())

    def paint(self, painter: QPainter) -> None:
        scene, look = self._scene, self._look()
        if scene is None:
            paint_nothing(painter, QRectF(self.viewport().rect()), look)
            return
        if scene.view != self._told:
            self._told = scene.view
            self.view_changed.emit()
        painter.drawPixmap(0, 0, self._lanes.picture(scene, look))
        paint_open_edges(painter, scene, look)
        clear_flagged_times(painter, scene, self.marks, self._divergence, look)
        paint_marks(painter, scene.history.trace, scene.frame, scene.view, self.marks, self._theme, self._fonts)
        paint_steps(painter, scene, look)
        if scene.focused is not None:
            self._paint_values(painter, scene, look)
            paint_focus(painter, scene, look)
        self.measuring.paint(painter, scene, self._theme, self._fonts)
        if self._divergence is not None:
            paint_divergence_at(painter, scene, self._divergence, look)
        self.lecture.paint(painter, scene, self._theme)
        for chip in (beyond_chip(scene, look), folded_chip(scene, look)):
            if chip is not None:
                paint_chip(painter, chip, look)
        if self._lanes.waiting:
            paint_chip(painter, building_chip(scene, look, self._lanes.waiting), look)
        if (hovered := self.mouse.hovered) is not None:
            paint_hover(painter, scene, hovered, QRectF(self.viewport().rect()), look)

    def _paint_values(self, painter: QPainter, scene: Scene, look: Look) -> None:
        state, area = scene.focused.state, scene.frame.values
        if state is None or not area.width():
            return
        painter.drawPixmap(area.topLeft(), self._values.picture(scene, state, look))

    # Events

    def resizeEvent(self, event) -> None:
        self._place_overview()
        self._arrange()

    def minimumSizeHint(self) -> QSize:
        """Room for the ruler, a few lanes and the overview, whatever else is open."""
        overview = 0 if self.overview.isHidden() else self.overview.wanted_height()
        wanted = round(_LEAST_LINES * self._fonts.em) + overview
        return QSize(super().minimumSizeHint().width(), min(wanted, _LEAST_PIXELS))

    def _place_overview(self) -> None:
        """At the bottom, below the viewport."""
        height = 0 if self.overview.isHidden() else self.overview.wanted_height()
        self.setViewportMargins(0, 0, 0, height)
        self.overview.setGeometry(0, self.height() - height, self.width(), height)

    def changeEvent(self, event) -> None:
        if event.type() == QEvent.Type.FontChange:
            self._fonts = Fonts(self.font())
            self._place_overview()
            self._arrange()
            self.updateGeometry()
        super().changeEvent(event)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        if self._scene is not None:
            self._scene.scroll = float(self.verticalScrollBar().value())
        self._values.forget()
        self._move()

    def contextMenuEvent(self, event) -> None:
        """Of the pointer's place; asked for by a key, of the focus."""
        if self._scene is None:
            return
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        focus = None if by_key else self._scene.click(QPointF(event.pos()))
        self.menu_requested.emit(focus, event.globalPos())

    def _click(self, at: QPointF) -> None:
        """The chips go to the focused event's lane and show what is folded, the name of a lane that heads others folds
        them, all else moves the focus."""
        scene = self._scene
        chip = beyond_chip(scene, self._look())
        folded = folded_chip(scene, self._look())
        row = scene.row_at(at.y())
        if chip is not None and chip.box.contains(at):
            self.verticalScrollBar().setValue(round(scene.scroll_to(scene.focused.home)))
        elif folded is not None and folded.box.contains(at):
            self.fit_all()
        elif row is not None and scene.lanes[row].folds and scene.frame.names.contains(at):
            self._show_rows(lambda rows: rows.toggle(scene.lanes[row].key))
        else:
            focus = scene.click(at)
            if focus is not None:
                self.focus_requested.emit(focus)

    def hideEvent(self, event) -> None:
        self._lanes.stop()
        super().hideEvent(event)

    def leaveEvent(self, event) -> None:
        self.mouse.leave()

    def keyPressEvent(self, event) -> None:
        if event.key() == Qt.Key.Key_Escape and self.measured is not None:
            self.measuring.clear()
        else:
            super().keyPressEvent(event)
