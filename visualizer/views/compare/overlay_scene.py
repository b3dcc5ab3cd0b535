"""What an overlay shows in a viewport: where its parts stand, the view, and which event a click means. No widget.

Times are a's, in ps; they are negative where b, moved, begins before a.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF

from visualizer.diagnosis.comparison.compare import Comparison
from visualizer.diagnosis.comparison.compare_overlay import Overlay, anchor_word
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import lane_steps
from visualizer.replay.history import History
from visualizer.views.compare.overlay_model import OverlayPicture, next_difference, place_flags
from visualizer.views.timeline.layers.frame import Frame
from visualizer.views.timeline.painting.paint import Fonts
from visualizer.views.timeline.shapes.picture import Picture
from visualizer.views.timeline.time.navigation import Navigation
from visualizer.views.timeline.time.scale import View

PAD = 8.0
_FLAGS = 1.7  # height of the row of flags above the ruler, in line heights
_RULER = 1.9


class Flag(NamedTuple):
    """A word above the ruler for a moment: `role` is the plain colour it is filled with."""

    text: str
    role: str
    box: QRectF
    at: float  # pixel of the moment in the viewport


class OverlayScene:
    """One overlay in a viewport of this size."""

    def __init__(self, comparison: Comparison, overlay: Overlay, fonts: Fonts, width: float, height: float) -> None:
        self.comparison, self.overlay, self.fonts = comparison, overlay, fonts
        self.model = OverlayPicture(overlay)
        self.scroll = 0.0
        self.focus: Focus | None = None
        self.frame = self._framed(width, height)
        self.navigation = Navigation(max(overlay.end - overlay.begin, 1), round(self.frame.lanes.width()))
        self._drawn: tuple[View, Picture] | None = None
        self._visited: tuple[int, Focus] | None = None

    @property
    def view(self) -> View:
        """On a's axis; the navigation's begins where the earlier recording does."""
        view = self.navigation.view
        return replace(view, start=view.start + self.overlay.begin)

    @property
    def top(self) -> float:
        """Height of the row of flags, above everything in the frame."""
        return round(self.fonts.em * _FLAGS)

    @property
    def wanted_height(self) -> int:
        """Pixels in which every lane can be seen."""
        return round(self.top + self.frame.lanes.top() + self.total)

    @property
    def total(self) -> float:
        """Height of all lanes."""
        return len(self.overlay.lanes) * self.model.lane_height(self.fonts.metrics)

    def resize(self, width: float, height: float, fonts: Fonts) -> None:
        self.fonts = fonts
        self.frame = self._framed(width, height)
        self.navigation.resize(round(self.frame.lanes.width()))
        self._drawn = None

    def picture(self) -> Picture:
        """All lanes at the present view, drawn once for it."""
        if self._drawn is None or self._drawn[0] != self.view:
            self._drawn = self.view, self.model.draw(self.view, self.fonts.metrics)
        return self._drawn[1]

    def moments(self) -> tuple[int, int] | None:
        """When the focused event of a and the like event of b are, both on the axis; None: nothing is focused."""
        if self.focus is None or not self.comparison.b.steps:
            return None
        a, b = self.comparison.a.trace.events["time"], self.comparison.b.trace.events["time"]
        return int(a[self.focus.step]), int(b[self.comparison.in_b(self.focus.step)]) + self.overlay.shift

    def focused_lane(self) -> int | None:
        """The lane of the agent in focus."""
        names = [lane.name for lane in self.overlay.lanes]
        lane = None if self.focus is None else self.focus.lane
        if lane not in names and self.focus is not None:
            trace = self.comparison.a.trace
            lane = trace.agents[int(trace.events["agent"][self.focus.step])].name
        return names.index(lane) if lane in names else None

    def flags(self) -> list[Flag]:
        """Of the moment of alignment and of the focus in both, as far as they are in view, none upon another."""
        marks = [(anchor_word(self.overlay.anchor), "text", self.overlay.at)]
        moments = self.moments()
        if moments is not None:
            both = moments[0] == moments[1]
            marks += [(tr("a and b"), "accent", moments[0])] if both else []
            marks += [] if both else [("a", "accent", moments[0]), ("b", "accent", moments[1])]
        view, left, height = self.view, self.frame.lanes.left(), round(self.fonts.em * 1.3)
        seen = [mark for mark in marks if view.contains(mark[2])]
        middles = [left + view.pixel(time) for _, _, time in seen]
        widths = [round(self.fonts.width(text) + 2 * PAD) for text, _, _ in seen]
        begins = place_flags(middles, widths, left, self.frame.lanes.right())
        return [
            Flag(text, role, QRectF(round(begin), round((self.top - height) / 2), width, height), at)
            for (text, role, _), begin, width, at in zip(seen, begins, widths, middles, strict=True)
        ]

    def lane_y(self, y: float) -> float:
        """From the viewport to the picture, whose y 0 is the top of the first lane."""
        return y - self.top - self.frame.lanes.top() + self.scroll

    def row_at(self, at: QPointF) -> tuple[int, bool] | None:
        """The lane under a point of the viewport, and whether it is b's row."""
        if at.y() < self.top + self.frame.lanes.top():
            return None
        return self.model.row_at(self.lane_y(at.y()), self.fonts.metrics)

    def time_at(self, x: float) -> int:
        return self.view.time(x - self.frame.lanes.left())

    def click(self, at: QPointF) -> Focus | None:
        """What a click asks for, in steps of a: the row's nearest event; on a name the lane at the present step."""
        row = self.row_at(at)
        if row is None:
            return None
        lane, in_b = row
        name = self.overlay.lanes[lane].name
        if at.x() < self.frame.lanes.left():
            return None if self.focus is None else Focus(self.focus.step, name)
        return self._nearest(name, in_b, self.time_at(at.x()))

    def difference(self, forward: bool) -> tuple[int, Focus] | None:
        """The next (or previous) stretch that differs, of the focused agent or else of any: its begin, a's event."""
        lane = self.focused_lane()
        lanes = range(len(self.overlay.lanes)) if lane is None else (lane,)
        found = next_difference(self.overlay, lanes, self._from(), forward)
        while found is not None:
            number, begin = found
            in_b = begin not in self.overlay.lanes[number].a.start
            focus = self._nearest(self.overlay.lanes[number].name, in_b, begin)
            if focus is not None and focus != self.focus:
                self._visited = begin, focus
                return self._visited
            found = next_difference(self.overlay, lanes, begin, forward)
        return None

    def _from(self) -> int:
        """Where the next difference is looked for: from the last one, whose event in a may lie far from it."""
        if self._visited is not None and self._visited[1] == self.focus:
            return self._visited[0]
        moments = self.moments()
        return self.overlay.begin - 1 if moments is None else moments[0]

    def _nearest(self, agent: str, in_b: bool, time: int) -> Focus | None:
        comparison = self.comparison
        step = _nearest_step(comparison.b if in_b else comparison.a, agent, time - self.overlay.shift * in_b)
        return None if step is None else Focus(comparison.in_a(step) if in_b else step, agent)

    def _framed(self, width: float, height: float) -> Frame:
        """Names | lanes under the ruler, all below the row of flags."""
        em = self.fonts.em
        longest = max((self.fonts.width(lane.name) for lane in self.overlay.lanes), default=0.0)
        names = round(min(longest + em + 3 * PAD, width * 0.4))
        ruler = round(em * _RULER)
        below = max(height - self.top - ruler, 0.0)
        across = max(width - names, 1.0)
        return Frame(
            QRectF(0, ruler, names, below),
            QRectF(names, 0, across, ruler),
            QRectF(names, ruler, across, below),
            QRectF(width, ruler, 0, below),
        )


def _nearest_step(history: History, agent: str, time: int) -> int | None:
    """The agent's event nearest to `time` (ps); of several at one time the last, which holds their outcome."""
    found = lane_steps(history, agent)
    steps = np.empty(0, np.int64) if found is None else found.steps()
    if not len(steps):
        return None
    times = history.trace.events["time"][steps].astype(np.int64)
    nearest = times[int(np.abs(times - time).argmin())]
    return int(steps[int(times.searchsorted(nearest, side="right")) - 1])
