"""What notebooks and scripts may rely on; docs/api.md is its reference, and promises that it stays.

Everything here is a thin front of the rooms behind it: nothing is worked out that a command does not work out as well.
"""

from __future__ import annotations

import contextlib
import html
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.children import child_command, child_environment
from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.explanations.explain import explain
from visualizer.diagnosis.report import Finding, Report, report_json
from visualizer.diagnosis.snapshot.model import SnapshotError, word_from
from visualizer.diagnosis.snapshot.words import Word, word_sentences
from visualizer.diagnosis.statistics.find import find_facts
from visualizer.diagnosis.statistics.statistics import statistics
from visualizer.export.errors import ExportError
from visualizer.export.formats import FORMATS, export, format_of
from visualizer.export.selection import select
from visualizer.export.table_columns import table_columns
from visualizer.export.writing import Look
from visualizer.language import tr
from visualizer.playback.notes_file import NotesError
from visualizer.playback.opening import open_recording
from visualizer.playback.query.error import QueryError
from visualizer.playback.query.events import Events
from visualizer.playback.query.search import find_steps
from visualizer.programs.errors import ProgramError
from visualizer.programs.registry import find_program
from visualizer.recording.file import save
from visualizer.recording.tables import Agent, Barrier
from visualizer.recording.trace import Trace, TraceError
from visualizer.replay.history import History
from visualizer.replay.step_document import step_document
from visualizer.sources.errors import SourceError
from visualizer.sources.simulator.simulate import simulate as run_in_simulator

FRAME_HEIGHT = 560  # pixels of a page in a notebook


class PhasescopeError(Exception):
    """What is wrong in one sentence: a file, a query, a parameter."""


@contextlib.contextmanager
def _in_words() -> Iterator[None]:
    try:
        yield
    except (ExportError, NotesError, ProgramError, QueryError, SnapshotError, SourceError, TraceError) as error:
        raise PhasescopeError(str(error)) from None


def load(path: str | os.PathLike[str]) -> Recording:
    """The recording in a .pscope file, or of another tool's log or trace. PhasescopeError names the file."""
    with _in_words():
        return Recording(open_recording(Path(path)))


def simulate(program: str = "lesson", *, fault: str | None = None, seed: int = 0, **parameters: Any) -> Recording:
    """A run of a program in the exact simulator: a built-in one's name, or your FILE.py, which is executed."""
    with _in_words():
        return Recording(History(run_in_simulator(find_program(program, parameters, fault), seed=seed)))


def decode(word: int | str, count: int | None = None) -> list[str]:
    """What an mbarrier's 64-bit word says, a sentence each; `count`: the arrivals that each phase takes."""
    with _in_words():
        found: Word = word_from(word)
        return word_sentences(found, count)


class Recording:
    """One recording, which does not change. Steps count its events from 0; times are picoseconds from the first."""

    def __init__(self, history: History) -> None:
        self._history = history

    def __len__(self) -> int:
        """Events."""
        return self._history.steps

    def __repr__(self) -> str:
        trace = self._history.trace
        return (
            f"<Recording of {trace.meta.program}: {len(self)} events, {len(trace.agents)} agents,"
            f" {len(trace.barriers)} barriers, {trace.meta.ending.kind}>"
        )

    @property
    def trace(self) -> Trace:
        """Everything that the file holds. Its classes are phasescope's own and may change."""
        return self._history.trace

    @property
    def events(self) -> NDArray[np.void]:
        """Every event, read-only, with the columns of docs/trace-format.md; shape (events,)."""
        return self.trace.events

    @property
    def agents(self) -> Sequence[Agent]:
        """The rows that `events["agent"]` counts: `name`, `role`, `cta`, `warp`."""
        return self.trace.agents

    @property
    def barriers(self) -> Sequence[Barrier]:
        """The rows that `events["barrier"]` counts: `name`, `cta`, `kind`, `stage`, `init_count`, `address`."""
        return self.trace.barriers

    def state(self, step: int) -> dict[str, Any]:
        """Event, barriers, agents and stages right after event `step`: `show --step N --json`. IndexError."""
        return step_document(self._history, self._step(step))

    def explain(self, step: int) -> str:
        """What happens at event `step` and why, in a sentence or two. IndexError."""
        return explain(self._history, self._step(step))

    def find(self, query: str) -> NDArray[np.int64]:
        """Steps of the events that a query or some words mean (docs/queries.md), ascending. PhasescopeError."""
        with _in_words():
            return find_steps(query, Events(self._history))

    def columns(self, range: str = "", lanes: Sequence[str] = ()) -> dict[str, NDArray[Any]]:
        """The table of docs/export.md as arrays by name, a row an event; names stand as text, "" for none, and numbers
        that are none are masked. `range` and `lanes` as those of `export`. PhasescopeError."""
        with _in_words():
            columns = table_columns(select(self._history, range, lanes))
        found: dict[str, NDArray[Any]] = {}
        for column in columns:
            none = column.none(slice(None))
            if column.names is not None:
                found[column.name] = np.array([*column.names, ""])[np.where(none, len(column.names), column.values)]
            else:
                found[column.name] = np.ma.array(column.values, mask=none) if none.any() else column.values
        return found

    def frame(self, range: str = "", lanes: Sequence[str] = ()) -> Any:
        """The same as a pandas DataFrame, if pandas is installed; PhasescopeError if it is not."""
        try:
            import pandas
        except ImportError:
            raise PhasescopeError(tr("a data frame needs pandas; install it, or use columns()")) from None
        return pandas.DataFrame(self.columns(range, lanes))

    @cached_property
    def _report(self) -> Report:
        return diagnose(self._history)

    @property
    def findings(self) -> Sequence[Finding]:
        """What is wrong, root causes first: `verdict`, `severity`, `cause`, `agent`, `barrier`, `step` and the like, as
        docs/diagnosis.md has them."""
        return self._report.findings

    @property
    def not_judged(self) -> Sequence[str]:
        """What the recording does not tell enough for, a sentence each."""
        return self._report.not_judged

    def diagnosis(self) -> dict[str, Any]:
        """The document of `diagnose --json`."""
        return report_json(self._report)

    def statistics(self, begin_ps: int = 0, end_ps: int | None = None) -> dict[str, Any]:
        """The document of `stats --json`, of a stretch of time."""
        end = self.trace.duration_ps if end_ps is None else end_ps
        return statistics(find_facts(self._history), begin_ps, end).as_json()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a .pscope file, whole or not at all. PhasescopeError."""
        with _in_words():
            save(self.trace, path)

    def export(
        self, path: str | os.PathLike[str], range: str = "", lanes: Sequence[str] = (), theme: str = "light"
    ) -> int:
        """Write the recording for other tools, in the format of the name's ending (docs/export.md); the bytes written.

        `range`: "A:B", two steps or two times such as "2us:3us". `lanes`: names, * for any text. PhasescopeError.
        """
        with _in_words():
            target = Path(path)
            if format_of(target).is_picture:
                from visualizer.cli.exporting import start_qt

                start_qt()
            return export(select(self._history, range, lanes), target, Look(theme))

    def page(self, range: str = "", lanes: Sequence[str] = (), theme: str = "light") -> Page:
        """A page to step through, which a notebook shows. PhasescopeError, as for more than 5000 steps."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "page.html"
            self.export(path, range, lanes, theme)
            return Page(path.read_text(encoding="utf-8"))

    def show(self) -> None:
        """Open it in the window, in a process of its own."""
        folder = Path(tempfile.mkdtemp(prefix="phasescope-"))
        self.save(folder / "recording.pscope")
        subprocess.Popen(child_command("visualizer", "open", str(folder / "recording.pscope")), env=child_environment())

    def _repr_html_(self) -> str:
        """The page, of a recording that one can hold; otherwise what to ask for."""
        most = FORMATS[".html"].most_steps
        if not len(self) or len(self) > most:
            hint = tr('recording.page("0:{last}") shows a part of it', last=most - 1) if len(self) else ""
            return f"<p>{html.escape(repr(self))}<br>{html.escape(hint)}</p>"
        try:
            return self.page()._repr_html_()
        except PhasescopeError as error:  # too many lanes, or too much that happens to them
            return f"<p>{html.escape(repr(self))}<br>{html.escape(str(error))}</p>"

    def _step(self, step: int) -> int:
        """A step, from the end if it is below 0."""
        return step + len(self) if step < 0 else step


class Page:
    """A page that needs nothing but a browser; `html` is all of it."""

    def __init__(self, content: str) -> None:
        self.html = content

    def _repr_html_(self) -> str:
        # In a frame of its own, whose script reaches nothing of the notebook.
        return (
            f'<iframe srcdoc="{html.escape(self.html, quote=True)}" sandbox="allow-scripts" width="100%"'
            f' height="{FRAME_HEIGHT}" style="border: 0"></iframe>'
        )
