"""A recording from any file: phasescope's own, or another tool's, whose readers are imported when one comes."""

from __future__ import annotations

from pathlib import Path

from visualizer.recording.file import load
from visualizer.recording.trace import Trace, TraceError
from visualizer.resources import RECORDING_SUFFIX
from visualizer.sources.errors import SourceError
from visualizer.sources.progress import CancelCheck, Progress

_ZIP = (b"PK\x03\x04", b"PK\x05\x06")


def is_recording(path: Path) -> bool:
    """Whether a file is to be opened as a recording: by its first bytes or its name; also where there is none."""
    if path.suffix == RECORDING_SUFFIX or not path.is_file():
        return True
    try:
        with open(path, "rb") as file:
            return file.read(4) in _ZIP
    except OSError:
        return True  # opening says what is wrong


def read_recording(path: Path, progress: Progress | None = None, cancelled: CancelCheck | None = None) -> Trace:
    """The recording in a file, imported if it is another tool's. TraceError, which names the file; Cancelled."""
    if is_recording(path):
        return load(path)
    from visualizer.sources.imports.registry import import_trace

    try:
        return import_trace(path, progress=progress, cancelled=cancelled)
    except SourceError as error:
        raise TraceError(str(error)) from None
