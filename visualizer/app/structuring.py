"""What a person says of the structure of the recording in the window: tried first, then kept in the sidecar file.

An entry that cannot be so is refused in a sentence. What is told is about the kernel, so it goes with the next run of
the program, and stays when the recording is made anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from visualizer.app.document import Document
from visualizer.app.job import JobRunner, Work
from visualizer.app.record_job import diagnosed
from visualizer.language import tr
from visualizer.playback.notes_file import NotesError, load_structure, save_structure
from visualizer.playback.opening import problems_with
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.structure.find import structure_of

if TYPE_CHECKING:
    from visualizer.app.main_window import MainWindow


class Structuring(QObject):
    """One window's. Of a recording without a file it is written when that is saved."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.jobs = JobRunner(self)
        self.jobs.busy_changed.connect(lambda busy: window.actions_by_id.refresh())
        self.jobs.progressed.connect(lambda _, what: window.statusBar().showMessage(tr("{what}…", what=what)))
        self.jobs.busy_changed.connect(lambda busy: None if busy else window.statusBar().clearMessage())
        self.jobs.succeeded.connect(self._tried)
        self.jobs.failed.connect(lambda sentence: window.messages.show_error(sentence))
        pane = window.panes["structure"]
        pane.entry_added.connect(self.add)
        pane.entry_removed.connect(self.remove)

    def show_pane(self) -> None:
        """Bring the pane to the front, with the keyboard in it."""
        self._window.show_pane("structure")
        self._window.panes["structure"].tree.setFocus()

    def set_document(self, document: Document) -> None:
        """Another recording, or this one with another structure."""
        if document.entries and (problems := problems_with(document.history, self._sidecar(document))):
            self._window.messages.show_error("\n".join(problems))
        self._show(document)

    def saved_as(self, document: Document) -> None:
        """The recording has another file: what was told goes with it, unless something else is told there."""
        sidecar = self._sidecar(document)
        if sidecar is None or not document.entries:
            return
        try:
            there = load_structure(sidecar)
            if there and there != list(document.entries):
                what = tr(
                    "{file} tells another structure: it was left as it is, and what you told is not saved.",
                    file=sidecar,
                )
                self._window.messages.show_error(what)
            elif not there:
                save_structure(sidecar, list(document.entries), document.history.trace)
        except NotesError as error:
            self._window.messages.show_error(str(error))

    def add(self, entry: dict[str, Any]) -> None:
        """Say this too, if it can be so."""
        if (document := self._window.document) is not None and document.read:
            self.jobs.start(_try(document, (*document.entries, entry)))

    def remove(self, number: int) -> None:
        """Take an entry back."""
        if (document := self._window.document) is not None and document.read:
            self.jobs.start(_try(document, document.entries[:number] + document.entries[number + 1 :]))

    def _tried(self, outcome: Document | str) -> None:
        if isinstance(outcome, str):
            self._window.messages.show_error(outcome)
            return
        sidecar = self._sidecar(outcome)
        if sidecar is not None:
            try:
                save_structure(sidecar, list(outcome.entries), outcome.history.trace)
            except NotesError as error:
                self._window.messages.show_error(str(error))
        self._show_anew(outcome)
        self._show(outcome)

    def _show_anew(self, document: Document) -> None:
        """All that follows from another structure of the same events; nobody's place is lost."""
        window = self._window
        view = window.timeline.scene.view if window.timeline.scene is not None else None
        window.document = document
        window.navigator.replace_history(document.history)
        window.show_history(document)
        window.show_events(document, window.breakpoints.saved())
        if view is not None:
            window.timeline.show_view(view.start, view.end)
        window.status.show_document(document)
        window.actions_by_id.refresh()

    def _show(self, document: Document) -> None:
        problems = document.history.structure.problems if document.entries else {}
        self._window.panes["structure"].set_entries(document.entries, dict(problems))

    def _sidecar(self, document: Document) -> Path | None:
        return self._window.notebook.sidecar(document.path) if document.path is not None else None


def _try(document: Document, entries: Sequence[Any]) -> Work:
    """The document with these entries; or, if the newest of more than before cannot be so, why not."""

    def work(progress: Progress, cancelled: CancelCheck) -> Document | str:
        progress(0.0, tr("finding the structure"))
        history = document.history
        structure = structure_of(history.trace, entries)
        newest = len(entries) - 1
        if len(entries) > len(document.entries) and newest in structure.problems:
            return structure.problems[newest]
        told = history.with_structure(structure)
        told.build()
        return diagnosed(replace(document, history=told, entries=tuple(entries)), None, progress, cancelled)

    return work
