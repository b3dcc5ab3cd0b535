"""Reads a recording further while it is already shown: a long one's history first, then the diagnosis of any."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from visualizer.app.session.document import Document
from visualizer.app.session.record_job import diagnose_work, read_work
from visualizer.app.work.job import JobRunner
from visualizer.app.work.message_bar import MessageBar
from visualizer.language import tr
from visualizer.views.timeline.timeline_widget import TimelineWidget


class Reading(QObject):
    """`document_read` follows when the history can be asked, and again when the diagnosis is there."""

    document_read = Signal(object)

    def __init__(self, timeline: TimelineWidget, messages: MessageBar, parent: QObject) -> None:
        super().__init__(parent)
        self._timeline, self._messages = timeline, messages
        self._undiagnosed: Document | None = None
        self._painted = QTimer(self, singleShot=True, interval=0)  # what is to be painted at once comes before
        self._painted.timeout.connect(lambda: self.diagnose(self._undiagnosed))
        self.jobs = JobRunner(self)
        self.jobs.succeeded.connect(self._read)
        self.jobs.failed.connect(lambda sentence: messages.show_error(sentence))
        self.jobs.cancelled.connect(self._cancelled)

    @property
    def is_busy(self) -> bool:
        return self.jobs.is_busy

    def start(self, document: Document) -> None:
        """The lanes in view come first."""
        timeline = self._timeline
        self.jobs.start(read_work(document, lambda: timeline.busy))

    def diagnose(self, document: Document) -> None:
        """Diagnose a document that is read, once more: its sentences are in the language of when they were made."""
        self.jobs.start(diagnose_work(document))

    def diagnose_when_painted(self, document: Document) -> None:
        """The same, once the window has had time to show what there is."""
        self._undiagnosed = document
        self._painted.start()

    def cancel(self) -> None:
        self.jobs.cancel()

    def stop(self) -> None:
        """Let go of what runs, and of what would."""
        self._painted.stop()
        self.jobs.stop()

    def _read(self, document: Document) -> None:
        self.document_read.emit(document)
        if document.report is None and not document.note:
            self.jobs.start(diagnose_work(document))

    def _cancelled(self) -> None:
        what = tr("Cancelled: this recording is shown as far as it was read. Open it again for the rest.")
        self._messages.show_note(what)
