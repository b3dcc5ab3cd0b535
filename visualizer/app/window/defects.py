"""Errors that nobody expected: said in the window, which goes on, and written down once."""

from __future__ import annotations

import platform
import sys
import traceback
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from visualizer import __version__
from visualizer.language import tr
from visualizer.recording.replacing import replacing
from visualizer.recording.trace import TraceError

if TYPE_CHECKING:
    from visualizer.app.session.document import Document
    from visualizer.app.window.main_window import MainWindow


class Defects(QObject):
    """Python's hook for exceptions that nobody caught, in any thread: one message a document and place in the code."""

    _met = Signal(object)

    def __init__(self, window: MainWindow, directory: Path) -> None:
        super().__init__(window)
        self._window = window
        self._directory = directory
        self._document: Document | None = None
        self._seen: set[tuple[str, str, int]] = set()
        # Queued: a widget may be in the midst of painting, or the thread not be the window's.
        self._met.connect(self._tell, Qt.ConnectionType.QueuedConnection)

    def __call__(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if _place(error) not in self._seen:
            sys.__excepthook__(kind, error, trace)
        self._met.emit(error)

    def _tell(self, error: BaseException) -> None:
        document = self._window.document
        if document is not self._document:
            self._document = document
            self._seen.clear()
        place = _place(error)
        if place in self._seen:
            return  # a picture that cannot be drawn fails at each repaint
        self._seen.add(place)
        sentence = tr("phasescope has a defect: {kind}: {error}", kind=type(error).__name__, error=error)
        report, offer = self._write(error, place, document), None
        if report is not None:
            sentence += " " + tr("The report is in {file}.", file=report)
            if document is not None and document.read:
                offer = (tr("Save the recording beside it"), partial(self._save_recording, document, report))
        self._window.messages.show_error(sentence, offer)

    def _write(self, error: BaseException, place: tuple[str, str, int], document: Document | None) -> Path | None:
        """The report's file; None where it cannot be written."""
        from visualizer.app.window.about import about_text

        report = self._directory / f"{place[0]}-{Path(place[1]).stem}-{place[2]}.txt"
        lines = [
            f"phasescope {__version__}, Python {platform.python_version()}, {platform.platform()}",
            "".join(traceback.format_exception(error)),
            about_text(document),
        ]
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            with replacing(report) as file:
                file.write("\n".join(lines).encode(errors="backslashreplace"))
        except OSError:
            return None
        return report

    def _save_recording(self, document: Document, report: Path) -> None:
        from visualizer.recording.file import save

        try:
            save(document.history.trace, report.with_suffix(".pscope"))
        except TraceError as problem:
            self._window.messages.show_error(str(problem))
        else:
            self._window.messages.show_note(
                tr(
                    "{recording} and {report} together show the defect",
                    recording=report.with_suffix(".pscope"),
                    report=report,
                )
            )


def _place(error: BaseException) -> tuple[str, str, int]:
    """Kind of the error, and file and line of where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    return type(error).__name__, *((frames[-1].filename, frames[-1].lineno or 0) if frames else ("", 0))
