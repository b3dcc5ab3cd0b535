"""What CuTe DSL's `dump_profiling_metadata` writes of a kernel: the pipelines that were given names, and their stages.

`kernel_symbols.json` holds {"barriers": {NAME: {"num_stages": N, "pipeline_type": TYPE}}, "warps": ...}; source:
cutlass/utils/profiling.py and the pipeline's profiling helpers of CuTe DSL 4.5 and later. Of it the barriers are read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from visualizer.language import tr
from visualizer.recording.facts import Symbol
from visualizer.recording.regular_file import read_regular
from visualizer.sources.attach.environment import CUTE_DUMPS
from visualizer.sources.errors import SourceError

FILE = "kernel_symbols.json"
_MOST_BYTES = 1 << 20
_FILE_CLOCK_S = 2.0
"""How coarse a file system's clock may be."""
_MOST_STAGES = 1 << 15


def symbols_files(given: Mapping[str, str], watched: Mapping[str, str], folder: Path) -> tuple[Path, ...]:
    """Where a program in `folder` may write it: the folder that CuTe DSL dumps to, in the environment that it runs in
    and in the one that its user gave it."""
    return tuple(dict.fromkeys(folder / variables.get(CUTE_DUMPS, "") / FILE for variables in (watched, given)))


def read_symbols(paths: Iterable[Path], since: float) -> list[Symbol]:
    """The barriers registered in the first of these files; none where there is none that was written since `since`
    (time.time()): older ones are of other kernels. SourceError if it is no such table."""
    return next(filter(None, (_read(path, since) for path in paths)), [])


def _read(path: Path, since: float) -> list[Symbol]:
    try:
        if path.stat().st_mtime < since - _FILE_CLOCK_S:
            return []
        text = read_regular(path, _MOST_BYTES + 1)
    except (OSError, ValueError):
        return []
    try:
        told = json.loads(text) if len(text) <= _MOST_BYTES else None
    except (ValueError, RecursionError):
        told = None
    barriers = told.get("barriers", {}) if isinstance(told, dict) else None
    if not isinstance(barriers, dict) or not all(_is_barrier(entry) for entry in barriers.values()):
        raise SourceError(
            tr(
                "{path} is no table of CuTe's barriers, NAME with num_stages, so names are taken from elsewhere:"
                " write it anew, or remove it",
                path=path,
            )
        )
    return [
        {"name": name, "stages": entry["num_stages"], "type": str(entry.get("pipeline_type", ""))}
        for name, entry in barriers.items()
        if name
    ]


def _is_barrier(entry: object) -> bool:
    stages = entry.get("num_stages") if isinstance(entry, dict) else None
    return isinstance(stages, int) and not isinstance(stages, bool) and 0 < stages < _MOST_STAGES
