"""What CuTe DSL's `dump_profiling_metadata` writes of a kernel: the pipelines that were given names, and their stages.

`kernel_symbols.json` holds {"barriers": {NAME: {"num_stages": N, "pipeline_type": TYPE}}, "warps": ...}; source:
cutlass/utils/profiling.py and the pipeline's profiling helpers of CuTe DSL 4.5 and later. Of it the barriers are read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from visualizer.language import tr
from visualizer.recording.facts import Symbol
from visualizer.sources.errors import SourceError

FILE = "kernel_symbols.json"
_MOST_BYTES = 1 << 20
_FILE_CLOCK_S = 2.0
"""How coarse a file system's clock may be."""
_MOST_STAGES = 1 << 15


def symbols_file(environment: Mapping[str, str], folder: Path) -> Path:
    """Where a program in `folder` writes it: the folder that CuTe DSL dumps to."""
    return folder / environment.get("CUTE_DSL_DUMP_DIR", "") / FILE


def read_symbols(path: Path, since: float) -> list[Symbol]:
    """The barriers registered; none where there is no such file, or it was last written before `since` (time.time()),
    for other kernels than these. SourceError if it is no such table."""
    try:
        if path.stat().st_mtime < since - _FILE_CLOCK_S:
            return []
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES + 1)
    except OSError:
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
