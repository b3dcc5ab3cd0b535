"""Files that others name, or left there: only regular ones are read, and no more of them than is wanted.

A FIFO keeps its reader waiting until somebody writes, and a device such as /dev/zero never ends; both say that they are
empty.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import IO

from visualizer.language import tr


class NotRegularError(OSError):
    """What has the name is no regular file; `strerror` says what it is."""


def open_regular(path: str | os.PathLike[str]) -> IO[bytes]:
    """The file `path`, to be read. NotRegularError if it is none, OSError if it cannot be read, ValueError
    if nothing can have that name."""
    mode = os.stat(path).st_mode  # before it is opened, which a device may take as an order
    if not stat.S_ISREG(mode):
        raise NotRegularError(
            errno.EINVAL, tr("a directory") if stat.S_ISDIR(mode) else tr("not a regular file"), str(path)
        )
    return open(path, "rb", opener=_at_once)


def read_regular(path: str | os.PathLike[str], most: int) -> bytes:
    """The first `most` bytes of the file `path`. OSError and ValueError as of `open_regular`."""
    with open_regular(path) as file:
        return file.read(most)


def _at_once(path: str, flags: int) -> int:
    """Also if it has become a FIFO meanwhile."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
