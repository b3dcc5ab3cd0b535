"""The timeline's two cached layers: lanes (with names and ruler) and values. What the focus moves is painted over them.

While the view moves, a picture that takes long is made from the last one: panned, with the new columns as a raster, or
as a raster altogether. The first picture that rests has everything again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

from PySide6.QtCore import QRect, QRectF, QSize
from PySide6.QtGui import QPainter, QPixmap

from visualizer.replay.state import State
from visualizer.views.lanes import Lane
from visualizer.views.painting import brush, colour
from visualizer.views.theme import Theme
from visualizer.views.timeline_chrome import paint_background, paint_names, paint_ruler, paint_value
from visualizer.views.timeline_paint import Fonts, paint_picture, paint_text
from visualizer.views.timeline_picture import lanes_picture
from visualizer.views.timeline_raster import raster_picture
from visualizer.views.timeline_scale import View
from visualizer.views.timeline_scene import Scene
from visualizer.views.timeline_text import Value, lane_value

_SLOW_MS = 9.0
"""A picture that took longer is replaced by a raster while the view moves."""
_MOST_SHIFT = 0.8  # of the width: beyond it nothing is saved

Ready = Callable[[Lane], bool]


@dataclass(frozen=True)
class Look:
    """How and how large to paint."""

    theme: Theme
    fonts: Fonts
    size: QSize  # of the viewport, in device-independent pixels
    ratio: float  # device pixels in one of them


class LanesLayer:
    """Everything that does not depend on the focus, as one pixmap."""

    def __init__(self) -> None:
        self._pixmap: QPixmap | None = None
        self._view: View | None = None
        self._coarse = False
        self._cost_ms = 0.0

    def forget(self) -> None:
        """Something other than the view's time has changed."""
        self._pixmap = None

    @property
    def pixmap(self) -> QPixmap | None:
        """The picture as last painted; None if it is to be painted anew."""
        return self._pixmap

    @property
    def coarse(self) -> bool:
        """Whether the picture lacks what only a resting view shows."""
        return self._coarse

    def picture(self, scene: Scene, look: Look, ready: Ready, moving: bool) -> QPixmap:
        """The layer for the scene's view; `moving` while more views are to be expected at once."""
        if self._pixmap is not None and self._view == scene.view and (moving or not self._coarse):
            return self._pixmap
        if moving and self._cost_ms > _SLOW_MS:
            if not self._pan(scene, look, ready):
                self._paint(scene, look, ready, coarse=True)
        else:
            begin = perf_counter()
            self._paint(scene, look, ready, coarse=False)
            self._cost_ms = 1e3 * (perf_counter() - begin)
        assert self._pixmap is not None
        return self._pixmap

    def _paint(self, scene: Scene, look: Look, ready: Ready, coarse: bool) -> None:
        if self._pixmap is None or self._pixmap.size() != look.size * look.ratio:
            self._pixmap = QPixmap(look.size * look.ratio)
            self._pixmap.setDevicePixelRatio(look.ratio)
        self._view, self._coarse = scene.view, coarse
        painter = QPainter(self._pixmap)
        _paint_columns(painter, scene, scene.view, look, ready, coarse, 0, scene.view.width - 1)
        paint_names(painter, scene, look.theme, look.fonts)
        paint_ruler(painter, scene.frame, scene.view, look.theme, look.fonts)
        painter.end()

    def _pan(self, scene: Scene, look: Look, ready: Ready) -> bool:
        """Shift the old picture and paint the columns that come into view; False where that is not possible."""
        old, new = self._view, scene.view
        if self._pixmap is None or old is None or look.ratio != 1.0:
            return False
        if (old.ps_per_px, old.width) != (new.ps_per_px, new.width):
            return False
        shift = round((new.start - old.start) / new.ps_per_px)
        if not 0 < abs(shift) < new.width * _MOST_SHIFT:
            return False
        # Whole columns only, so that what was painted stays where it belongs.
        view = replace(new, start=old.start + round(shift * new.ps_per_px))
        lanes = scene.frame.lanes.toRect()
        self._pixmap.scroll(-shift, 0, QRect(lanes.left() + 1, lanes.top() + 1, new.width - 1, lanes.height()))
        first, last = (new.width - shift, new.width - 1) if shift > 0 else (0, -shift)
        painter = QPainter(self._pixmap)
        _paint_columns(painter, scene, view, look, ready, True, first, last)
        paint_ruler(painter, scene.frame, view, look.theme, look.fonts)
        painter.end()
        self._view, self._coarse = new, True
        return True


def _paint_columns(
    painter: QPainter, scene: Scene, view: View, look: Look, ready: Ready, coarse: bool, first: int, last: int
) -> None:
    """The pixel columns first..last of all lanes in view; lanes that are not built yet say so."""
    frame, theme, fonts = scene.frame, look.theme, look.fonts
    lanes = frame.lanes
    painter.save()
    if first > 0 or last < view.width - 1:
        painter.setClipRect(QRectF(lanes.left() + max(first, 1), 0, last + 1 - first, lanes.bottom()))
    paint_background(painter, frame, view, scene.history.trace.duration_ps, theme, fonts)
    for rows, area in scene.row_groups():
        places = [
            (scene.lanes[row], scene.top(row) - lanes.top(), scene.height(row))
            for row in rows
            if ready(scene.lanes[row])
        ]
        clip = area.adjusted(1, 1, 0, 0)
        if first > 0 or last < view.width - 1:
            clip = clip.intersected(QRectF(lanes.left() + first, 0, last + 1 - first, lanes.bottom()))
        painter.setClipRect(clip)
        painter.translate(lanes.topLeft())
        if coarse:
            picture = raster_picture(scene.store, places, view, first, last)
        else:
            picture = lanes_picture(scene.store, places, view, fonts.metrics)
        paint_picture(painter, picture, theme, fonts)
        painter.translate(-lanes.topLeft())
        painter.setFont(fonts.plain)
        painter.setPen(colour(theme.text_muted))
        for row in rows:
            if not ready(scene.lanes[row]):
                paint_text(painter, fonts, "…", lanes.left() + fonts.em, scene.top(row), scene.height(row))
    painter.restore()


class ValuesLayer:
    """The value column; a step repaints only the values that change."""

    def __init__(self) -> None:
        self._pixmap: QPixmap | None = None
        self._step = -1
        self._shown: list[tuple[int, Value]] = []

    def forget(self) -> None:
        """Rows, their places, or the look have changed."""
        self._pixmap = None

    def picture(self, scene: Scene, state: State, look: Look) -> QPixmap:
        """The column, as large as the frame's, with the value of each lane in view that is built."""
        area = scene.frame.values
        anew = self._pixmap is None
        if anew:
            self._pixmap = QPixmap(area.size().toSize() * look.ratio)
            self._pixmap.setDevicePixelRatio(look.ratio)
            self._pixmap.fill(colour(look.theme.panel_alternate))
        elif state.step == self._step:
            return self._pixmap
        values = [
            (row, lane_value(scene.store, state, scene.lanes[row]))
            for row in scene.rows()
            if scene.store.has(scene.lanes[row])
        ]
        shown = dict(self._shown) if not anew else {}
        painter = QPainter(self._pixmap)
        painter.translate(-area.topLeft())
        for row, value in values:
            if shown.get(row) != value:
                top, height = scene.top(row), scene.height(row)
                painter.fillRect(QRectF(area.left(), top, area.width(), height), brush(look.theme.panel_alternate))
                paint_value(painter, area.left(), top, height, value, look.theme, look.fonts)
        painter.end()
        self._shown, self._step = values, state.step
        return self._pixmap
