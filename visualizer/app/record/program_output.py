"""What a program prints, on its way into the window: read as fast as it comes, kept as far as anybody could read it."""

from __future__ import annotations

import codecs
import os
import re
import select
import threading
from typing import IO

from visualizer.cli.terminal import printable
from visualizer.language import trn

_AT_ONCE = 1 << 16
"""Bytes: what a pipe holds."""
_MOST = 1 << 18
"""Characters kept between two looks; of more the last ones."""
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
"""Colours and moves of the cursor."""


class ProgramOutput:
    """A pipe whose `file` the program writes to. `take` what has come since the last time, from any thread.

    A program may leave others behind that hold the pipe open, so `close` does not wait for its end.
    """

    def __init__(self) -> None:
        self._read, write = os.pipe()
        self._closing, self._close = os.pipe()
        self.file: IO[bytes] = os.fdopen(write, "wb", buffering=0)
        self._lock = threading.Lock()
        self._text, self._left_out = "", 0
        self._thread = threading.Thread(target=self._run, name="program-output", daemon=True)
        self._thread.start()

    def take(self) -> str:
        """Plain text, each line of it ended by one newline."""
        with self._lock:
            text, left_out = self._text, self._left_out
            self._text, self._left_out = "", 0
        text = printable(_ESCAPES.sub("", text).replace("\r\n", "\n").replace("\r", "\n"))
        if not left_out:
            return text
        return trn("({n} character left out)", "({n} characters left out)", left_out) + "\n" + text

    def close(self) -> None:
        """Once the program has ended: what it wrote can be taken then."""
        self.file.close()
        os.write(self._close, b".")
        self._thread.join()
        for end in (self._read, self._closing, self._close):
            os.close(end)

    def _run(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        while True:
            ready, _, _ = select.select([self._read, self._closing], [], [])
            data = os.read(self._read, _AT_ONCE) if self._read in ready else b""
            with self._lock:
                text = self._text + decoder.decode(data)
                self._left_out += max(len(text) - _MOST, 0)
                self._text = text[-_MOST:]
            if not data or self._closing in ready:
                return
