"""The timeline as a picture of any size on any QPainter: lanes, names and ruler, and if asked the state at one step.

The same scene and painting as the window's, without the window: PNG, SVG, PDF and GIF are this with different devices.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFont, QGuiApplication, QPainter

from visualizer.diagnosis.explanations.explain import explain
from visualizer.export.errors import ExportError
from visualizer.export.selection import Selection
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.views.look.painting import brush, colour
from visualizer.views.look.theme import Theme
from visualizer.views.timeline.lanes.lane_kinds import kind_of
from visualizer.views.timeline.lanes.lane_rows import LaneRows
from visualizer.views.timeline.lanes.lanes import build_lanes
from visualizer.views.timeline.lanes.lanes_picture import lanes_picture
from visualizer.views.timeline.layers.chrome import paint_background, paint_names, paint_ruler, paint_values
from visualizer.views.timeline.layers.layers_widget import Look
from visualizer.views.timeline.layers.left_out import paint_footer, paint_left_out
from visualizer.views.timeline.layers.overlay_widget import clear_flagged_times, paint_focus
from visualizer.views.timeline.layers.scene import Scene
from visualizer.views.timeline.painting.paint import Fonts, paint_picture
from visualizer.views.timeline.time.scale import View

MOST_LANES = 400
"""More would not fit into an image, nor could anybody read it."""
_FONT_PIXELS = 13  # pixels, not points: an SVG's and a PDF's points are not those of the screen
_CAPTION_LINES = 3
_MARGIN = 0.01  # of the width, left and right of the stretch that is shown


class TimelinePicture:
    """`width` x `height` pixels; `with_step` keeps room for the values and the explanation of a step."""

    def __init__(self, selection: Selection, theme: Theme, width: int, with_step: bool) -> None:
        rows = _rows(selection)
        if len(rows.shown) > MOST_LANES:
            raise ExportError(
                tr(
                    "a picture has room for {most} lanes, and {lanes} are chosen; name some with --lanes, such as"
                    ' --lanes "CTA0.*"',
                    most=MOST_LANES,
                    lanes=len(rows.shown),
                )
            )
        font = QFont(QGuiApplication.font())
        font.setPixelSize(_FONT_PIXELS)
        fonts = Fonts(font)
        self._scene = scene = Scene(selection.history, width, 0, fonts)
        scene.rows_shown = rows
        scene.arrange(width, 0, fonts)  # how high the lanes are by themselves; then exactly that
        scene.arrange(width, scene.layout.total + scene.frame.lanes.top(), fonts)
        if not with_step:
            scene.frame = _without_values(scene)
        self._caption = round(fonts.em * (_CAPTION_LINES + 1)) if with_step else 0
        self.width, self.height = width, round(scene.frame.lanes.bottom()) + self._caption
        self._look = Look(theme, fonts, QSize(self.width, self.height), 1.0)
        end = selection.end
        if selection.last == selection.history.steps - 1:
            end = max(end, scene.store.end)
        across = max(round(scene.frame.lanes.width()), 1)
        ps_per_px = max((end - selection.begin) / (across * (1 - 2 * _MARGIN)), 1e-3)
        scene.navigation.view = View(round(selection.begin - _MARGIN * across * ps_per_px), ps_per_px, across)

    def paint(self, painter: QPainter) -> None:
        """Everything but a step; fills the whole picture."""
        scene, theme, fonts = self._scene, self._look.theme, self._look.fonts
        area, trace = scene.frame.lanes, self._scene.history.trace
        painter.fillRect(QRectF(0, 0, self.width, self.height), brush(theme.panel))
        paint_background(painter, scene.frame, scene.view, trace.duration_ps, theme, fonts)
        begin, end = scene.view.pixel(0), scene.view.pixel(scene.store.end)
        paint_left_out(painter, area, begin, end, trace.meta.window, theme, fonts)
        paint_footer(painter, area, begin, scene.bottom(), trace.meta.window, theme, fonts)
        places = [(lane, scene.top(row) - area.top(), scene.height(row)) for row, lane in enumerate(scene.lanes)]
        painter.save()
        painter.setClipRect(area.adjusted(1, 1, 0, 0))
        painter.translate(area.topLeft())
        paint_picture(painter, lanes_picture(scene.store, places, scene.view, fonts.metrics), theme, fonts)
        painter.restore()
        paint_names(painter, scene, theme, fonts)
        paint_ruler(painter, scene.frame, scene.view, theme, fonts)

    def paint_step(self, painter: QPainter, step: int) -> None:
        """Over that: the cursor at event `step`, its causes, every lane's value, and what happened in words."""
        scene, theme, fonts = self._scene, self._look.theme, self._look.fonts
        scene.focus(Focus(step))
        state = scene.history.state_at(step)
        values = [
            (scene.top(row), scene.height(row), kind_of(lane).value(scene.store, state, lane))
            for row, lane in enumerate(scene.lanes)
        ]
        paint_values(painter, scene.frame.values.left(), values, theme, fonts)
        clear_flagged_times(painter, scene, {}, None, self._look)
        paint_focus(painter, scene, self._look)
        box = QRectF(0, self.height - self._caption, self.width, self._caption)
        painter.fillRect(box, brush(theme.header))
        painter.setPen(colour(theme.text))
        painter.setFont(fonts.plain)
        pad = fonts.em / 2
        flags = int(Qt.TextFlag.TextWordWrap)
        painter.drawText(box.adjusted(pad, pad, -pad, -pad), flags, explain(scene.history, step))


def _rows(selection: Selection) -> LaneRows:
    """The chosen lanes below what heads their warps and rings, or folded into it; what heads CTAs is left out."""
    every = build_lanes(selection.history.trace, selection.history.structure)
    heads = {lane.key for lane in every if lane.kind in ("warps", "ring")}
    rows = LaneRows(every)
    rows.collapse_only(selection.folded)
    rows.show_only(
        frozenset(lane.key for lane in selection.lanes if lane.parent not in selection.folded)
        | frozenset(lane.parent for lane in selection.lanes if lane.parent in heads)
    )
    for key in selection.pinned:
        rows.toggle_pin(key)
    return rows


def _without_values(scene: Scene):
    """The scene's frame with the room of the value column given to the lanes."""
    frame, values = scene.frame, scene.frame.values
    return replace(
        frame,
        ruler=frame.ruler.adjusted(0, 0, values.width(), 0),
        lanes=frame.lanes.adjusted(0, 0, values.width(), 0),
        values=QRectF(values.right(), values.top(), 0, values.height()),
    )
