"""Reads a long recording while its lanes are already shown: its history first, then its diagnosis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from visualizer.app.session.document import Document
from visualizer.app.session.record_job import diagnose_work, read_work
from visualizer.app.work.job import JobRunner
from visualizer.language import tr

if TYPE_CHECKING:
    from visualizer.app.window.main_window import MainWindow


class Reading(QObject):
    """Calls the window's `document_read` when the history can be asked, and again when the diagnosis is there."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._jobs = JobRunner(self)
        self._jobs.progressed.connect(lambda _, what: window.statusBar().showMessage(tr("{what}…", what=what)))
        self._jobs.busy_changed.connect(lambda busy: None if busy else window.statusBar().clearMessage())
        self._jobs.succeeded.connect(self._read)
        self._jobs.failed.connect(lambda sentence: window.messages.show_error(sentence))
        self._jobs.cancelled.connect(self._cancelled)

    @property
    def is_busy(self) -> bool:
        return self._jobs.is_busy

    def start(self, document: Document) -> None:
        """The lanes in view come first."""
        timeline = self._window.timeline
        self._jobs.start(read_work(document, lambda: timeline.busy))

    def diagnose(self, document: Document) -> None:
        """Diagnose a document that is read, once more: its sentences are in the language of when they were made."""
        self._jobs.start(diagnose_work(document))

    def cancel(self) -> None:
        self._jobs.cancel()

    def stop(self) -> None:
        """Let go of what runs."""
        self._jobs.stop()

    def _read(self, document: Document) -> None:
        self._window.document_read(document)
        if document.report is None and not document.note:
            self._jobs.start(diagnose_work(document))

    def _cancelled(self) -> None:
        what = tr("Cancelled: this recording is shown as far as it was read. Open it again for the rest.")
        self._window.messages.show_note(what)
