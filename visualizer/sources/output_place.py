"""Whether a recording can be saved where it is to go: asked before a long run, not after it."""

from __future__ import annotations

from pathlib import Path

from visualizer.language import tr
from visualizer.sources.errors import SourceError


def check_place(path: Path) -> None:
    """SourceError, naming -o, if `path` is a folder or in none."""
    if path.is_dir():
        raise SourceError(
            tr("-o {path} is a directory; name a file in it, such as {example}", path=path, example=path / "run.pscope")
        )
    if not path.parent.is_dir():
        raise SourceError(
            tr("-o {path}: the directory {parent} does not exist; make it first", path=path, parent=path.parent)
        )
