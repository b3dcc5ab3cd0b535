"""Answers to questions that change faster than they can be answered, such as a query while it is typed.

Small recordings are asked at once. For long ones the answer is worked out in a thread, one at a time: what is asked
meanwhile waits, and only the newest of it is asked next.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from visualizer.app.work.job import JobRunner, Work

AT_ONCE = 200_000
"""Events that a query looks through faster than a frame is painted."""


class NewestJob(QObject):
    """Runs work for the newest question; `answered` carries what the work returned."""

    answered = Signal(object)
    failed = Signal(str)
    busy_changed = Signal(bool)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs = JobRunner(self)
        self._next: Work | None = None
        self._jobs.succeeded.connect(self._answer)
        self._jobs.failed.connect(self._fail)
        self._jobs.cancelled.connect(self._go_on)
        self._jobs.busy_changed.connect(self.busy_changed)

    @property
    def is_busy(self) -> bool:
        return self._jobs.is_busy

    def ask(self, work: Work, events: int) -> None:
        """Answer now, or as soon as the answer under way is in; `events` is what the work looks through."""
        if self._jobs.is_busy:
            self._next = work
        elif events <= AT_ONCE:
            self.answered.emit(work(lambda fraction, what: None, lambda: False))
        else:
            self._jobs.start(work)

    def stop(self) -> None:
        """Forget every question."""
        self._next = None
        self._jobs.stop()

    def _answer(self, result: object) -> None:
        if not self._go_on():
            self.answered.emit(result)

    def _fail(self, sentence: str) -> None:
        if not self._go_on():
            self.failed.emit(sentence)

    def _go_on(self) -> bool:
        """Start on what was asked meanwhile, if anything: then the answer at hand is out of date."""
        work, self._next = self._next, None
        if work is not None:
            self._jobs.start(work)
        return work is not None
