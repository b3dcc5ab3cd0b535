"""What the commands that write files for others share: Qt without a screen, and how far the work is."""

from __future__ import annotations

import os
import sys

from visualizer.cli.terminal import rewrite_line
from visualizer.export.errors import ExportError
from visualizer.language import tr
from visualizer.sources.progress import Progress

_application: object = None  # Qt's, kept alive: pictures are painted with its fonts


def start_qt() -> None:
    """What painting pictures and widgets needs of Qt, without a screen. ExportError if PySide6 is not installed."""
    global _application
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    try:
        from PySide6.QtWidgets import QApplication
    except ImportError as error:
        raise ExportError(
            tr(
                "pictures are painted with PySide6, which does not start here ({error}); run: phasescope doctor",
                error=error,
            )
        ) from None
    if QApplication.instance() is None:
        application = QApplication([])
        application.setStyle("Fusion")
        _application = application


def progress() -> Progress:
    """Shows progress in one line of a terminal, and nothing elsewhere."""
    return _show if sys.stderr.isatty() else _silent


def clear_progress() -> None:
    """Take the line away again."""
    if sys.stderr.isatty():
        rewrite_line("")


def _show(fraction: float, what: str) -> None:
    rewrite_line(f"{fraction:4.0%} {what}")


def _silent(fraction: float, what: str) -> None:
    pass
