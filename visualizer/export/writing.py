"""What every exporter is handed: where the bytes go, whom to tell how far it is, and whether to go on; and the file
that is there in the end, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from visualizer.export.errors import ExportError
from visualizer.language import tr
from visualizer.recording.replacing import replacing
from visualizer.sources.errors import Cancelled
from visualizer.sources.progress import CancelCheck, Progress

CHUNK_ROWS = 50_000
"""Rows turned into text at a time: enough to be fast, few enough that Cancel is heard within a tenth of a second."""


@dataclass(frozen=True, slots=True)
class Look:
    """What pictures and pages look like. `step`: the event to mark in a picture; None: none."""

    theme: str = "light"
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Writing:
    """One export on its way. `file` is open for bytes and becomes the target when all is well."""

    file: IO[bytes]
    progress: Progress
    cancelled: CancelCheck
    look: Look

    def text(self, text: str) -> None:
        self.file.write(text.encode())

    def reached(self, fraction: float, what: str) -> None:
        """Report 0..1 of the work; raises Cancelled if the user asked to stop."""
        if self.cancelled():
            raise Cancelled
        self.progress(min(fraction, 1.0), what)


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """A new file that takes the place of `path` when the block ends well, and leaves nothing behind otherwise.

    Raises ExportError, which names the file, where none can be written there.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise ExportError(tr("{path} is not a regular file; choose another name", path=path))
    try:
        with replacing(target) as file:
            yield file
    except OSError as error:
        raise ExportError(
            tr(
                "{path} cannot be written: {reason}; check that {folder} exists, can be written and has room",
                path=path,
                reason=error.strerror or error,
                folder=path.parent,
            )
        ) from error


def chunks(rows: int) -> Iterator[slice]:
    """0..rows in pieces of CHUNK_ROWS."""
    for first in range(0, rows, CHUNK_ROWS):
        yield slice(first, min(first + CHUNK_ROWS, rows))
