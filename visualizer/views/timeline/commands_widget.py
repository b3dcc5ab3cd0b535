"""What the window's commands do to the timeline: move the view, and choose which lanes are shown and how."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from time import monotonic

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QAbstractScrollArea

from visualizer.playback.focus import Focus
from visualizer.views.timeline.gestures.lane_filter_widget import LaneFilter
from visualizer.views.timeline.gestures.measure import Measurement
from visualizer.views.timeline.gestures.measuring_widget import Measuring
from visualizer.views.timeline.gestures.mouse_widget import TimelineMouse
from visualizer.views.timeline.lanes.lane_rows import LaneRows
from visualizer.views.timeline.lanes.lanes import Lane
from visualizer.views.timeline.layers.fresh_lanes_widget import FreshLanes
from visualizer.views.timeline.layers.lecture_widget import Lecture
from visualizer.views.timeline.layers.marks import Marks
from visualizer.views.timeline.layers.scene import Scene
from visualizer.views.timeline.time.navigation import PAN_SHARE, ZOOM_STEP
from visualizer.views.timeline.time.overview_widget import OverviewStrip
from visualizer.views.timeline.time.scale import MIN_PS_PER_PX, View


class TimelineCommands(QAbstractScrollArea):
    """The half of the timeline that commands call; TimelineWidget is the half that paints."""

    lanes_changed = Signal()
    """Which lanes are shown has changed: collapsed, pinned, filtered, or how dense they stand."""

    view_changed = Signal()
    """The timeline has moved to another stretch of time by itself; told when it is painted."""

    measured_changed = Signal(object)
    """The Measurement that is marked now; None: nothing is."""

    focus_requested: Signal
    overview: OverviewStrip
    filter: LaneFilter
    _scene: Scene | None
    marks: dict[str, Marks]
    measuring: Measuring
    lecture: Lecture
    _told: View | None
    mouse: TimelineMouse
    _lanes: FreshLanes

    @property
    def view(self) -> View | None:
        """The stretch of time in view; None without a recording."""
        return self._scene.view if self._scene else None

    @property
    def measured(self) -> Measurement | None:
        """What was last marked on the ruler."""
        return self.measuring.measured

    def show_view(self, begin: int, end: int) -> None:
        """Show exactly the stretch `begin`..`end` (ps), which may reach beyond the recording. Tells nobody."""
        if self._scene is None:
            return
        if (begin, end) != (self.view.start, self.view.end):
            width = self.view.width
            self._scene.navigation.view = View(begin, max((end - begin) / width, MIN_PS_PER_PX), width)
            self._move()
        self._told = self.view

    @property
    def is_measuring(self) -> bool:
        """Whether the measurement follows the focus."""
        return self.measuring.follows

    def toggle_measure(self) -> None:
        """Measure from the focused event to wherever the focus goes; once more keeps what was measured."""
        focused = self._scene.focused if self._scene is not None else None
        self.measuring.toggle(focused.time if focused is not None else None)

    def zoom_in(self) -> None:
        """Magnify time about the pointer, or the focused event if the pointer is elsewhere."""
        self._zoom(ZOOM_STEP)

    def zoom_out(self) -> None:
        self._zoom(1 / ZOOM_STEP)

    def pan_left(self) -> None:
        self._pan(-PAN_SHARE)

    def pan_right(self) -> None:
        self._pan(PAN_SHARE)

    def fit_all(self) -> None:
        """Show the whole recording."""
        if self._scene is not None:
            self._scene.navigation.fit()
            self._move()

    def open_hang(self) -> None:
        """Show the focused wait, which never ends, and the last that happened; what was before is folded away."""
        if self._scene is not None and self._scene.focused is not None:
            home = self._scene.focused.home
            self._scene.open_hang()
            self._show_rows(lambda rows: rows.unfold_cta(home))
            self._move()

    def centre_or_fit_focus(self) -> None:
        """Centre the focused event; once it is centred, fit the interval of its lane that holds it."""
        if self._scene is not None:
            self._scene.centre_or_fit_focus()
            self._move()

    def zoom_to_slice(self) -> None:
        """Fit the interval or phase of the focused lane that the focus lies in."""
        if self._scene is not None:
            self._scene.fit_slice()
            self._move()

    def show_time(self, begin: int, end: int) -> None:
        """Show begin..end (ps)."""
        if self._scene is not None:
            self._scene.navigation.show(begin, end)
            self._move()

    # What a lecture lays over it

    def set_emphasis(self, lanes: Iterable[str]) -> None:
        """Dim all lanes but those with these keys, and leave out those that then have no room; none dims nothing."""
        if self.lecture.stressed != frozenset(lanes):
            self.lecture.stressed = frozenset(lanes)
            self._arrange()

    @property
    def focused_step(self) -> int:
        """The step the cursor stands at; -1 without one."""
        focused = self._scene.focused if self._scene else None
        return focused.focus.step if focused else -1

    def set_veil(self, step: int | None) -> None:
        """Hide what comes after event `step`; None hides nothing."""
        self.lecture.veiled_after = step
        self.viewport().update()

    def undo_zoom(self) -> None:
        if self._scene is not None:
            self._scene.navigation.undo()
            self._move()

    def centre_time(self, time: int) -> None:
        """Move the view so that `time` (ps) is in its middle, as far as the recording goes."""
        if self._scene is not None:
            self._scene.navigation.move_to(time)
            self._move()

    def set_marks(self, kind: str, steps: np.ndarray, labels: Sequence[str] = ()) -> None:
        """Mark ascending steps on ruler and overview, with a label each or none; replaces the kind's marks.

        `kind` is "error" (overview alone), "hit" of a breakpoint, "match" of find, or "bookmark".
        """
        if self._scene is not None:
            self.marks[kind] = Marks(steps, labels)
            self.overview.set_marks(kind, steps)
            self.viewport().update()

    @property
    def busy(self) -> bool:
        """Whether lanes in view are still being built."""
        return self._lanes.waiting > 0

    @property
    def rests(self) -> bool:
        """Whether the picture is complete: nothing is about to be painted better."""
        return self._lanes.complete

    def rest_now(self) -> None:
        """No more views are to be expected: paint the picture in full the next time, as an exported picture needs."""
        self._lanes.settle()
        self.viewport().update()

    def cancel(self) -> None:
        """Stop building lanes; the picture stays as it is until the view changes."""
        self._lanes.cancel()
        self.viewport().update()

    def select_lane(self, direction: int) -> None:
        """Ask for the lane below (+1) or above (-1) the selected one, at the same step."""
        if self._scene is None or self._scene.focused is None:
            return
        row = self._scene.focused_row()
        last = len(self._scene.lanes) - 1
        wanted = min(max(row + direction, 0), last) if row is not None else 0 if direction > 0 else last
        self.focus_requested.emit(Focus(self._scene.focused.focus.step, self._scene.lanes[wanted].key))

    def toggle_fold(self) -> None:
        """Fold or unfold what the focused lane heads; of one that heads nothing, fold what it is part of."""
        lane = self._focused_lane()
        if lane is not None:
            self._show_rows(lambda rows: rows.toggle(lane.key))

    def toggle_all_folds(self) -> None:
        """Fold all into CTAs or, where there is one CTA, into groups of warps and rings; if all are, unfold them."""
        self._show_rows(lambda rows: rows.collapse_all(not rows.all_collapsed))

    def toggle_pin(self) -> None:
        """Keep the focused lane at the top, or let it go."""
        lane = self._focused_lane()
        if lane is not None:
            self._show_rows(lambda rows: rows.toggle_pin(lane.key))

    def set_lane_filter(self, text: str) -> None:
        """Show the lanes with every word of `text` in their name or kind; "" shows all."""
        self._show_rows(lambda rows: rows.set_filter(text))

    def find_lanes(self) -> None:
        """Let the user type a filter."""
        if self._scene is not None:
            self.filter.open()

    def toggle_compact(self) -> None:
        """Lanes half as high, to see sixty at once, or as high as text needs."""
        if self._scene is not None:
            self._scene.compact = not self._scene.compact
            self._rearrange()

    def toggle_all_arrows(self) -> None:
        """Arrows to every wait in view, or to the focused event only."""
        if self._scene is not None:
            self._scene.all_arrows = not self._scene.all_arrows
            self.viewport().update()
            self.lanes_changed.emit()

    def toggle_overview(self) -> None:
        self.overview.setVisible(self.overview.isHidden())
        self._place_overview()

    @property
    def scene(self) -> Scene | None:
        """What is shown; None without a recording."""
        return self._scene

    def _focused_lane(self) -> Lane | None:
        row = self._scene.focused_row() if self._scene is not None else None
        return None if row is None else self._scene.lanes[row]

    def _show_rows(self, change: Callable[[LaneRows], None]) -> None:
        if self._scene is not None:
            change(self._scene.rows_shown)
            self._rearrange()

    def _rearrange(self) -> None:
        """Other rows: keep the focused lane in view."""
        self._arrange()
        self.verticalScrollBar().setValue(round(self._scene.scroll_to_focus()))
        self.lanes_changed.emit()

    def _zoom(self, factor: float) -> None:
        if self._scene is not None:
            self._scene.navigation.zoom(factor, self._scene.anchor(self.mouse.pointer), monotonic())
            self._move()

    def _pan(self, share: float) -> None:
        if self._scene is not None:
            self._pan_pixels(share * self._scene.view.width)

    def _pan_pixels(self, pixels: float) -> None:
        self._scene.navigation.pan(pixels)
        self._move()

    def _arrange(self) -> None:
        raise NotImplementedError

    def _move(self) -> None:
        raise NotImplementedError

    def _place_overview(self) -> None:
        raise NotImplementedError
