"""Opens a recording as a person has told its structure: the one way for the window, the command line and stories."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from visualizer.language import tr
from visualizer.playback.notes_file import load_structure, notes_path
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.imports.any_file import read_recording
from visualizer.structure.find import structure_of


def open_recording(path: Path, sidecar: Path | None = None) -> History:
    """The recording in a file, imported if it is another tool's, its structure as the sidecar file has it, the one
    beside it unless another is given. Raises TraceError, and NotesError where the sidecar file cannot be read."""
    return history_with(read_recording(path), load_structure(sidecar or notes_path(path)))


def history_with(trace: Trace, entries: Sequence[Any]) -> History:
    """The recording with what a person says of its structure, entries as in docs/structure.md."""
    return History(trace, structure_of(trace, entries) if entries else None)


def problems_with(history: History, sidecar: Path | None) -> list[str]:
    """What of the entries in `sidecar`, None: that are in no file yet, could not be followed, a sentence each."""
    problems = list(history.structure.problems.values())
    if sidecar is not None:
        problems = [tr("{file}: {what}", file=sidecar, what=what) for what in problems]
    return [tr("{what}; the barriers that it names count as unknown", what=what) for what in problems]
