"""What the timeline shows now: recording, view, scroll, focus, and where everything stands. The widget paints it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

import numpy as np
from PySide6.QtCore import QPointF

from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import home_lane
from visualizer.replay.causality import Causality
from visualizer.replay.history import History, State
from visualizer.views.arrows_model import Arrow, Cause, causes, place
from visualizer.views.lanes import Lane
from visualizer.views.timeline_chrome import Frame, make_frame
from visualizer.views.timeline_lanes import LaneStore
from visualizer.views.timeline_layout import LaneLayout, lay_out
from visualizer.views.timeline_left_out import FOOTER, footer_text
from visualizer.views.timeline_navigation import Navigation
from visualizer.views.timeline_paint import Fonts
from visualizer.views.timeline_scale import View

SNAP = 8.0
"""Pixels within which the hover cursor snaps to an event. Measurements snap however far the nearest is."""


@dataclass(frozen=True, eq=False)
class FocusedEvent:
    """The focus and what follows from it: its time (ps), the state after it, its lane and its causes."""

    focus: Focus
    time: int
    state: State
    home: str  # key of the lane where the event happened
    causes: list[Cause]


class Scene:
    """One recording on the timeline. y is in pixels of the viewport; `scroll` is what lies above the first pixel."""

    def __init__(self, history: History, width: float, height: float, fonts: Fonts) -> None:
        self.history = history
        self.store = LaneStore(history)
        self.focused: FocusedEvent | None = None
        self.scroll = 0.0
        self._causality = Causality(history)
        self.frame: Frame
        self.layout: LaneLayout
        self.navigation = Navigation(self.store.end, 1)
        self.arrange(width, height, fonts)

    @property
    def view(self) -> View:
        return self.navigation.view

    @property
    def lanes(self) -> list[Lane]:
        return self.store.lanes

    def arrange(self, width: float, height: float, fonts: Fonts) -> None:
        """Lay out columns and lanes for a viewport of this size."""
        self.frame = make_frame(width, height, fonts, self.lanes)
        footer = fonts.em * FOOTER if footer_text(self.history.trace.meta.window) else 0.0
        layout = lay_out(self.lanes, fonts.em, self.frame.lanes.height() - footer, self.history.trace.stages)
        self.layout = replace(layout, total=layout.total + footer)
        self.navigation.resize(int(self.frame.lanes.width()))

    def focus(self, focus: Focus) -> None:
        """Show the state after another event."""
        self.focused = FocusedEvent(
            focus,
            int(self.history.trace.events["time"][focus.step]),
            self.history.state_at(focus.step),
            home_lane(self.history.trace, focus.step),
            causes(self._causality, focus.step),
        )

    def rows(self) -> range:
        """Rows of the lanes in view."""
        return self.layout.in_range(self.scroll, self.scroll + self.frame.lanes.height())

    def top(self, row: int) -> float:
        return self.frame.lanes.top() + float(self.layout.top[row]) - self.scroll

    def height(self, row: int) -> float:
        return float(self.layout.height[row])

    def bottom(self) -> float:
        """y of the last lane's lower edge."""
        return self.top(len(self.lanes) - 1) + self.height(len(self.lanes) - 1) if self.lanes else 0.0

    def middle(self, key: str) -> float | None:
        """The middle of the lane with this key; None if there is no such lane."""
        row = self.store.row_of.get(key)
        return None if row is None else self.top(row) + self.height(row) / 2

    def row_at(self, y: float) -> int | None:
        """The lane at y; None above and below the lanes."""
        if y < self.frame.lanes.top():
            return None
        return self.layout.row_at(y - self.frame.lanes.top() + self.scroll)

    def focused_row(self) -> int | None:
        """The selected lane, or the one where the focused event happened."""
        if self.focused is None:
            return None
        row = self.store.row_of.get(self.focused.focus.lane or self.focused.home)
        return self.store.row_of.get(self.focused.home) if row is None else row

    def scroll_to_focus(self) -> float:
        """The scroll position, as near as possible to the present one, that shows the focused lane."""
        row = self.focused_row()
        if row is None:
            return self.scroll
        page = self.frame.lanes.height()
        top, bottom = float(self.layout.top[row]), float(self.layout.top[row] + self.layout.height[row])
        if self.scroll <= top and bottom <= self.scroll + page:
            return self.scroll
        return (top + bottom - page) / 2

    def arrows(self) -> list[Arrow]:
        return [] if self.focused is None else place(self.focused.causes, self.view, self.middle)

    def centre_or_fit_focus(self) -> None:
        """Centre the focused event; if it is centred already, fit the interval of its lane that holds it."""
        if self.focused is None:
            return
        before = self.view
        self.navigation.centre(self.focused.time)
        if self.view == before:
            self.navigation.show(*self._interval_at(self.focused.time))

    def anchor(self, pointer: QPointF | None) -> float:
        """Pixel about which a key zooms: the pointer, else the focused event if it is in view, else the middle."""
        if pointer is not None and self.frame.lanes.contains(pointer):
            return pointer.x() - self.frame.lanes.left()
        if self.focused is not None and self.view.contains(self.focused.time):
            return self.view.pixel(self.focused.time)
        return self.view.width / 2

    def snapped(self, lane: Lane, x: float, reach: float = SNAP) -> int | None:
        """Time of the lane's event nearest to x, if it is within `reach` pixels."""
        step = self.store.nearest_step(lane, self.view.time(x))
        if step is None:
            return None
        time = int(self.history.trace.events["time"][step])
        return time if abs(self.view.pixel(time) - x) <= reach else None

    def ruler_time(self, viewport_x: float, free: bool) -> int:
        """Time at a pixel of the ruler, snapped to the nearest event of the lanes in view unless `free`."""
        x = viewport_x - self.frame.lanes.left()
        time = self.view.time(x)
        if free:
            return time
        near = [at for row in self.rows() if (at := self.snapped(self.lanes[row], x, inf)) is not None]
        return min(near, key=lambda at: abs(at - time), default=time)

    def click(self, at: QPointF) -> Focus | None:
        """The focus a click asks for: the lane's nearest event; on its name or value, the lane alone."""
        row = self.row_at(at.y())
        if row is None:
            return None
        lane = self.lanes[row]
        if self.frame.lanes.contains(at):
            step = self.store.nearest_step(lane, self.view.time(at.x() - self.frame.lanes.left()))
            return None if step is None else Focus(step, lane.key)
        return None if self.focused is None else Focus(self.focused.focus.step, lane.key)

    def _interval_at(self, time: int) -> tuple[int, int]:
        """Begin and end (ps) of the focused lane's interval or phase at `time`."""
        row = self.focused_row()
        if row is None:
            return time, time
        lane = self.lanes[row]
        if lane.kind == "barrier":
            data = self.store.barrier(lane)
            start, end = data.start, data.end
        else:
            rows = self.store.copies(lane).rows if lane.kind == "copy" else [self.store.intervals(lane)]
            start = np.concatenate([np.empty(0, np.int64), *(row.spans.start for row in rows)])
            end = np.concatenate([np.empty(0, np.int64), *(row.spans.end for row in rows)])
        holds = np.flatnonzero((start <= time) & (time <= end))
        if not len(holds):
            return time, time
        widest = holds[np.argmax(end[holds] - start[holds])]
        return int(start[widest]), int(end[widest])
