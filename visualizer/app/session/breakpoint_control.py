"""Breakpoints of the window: adding and removing them, running from hit to hit, and telling the panes."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from visualizer.app.session.front import bring_to_front
from visualizer.app.session.panes import Panes
from visualizer.app.session.session import Session
from visualizer.app.work.newest_job import NewestJob
from visualizer.language import tr
from visualizer.playback.breakpoints import Breakpoint, Breakpoints, evaluated, query_at
from visualizer.playback.lane_steps import home_focus
from visualizer.playback.notes import SavedBreakpoint
from visualizer.playback.query.events import Events
from visualizer.sources.errors import Cancelled
from visualizer.sources.progress import CancelCheck, Progress


class BreakpointControl(QObject):
    """`changed` follows every change of the list or of its hits, `edited` those a person made."""

    changed = Signal()
    edited = Signal()

    def __init__(self, session: Session, panes: Panes, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._panes = session, panes
        self._events: Events | None = None
        self.all = Breakpoints()
        self.job = NewestJob(self)
        self.job.answered.connect(self._take)
        self.job.failed.connect(session.messages.show_error)

    def set_events(self, events: Events | None, saved: tuple[SavedBreakpoint, ...]) -> None:
        """Another recording, None while it is read: its own breakpoints, or those that are there if it has none."""
        self._events = events
        known = [Breakpoint(one.query, one.enabled) for one in saved] or [
            Breakpoint(one.query, one.enabled) for one in self.all
        ]
        self.all.replace_all(known)
        self._evaluate()

    def take(self, saved: tuple[SavedBreakpoint, ...]) -> None:
        """The list as it is with what another window did to it."""
        known = {one.query: one for one in self.all}
        self.all.replace_all(
            [replace(known.get(one.query, Breakpoint(one.query)), enabled=one.enabled) for one in saved]
        )
        self._evaluate()

    def saved(self) -> tuple[SavedBreakpoint, ...]:
        return tuple(SavedBreakpoint(one.query, one.enabled) for one in self.all)

    @property
    def can_run(self) -> bool:
        return self._events is not None and self.all.any_enabled

    def write(self) -> None:
        """Let the person write a query, in the pane."""
        pane = self._panes["breakpoints"]
        bring_to_front(pane)
        pane.line.setFocus()

    def add(self, query: str) -> None:
        """Break where `query` holds; one that is there already is enabled."""
        self.all.put(Breakpoint(query.strip()))
        self._edited()

    def remove(self, row: int) -> None:
        self.all.remove(row)
        self._edited()

    def remove_all(self) -> None:
        self.all.replace_all([])
        self._edited()

    def enable(self, row: int, on: bool) -> None:
        self.all.enable(row, on)
        self._edited()

    def toggle_all(self) -> None:
        """Disable all if any is enabled, else enable all."""
        self.all.enable_all(not self.all.any_enabled)
        self._edited()

    def toggle_here(self) -> None:
        """Break at events like the focused one, or no longer."""
        focus = self._session.navigator.focus
        if self._events is None or focus is None:
            return
        query = query_at(self._events.history, focus.step)
        row = self.all.row_of(query)
        if row is None:
            self.add(query)
        else:
            self.remove(row)

    def next_hit(self) -> None:
        self._run(1)

    def previous_hit(self) -> None:
        self._run(-1)

    def _run(self, direction: int) -> None:
        focus = self._session.navigator.focus
        if self._events is None or focus is None:
            return
        step = self.all.nearest(focus.step, direction)
        if step is not None:
            self._session.navigator.go_to(home_focus(self._events.trace, step))
        elif self.job.is_busy:
            self._session.messages.show_note(tr("The hits of the breakpoints are still being counted."))
        elif direction > 0:
            self._session.messages.show_note(tr("No breakpoint is hit after this event."))
        else:
            self._session.messages.show_note(tr("No breakpoint is hit before this event."))

    def _edited(self) -> None:
        self._evaluate()
        self.edited.emit()

    def _evaluate(self) -> None:
        """Count the hits of those whose hits are not known yet."""
        events = self._events
        open_ = [one for one in self.all if one.hits is None]
        self.changed.emit()
        if events is None or not open_:
            return

        def work(progress: Progress, cancelled: CancelCheck) -> tuple[Events, list[Breakpoint]]:
            done = []
            for one in open_:
                if cancelled():
                    raise Cancelled
                done.append(evaluated(one, events))
            return events, done

        self.job.ask(work, len(events))

    def _take(self, answer: tuple[Events, list[Breakpoint]]) -> None:
        events, done = answer
        if events is not self._events:
            return
        for one in done:
            row = self.all.row_of(one.query)
            if row is not None:
                self.all.put(replace(one, enabled=self.all[row].enabled))
        self.changed.emit()
