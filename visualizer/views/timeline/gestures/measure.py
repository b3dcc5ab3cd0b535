"""Measuring on the timeline: the stretch between two events, how long it is, and how many tiles landed in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from visualizer.language import tr, trn
from visualizer.replay.history import History
from visualizer.views.look.painting import brush, colour, pen
from visualizer.views.look.theme import Theme
from visualizer.views.timeline.layers.frame import Frame
from visualizer.views.timeline.painting.paint import Fonts, paint_text
from visualizer.views.timeline.time.scale import View, format_time


@dataclass(frozen=True, slots=True)
class Measurement:
    """A stretch of time (ps), in either direction."""

    begin: int
    end: int

    @property
    def length(self) -> int:
        return abs(self.end - self.begin)


CLICK = 4.0
"""Pixels that a hand moves in a click."""


class MeasureDrag:
    """Left button: marks a stretch of time; its ends snap to events. A click without a drag clears it."""

    def __init__(
        self,
        x: float,
        free: bool,
        time_at: Callable[[float, bool], int],
        show: Callable[[Measurement | None], None],
        least: float = 0.0,
    ) -> None:
        """`least`: pixels that the pointer must go before it is a drag."""
        self._time_at, self._show = time_at, show
        self._x, self._least = x, least
        self._begin = time_at(x, free)
        self._moved = False

    def move(self, x: float, y: float, free: bool) -> None:
        self._moved = self._moved or abs(x - self._x) >= self._least
        if not self._moved:
            return
        self._show(Measurement(self._begin, self._time_at(x, free)))

    def release(self) -> None:
        if not self._moved:
            self._show(None)


class TileCount:
    """How many tiles landed in a stretch: completions of a CTA's full barriers, one for each tile of a ring.

    Of several rings, the one in which most landed: a tile of K and one of V are not two.
    """

    def __init__(self, history: History) -> None:
        trace = history.trace
        steps = history.completion_steps
        barrier = trace.events["barrier"][steps]
        full = np.array([*(kind == "full" for kind in history.structure.kinds), False])[barrier]
        self._times = trace.events["time"][steps[full]]
        self._cta = np.array([*(b.cta for b in trace.barriers), -1])[barrier[full]]
        self._ring = np.append(history.structure.ring_of, -1)[barrier[full]]

    def within(self, measured: Measurement, cta: int) -> int:
        begin, end = sorted((measured.begin, measured.end))
        first, last = np.searchsorted(self._times, (begin, end), side="right")
        ring = self._ring[first:last][self._cta[first:last] == cta]
        return int(np.bincount(ring + 1).max(initial=0))  # those in no ring are counted as one more


def measurement_text(measured: Measurement, tiles: int) -> str:
    """ "Δ 1.25 µs, 5 tiles, 250 ns per tile"; without tiles in it the time alone."""
    length = format_time(measured.length)
    if not tiles:
        return f"Δ {length}"
    count = trn("{n} tile", "{n} tiles", tiles)
    if tiles == 1:
        return tr("Δ {length}, {count}", length=length, count=count)
    each = format_time(round(measured.length / tiles))
    return tr("Δ {length}, {count}, {each} per tile", length=length, count=count, each=each)


def paint_measurement(
    painter: QPainter, frame: Frame, view: View, measured: Measurement, text: str, theme: Theme, fonts: Fonts
) -> None:
    """The stretch over the lanes, with its text at the top of the lanes: the ruler has the cursor's flag."""
    a, b = sorted((view.pixel(measured.begin), view.pixel(measured.end)))
    left, right = frame.lanes.left() + max(a, -2), frame.lanes.left() + min(b, view.width + 2)
    if right < frame.lanes.left() or left > frame.lanes.right():
        return
    painter.fillRect(QRectF(left, frame.lanes.top(), right - left, frame.lanes.height()), brush(theme.accent, 36))
    for x in (left, right):
        painter.fillRect(QRectF(round(x), 0, 1, frame.lanes.bottom()), brush(theme.hover))
    width = fonts.width(text) + 16
    middle = min(max((left + right) / 2, frame.ruler.left() + width / 2), frame.ruler.right() - width / 2)
    box = QRectF(round(middle - width / 2), frame.lanes.top() + 3, round(width), round(fonts.em * 1.3))
    painter.setPen(pen(theme.hover))
    painter.setBrush(brush(theme.raised))
    painter.drawRect(box)
    painter.setPen(colour(theme.text))
    painter.setFont(fonts.bold)
    paint_text(painter, fonts, text, box.x() + 8, box.y(), box.height())
