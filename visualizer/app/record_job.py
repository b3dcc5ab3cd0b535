"""What the Run button and Open do in their threads: plain functions of (progress, cancelled) that return a Document."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from visualizer.app.document import Document
from visualizer.programs.lesson import NAME as LESSON
from visualizer.programs.parameters import PARAMETERS, LessonConfig
from visualizer.programs.registry import find_program
from visualizer.replay.history import History
from visualizer.sources.errors import Cancelled, SourceError
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.trace.file import load
from visualizer.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Experiment:
    """Everything the experiment panel decides. `seed` matters to the simulator only."""

    source: str
    program: str
    config: LessonConfig
    seed: int = 0
    fault: str | None = None

    def command(self) -> str:
        """The command line that makes this recording again."""
        words = ["phasescope", "record", "--source", self.source, "--program", self.program]
        if self.fault is not None:
            words += ["--fault", self.fault]
        if self.source == "simulator":
            words += ["--seed", str(self.seed)]
        default = LessonConfig()
        config = self.config
        if (config.tile_rows, config.tile_columns) != (default.tile_rows, default.tile_columns):
            words += ["--tile", f"{config.tile_rows}x{config.tile_columns}"]
        for parameter in PARAMETERS:
            value = getattr(config, parameter.name)
            if parameter.option == "--tile" or value == getattr(default, parameter.name):
                continue
            words += [parameter.option] if parameter.is_switch else [parameter.option, str(value)]
        return shlex.join([*words, "-o", f"{self.program}.pscope"])


def record_work(experiment: Experiment, note: str = "") -> Callable[[Progress, CancelCheck], Document]:
    """Work that records `experiment`; raises what the source raises (SourceError, ProgramError, Cancelled)."""

    def work(progress: Progress, cancelled: CancelCheck) -> Document:
        trace = _record(experiment, progress, cancelled)
        trace = replace(trace, meta=replace(trace.meta, command=experiment.command()))
        return Document(_history(trace, progress, cancelled), path=None, saved=False, note=note)

    return work


def open_work(path: Path) -> Callable[[Progress, CancelCheck], Document]:
    """Work that loads `path`; raises TraceError, which names the file."""

    def work(progress: Progress, cancelled: CancelCheck) -> Document:
        progress(0.0, f"loading {path.name}")
        trace = load(path)
        return Document(_history(trace, progress, cancelled), path=path, saved=True)

    return work


def _record(experiment: Experiment, progress: Progress, cancelled: CancelCheck) -> Trace:
    if experiment.source == "gpu":
        if experiment.program != LESSON:
            raise SourceError(f"The GPU runs the lesson's kernel; run {experiment.program} in the simulator")
        if experiment.fault is not None:
            raise SourceError(
                "Here faults run in the simulator; on the GPU, phasescope record --source gpu --fault"
                f" {experiment.fault} runs them"
            )
        from visualizer.sources.gpu.launcher import record_gpu

        return record_gpu(experiment.config, progress=progress, cancelled=cancelled)
    from visualizer.sources.simulator import simulate

    program = find_program(experiment.program, experiment.config, experiment.fault)
    return simulate(program, seed=experiment.seed, progress=progress, cancelled=cancelled)


def _history(trace: Trace, progress: Progress, cancelled: CancelCheck) -> History:
    if cancelled():
        raise Cancelled
    progress(0.95, "reading the recording")
    history = History(trace)
    if history.steps:
        # Builds what every pane will ask for; in the window's own thread it would freeze millions of events long.
        history.state_at(0)
    return history
