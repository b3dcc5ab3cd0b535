"""What the Run button and Open do in their threads: plain functions of (progress, cancelled) that return a Document."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from visualizer.app.document import Document
from visualizer.diagnosis.diagnose import diagnose
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.programs.faults import fault_on_gpu, find_fault
from visualizer.programs.parameters import PARAMETERS, LessonConfig
from visualizer.programs.program import Program
from visualizer.programs.registry import find_program
from visualizer.recording.file import load
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.errors import Cancelled
from visualizer.sources.lesson.options import GpuOptions, level_of
from visualizer.sources.lesson.window import EVERYTHING, ROLES, cut
from visualizer.sources.lesson.window_check import check_window
from visualizer.sources.progress import CancelCheck, Progress


@dataclass(frozen=True, slots=True)
class Experiment:
    """Everything the experiment panel decides. `seed` matters to the simulator alone, which takes of `options`
    the window."""

    source: str
    program: str
    config: LessonConfig
    seed: int = 0
    fault: str | None = None
    options: GpuOptions = field(default_factory=GpuOptions)

    def check(self) -> None:
        """Refuse, before anything runs, what cannot be recorded in this way: SourceError, as on the command line;
        ProgramError if the GPU cannot make the fault."""
        if self.source == "gpu":
            from visualizer.sources.on_gpu import check_program_gpu

            check_program_gpu(self.program, self.fault, self.options)
        check_window(self.options.window, self.program, self.config, self.fault)
        if self.source == "gpu" and self.fault is not None:
            level_of(self.options, fault_on_gpu(find_fault(self.fault), self.config)[1])

    def command(self) -> str:
        """The command line that makes this recording again."""
        words = ["phasescope", "record", "--source", self.source, "--program", self.program]
        if self.fault is not None:
            words += ["--fault", self.fault]
        if self.source == "simulator":
            words += ["--seed", str(self.seed)]
        words += _recording_words(self.options)
        default = LessonConfig()
        config = self.config
        if (config.tile_rows, config.tile_columns) != (default.tile_rows, default.tile_columns):
            words += ["--tile", f"{config.tile_rows}x{config.tile_columns}"]
        for parameter in PARAMETERS:
            value = getattr(config, parameter.name)
            if parameter.option == "--tile" or value == getattr(default, parameter.name):
                continue
            words += [parameter.option] if parameter.is_switch else [parameter.option, str(value)]
        return shlex.join([*words, "-o", f"{Path(self.program).stem}.pscope"])


def _recording_words(options: GpuOptions) -> list[str]:
    """The options that are not as usual, of those the panel has."""
    words, window = [], options.window
    if (window.first, window.last) != (EVERYTHING.first, EVERYTHING.last):
        words += ["--window", f"{window.first}:{window.last if window.last >= 0 else ''}"]
    if window.keep_last:
        words += ["--keep-last", str(window.keep_last)]
    if window.every_cta > 1:
        words += ["--every-cta", str(window.every_cta)]
    if window.roles != ROLES:
        words += ["--roles", ",".join(window.roles)]
    if options.level is not None:
        words += ["--level", options.level]
    if options.ab_pairs:
        words += ["--ab", str(options.ab_pairs)]
    if options.probe != "off":
        words += ["--probe", options.probe]
    return words


def record_work(experiment: Experiment, note: str = "") -> Callable[[Progress, CancelCheck], Document]:
    """Work that records `experiment`; raises what the source raises (SourceError, ProgramError, Cancelled)."""

    def work(progress: Progress, cancelled: CancelCheck) -> Document:
        program = None
        if experiment.source == "simulator":
            program = find_program(experiment.program, experiment.config, experiment.fault)
        trace = _record(experiment, program, progress, cancelled)
        trace = replace(trace, meta=replace(trace.meta, command=experiment.command()))
        document = Document(_history(trace, progress, cancelled), path=None, saved=False, note=note)
        # The agents of a window do not start where the program's do.
        whole = experiment.options.window.is_everything
        return _diagnosed(document, program if whole else None, progress, cancelled)

    return work


_POLL_S = 0.02
_READ_AT_ONCE = 300_000
"""Events of a recording that is read in a moment; a longer one shows its lanes first."""


def open_work(path: Path, focus: Focus | None = None) -> Callable[[Progress, CancelCheck], Document]:
    """Work that loads `path`, to look at `focus` in it; raises TraceError, which names the file.

    See `read_work` for a document that is not read.
    """

    def work(progress: Progress, cancelled: CancelCheck) -> Document:
        progress(0.0, tr("loading {name}", name=path.name))
        trace = load(path)
        if len(trace) > _READ_AT_ONCE:
            return Document(History(trace), path=path, saved=True, read=False, focus=focus)
        document = Document(_history(trace, progress, cancelled), path=path, saved=True, focus=focus)
        return _diagnosed(document, None, progress, cancelled)

    return work


def read_work(document: Document, held_up: Callable[[], bool]) -> Callable[[Progress, CancelCheck], Document]:
    """Work that builds the history of a document that is not read, in place; it waits while `held_up`."""

    def work(progress: Progress, cancelled: CancelCheck) -> Document:
        progress(0.1, tr("reading the recording"))
        while held_up():
            if cancelled():
                raise Cancelled
            time.sleep(_POLL_S)
        document.history.state_at(0)
        return replace(document, read=True)

    return work


def diagnose_work(document: Document) -> Callable[[Progress, CancelCheck], Document]:
    """Work that diagnoses a document that has been read."""
    return lambda progress, cancelled: _diagnosed(document, None, progress, cancelled)


def _record(experiment: Experiment, program: Program | None, progress: Progress, cancelled: CancelCheck) -> Trace:
    if program is None:
        from visualizer.sources.on_gpu import record_program_gpu

        return record_program_gpu(
            experiment.program,
            experiment.config,
            experiment.fault,
            experiment.options,
            progress=progress,
            cancelled=cancelled,
        )
    from visualizer.sources.simulator.simulate import simulate

    trace = simulate(program, seed=experiment.seed, progress=progress, cancelled=cancelled)
    return cut(trace, experiment.options.window, experiment.config.tiles, experiment.config.ctas)


def _history(trace: Trace, progress: Progress, cancelled: CancelCheck) -> History:
    if cancelled():
        raise Cancelled
    progress(0.95, tr("reading the recording"))
    history = History(trace)
    if history.steps:
        # What every pane will ask for; in the window's own thread it would freeze millions of events long.
        history.build()
    return history


def _diagnosed(document: Document, program: Program | None, progress: Progress, cancelled: CancelCheck) -> Document:
    """The document with its diagnosis. A run on a GPU never comes back, so a defect here must not lose it."""
    if cancelled():
        raise Cancelled
    progress(0.97, tr("diagnosing the run"))
    try:
        return replace(document, report=diagnose(document.history, program))
    except Exception as error:
        note = tr("not diagnosed, for phasescope has a defect: {kind}: {error}", kind=type(error).__name__, error=error)
        return replace(document, note="; ".join(filter(None, (document.note, note))))
