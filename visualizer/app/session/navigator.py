"""The focus of the window: who may move it, where it has been, and who is told. The moves themselves are playback's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from visualizer.playback import navigate
from visualizer.playback.focus import Focus, FocusHistory
from visualizer.playback.lane_steps import home_focus
from visualizer.replay.causality import Causality
from visualizer.replay.history import History


class Navigator(QObject):
    """Holds the focus; `focus_changed(Focus)` follows every move. A move that leads nowhere changes nothing."""

    focus_changed = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.focus: Focus | None = None
        self._history: History | None = None
        self._causality: Causality | None = None
        self._visited = FocusHistory()

    def set_history(self, history: History | None) -> None:
        """Another recording: look at its first event; None: nowhere. Tells nobody; the window shows both at once."""
        self._history = history
        self._causality = Causality(history) if history is not None else None
        self._visited.clear()
        self.focus = Focus(0) if history is not None and history.steps else None
        if self.focus is not None:
            self._visited.visit(self.focus)

    def replace_history(self, history: History) -> None:
        """The same events, of which something else is known now: the focus stays, and so does where it was."""
        self._history = history
        self._causality = Causality(history)

    @property
    def can_go_back(self) -> bool:
        return self._visited.can_go_back

    @property
    def can_go_forward(self) -> bool:
        return self._visited.can_go_forward

    @property
    def steps(self) -> int:
        """How many events there are to look at."""
        return self._history.steps if self._history is not None else 0

    @property
    def at_end(self) -> bool:
        return self.focus is None or self.focus.step >= self.steps - 1

    def go_to(self, focus: Focus) -> None:
        """Look at `focus`; what a click asks for."""
        if self._history is None or focus == self.focus or not 0 <= focus.step < self._history.steps:
            return
        self._visited.visit(focus)
        self._show(focus)

    def pass_through(self, step: int) -> None:
        """Look at `step` without a trace in the focus history: what playing and scrubbing do."""
        if self.focus is not None and step != self.focus.step:
            self._show(replace(self.focus, step=step))

    def stay(self) -> None:
        """Remember where a passage ended."""
        if self.focus is not None:
            self._visited.visit(self.focus)

    def back(self) -> None:
        self._show_visited(self._visited.back())

    def forward(self) -> None:
        self._show_visited(self._visited.forward())

    def first(self) -> None:
        self._move(navigate.first)

    def last(self) -> None:
        self._move(navigate.last)

    def next_event(self) -> None:
        self._move(navigate.event, 1)

    def previous_event(self) -> None:
        self._move(navigate.event, -1)

    def next_transition(self) -> None:
        self._move(navigate.transition, 1)

    def previous_transition(self) -> None:
        self._move(navigate.transition, -1)

    def next_same_kind(self) -> None:
        self._move(navigate.same_kind, 1)

    def previous_same_kind(self) -> None:
        self._move(navigate.same_kind, -1)

    def next_any_lane(self) -> None:
        self._move(_event_and_its_lane, 1)

    def previous_any_lane(self) -> None:
        self._move(_event_and_its_lane, -1)

    def next_tile(self) -> None:
        self._move(navigate.tile, 1)

    def previous_tile(self) -> None:
        self._move(navigate.tile, -1)

    def next_phase(self) -> None:
        self._move(navigate.phase_completion, 1)

    def previous_phase(self) -> None:
        self._move(navigate.phase_completion, -1)

    def to_cause(self) -> None:
        if self._causality is not None and self.focus is not None:
            self._show_found(navigate.cause(self._causality, self.focus))

    def to_effect(self) -> None:
        if self._causality is not None and self.focus is not None:
            self._show_found(navigate.effect(self._causality, self.focus))

    def _move(self, move: Callable[..., Focus | None], *direction: int) -> None:
        if self._history is not None and self.focus is not None:
            self._show_found(move(self._history, self.focus, *direction))

    def _show_found(self, focus: Focus | None) -> None:
        if focus is not None:
            self.go_to(focus)

    def _show_visited(self, focus: Focus | None) -> None:
        if focus is not None:
            self._show(focus)

    def _show(self, focus: Focus) -> None:
        self.focus = focus
        self.focus_changed.emit(focus)


def _event_and_its_lane(history: History, focus: Focus, direction: int) -> Focus | None:
    found = navigate.event(history, focus, direction)
    return None if found is None else home_focus(history.trace, found.step)
