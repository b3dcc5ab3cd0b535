"""Kernels' names as people write them: demangled, and short enough for a file's name."""

from __future__ import annotations

import ctypes
import re
from functools import cache

_SHORT_LENGTH = 40


@cache
def demangled(name: str) -> str:
    """A C++ name as the source writes it; the name itself if it is none, or nothing here can demangle."""
    if not name.startswith("_Z"):
        return name
    library = _standard_library()
    if library is None:
        return name
    status = ctypes.c_int()
    text = library.__cxa_demangle(name.encode(), None, None, ctypes.byref(status))
    return ctypes.string_at(text).decode(errors="replace") if text and status.value == 0 else name


def short_name(name: str) -> str:
    """The function's own name, without namespaces, templates and parameters: letters, digits and "_"."""
    text = demangled(name)
    while (shorter := re.sub(r"<[^<>]*>|\([^()]*\)", "", text)) != text:
        text = shorter
    words = re.findall(r"\w+", text.partition("(")[0].partition("<")[0])
    return (words[-1] if words else "kernel")[:_SHORT_LENGTH]


@cache
def _standard_library() -> ctypes.CDLL | None:
    """Of C++, which has the demangler; on computers without it names stay as they are."""
    try:
        library = ctypes.CDLL("libstdc++.so.6")
    except OSError:
        return None
    library.__cxa_demangle.restype = ctypes.c_void_p
    return library
