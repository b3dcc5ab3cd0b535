"""Every run and opened recording of one window, so that a click loses none: shown again, compared, or saved late.

A recording with a file is read from it again. One without is kept as its events, without what was built from them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from visualizer.app.session.document import Document
from visualizer.diagnosis.wording import duration, ending_word
from visualizer.language import tr
from visualizer.playback.opening import history_with, open_recording
from visualizer.recording.quoting import abridged
from visualizer.recording.trace import Trace
from visualizer.replay.history import History

MOST_BYTES = 1 << 30
"""Of events of runs that are in no file and can be made again; beyond it the oldest are let go of."""
MOST = 200
"""Runs that are in a file or can be made again, beside the one shown and the reference; beyond it the oldest are let
go of: of thousands nobody finds one again in a strip, which takes longer with each."""


@dataclass(frozen=True, eq=False)
class Run:
    """One of them. `trace` is None where `path` tells the file."""

    number: int
    """From 1, as they came; none is given twice."""
    program: str
    config: dict[str, Any]
    """What it was run with, as the recording says."""
    ending: str
    duration_ps: int
    errors: int | None
    """Findings of errors; None while it is not diagnosed."""
    path: Path | None
    trace: Trace | None
    entries: tuple[Any, ...]
    would_be_lost: bool
    """Nothing can make it again, and it is in no file."""

    @property
    def sound(self) -> bool:
        """Whether it ended well and nothing is known to be wrong with it."""
        return self.ending == "completed" and not self.errors

    @property
    def outcome(self) -> str:
        """How it ended, in a few words."""
        if self.ending != "completed" or not self.errors:
            return ending_word(self.ending)
        return tr("{ending}, with errors", ending=ending_word(self.ending))

    def history(self, sidecar: Path | None) -> History:
        """Its history, with what a person told of its structure. TraceError if its file cannot be read."""
        if self.path is not None:
            return open_recording(self.path, sidecar)
        assert self.trace is not None
        return history_with(self.trace, self.entries)


class Runs(QObject):
    """The runs of one window, the one shown, and the one that the others are held against."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.all: list[Run] = []
        self.shown: Run | None = None
        self.reference: Run | None = None
        self._last = 0
        self._differing: dict[str, set[str]] = {}  # by program, as far as they were asked for since the last change

    def show(self, document: Document) -> None:
        """The window shows this document now, a new one or one that was there before, or more of it is known. What a
        story made is no run of the window's: the story makes it again."""
        if document.path is None and document.saved:
            self.shown = None
            self._tell()
            return
        known = self._of(document)
        if known is None:
            self._last += 1
            run = _run(self._last, document)
            self.all.append(run)
        else:
            run = _run(known.number, document)
            if run.errors is None:
                run = replace(run, errors=known.errors)
            self._replace(known, run)
        self.shown = run
        self._let_go_of_the_oldest()
        self._tell()

    def saved(self, run: Run, path: Path) -> None:
        """It is in a file now."""
        self._replace(run, replace(run, path=path, trace=None, would_be_lost=False))
        self._tell()

    def pin(self, run: Run | None) -> None:
        """Hold the others against this one; against none."""
        self.reference = run
        self._tell()

    def let_go(self, run: Run) -> None:
        """Forget one that is not shown."""
        self.all.remove(run)
        if self.reference is run:
            self.reference = None
        self._tell()

    @property
    def unsaved(self) -> list[Run]:
        """Those that nothing can make again, and that are in no file."""
        return [run for run in self.all if run.would_be_lost]

    def title(self, run: Run) -> str:
        """What tells it from the others: its file or program, its fault, and parameters that others have otherwise."""
        name = abridged(run.path.name if run.path is not None else run.program)
        fault = str(run.config.get("fault") or "")
        differ = self._differ(run.program)
        differing = [f"{key}={value}" for key, value in run.config.items() if key != "fault" and key in differ]
        return " \N{MIDDLE DOT} ".join(filter(None, (name, fault, " ".join(differing))))

    def held_against_reference(self, run: Run) -> str:
        """How long it took by the reference's time; empty if there is no other reference."""
        reference = self.reference
        if reference is None or reference is run or not reference.duration_ps or not (reference.sound and run.sound):
            return ""
        return tr("{ratio} x the time", ratio=f"{run.duration_ps / reference.duration_ps:.2f}")

    def facts(self, run: Run) -> str:
        """Everything known of it, for whoever asks."""
        told = [f"{key} = {value}" for key, value in run.config.items()]
        where = str(run.path) if run.path is not None else tr("in no file")
        return "\n".join((run.program, *told, run.outcome, duration(run.duration_ps), where))

    def _tell(self) -> None:
        self._differing.clear()
        self.changed.emit()

    def _differ(self, program: str) -> set[str]:
        """The parameters of which runs of the program have several values: looked for once for all titles."""
        if program not in self._differing:
            first: dict[str, Any] = {}
            configs = [run.config for run in self.all if run.program == program]
            self._differing[program] = {
                key for config in configs for key, value in config.items() if first.setdefault(key, value) != value
            }
        return self._differing[program]

    def _of(self, document: Document) -> Run | None:
        for run in self.all:
            if run.trace is document.history.trace or (document.path is not None and run.path == document.path):
                return run
        return None

    def _replace(self, before: Run, run: Run) -> None:
        self.all[self.all.index(before)] = run
        if self.shown is before:
            self.shown = run
        if self.reference is before:
            self.reference = run

    def _let_go_of_the_oldest(self) -> None:
        needed = (self.shown, self.reference)
        spare = [run for run in self.all if not run.would_be_lost and run not in needed]
        total = sum(_bytes(run.trace) for run in spare)
        for number, run in enumerate(spare):
            if len(spare) - number > MOST or (total > MOST_BYTES and run.trace is not None):
                total -= _bytes(run.trace)
                self.all.remove(run)


def _run(number: int, document: Document) -> Run:
    trace = document.history.trace
    report = document.report
    errors = None if report is None else sum(finding.severity == "error" for finding in report.findings)
    return Run(
        number,
        trace.meta.program,
        dict(trace.meta.config),
        trace.meta.ending.kind,
        trace.duration_ps,
        errors,
        document.path,
        trace if document.path is None else None,
        document.entries,
        document.would_be_lost,
    )


def _bytes(trace: Trace | None) -> int:
    return 0 if trace is None else trace.events.nbytes
