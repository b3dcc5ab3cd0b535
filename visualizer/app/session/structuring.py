"""What a person says of the structure of the recording in the window: tried first, then kept in the sidecar file.

An entry that cannot be so is refused in a sentence. What is told is about the kernel, so it goes with the next run of
the program, and stays when the recording is made anew. What another window says of the recording is followed too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from visualizer.app.session.document import Document
from visualizer.app.session.front import bring_to_front
from visualizer.app.session.noting import Noting
from visualizer.app.session.panes import Panes
from visualizer.app.session.record_job import diagnosed
from visualizer.app.session.session import Session
from visualizer.app.work.job import JobRunner, Work
from visualizer.language import tr
from visualizer.playback.notes_file import NotesError, load_structure, save_structure
from visualizer.playback.notes_merge import entries_beyond, merged_entries
from visualizer.playback.opening import problems_with
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.structure.find import structure_of
from visualizer.structure.model import Structure
from visualizer.structure.overrides import contradictions

if TYPE_CHECKING:
    from visualizer.views.structure.structure_widget import StructureWidget


@dataclass(frozen=True, slots=True)
class _Tried:
    """A document as it is with other entries. `there`: those in the file, which it follows; None: it is this window's
    person who says so."""

    document: Document
    there: Sequence[Any] | None


class Structuring(QObject):
    """One window's. Of a recording without a file it is written when that is saved.

    `told` carries the document as it is with another structure.
    """

    told = Signal(object)

    def __init__(self, session: Session, noting: Noting, panes: Panes, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._noting, self._panes = session, noting, panes
        self.jobs = JobRunner(self)
        self.jobs.succeeded.connect(self._tried)
        self.jobs.failed.connect(lambda sentence: session.messages.show_error(sentence))
        self.jobs.cancelled.connect(lambda: self.look())
        self._kept: tuple[Any, ...] = ()  # what the document has of the file: other entries there are another window's
        noting.looked.connect(self.look)
        panes.when_made("structure", self._take_pane)

    def show_pane(self) -> None:
        """Bring the pane to the front, with the keyboard in it."""
        bring_to_front(self._panes["structure"])
        self._panes["structure"].tree.setFocus()

    def set_document(self, document: Document) -> None:
        """Another recording, or this one with another structure."""
        if document.entries and (problems := problems_with(document.history, self._sidecar(document))):
            self._session.messages.show_error("\n".join(problems))
        self._kept = document.entries if document.path is not None else ()
        self._show(document)

    def saved_as(self, document: Document) -> None:
        """The recording has another file: what was told goes with it, together with what is told there."""
        self._kept = ()
        if document.entries:
            self._save(document)

    def look(self) -> None:
        """Another window may have told something of the same recording: then it is so here too."""
        document = self._session.document
        sidecar = self._sidecar(document) if document is not None and document.read else None
        if document is None or sidecar is None or self.jobs.is_busy:  # what is being tried is saved, which looks too
            return
        with suppress(NotesError):  # saving will say so
            self._bring_together(document, load_structure(sidecar))

    def add(self, entry: dict[str, Any]) -> None:
        """Say this too, if it can be so."""
        if (document := self._session.document) is not None and document.read:
            self.jobs.start(_try(document, (*document.entries, entry)))

    def remove(self, number: int) -> None:
        """Take an entry back."""
        if (document := self._session.document) is not None and document.read:
            self.jobs.start(_try(document, document.entries[:number] + document.entries[number + 1 :]))

    def _tried(self, outcome: _Tried | str) -> None:
        if isinstance(outcome, str):
            self._session.messages.show_error(outcome)
            self.look()
            return
        document = outcome.document
        self.told.emit(document)
        self._show(document)
        if outcome.there is None:
            self._save(document)
        else:
            self._kept = tuple(outcome.there)
            self.look()

    def _save(self, document: Document) -> None:
        """Write what is told into the file, and follow what another window wrote there."""
        sidecar = self._sidecar(document)
        if sidecar is None:
            return
        try:
            before = load_structure(sidecar)
            there = save_structure(sidecar, list(document.entries), document.history.trace, self._kept)
        except NotesError as error:
            self._session.messages.show_error(str(error))
            return
        self._tell_contradictions(document, before)
        self._kept = document.entries
        self._bring_together(document, there)

    def _bring_together(self, document: Document, there: list[Any]) -> None:
        """Show the document with what is in the file, if it has anything else."""
        entries = merged_entries(self._kept, document.entries, there)
        if entries == list(document.entries):
            self._kept = tuple(there)
            return
        self._tell_contradictions(document, there)
        self.jobs.start(_with(document, entries, there))

    def _tell_contradictions(self, document: Document, there: list[Any]) -> None:
        """In one sentence, what this window and another one say that cannot both be so; both stay."""
        mine = entries_beyond(document.entries, self._kept, there)
        theirs = entries_beyond(there, self._kept, document.entries)
        if pairs := contradictions(document.history.trace, mine, theirs):
            self._session.messages.show_error(
                tr(
                    "Here it is told that {mine}, and in another window that {theirs}: both are kept, and what stands"
                    " last is followed; take back what is wrong.",
                    mine=_sentences(one for one, _ in pairs),
                    theirs=_sentences(other for _, other in pairs),
                )
            )

    def _take_pane(self, pane: StructureWidget) -> None:
        pane.entry_added.connect(self.add)
        pane.entry_removed.connect(self.remove)
        if self._session.document is not None:
            self._show(self._session.document)

    def _show(self, document: Document) -> None:
        if (pane := self._panes.made("structure")) is not None:
            problems = document.history.structure.problems if document.entries else {}
            pane.set_entries(document.entries, dict(problems))

    def _sidecar(self, document: Document) -> Path | None:
        return self._noting.sidecar(document.path) if document.path is not None else None


def _try(document: Document, entries: Sequence[Any]) -> Work:
    """_Tried with these entries; or, if the newest of more than before cannot be so, why not."""

    def work(progress: Progress, cancelled: CancelCheck) -> _Tried | str:
        progress(0.0, tr("finding the structure"))
        history = document.history
        structure = structure_of(history.trace, entries)
        newest = len(entries) - 1
        if len(entries) > len(document.entries) and newest in structure.problems:
            return structure.problems[newest]
        return _Tried(_told(document, structure, entries, progress, cancelled), None)

    return work


def _with(document: Document, entries: Sequence[Any], there: Sequence[Any]) -> Work:
    """_Tried with these entries, of which `there` are in the file, whether or not they can be so."""

    def work(progress: Progress, cancelled: CancelCheck) -> _Tried:
        progress(0.0, tr("finding the structure"))
        structure = structure_of(document.history.trace, entries)
        return _Tried(_told(document, structure, entries, progress, cancelled), there)

    return work


def _told(
    document: Document, structure: Structure, entries: Sequence[Any], progress: Progress, cancelled: CancelCheck
) -> Document:
    told = document.history.with_structure(structure)
    told.build()
    return diagnosed(replace(document, history=told, entries=tuple(entries)), None, progress, cancelled)


def _sentences(entries: Iterable[Any]) -> str:
    """Entries in words, each once."""
    from visualizer.views.structure.structure_model import entry_sentence

    return "; ".join(dict.fromkeys(map(entry_sentence, entries)))
