"""Work that would freeze the window - loading, simulating, recording - in a thread, with progress and cancel.

The work itself is a plain function of (progress, cancelled) that knows nothing of Qt; see record_job.py.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QThread, Signal

from visualizer.cli.errors import describe_os_error
from visualizer.programs.parameters import ProgramError
from visualizer.sources.errors import Cancelled, SourceError
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.trace.trace import TraceError

Work = Callable[[Progress, CancelCheck], Any]

_PROGRESS_INTERVAL_S = 1 / 30
"""A simulator reports thousands of times a second; the window can show thirty."""


class Job(QThread):
    """One run of one piece of work. Exactly one of succeeded, failed and cancelled is emitted, then finished."""

    progressed = Signal(float, str)
    succeeded = Signal(object)
    failed = Signal(str)
    cancelled = Signal()

    def __init__(self, work: Work, parent: QObject) -> None:
        super().__init__(parent)
        self._work = work
        self._stop = threading.Event()
        self._last_report = 0.0

    def cancel(self) -> None:
        """Ask the work to stop; it notices at its next check."""
        self._stop.set()

    def run(self) -> None:
        try:
            result = self._work(self._report, self._stop.is_set)
        except Cancelled:
            self.cancelled.emit()
        except (SourceError, TraceError, ProgramError) as error:
            self.failed.emit(str(error))
        except OSError as error:
            self.failed.emit(describe_os_error(error))
        except MemoryError:
            self.failed.emit("There is not enough memory for this recording: use fewer tiles or fewer CTAs.")
        except Exception as error:
            # A thread that dies silently would leave the window waiting for ever.
            self.failed.emit(f"phasescope has a defect: {type(error).__name__}: {error}")
        else:
            if self._stop.is_set():
                self.cancelled.emit()
            else:
                self.succeeded.emit(result)

    def _report(self, fraction: float, what: str) -> None:
        now = time.monotonic()
        if now - self._last_report >= _PROGRESS_INTERVAL_S or fraction >= 1:
            self._last_report = now
            self.progressed.emit(fraction, what)


class JobRunner(QObject):
    """Runs one job at a time: a new one cancels the old one and starts when that has ended."""

    progressed = Signal(float, str)
    succeeded = Signal(object)
    failed = Signal(str)
    cancelled = Signal()
    busy_changed = Signal(bool)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._job: Job | None = None

    @property
    def is_busy(self) -> bool:
        return self._job is not None

    def start(self, work: Work) -> None:
        self.stop()
        job = Job(work, self)
        job.progressed.connect(self.progressed)
        job.succeeded.connect(self.succeeded)
        job.failed.connect(self.failed)
        job.cancelled.connect(self.cancelled)
        job.finished.connect(self._finished)
        self._job = job
        self.busy_changed.emit(True)
        job.start()

    def cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()

    def stop(self) -> None:
        """Cancel and wait until the thread has ended; what it would have delivered is dropped."""
        job = self._job
        if job is None:
            return
        job.cancel()
        for signal in (job.progressed, job.succeeded, job.failed, job.cancelled):
            signal.disconnect()
        job.finished.disconnect()
        job.wait()
        self._finished()

    def _finished(self) -> None:
        job, self._job = self._job, None
        if job is not None:
            job.deleteLater()
        self.busy_changed.emit(False)
