"""The notes on the recording in the window: marks and bookmarks, kept in its sidecar file after every change."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, Signal

from visualizer.app.session.document import Document
from visualizer.app.session.front import bring_to_front
from visualizer.app.session.panes import Panes
from visualizer.app.session.session import Session
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.playback.notes import Mark, Notes, SavedBreakpoint
from visualizer.playback.notes_file import NotesError, load_notes, notes_path, save_notes
from visualizer.playback.notes_merge import merged
from visualizer.resources import resource_dir
from visualizer.views.timeline.timeline_widget import TimelineWidget


class Noting(QObject):
    """`changed` follows every change. Notes on a recording that has no file yet are written when it is saved.

    `looked` follows when something in the folder of the sidecar file was written, `breakpoints_told` when another
    window wrote other breakpoints there.
    """

    changed = Signal()
    looked = Signal()
    breakpoints_told = Signal(tuple)

    def __init__(
        self, session: Session, timeline: TimelineWidget, panes: Panes, directory: Path, parent: QObject
    ) -> None:
        """`directory` is for notes on what comes with phasescope, which has no place for them beside it."""
        super().__init__(parent)
        self._session, self._timeline, self._panes, self._directory = session, timeline, panes, directory
        self._document: Document | None = None
        self._path: Path | None = None
        self.notes = Notes()
        self._kept = Notes()  # as they are in the file, as far as this window knows
        # The folder: the file is replaced whenever it is written, and may not be there yet.
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(lambda: self._look())

    @property
    def path(self) -> Path | None:
        """The sidecar file; None while notes cannot be kept."""
        return self._path

    def sidecar(self, recording: Path) -> Path:
        """The file for what a person says of a recording."""
        if recording.resolve().is_relative_to(resource_dir("assets").resolve()):
            # What comes with phasescope may not be writable, and is no place for a person's notes.
            return self._directory / "notes" / notes_path(recording).name
        return notes_path(recording)

    def set_document(self, document: Document) -> None:
        """Another recording, with the notes that lie beside it."""
        self._document = document
        self.notes = Notes()
        self._path = self.sidecar(document.path) if document.path is not None else None
        if self._path is not None:
            try:
                self.notes = load_notes(self._path, document.history.trace)
            except NotesError as error:
                self._give_up(error)
        self._kept = self.notes
        self._watch()
        self.changed.emit()

    def saved_as(self, document: Document) -> None:
        """The recording has another file: the notes go with it, unless others are there."""
        self._document = document
        self._path = self.sidecar(document.path) if document.path is not None else None
        if self._path is None:
            return
        self._kept = Notes()  # what lies beside that file is added to
        self._watch()
        self._write()

    def set_bookmark(self, number: int) -> None:
        """Bookmark `number` here; where it is already, take it away."""
        if (focus := self._focus) is not None:
            self._change(self.notes.with_bookmark(number, focus))

    def go_to_bookmark(self, number: int) -> None:
        mark = self.notes.bookmark(number)
        if mark is not None:
            self._session.navigator.go_to(mark.focus)
        else:
            self._session.messages.show_note(
                tr("There is no bookmark {number} yet: Ctrl+{number} sets it.", number=number)
            )

    def toggle_mark(self) -> None:
        """Mark the focused event, or take its mark away."""
        if (focus := self._focus) is not None:
            old = self.notes.at(focus.step)
            self._change(self.notes.without(old) if old is not None else self.notes.with_mark(Mark(focus)))

    def mark_region(self) -> None:
        """Mark the stretch that was measured."""
        measured = self._timeline.measured
        if measured is None or self._document is None or (focus := self._focus) is None:
            self._session.messages.show_note(
                tr("Measure a stretch first: drag along the ruler, or use Measure from here.")
            )
            return
        time = self._document.history.trace.events["time"]
        begin, end = sorted((measured.begin, measured.end))
        # numpy's own search would copy the whole column first: it lies strided in the file.
        first = min(bisect_left(time, begin), len(time) - 1)
        last = max(bisect_right(time, end) - 1, first)
        self._change(self.notes.with_mark(Mark(Focus(first, focus.lane), last)))

    def write(self) -> None:
        """Let the person write on the mark of the focused event, made if there is none."""
        if (focus := self._focus) is None:
            return
        found = self.notes.any_at(focus.step)
        if found is None:
            found = Mark(focus)
            self._change(self.notes.with_mark(found))
        bring_to_front(self._panes["notes"])
        self._panes["notes"].edit(found)

    def set_text(self, mark: Mark, text: str) -> None:
        if text != mark.text:
            self._change(self.notes.with_text(mark, text))

    def remove(self, mark: Mark) -> None:
        self._change(self.notes.without(mark))

    def next_mark(self) -> None:
        self._go(1)

    def previous_mark(self) -> None:
        self._go(-1)

    def set_breakpoints(self, breakpoints: tuple[SavedBreakpoint, ...]) -> None:
        if self._document is not None:
            self._change(self.notes.with_breakpoints(breakpoints))

    @property
    def _focus(self) -> Focus | None:
        return self._session.navigator.focus

    def _go(self, direction: int) -> None:
        if (focus := self._focus) is None:
            return
        if (mark := self.notes.beside(focus.step, direction)) is not None:
            self._session.navigator.go_to(mark.focus)

    def _change(self, notes: Notes) -> None:
        self.notes = notes
        self._write()
        self.changed.emit()

    def _write(self) -> None:
        if self._path is None or self._document is None:
            return
        try:
            self._take(save_notes(self._path, self.notes, self._document.history.trace, self._kept))
            if not self._watcher.directories():
                self._watch()  # the folder is there now
        except NotesError as error:
            self._give_up(error)

    def _look(self) -> None:
        """Another window may have written notes on the same recording."""
        if self._path is None or self._document is None:
            return
        with suppress(NotesError):  # saving will say so
            there = load_notes(self._path, self._document.history.trace)
            if there != self._kept:
                self._take(merged(self._kept, self.notes, there), there)
                self.changed.emit()
        self.looked.emit()

    def _take(self, notes: Notes, kept: Notes | None = None) -> None:
        """The notes of all windows; `kept`: what of them is in the file, if not all."""
        if notes.breakpoints != self.notes.breakpoints:
            self.breakpoints_told.emit(notes.breakpoints)
        self.notes = notes
        self._kept = notes if kept is None else kept

    def _watch(self) -> None:
        if watched := self._watcher.directories():
            self._watcher.removePaths(watched)
        if self._path is not None and self._path.parent.is_dir():
            self._watcher.addPath(str(self._path.parent))

    def _give_up(self, error: NotesError) -> None:
        """Say it once and keep what follows in the window only: a file that is not ours to replace stays."""
        self._path = None
        self._session.messages.show_error(str(error))
