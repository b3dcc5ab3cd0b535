"""What the Run button and Open do in their threads: plain functions of (progress, cancelled) that return a Document."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from visualizer.app.session.document import Document
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.playback.notes_file import NotesError, load_structure
from visualizer.playback.opening import history_with
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.errors import Cancelled
from visualizer.sources.imports.any_file import is_recording, read_recording
from visualizer.sources.progress import CancelCheck, Progress

if TYPE_CHECKING:
    from visualizer.programs.program import Program
    from visualizer.sources.source import Request


@dataclass(frozen=True, slots=True)
class Experiment:
    """Everything the experiment panel decides: what is recorded and how, and by which source."""

    source: str
    request: Request

    def check(self) -> None:
        """Refuse, before anything runs, what cannot be recorded in this way: SourceError or ProgramError, as on the
        command line."""
        from visualizer.sources.registry import check

        check(self.source, self.request)

    def command(self) -> str:
        """The command line that makes this recording again."""
        from visualizer.programs.lesson import NAME as LESSON
        from visualizer.programs.registry import parameter_words
        from visualizer.sources.registry import SOURCES

        asked = self.request
        program = asked.program or LESSON
        words = ["phasescope", "record", "--source", self.source, "--program", program]
        if asked.fault is not None:
            words += ["--fault", asked.fault]
        options = {option.name: option for option in SOURCES[self.source].options}
        for name, value in asked.options.items():
            words += [options[name].flag, options[name].kind.text(value)]
        return shlex.join([*words, *parameter_words(program, asked.parameters), "-o", f"{Path(program).stem}.pscope"])


def record_work(
    experiment: Experiment, note: str = "", before: Document | None = None
) -> Callable[[Progress, CancelCheck], Document]:
    """Work that records `experiment`; raises what the source raises (SourceError, ProgramError, Cancelled).

    `before`: the document shown, whose structure, as a person told it, goes with a run of the same program.
    """

    def work(progress: Progress, cancelled: CancelCheck) -> Document:
        from visualizer.sources.registry import record

        trace = record(experiment.source, experiment.request, progress, cancelled)
        trace = trace.with_meta(replace(trace.meta, command=experiment.command()))
        same = before is not None and before.history.trace.meta.program == trace.meta.program
        entries = before.entries if before is not None and same else ()
        history = _built(history_with(trace, entries), progress, cancelled)
        document = Document(history, path=None, saved=False, note=note, entries=entries)
        # The agents of a window do not start where the program's do.
        program = None if trace.meta.window else experiment.request.laid_out
        return diagnosed(document, program, progress, cancelled)

    return work


def shown_again_work(trace: Trace, entries: tuple[Any, ...]) -> Callable[[Progress, CancelCheck], Document]:
    """Work that makes a document of a run that is in no file, with what a person told of its structure."""

    def work(progress: Progress, cancelled: CancelCheck) -> Document:
        history = _built(history_with(trace, entries), progress, cancelled)
        return diagnosed(Document(history, path=None, saved=False, entries=entries), None, progress, cancelled)

    return work


_POLL_S = 0.02
_READ_AT_ONCE = 300_000
"""Events of a recording that is read in a moment; a longer one shows its lanes first."""


def open_work(
    path: Path, sidecar: Path, focus: Focus | None = None, trace: Trace | None = None
) -> Callable[[Progress, CancelCheck], Document]:
    """Work that loads `path`, to look at `focus` in it; raises TraceError, which names the file. Another tool's file is
    imported, which leaves the file as it is: the document is one that is not saved yet.

    `trace`: what was written into the file just now, which then need not be read.

    The window has it diagnosed when it is painted; see `read_work` for a document that is not read. A sidecar file that
    cannot be read tells no structure; Noting says why.
    """

    def work(progress: Progress, cancelled: CancelCheck) -> Document:
        progress(0.0, tr("loading {name}", name=path.name))
        own = trace is not None or is_recording(path)
        content = read_recording(path, progress, cancelled) if trace is None else trace
        try:
            entries = tuple(load_structure(sidecar))  # the notes with them: the window asks for a file known by then
        except NotesError:
            entries = ()
        history = history_with(content, entries)
        document = Document(history, path=path if own else None, saved=own, focus=focus, entries=entries)
        if len(content) > _READ_AT_ONCE:
            return replace(document, read=False)
        _built(history, progress, cancelled)
        return replace(document, awaits_diagnosis=True)

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
    return lambda progress, cancelled: diagnosed(document, None, progress, cancelled)


def _built(history: History, progress: Progress, cancelled: CancelCheck) -> History:
    if cancelled():
        raise Cancelled
    progress(0.95, tr("reading the recording"))
    if history.steps:
        # What every pane will ask for; in the window's own thread it would freeze millions of events long.
        history.build()
    return history


def diagnosed(document: Document, program: Program | None, progress: Progress, cancelled: CancelCheck) -> Document:
    """The document with its diagnosis. A run on a GPU never comes back, so a defect here must not lose it."""
    if cancelled():
        raise Cancelled
    progress(0.97, tr("diagnosing the run"))
    try:
        # In the thread of the work: the window is painted meanwhile.
        from visualizer.diagnosis.diagnose import diagnose
        from visualizer.playback.stories.teaching import lesson_on

        report = diagnose(document.history, program)
        for finding in report.findings:
            lesson_on(document.history.trace, finding)  # what panes will ask for, in the window's own thread
        return replace(document, report=report, awaits_diagnosis=False)
    except Exception as error:
        note = tr("not diagnosed, for phasescope has a defect: {kind}: {error}", kind=type(error).__name__, error=error)
        note = "; ".join(filter(None, (document.note, note)))
        return replace(document, note=note, awaits_diagnosis=False)
