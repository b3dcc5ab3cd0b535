"""Files that appear whole or not at all: written beside their target, put in its place only when they are complete."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

if sys.platform != "win32":
    import fcntl

_PREFIX, _SUFFIX = ".phasescope-", ".tmp"
_PATIENCE_S = 2.0
_LOOK_S = 0.01
_YOUNG_S = 60.0
"""A file that was made just now may not be locked yet by who makes it."""


@contextlib.contextmanager
def replacing(target: Path) -> Iterator[IO[bytes]]:
    """A new file that takes the place of `target` when the block ends well, and leaves nothing behind otherwise.

    It has the old one's permissions; a link is followed. What a process that was killed left here goes first.
    """
    target = Path(os.path.realpath(target))
    _sweep(target.parent)
    temporary = target.with_name(f"{_PREFIX}{os.urandom(8).hex()}{_SUFFIX}")
    try:
        with open(temporary, "xb") as file:
            _lock(file.fileno())  # so that nobody sweeps it
            with contextlib.suppress(FileNotFoundError):
                os.chmod(temporary, target.stat().st_mode & 0o777)
            yield file
            file.flush()
            os.fsync(file.fileno())
        # The old file's data live on for whoever has it open; writing into it would change them underneath.
        os.replace(temporary, target)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """While it lasts, no other process that asks for it changes what it has read from this folder.

    TimeoutError if another one does not come to an end. Where folders cannot be locked, nobody is kept out.
    """
    if sys.platform == "win32":
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        deadline = time.monotonic() + _PATIENCE_S
        while not _lock(descriptor):
            if time.monotonic() > deadline:
                raise TimeoutError
            time.sleep(_LOOK_S)
        yield
    finally:
        os.close(descriptor)


def _sweep(folder: Path) -> None:
    """Remove what processes that were killed left; a file that somebody still writes is young, or locked."""
    for path in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime < _YOUNG_S:
                continue
            with open(path, "rb") as file:
                if _lock(file.fileno()):
                    path.unlink(missing_ok=True)


def _lock(descriptor: int) -> bool:
    """Whether the file is now ours alone, as far as locks go: where there are none, it is."""
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
