"""Files that appear whole or not at all: written beside their target, put in its place only when they are complete."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def replacing(target: Path) -> Iterator[IO[bytes]]:
    """A new file that takes the place of `target` when the block ends well, and leaves nothing behind otherwise."""
    temporary = target.with_name(f".phasescope-{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        # The old file's data live on for whoever has it mapped; writing into it would change them underneath.
        os.replace(temporary, target)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
