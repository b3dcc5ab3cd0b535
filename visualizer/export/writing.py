"""What every exporter is handed: where the bytes go, whom to tell how far it is, and whether to go on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

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


def chunks(rows: int) -> Iterator[slice]:
    """0..rows in pieces of CHUNK_ROWS."""
    for first in range(0, rows, CHUNK_ROWS):
        yield slice(first, min(first + CHUNK_ROWS, rows))
