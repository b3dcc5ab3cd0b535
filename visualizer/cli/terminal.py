"""What commands print reaches the terminal as text: names of a stranger's file cannot move the cursor, ring the bell,
turn the direction of writing, or end the program because the terminal has no sign for them."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Iterator
from typing import Any, TextIO

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""All but the end of a line and the tabulator."""


def printable(text: str) -> str:
    """The text with its control characters spelled, such as \\x1b."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


@contextlib.contextmanager
def plain_output() -> Iterator[None]:
    """While it lasts, all that is printed is printable."""
    kept = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (_Plain.of(stream) for stream in kept)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = kept


def rewrite_line(text: str) -> None:
    """Show `text` in place of the line that stderr's terminal is at; "" leaves that line empty."""
    stream = sys.stderr.terminal if isinstance(sys.stderr, _Plain) else sys.stderr
    print(f"\r\x1b[K{printable(text)}", end="", file=stream, flush=True)


class _Plain:
    """A stream in front of the terminal's."""

    def __init__(self, terminal: TextIO) -> None:
        self.terminal = terminal

    @classmethod
    def of(cls, stream: Any) -> Any:
        """The stream, made plain; None, where there is none, stays."""
        if stream is None or isinstance(stream, cls):
            return stream
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
        return cls(stream)

    def write(self, text: str) -> int:
        self.terminal.write(printable(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.terminal, name)
