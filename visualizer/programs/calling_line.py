"""Which line of the user's file is being run while a program is described."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

_OWN_FILES = {str(path) for path in Path(__file__).parent.glob("*builder.py")} | {
    str(Path(__file__).with_name("cursor.py"))
}


def calling_line() -> tuple[Path, int]:
    """File and line of the innermost running code that is not the builder's own."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename in _OWN_FILES and frame.f_back is not None:
        frame = frame.f_back
    return _path(frame.f_code.co_filename), frame.f_lineno


@cache
def _path(name: str) -> Path:
    """Once a file: making it takes longer than all else that an operation needs."""
    return Path(name)
