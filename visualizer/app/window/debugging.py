"""How breakpoints, find and notes reach the panes and the timeline: signals alone, no state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visualizer.app.commands.actions import Actions
from visualizer.app.commands.command import Parts
from visualizer.app.session.breakpoint_control import BreakpointControl
from visualizer.app.session.navigator import Navigator
from visualizer.app.session.noting import Noting
from visualizer.app.session.panes import Panes
from visualizer.app.window.find_bar import FindBar
from visualizer.views.notes.signs import Signs
from visualizer.views.timeline.timeline_widget import TimelineWidget

if TYPE_CHECKING:
    from visualizer.views.notes.breakpoints_widget import BreakpointsWidget
    from visualizer.views.notes.notes_widget import NotesWidget


def connect_debugging(parts: Parts) -> None:
    """Connect the parts of one window; each of them knows only itself."""
    panes, control, notes = parts[Panes], parts[BreakpointControl], parts[Noting]
    timeline, find_bar, actions = parts[TimelineWidget], parts[FindBar], parts[Actions]

    def take_breakpoints_pane(pane: BreakpointsWidget) -> None:
        pane.added.connect(control.add)
        pane.removed.connect(control.remove)
        pane.enabled_changed.connect(control.enable)
        pane.set_breakpoints(tuple(control.all))

    def take_notes_pane(pane: NotesWidget) -> None:
        pane.text_edited.connect(notes.set_text)
        pane.removed.connect(notes.remove)
        pane.set_notes(notes.notes)

    def show_breakpoints() -> None:
        if (pane := panes.made("breakpoints")) is not None:
            pane.set_breakpoints(tuple(control.all))
        timeline.set_marks("hit", control.all.hits())
        actions.refresh()

    def show_notes() -> None:
        if (pane := panes.made("notes")) is not None:
            pane.set_notes(notes.notes)
        marks = notes.notes.marks
        steps = np.fromiter((mark.focus.step for mark in marks), np.int64, len(marks))
        timeline.set_marks("bookmark", steps, Signs(marks))
        actions.refresh()

    panes.when_made("breakpoints", take_breakpoints_pane)
    panes.when_made("notes", take_notes_pane)
    control.changed.connect(show_breakpoints)
    control.edited.connect(lambda: notes.set_breakpoints(control.saved()))
    notes.changed.connect(show_notes)
    notes.breakpoints_told.connect(control.take)
    find_bar.focus_requested.connect(parts[Navigator].go_to)
    find_bar.matches_changed.connect(lambda steps: timeline.set_marks("match", steps))
    find_bar.closed.connect(lambda: timeline.set_marks("match", np.empty(0, np.int64)))
    find_bar.closed.connect(timeline.setFocus)
