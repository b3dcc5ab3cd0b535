"""What the timeline shows now: recording, view, scroll, focus, and where everything stands. The widget paints it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

import numpy as np
from PySide6.QtCore import QPointF, QRectF

from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import home_lane
from visualizer.recording.schema import EventKind
from visualizer.replay.causality import Causality
from visualizer.replay.history import History, State
from visualizer.views.timeline.lanes.lane_kinds import kind_of
from visualizer.views.timeline.lanes.lane_rows import LaneRows
from visualizer.views.timeline.lanes.lane_store import LaneStore
from visualizer.views.timeline.lanes.lanes import Lane
from visualizer.views.timeline.lanes.layout import COMFORTABLE, COMPACT, LaneLayout, lay_out
from visualizer.views.timeline.layers.frame import Frame, make_frame
from visualizer.views.timeline.layers.left_out import FOOTER, footer_text
from visualizer.views.timeline.painting.arrows_model import Arrow, Cause, causes, place
from visualizer.views.timeline.painting.paint import Fonts
from visualizer.views.timeline.time.hang import Hang, hang_at
from visualizer.views.timeline.time.navigation import Navigation
from visualizer.views.timeline.time.scale import View

SNAP = 8.0
"""Pixels within which the hover cursor snaps to an event. Measurements snap however far the nearest is."""


_MOST_SCANNED = 200_000  # events in view
_MOST_ARROWS = 300


@dataclass(frozen=True, eq=False)
class FocusedEvent:
    """The focus and what follows from it: its time (ps), the state after it, its lane and its causes.

    `state` is None, and there are no causes, while the recording is still being read.
    """

    focus: Focus
    time: int
    state: State | None
    home: str  # key of the lane where the event happened
    causes: list[Cause]


class Scene:
    """One recording on the timeline. y is in pixels of the viewport; `scroll` is what lies above the first pixel."""

    def __init__(self, history: History, width: float, height: float, fonts: Fonts, answers: bool = True) -> None:
        """`answers` is False while `history` is being built elsewhere: only lanes are asked for then."""
        self.history = history
        self.answers = answers
        self.store = LaneStore(history)
        self.rows_shown = LaneRows(self.store.lanes)
        self.focused: FocusedEvent | None = None
        self.scroll = 0.0
        self.compact = False
        self.all_arrows = False
        self.hang: Hang | None = None
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
        """The lanes that are shown, by row."""
        return self.rows_shown.shown

    def arrange(self, width: float, height: float, fonts: Fonts) -> None:
        """Lay out columns and lanes for a viewport of this size."""
        pinned = self.rows_shown.pinned
        self.frame = make_frame(width, height, fonts, self.rows_shown)
        density = COMPACT if self.compact else COMFORTABLE
        footer = fonts.em * FOOTER if footer_text(self.history.trace.meta.window) else 0.0
        available = self.frame.lanes.height() - footer
        layout = lay_out(self.lanes, fonts.em, available, self.store.copy_rows, density, pinned)
        self.layout = replace(layout, total=layout.total + footer)
        self.navigation.resize(int(self.frame.lanes.width()))

    def focus(self, focus: Focus) -> None:
        """Show the state after another event."""
        self.focused = FocusedEvent(
            focus,
            int(self.history.trace.events["time"][focus.step]),
            self.history.state_at(focus.step) if self.answers else None,
            home_lane(self.history.trace, focus.step),
            causes(self._causality, focus.step) if self.answers else [],
        )

    def row_groups(self) -> list[tuple[list[int], QRectF]]:
        """The rows in view that scroll, then the pinned ones, each with the part of the viewport they may paint on."""
        area, edge = self.frame.lanes, self.layout.pinned_edge
        scrolled = self.layout.in_range(self.scroll + edge, self.scroll + area.height())
        below = QRectF(area.left(), area.top() + edge, area.width(), area.height() - edge)
        groups = [([row for row in scrolled if row >= self.rows_shown.pinned], below)]
        if self.rows_shown.pinned:
            above = QRectF(area.left(), area.top(), area.width(), edge)
            groups.append((list(range(self.rows_shown.pinned)), above))
        return groups

    def rows(self) -> list[int]:
        """Rows of the lanes in view."""
        return sorted(row for rows, _ in self.row_groups() for row in rows)

    def top(self, row: int) -> float:
        scrolled = 0.0 if row < self.rows_shown.pinned else self.scroll
        return self.frame.lanes.top() + float(self.layout.top[row]) - scrolled

    def height(self, row: int) -> float:
        return float(self.layout.height[row])

    def bottom(self) -> float:
        """y of the last lane's lower edge."""
        return self.top(len(self.lanes) - 1) + self.height(len(self.lanes) - 1) if self.lanes else 0.0

    def middle(self, key: str) -> float | None:
        """The middle of the lane with this key, or of that into which it is folded; None if neither is shown."""
        row = self.rows_shown.row_of(key)
        return None if row is None else self.top(row) + self.height(row) / 2

    def row_at(self, y: float) -> int | None:
        """The lane at y; None above and below the lanes."""
        if y < self.frame.lanes.top():
            return None
        down = y - self.frame.lanes.top()
        return self.layout.row_at(down if down < self.layout.pinned_edge else down + self.scroll)

    def focused_row(self) -> int | None:
        """The selected lane, or the one where the focused event happened."""
        if self.focused is None:
            return None
        row = self.rows_shown.row_of(self.focused.focus.lane or self.focused.home)
        return self.rows_shown.row_of(self.focused.home) if row is None else row

    def event_beyond(self) -> int:
        """-1 if the focused event's lane is above those in view, 1 if below, 0 if it is in view or not shown."""
        row = None if self.focused is None else self.rows_shown.row_of(self.focused.home)
        if row is None or row < self.rows_shown.pinned:
            return 0
        middle = self.top(row) + self.height(row) / 2
        above = self.frame.lanes.top() + self.layout.pinned_edge
        return -1 if middle < above else int(middle > self.frame.lanes.bottom())

    def scroll_to_focus(self) -> float:
        """The scroll position, as near as possible to the present one, that shows the focused lane."""
        return self._scroll_to_row(self.focused_row())

    def scroll_to(self, key: str) -> float:
        """The same for the lane with this key."""
        return self._scroll_to_row(self.rows_shown.row_of(key))

    def _scroll_to_row(self, row: int | None) -> float:
        if row is None:
            return self.scroll
        page, edge = self.frame.lanes.height(), self.layout.pinned_edge
        top, bottom = float(self.layout.top[row]), float(self.layout.top[row] + self.layout.height[row])
        if row < self.rows_shown.pinned or (self.scroll + edge <= top and bottom <= self.scroll + page):
            return self.scroll
        return (top + bottom - edge - page) / 2

    def arrows(self) -> list[Arrow]:
        """Those of the focused event, or of every event in view."""
        found = [] if self.focused is None else self.focused.causes
        if self.all_arrows and self.answers:
            found = self._causes_in_view()
        row_of = self.rows_shown.row_of
        # Between two lanes that are folded into one there is nothing to see.
        seen = [one for one in found if row_of(one.from_lane) != row_of(one.to_lane) or one.from_lane == one.to_lane]
        return place(seen, self.view, self.middle)

    def _causes_in_view(self) -> list[Cause]:
        """What released each wait in view, of the CTAs in view; none while there are too many to be told apart."""
        times = self.history.trace.events["time"]
        first, last = np.searchsorted(times, (self.view.start, self.view.end)).tolist()
        if last - first > _MOST_SCANNED:
            return []
        steps = first + np.flatnonzero(self.history.kinds[first:last] == EventKind.WAIT_END)
        seen = {self.lanes[row].cta for row in self.rows()}
        agents = self.history.trace.events["agent"][steps]
        steps = steps[np.isin(self.history.trace.agent_cta[agents], list(seen))]
        if len(steps) > _MOST_ARROWS:
            return []
        return [cause for step in steps.tolist() for cause in causes(self._causality, step)]

    def centre_or_fit_focus(self) -> None:
        """Centre the focused event; if it is centred already, fit the interval of its lane that holds it."""
        if self.focused is None:
            return
        before = self.view
        self.navigation.centre(self.focused.time)
        if self.view == before:
            self.fit_slice()

    def fit_slice(self) -> None:
        """Fit the interval of the focused lane that holds the focus."""
        if self.focused is not None:
            self.navigation.show(*self._interval_at(self.focused.time))

    def open_hang(self) -> None:
        """Show the focused wait, which never ends, with the last that happened, and fold away what was before."""
        if self.focused is not None:
            self.hang = hang_at(self.history.trace, self.focused.focus.step, self.store.end)
            self.navigation.show(self.hang.begin, self.hang.end)

    @property
    def folded(self) -> str:
        """What a hang has folded away to the left of the view; "" for nothing."""
        return self.hang.text if self.hang is not None and self.view.start > self.hang.begin // 2 else ""

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
        start, end = kind_of(lane).slices(self.store, lane)
        holds = np.flatnonzero((start <= time) & (time <= end))
        if not len(holds):
            return time, time
        widest = holds[np.argmax(end[holds] - start[holds])]
        return int(start[widest]), int(end[widest])
