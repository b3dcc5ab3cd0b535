"""What a chapter must say to look at the recording that the window shows."""

from __future__ import annotations

import os
from pathlib import Path

from visualizer.language import tr
from visualizer.playback.stories.errors import StoryError
from visualizer.playback.stories.model import Source
from visualizer.programs.registry import PROGRAMS
from visualizer.recording.trace import Trace
from visualizer.resources import resource_dir


def source_of(trace: Trace, path: Path | None, folder: Path | None) -> Source:
    """The source of `trace`, which lies in the file `path` (None: it was never saved), for a story in `folder`.

    A simulated run of a built-in program needs no file: its parameters and seed make it again.
    StoryError if the recording would have to be saved first, or says of a parameter what none can be.
    """
    if path is not None:
        if path.parent.resolve() == (resource_dir("assets") / "traces").resolve():
            return Source(recording=path.stem)
        return Source(recording=os.path.relpath(path, folder) if folder else str(path.resolve()))
    meta = trace.meta
    if meta.source.get("kind") != "simulator" or meta.program not in PROGRAMS:
        raise StoryError(tr("save the recording first: a story has to find it again"))
    known = {parameter.name: parameter.default for parameter in PROGRAMS[meta.program].parameters}
    parameters = {name: value for name, value in meta.config.items() if value != known.get(name, value)}
    if meta.source.get("seed"):
        parameters["seed"] = meta.source["seed"]
    return Source(program=meta.program, fault=meta.config.get("fault") or "", parameters=parameters)
