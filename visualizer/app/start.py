"""The first and the last thing a running window does: make the QApplication, show the window, open a file."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from visualizer.app.defects import Defects
from visualizer.app.main_window import MainWindow
from visualizer.app.settings import Settings
from visualizer.language import use
from visualizer.playback.address import Address
from visualizer.resources import resource_dir


def start(address: Address, *, story: Path | None = None, language: str | None = None) -> int:
    """`language`: the one asked for this time; without it the one chosen in the window, else the locale's."""
    application = make_application()
    if language is None and Settings().language:
        use(Settings().language)
    # Python's own handler would run only when the next event wakes the interpreter; Ctrl+C should end at once.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    window = open_window(application, address)
    if story is not None:
        window.lectures.present(story)
    sys.excepthook = Defects(window, window.settings.directory / "reports")
    status = application.exec()
    sys.excepthook = sys.__excepthook__
    # Qt wants its widgets gone before the application.
    del window
    return status


def make_application() -> QApplication:
    application = QApplication(sys.argv[:1])
    application.setApplicationName("phasescope")
    application.setApplicationDisplayName("")
    application.setDesktopFileName("phasescope")  # so that a desktop that has the entry knows whose window it is
    application.setWindowIcon(QIcon(str(resource_dir("assets") / "icons" / "phasescope.svg")))
    application.setStyle("Fusion")
    return application


def open_window(application: QApplication, address: Address, settings: Settings | None = None) -> MainWindow:
    """The window, shown, with the recording (none: the lesson) being loaded."""
    window = MainWindow(application, settings or Settings())
    window.show()
    if address.path is None:
        window.files.open_lesson()
    else:
        window.files.open(address.path, address.focus)
    return window
