"""The formats that can be imported, and the one place where the command line, the window and scripts ask for it."""

from __future__ import annotations

import os
import shlex
from datetime import UTC, datetime
from pathlib import Path

from visualizer import __version__
from visualizer.language import tr
from visualizer.recording.regular_file import open_regular
from visualizer.recording.tables import Ending, Meta
from visualizer.recording.trace import Trace, TraceError
from visualizer.resources import RECORDING_SUFFIX
from visualizer.sources.errors import Cancelled, SourceError
from visualizer.sources.imports.activity import ACTIVITY
from visualizer.sources.imports.build_trace import trace_of
from visualizer.sources.imports.neutral import CSV, JSON_LINES
from visualizer.sources.imports.reader import MOST_BYTES, Reader, Text
from visualizer.sources.imports.synclog import SYNCLOG
from visualizer.sources.progress import CancelCheck, Progress

READERS: tuple[Reader, ...] = (SYNCLOG, CSV, JSON_LINES, ACTIVITY)
"""In the order in which they are asked."""
_HEAD = 1 << 16


def import_trace(
    path: Path, launch: int = 0, progress: Progress | None = None, cancelled: CancelCheck | None = None
) -> Trace:
    """The Trace of another tool's file, of several launches in it `launch`. SourceError, which names it; Cancelled."""
    try:
        content = _content(path)
        reader = reader_of(content[:_HEAD])
        if launch and reader is not SYNCLOG:
            raise SourceError(tr("--launch is for synclog; a file of this format holds one recording"))
        text = Text(content, launch, progress or (lambda done, what: None), cancelled or (lambda: False))
        imported = reader.read(text)
        if text.cancelled():
            raise Cancelled
        text.progress(0.8, tr("finding out what happened"))
        words = ["phasescope", "import", path.name, *(["--launch", str(launch)] if launch else [])]
        meta = Meta(
            program=path.stem or path.name,
            config={},
            source={"kind": "import", "format": reader.name, "file": path.name},
            ending=Ending("completed"),
            command=shlex.join([*words, "-o", f"{path.stem}{RECORDING_SUFFIX}"]),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            versions={"phasescope": __version__},
        )
        return trace_of(imported, meta)
    except (SourceError, TraceError) as error:
        raise SourceError(f"{path}: {error}") from None


def reader_of(head: str) -> Reader:
    """The reader of a text that begins so. SourceError, which says what would be accepted."""
    for reader in READERS:
        if reader.sniff(head):
            return reader
    formats = "; ".join(tr(reader.title) for reader in READERS)
    raise SourceError(
        tr(
            "it is no recording, and nothing that can be imported. These can: {formats}. docs/import.md describes them",
            formats=formats,
        )
    )


def _content(path: Path) -> str:
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > MOST_BYTES:
                raise SourceError(
                    tr("it has {size} bytes; files of at most {most} can be imported", size=size, most=MOST_BYTES)
                )
            content = file.read(MOST_BYTES)
    except OSError as error:
        raise SourceError(tr("it cannot be read: {reason}", reason=error.strerror or error)) from None
    except ValueError:  # a NUL in its name
        raise SourceError(tr("it cannot be the name of a file")) from None
    if b"\0" in content[:_HEAD]:
        reader_of("")  # no text: refuses it in the words for what is none of the formats
    return content.decode("utf-8", "replace")
