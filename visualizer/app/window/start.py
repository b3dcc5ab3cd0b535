"""The first and the last thing a running window does: make the QApplication, show the window, open a file."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from visualizer.app.settings.settings import Settings
from visualizer.app.window.defects import Defects
from visualizer.app.window.main_window import MainWindow
from visualizer.app.work.job import all_ended
from visualizer.language import use
from visualizer.playback.address import Address
from visualizer.recording.trace import Trace
from visualizer.resources import resource_dir

_STARTED_MS = 1000
"""What is shown at first is made by then, and garbage is collected from then on."""
_LAST_S = 1.0
"""For jobs to notice that they are cancelled, and to end what they started themselves."""


def start(
    address: Address,
    *,
    together: Sequence[Path] = (),
    trace: Trace | None = None,
    story: Path | None = None,
    language: str | None = None,
) -> int:
    """`together`: the files that the address belongs to. `trace`: what was written into it just now. `language`: the
    one asked for this time; without it the one chosen in the window, else the locale's."""
    application = make_application()
    if language is None and Settings().language:
        use(Settings().language)
    # Python's own handler would run only when the next event wakes the interpreter; Ctrl+C should end at once.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    window = open_window(application, address, together=together, trace=trace)
    if story is not None:
        window.lectures.present(story)
    sys.excepthook = Defects(window, window.settings.directory / "reports")
    QTimer.singleShot(_STARTED_MS, gc.enable)
    status = application.exec()
    sys.excepthook = sys.__excepthook__
    # Qt wants its widgets gone before the application.
    del window
    if not all_ended(_LAST_S):
        # In the midst of one long computation that nobody needs any more: Python would wait for it, and Qt abort.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    return status


def make_application() -> QApplication:
    application = QApplication(sys.argv[:1])
    application.setApplicationName("phasescope")
    application.setApplicationDisplayName("")
    application.setDesktopFileName("phasescope")  # so that a desktop that has the entry knows whose window it is
    application.setWindowIcon(QIcon(str(resource_dir("assets") / "icons" / "phasescope.svg")))
    application.setStyle("Fusion")
    return application


def open_window(
    application: QApplication,
    address: Address,
    settings: Settings | None = None,
    together: Sequence[Path] = (),
    trace: Trace | None = None,
) -> MainWindow:
    """The window, shown, with the recording (none: the lesson) being loaded."""
    window = MainWindow(application, settings or Settings())
    window.show()
    if address.path is None:
        window.files.open_lesson()
    else:
        window.files.open(address.path, address.focus, together, trace)
    return window
