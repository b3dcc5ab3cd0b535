"""Kernels' names as people write them: demangled, and short enough for a file's name."""

from __future__ import annotations

import re
from functools import cache

_SHORT_LENGTH = 40


@cache
def demangled(name: str) -> str:
    """A C++ name as the source writes it; the name itself if it is none, or nothing here can demangle.

    By LLVM's demangler: that of GNU's C++ library refuses the longest names of CUTLASS.
    """
    if not name.startswith("_Z"):
        return name
    try:
        import pydemumble
    except ImportError:
        return name
    return str(pydemumble.demangle(name)) or name


def short_name(name: str) -> str:
    """The function's own name, without namespaces, templates and parameters: letters, digits and "_"."""
    text = demangled(name)
    while (shorter := re.sub(r"<[^<>]*>|\([^()]*\)", "", text)) != text:
        text = shorter
    words = re.findall(r"\w+", text.partition("(")[0].partition("<")[0])
    return (words[-1] if words else "kernel")[:_SHORT_LENGTH]
