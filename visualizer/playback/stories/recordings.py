"""Gives a chapter something to look at: a recording from a file, or its program run in the simulator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import Report
from visualizer.language import current, tr
from visualizer.playback.notes_file import NotesError
from visualizer.playback.opening import open_recording
from visualizer.playback.stories.errors import StoryError
from visualizer.playback.stories.model import Source
from visualizer.programs.errors import ProgramError
from visualizer.programs.length import at_most
from visualizer.programs.registry import built_in_program
from visualizer.recording.trace import Trace, TraceError
from visualizer.replay.history import History
from visualizer.resources import shipped_recording
from visualizer.sources.simulator.simulate import simulate

MOST_OPERATIONS = 150_000
"""Of all programs that one story runs: a second. A story is a small file, and may name any number of them."""


class Recordings:
    """The Histories and reports of a story's sources, each made once. `folder` is where the story's own files lie."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._operations_left = MOST_OPERATIONS
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
            return History(self._simulated(source))
        path = shipped_recording(source.recording)
        if not path.is_file():
            path = (self._folder or Path()) / source.recording
        try:
            return open_recording(path)
        except (TraceError, NotesError) as error:
            raise StoryError(str(error)) from None

    def _simulated(self, source: Source) -> Trace:
        """The source's program, run in the simulator; `seed` is among its parameters."""
        values = dict(source.parameters)
        seed = values.pop("seed", 0)
        if not isinstance(seed, int) or isinstance(seed, bool):
            raise StoryError(tr("parameters.seed: must be a whole number"))
        try:
            with at_most(self._operations_left):
                program = built_in_program(source.program, values, source.fault or None)
        except ProgramError as error:
            raise StoryError(str(error)) from None
        self._operations_left -= sum(len(agent.operations) for agent in program.agents)
        return simulate(program, seed=seed)
