"""Work that would freeze the window - loading, simulating, recording - in a thread, with progress and cancel.

The work itself is a plain function of (progress, cancelled) that knows nothing of Qt; see session/record_job.py.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QThread, Signal

from visualizer.cli.errors import describe_os_error
from visualizer.export.errors import ExportError
from visualizer.language import tr
from visualizer.playback.notes_file import NotesError
from visualizer.programs.errors import ProgramError
from visualizer.recording.trace import TraceError
from visualizer.sources.errors import Cancelled, SourceError
from visualizer.sources.progress import CancelCheck, Progress

Work = Callable[[Progress, CancelCheck], Any]

_PROGRESS_INTERVAL_S = 1 / 30
"""A simulator reports thousands of times a second; the window can show thirty."""


class Job(QThread):
    """One run of one piece of work. Exactly one of succeeded, failed and cancelled is emitted, then `finished`.

    Every signal begins with the job's number: a signal that was on its way when the job was given up still arrives.
    """

    progressed = Signal(int, float, str)
    succeeded = Signal(int, object)
    failed = Signal(int, str)
    cancelled = Signal(int)

    def __init__(self, number: int, work: Work, parent: QObject) -> None:
        super().__init__(parent)
        self._number = number
        self._work: Work | None = work
        self._stop = threading.Event()
        self._last_report = 0.0

    def cancel(self) -> None:
        """Ask the work to stop; it notices at its next check."""
        self._stop.set()

    def run(self) -> None:
        assert self._work is not None
        try:
            result = self._work(self._report, self._stop.is_set)
        except Cancelled:
            self.cancelled.emit(self._number)
        except (ExportError, NotesError, SourceError, TraceError, ProgramError) as error:
            self.failed.emit(self._number, str(error))
        except OSError as error:
            self.failed.emit(self._number, describe_os_error(error))
        except MemoryError:
            self.failed.emit(
                self._number, tr("There is not enough memory for this recording: use fewer tiles or CTAs.")
            )
        except Exception as error:
            # A thread that dies silently would leave the window waiting for ever.
            self.failed.emit(
                self._number, tr("phasescope has a defect: {kind}: {error}", kind=type(error).__name__, error=error)
            )
        else:
            if self._stop.is_set():
                self.cancelled.emit(self._number)
            else:
                self.succeeded.emit(self._number, result)
        finally:
            self._work = None  # and the recordings that it knows

    def _report(self, fraction: float, what: str) -> None:
        now = time.monotonic()
        if now - self._last_report >= _PROGRESS_INTERVAL_S or fraction >= 1:
            self._last_report = now
            self.progressed.emit(self._number, fraction, what)


_let_go: list[Job] = []
"""Jobs that nobody waits for, which may not have ended yet."""


def let_go(job: Job) -> None:
    """Cancel a job and wait for nothing: what it would have delivered is dropped. It may be in the midst of one long
    computation, and neither a window that is closed nor the next recording shall wait for that."""
    job.cancel()
    job.setParent(None)  # it may outlive its window
    _let_go[:] = [one for one in _let_go if not one.isFinished()]
    _let_go.append(job)


def all_ended(within_s: float) -> bool:
    """Whether all jobs that were let go have ended, or do in so many seconds."""
    deadline = time.monotonic() + within_s
    return all(job.wait(max(round((deadline - time.monotonic()) * 1000), 0)) for job in _let_go)


class JobRunner(QObject):
    """Runs one job at a time: a new one takes the place of the old one, which is let go.

    The outcome is told once the thread has ended, so whoever hears of it may start the next job.
    """

    progressed = Signal(float, str)
    succeeded = Signal(object)
    failed = Signal(str)
    cancelled = Signal()
    busy_changed = Signal(bool)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._job: Job | None = None
        self._number = 0

    @property
    def is_busy(self) -> bool:
        return self._job is not None

    def start(self, work: Work) -> None:
        self.stop()
        self._number += 1
        job = Job(self._number, work, self)
        job.progressed.connect(self._job_progressed)
        job.succeeded.connect(self._job_succeeded)
        job.failed.connect(self._job_failed)
        job.cancelled.connect(self._job_cancelled)
        self._job = job
        self.busy_changed.emit(True)
        job.start()

    def cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()

    def stop(self) -> None:
        """Let go of what runs."""
        job, self._job = self._job, None
        if job is not None:
            let_go(job)
            self.busy_changed.emit(False)

    def finish(self) -> None:
        """Cancel what runs and wait until it has ended: for work that has others to end, which would be left behind."""
        self.cancel()
        self._end()

    def _job_progressed(self, number: int, fraction: float, what: str) -> None:
        if number == self._number and self._job is not None:
            self.progressed.emit(fraction, what)

    def _job_succeeded(self, number: int, result: object) -> None:
        if self._ended(number):
            self.succeeded.emit(result)

    def _job_failed(self, number: int, sentence: str) -> None:
        if self._ended(number):
            self.failed.emit(sentence)

    def _job_cancelled(self, number: int) -> None:
        if self._ended(number):
            self.cancelled.emit()

    def _ended(self, number: int) -> bool:
        """Whether it is the current job that has ended; its thread has nothing left to do."""
        if number != self._number or self._job is None:
            return False
        self._end()
        return True

    def _end(self) -> None:
        job, self._job = self._job, None
        if job is not None:
            job.wait()
            job.deleteLater()
            self.busy_changed.emit(False)
