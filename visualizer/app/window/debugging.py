"""How breakpoints, find and notes reach the panes and the timeline: signals alone, no state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visualizer.views.notes.notes_widget import MARK, REGION

if TYPE_CHECKING:
    from visualizer.app.window.main_window import MainWindow


def connect_debugging(window: MainWindow) -> None:
    """Connect the parts of one window; each of them knows only itself."""
    pane, control, notes = window.panes["breakpoints"], window.breakpoints, window.notebook

    def show_breakpoints() -> None:
        pane.set_breakpoints(tuple(control.all))
        window.timeline.set_marks("hit", control.all.hits())
        window.actions_by_id.refresh()

    def show_notes() -> None:
        window.panes["notes"].set_notes(notes.notes)
        marks = notes.notes.marks
        labels = [str(mark.bookmark or (REGION if mark.is_region else MARK)) for mark in marks]
        window.timeline.set_marks("bookmark", np.array([mark.focus.step for mark in marks], np.int64), labels)
        window.actions_by_id.refresh()

    pane.added.connect(control.add)
    pane.removed.connect(control.remove)
    pane.enabled_changed.connect(control.enable)
    control.changed.connect(show_breakpoints)
    control.edited.connect(lambda: notes.set_breakpoints(control.saved()))
    window.panes["notes"].text_edited.connect(notes.set_text)
    window.panes["notes"].removed.connect(notes.remove)
    notes.changed.connect(show_notes)
    notes.breakpoints_told.connect(control.take)
    window.find_bar.focus_requested.connect(window.navigator.go_to)
    window.find_bar.matches_changed.connect(lambda steps: window.timeline.set_marks("match", steps))
    window.find_bar.closed.connect(lambda: window.timeline.set_marks("match", np.empty(0, np.int64)))
    window.find_bar.closed.connect(window.timeline.setFocus)
