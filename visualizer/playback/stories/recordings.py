"""Gives a chapter something to look at: a recording from a file, or its program run in the simulator."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import Report
from visualizer.language import current, tr
from visualizer.playback.notes_file import NotesError
from visualizer.playback.opening import open_recording
from visualizer.playback.stories.model import Source, StoryError
from visualizer.programs.program import ProgramError
from visualizer.programs.registry import built_in_program
from visualizer.recording.trace import Trace, TraceError
from visualizer.replay.history import History
from visualizer.resources import shipped_recording
from visualizer.sources.simulator.simulate import simulate


class Recordings:
    """The Histories and reports of a story's sources, each made once. `folder` is where the story's own files lie."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._histories: dict[tuple[Any, ...], History] = {}
        self._reports: dict[tuple[Any, ...], Report] = {}

    def history(self, source: Source) -> History:
        """StoryError if there is no such recording, or no such program, fault or parameter."""
        if source.key not in self._histories:
            self._histories[source.key] = self._open(source)
        return self._histories[source.key]

    def report(self, source: Source) -> Report:
        """The diagnosis of the source, in the current language."""
        key = (source.key, current())
        if key not in self._reports:
            self._reports[key] = diagnose(self.history(source))
        return self._reports[key]

    def _open(self, source: Source) -> History:
        if source.program:
            return History(simulated(source.program, source.fault, source.parameters))
        path = shipped_recording(source.recording)
        if not path.is_file():
            path = (self._folder or Path()) / source.recording
        try:
            return open_recording(path)
        except (TraceError, NotesError) as error:
            raise StoryError(str(error)) from None


def simulated(program: str, fault: str, parameters: Mapping[str, Any]) -> Trace:
    """The program run in the simulator; `seed` is among the parameters. StoryError says what does not fit."""
    values = dict(parameters)
    seed = values.pop("seed", 0)
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise StoryError(tr("parameters.seed: must be a whole number"))
    try:
        return simulate(built_in_program(program, values, fault or None), seed=seed)
    except ProgramError as error:
        raise StoryError(str(error)) from None
