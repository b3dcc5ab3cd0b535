"""What the compilers that a program ran were given, as the preloaded library left it in the session's folder.

The PTX within a cubin has lost its line numbers, and a source may be a file for the moment of compiling it alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from visualizer.sources.attach.environment import COMPILED
from visualizer.sources.attach.ptx_image import Ptx


def with_line_numbers(ptx: Ptx, session: Path) -> Ptx:
    """The same module as ptxas was given it, which tells lines; `ptx` itself if it was not, or tells them."""
    if ptx.has_lines:
        return ptx
    bare = ptx.bare
    for text in _texts(session, ".ptx"):
        given = replace(ptx, text=text)
        if given.bare == bare:
            return given
    return ptx


def compiled_sources(session: Path) -> dict[str, str]:
    """The text of each source, by the name that line numbers have for it."""
    parted = (text.partition("\n") for text in _texts(session, ".source"))
    return {name: source for name, _, source in parted}


def _texts(session: Path, suffix: str) -> Iterator[str]:
    for path in (session / COMPILED).glob(f"*{suffix}"):
        try:
            yield path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
