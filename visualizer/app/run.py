"""Start the window. PySide6 is imported inside, so that its absence is a sentence with the remedy, not a traceback."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from visualizer.cli.errors import EXIT_BAD_INPUT
from visualizer.cli.remedies import INSTALL_APP, INSTALL_QT_LIBRARIES
from visualizer.language import tr
from visualizer.playback.address import Address

if TYPE_CHECKING:
    from visualizer.recording.trace import Trace


def import_window() -> None:
    """Import what `run_app` will need, while there is time. What is missing it says itself."""
    with contextlib.suppress(ImportError):
        import visualizer.app.window.start  # noqa: F401


def run_app(
    address: Address,
    *,
    together: Sequence[Path] = (),
    trace: Trace | None = None,
    story: Path | None = None,
    language: str | None = None,
) -> int:
    """Open the window on a recording (none: the lesson), or tell a story; run it, and return the exit status.

    `trace`: what was written into the recording just now.
    """
    gc.disable()  # a start makes what stays: to look through it for what can go is a tenth of it
    try:
        from visualizer.app.window.start import start
    except ImportError as error:
        print(f"phasescope: {explain_import_error(error)}", file=sys.stderr)
        return EXIT_BAD_INPUT
    return start(address, together=together, trace=trace, story=story, language=language)


def explain_import_error(error: ImportError) -> str:
    """What to install: the Python packages, or the system libraries that Qt needs."""
    if isinstance(error, ModuleNotFoundError) and error.name and not error.name.startswith("visualizer"):
        return tr(
            "the window needs {name}, which is not installed: {install_app}", name=error.name, install_app=INSTALL_APP
        )
    return tr(
        "Qt cannot start ({error}); on Debian or Ubuntu: {install_qt_libraries}",
        error=error,
        install_qt_libraries=INSTALL_QT_LIBRARIES,
    )
