"""What a window shows of a document, in the order in which it becomes known: its lanes, its history, its diagnosis."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMainWindow, QWidget

from visualizer.app.commands.actions import Actions
from visualizer.app.commands.command import Parts
from visualizer.app.files.comparing import Comparing
from visualizer.app.files.files import Files
from visualizer.app.files.recording_choice import RecordingChoice
from visualizer.app.panes.pane_host import PaneHost
from visualizer.app.session.breakpoint_control import BreakpointControl
from visualizer.app.session.document import Document
from visualizer.app.session.noting import Noting
from visualizer.app.session.panes import Panes
from visualizer.app.session.places import Places
from visualizer.app.session.playback import Playback
from visualizer.app.session.reading import Reading
from visualizer.app.session.session import Session
from visualizer.app.session.structuring import Structuring
from visualizer.app.settings.settings import Settings
from visualizer.app.window.find_bar import FindBar
from visualizer.app.window.status_bar import RecordingStatus
from visualizer.app.window.transport_bar import TransportBar
from visualizer.arrays.ordering import distinct
from visualizer.diagnosis.wording import ending_sentence
from visualizer.language import tr
from visualizer.playback.notes import SavedBreakpoint
from visualizer.playback.query.events import Events
from visualizer.recording.schema import EventKind
from visualizer.views.timeline.timeline_widget import TimelineWidget

if TYPE_CHECKING:
    from visualizer.app.record.experiment_panel import ExperimentPanel

_OF_REPORT = ("ring", "inspector", "code", "diagnosis")
"""The panes in docks that show what a diagnosis found; the timeline does so too."""


class Showing(QObject):
    """Of one window. It tells the session which document is shown, and every part what follows for it."""

    def __init__(self, parts: Parts, window: QMainWindow) -> None:
        super().__init__(window)
        self._window, self._session, self._settings = window, parts[Session], parts[Settings]
        self._timeline, self._pane_host, self._actions = parts[TimelineWidget], parts[PaneHost], parts[Actions]
        self._transport, self._status, self._find_bar = parts[TransportBar], parts[RecordingStatus], parts[FindBar]
        self._recordings, self._panes = parts[RecordingChoice], parts[Panes]
        self._playback, self._places, self._files = parts[Playback], parts[Places], parts[Files]
        self._noting, self._breakpoints = parts[Noting], parts[BreakpointControl]
        self._reading, self._structuring, self._comparing = parts[Reading], parts[Structuring], parts[Comparing]
        self._reading.document_read.connect(self._read)
        self._structuring.told.connect(self._told)
        self._files.saved.connect(self._saved)
        for name in _OF_REPORT:
            self._panes.when_made(name, self._take_pane_of_report)
        self._panes.when_made("experiment", self._take_experiment)

    def show(self, document: Document) -> None:
        """Replace the picture. Of a document that is not read come the lanes; the rest follows when it is."""
        self._playback.pause()
        self._reading.stop()
        self._structuring.jobs.stop()
        self._session.messages.hide()
        self._comparing.close()
        self._session.document = document
        self._session.runs.show(document)
        history, navigator = document.history, self._session.navigator
        if document.read:
            navigator.set_history(history)
            self._show_history(document)
            self._show_notes(document)
        else:
            navigator.set_history(None)
            self._transport.set_history(None)
            self._pane_host.set_history(None, None)
            self._timeline.show_lanes(history, answers=False)
            self._timeline.viewport().repaint()  # which lanes are wanted is known when they are painted
            self._show_notes(document)
            self._reading.start(document)
        self._status.show_document(document)
        self._recordings.offer(self._files.together_with(document.path), document.path)
        self.show_title()
        if document.path is not None:
            self._settings.add_recent(document.path)
        self._show_parameters(document)
        ending = history.trace.meta.ending
        if ending.kind != "completed":
            self._session.messages.show_note(ending_sentence(ending))
        self._places.open_at_the_fault(document)
        self._structuring.set_document(document)
        if document.read and document.focus is not None:
            self._places.look_at(document.focus)
        self._actions.refresh()
        if document.read:
            self._comparing.compare_picked()
        if document.awaits_diagnosis:
            self._reading.diagnose_when_painted(document)

    def say_again(self) -> None:
        """The language is another now: what panes and bars say of the document, and its diagnosis, in it."""
        self._pane_host.say_again()
        self.show_title()
        document = self._session.document
        if document is None:
            return
        self._status.show_document(document)
        self._show_events(document, self._breakpoints.saved())  # with what is wrong with a query
        if document.report is not None:
            self._reading.diagnose(document)

    def show_title(self) -> None:
        document = self._session.document
        name = document.title if document is not None else tr("no recording")
        self._window.setWindowTitle(f"{name}[*] - phasescope")
        self._window.setWindowModified(document is not None and not document.saved)

    def _read(self, found: Document) -> None:
        """The history of the document shown is built, or its diagnosis is there: show what follows from it."""
        shown = self._session.document
        if shown is None or shown.history is not found.history:
            return  # another structure was told meanwhile, and the recording diagnosed with that
        # It may have been saved meanwhile.
        document = replace(found, path=shown.path, saved=shown.saved)
        self._session.document = document
        self._session.runs.show(document)
        if document.report is None:
            self._session.navigator.set_history(document.history)
            self._show_history(document)
            self._show_notes(document)
            self._structuring.look()  # another window may have told something since it was opened
            if document.focus is not None:
                self._places.look_at(document.focus)
        else:
            for pane in self._of_report():
                pane.set_report(document.report)
                self._pane_host.show_again(pane)
            self._mark_errors(document)
        self._status.show_document(document)
        self._places.open_at_the_fault(document)
        self._actions.refresh()
        self._comparing.compare_picked()

    def _told(self, document: Document) -> None:
        """All that follows from another structure of the same events; nobody's place is lost."""
        view = self._timeline.view
        self._session.document = document
        self._session.navigator.replace_history(document.history)
        self._show_history(document)
        self._show_events(document, self._breakpoints.saved())
        if view is not None:
            self._timeline.show_view(view.start, view.end)
        self._status.show_document(document)
        self._actions.refresh()

    def _saved(self, path: Path) -> None:
        assert self._session.document is not None
        if self._session.runs.shown is not None:
            self._session.runs.saved(self._session.runs.shown, path)
        document = self._session.document = self._session.document.saved_as(path)
        self._noting.saved_as(document)
        self._structuring.saved_as(document)
        self._status.show_document(document)
        self.show_title()

    def _show_history(self, document: Document) -> None:
        """What panes and bars show of a history, at the navigator's focus."""
        focus = self._session.navigator.focus
        for pane in self._of_report():
            pane.set_report(document.report)
        self._transport.set_history(document.history)
        self._pane_host.set_history(document.history, focus)
        if focus is not None:
            self._transport.set_focus(focus)
            self._find_bar.set_focus(focus)
        self._mark_errors(document)

    def _of_report(self) -> tuple[QWidget, ...]:
        """The timeline, and those of the panes that are made."""
        panes = (self._panes.made(name) for name in _OF_REPORT)
        return (self._timeline, *(pane for pane in panes if pane is not None))

    def _take_pane_of_report(self, pane: QWidget) -> None:
        if self._session.document is not None:
            pane.set_report(self._session.document.report)

    def _take_experiment(self, panel: ExperimentPanel) -> None:
        if self._session.document is not None:
            self._show_parameters(self._session.document)

    def _show_notes(self, document: Document) -> None:
        """What a person noted on the recording."""
        self._noting.set_document(document)
        self._show_events(document, self._noting.notes.breakpoints)

    def _show_events(self, document: Document, breakpoints: tuple[SavedBreakpoint, ...]) -> None:
        """What breakpoints and find look through, once it is read."""
        events = Events(document.history) if document.read else None
        self._breakpoints.set_events(events, breakpoints)
        self._find_bar.set_events(events)

    def _mark_errors(self, document: Document) -> None:
        """On the overview: waits that gave up, and where findings of an error stand."""
        steps = np.flatnonzero(document.history.kinds == EventKind.TIMEOUT).tolist()
        if document.report is not None:
            steps += [f.step for f in document.report.every if f.severity == "error" and f.step is not None]
        self._timeline.set_marks("error", distinct(np.array(steps, np.int64)))

    def _show_parameters(self, document: Document) -> None:
        """Offer the recording's own parameters for the next run, if it is one of ours."""
        if document.path is None and not document.saved:
            return  # it ran here: the panel says what, and goes on saying it
        panel = self._panes.made("experiment")
        if panel is None:
            return  # asked again when it is made
        from visualizer.programs.registry import recorded_parameters

        meta = document.history.trace.meta
        if parameters := recorded_parameters(meta.program, meta.config):
            panel.show_program(meta.program, parameters, meta.config.get("fault"))
