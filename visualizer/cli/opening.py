"""Opens the recordings that commands are given, and says what of their sidecar files could not be followed."""

from __future__ import annotations

import sys
from pathlib import Path

from visualizer.cli.errors import UserError
from visualizer.language import tr
from visualizer.playback.notes_file import NotesError, notes_path
from visualizer.playback.opening import open_recording, problems_with
from visualizer.programs.load import is_file_name
from visualizer.replay.history import History
from visualizer.resources import recording_path


def open_history(path: Path) -> History:
    """The recording, or the one of that name that comes with phasescope, with the structure that a person told of it.
    UserError for a program's file, or where the sidecar file cannot be read."""
    path = recording_path(path)
    if is_file_name(str(path)):
        raise UserError(
            tr("{path} is a program, not a recording: diagnose or record it with --program {path}", path=path)
        )
    try:
        history = open_recording(path)
    except NotesError as error:
        raise UserError(str(error)) from None
    for problem in problems_with(history, notes_path(path)):
        print(f"phasescope: {problem}", file=sys.stderr)
    return history
