"""The timeline's two cached layers: lanes (with names and ruler) and values. What the focus moves is painted over them.

While the view moves, a picture that takes long is made from the last one: panned, with the new columns as a raster, or
as a raster altogether. The first picture that rests has everything again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import compress
from time import perf_counter
from typing import NamedTuple

from PySide6.QtCore import QRect, QRectF, QSize
from PySide6.QtGui import QPainter, QPixmap

from visualizer.replay.state import State
from visualizer.views.look.painting import brush, colour, device_pixmap, painter_on
from visualizer.views.look.theme import Theme
from visualizer.views.timeline.lanes.lane_kinds import kind_of
from visualizer.views.timeline.lanes.lanes import Lane
from visualizer.views.timeline.lanes.lanes_picture import lanes_picture
from visualizer.views.timeline.lanes.raster import raster_picture
from visualizer.views.timeline.lanes.text import Value
from visualizer.views.timeline.layers.chrome import paint_background, paint_names, paint_ruler, paint_values
from visualizer.views.timeline.layers.left_out import paint_footer, paint_left_out
from visualizer.views.timeline.layers.scene import Scene
from visualizer.views.timeline.painting.paint import Fonts, paint_picture, paint_text
from visualizer.views.timeline.time.scale import View

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
        self._scroll = 0.0
        self._coarse = False
        self._cost_ms = 0.0

    def forget(self) -> None:
        """Something other than the view has changed."""
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
        whole = Band(0, scene.view.width - 1, scene.frame.lanes.top(), scene.frame.lanes.bottom())
        same = self._pixmap is not None and self._scroll == scene.scroll
        if same and self._view == scene.view and (moving or not self._coarse):
            assert self._pixmap is not None
            return self._pixmap
        coarse = moving and self._cost_ms > _SLOW_MS
        if moving and self._shift_up(scene, look, ready):
            pass
        elif coarse:
            if not (same and self._shift_left(scene, look, ready)):
                self._paint(scene, look, ready, whole, names=not same, coarse=True)
        else:
            begin = perf_counter()
            self._paint(scene, look, ready, whole, names=not same, coarse=False)
            self._cost_ms = 1e3 * (perf_counter() - begin)
        assert self._pixmap is not None
        return self._pixmap

    def _paint(self, scene: Scene, look: Look, ready: Ready, band: Band, names: bool, coarse: bool) -> None:
        """Paint a part of the picture; `names` only where they have changed."""
        if self._pixmap is None:
            self._pixmap = device_pixmap(look.size, look.ratio)
        with painter_on(self._pixmap) as painter:
            _paint_band(painter, scene, scene.view, look, ready, coarse, band)
            if names:
                painter.setClipRect(QRectF(0, band.top, scene.frame.lanes.left(), band.bottom - band.top))
                paint_names(painter, scene, look.theme, look.fonts)
                painter.setClipping(False)
            paint_ruler(painter, scene.frame, scene.view, look.theme, look.fonts)
        self._view, self._scroll, self._coarse = scene.view, scene.scroll, coarse

    def _shift_left(self, scene: Scene, look: Look, ready: Ready) -> bool:
        """Pan the old picture and paint the columns that come into view; False where that is not possible."""
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
        with painter_on(self._pixmap) as painter:
            _paint_band(painter, scene, view, look, ready, True, Band(first, last, lanes.top(), lanes.bottom() + 1))
            paint_ruler(painter, scene.frame, view, look.theme, look.fonts)
        self._view, self._coarse = new, True
        return True

    def _shift_up(self, scene: Scene, look: Look, ready: Ready) -> bool:
        """Scroll the old picture and paint the rows that come into view; False where that is not possible."""
        if self._pixmap is None or self._view != scene.view or look.ratio != 1.0:
            return False
        if scene.history.trace.meta.window:  # the words beside the first and the last tile do not scroll
            return False
        shift = round(scene.scroll - self._scroll)
        top = round(scene.frame.lanes.top() + scene.layout.pinned_edge) + 2
        bottom = round(scene.frame.lanes.bottom())
        if not 0 < abs(shift) < (bottom - top) * _MOST_SHIFT:
            return False
        self._pixmap.scroll(0, -shift, QRect(0, top, round(scene.frame.lanes.right()), bottom - top))
        band = Band(0, scene.view.width - 1, *((bottom - shift, bottom) if shift > 0 else (top, top - shift)))
        self._paint(scene, look, ready, band, names=True, coarse=self._coarse)
        return True


class Band(NamedTuple):
    """A part of the lanes: the pixel columns first..last, from `top` to `bottom` in the viewport."""

    first: int
    last: int
    top: float
    bottom: float


def _paint_band(
    painter: QPainter, scene: Scene, view: View, look: Look, ready: Ready, coarse: bool, band: Band
) -> None:
    """All lanes in view, as far as they lie in the band; lanes that are not built yet say so."""
    lanes, shown, theme, fonts = scene.frame.lanes, scene.lanes, look.theme, look.fonts
    whole = band.first == 0 and band.last == view.width - 1
    painter.save()
    left = 0.0 if whole else lanes.left() + max(band.first, 1)
    right = float(look.size.width()) if whole else lanes.left() + band.last + 1
    top = 0.0 if band.top <= lanes.top() else band.top
    clip = QRectF(left, top, right - left, band.bottom - top)
    painter.setClipRect(clip)
    trace = scene.history.trace
    paint_background(painter, scene.frame, view, trace.duration_ps, theme, fonts)
    begin, end = view.pixel(0), view.pixel(scene.store.end)
    paint_left_out(painter, lanes, begin, end, trace.meta.window, theme, fonts)
    paint_footer(painter, lanes, begin, scene.bottom(), trace.meta.window, theme, fonts)
    for rows, area in scene.row_groups():
        places = [(shown[row], scene.top(row), scene.height(row)) for row in rows]
        places = [one for one in places if one[1] < band.bottom and one[1] + one[2] > band.top]
        there = [ready(lane) for lane, _, _ in places]
        built = [(lane, top - lanes.top(), height) for lane, top, height in compress(places, there)]
        painter.setClipRect(area.adjusted(1, 1, 0, 0).intersected(clip))
        painter.save()
        painter.translate(lanes.topLeft())
        if not coarse:
            picture = lanes_picture(scene.store, built, view, fonts.metrics)
        else:
            picture = raster_picture(scene.store, built, view, band.first, band.last)
        paint_picture(painter, picture, theme, fonts)
        painter.restore()
        painter.setFont(fonts.plain)
        painter.setPen(colour(theme.text_muted))
        for (_, top, height), drawn in zip(places, there, strict=True):
            if not drawn:
                paint_text(painter, fonts, "…", lanes.left() + fonts.em, top, height)
    if scene.layout.pinned_edge:
        painter.setClipRect(clip)
        y = round(lanes.top() + scene.layout.pinned_edge)
        painter.fillRect(QRectF(lanes.left(), y, lanes.width(), fonts.line), brush(theme.border))
    painter.restore()


class ValuesLayer:
    """The value column; a step repaints only the values that change."""

    def __init__(self) -> None:
        self._pixmap: QPixmap | None = None
        self._step = -1
        self._shown: dict[int, Value] = {}

    def forget(self) -> None:
        """Rows, their places, or the look have changed."""
        self._pixmap = None

    def picture(self, scene: Scene, state: State, look: Look) -> QPixmap:
        """The column, as large as the frame's, with the value of each lane in view that is built."""
        area = scene.frame.values
        anew = self._pixmap is None
        if anew:
            self._pixmap = device_pixmap(area.size().toSize(), look.ratio)
            self._pixmap.fill(colour(look.theme.panel_alternate))
        elif state.step == self._step:
            return self._pixmap
        lanes, store = scene.lanes, scene.store
        values = {
            row: kind_of(lanes[row]).value(store, state, lanes[row]) for row in scene.rows() if store.has(lanes[row])
        }
        shown = {} if anew else self._shown
        changed = [
            (scene.top(row), scene.height(row), value) for row, value in values.items() if shown.get(row) != value
        ]
        with painter_on(self._pixmap) as painter:
            painter.translate(-area.topLeft())
            for top, height, _ in changed:
                painter.fillRect(QRectF(area.left(), top, area.width(), height), brush(look.theme.panel_alternate))
            paint_values(painter, area.left(), changed, look.theme, look.fonts)
        self._shown, self._step = values, state.step
        return self._pixmap
