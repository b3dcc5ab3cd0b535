"""What is a good answer to bad input: one sentence of the kind that people are shown, and what a command prints."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator

from tests.fuzz.outcome import Outcome
from visualizer.cli.errors import UserError
from visualizer.cli.main import main
from visualizer.diagnosis.predict.errors import PredictError
from visualizer.diagnosis.snapshot.model import SnapshotError
from visualizer.export.errors import ExportError
from visualizer.language import use
from visualizer.playback.notes_file import NotesError
from visualizer.playback.query.error import QueryError
from visualizer.playback.stories.errors import StoryError
from visualizer.programs.errors import ProgramError
from visualizer.recording.trace import TraceError
from visualizer.sources.errors import SourceError

REFUSALS = (
    UserError, ExportError, NotesError, PredictError, ProgramError, QueryError, SnapshotError, SourceError, StoryError,
    TraceError,
)  # fmt: skip
"""What says in a sentence what is wrong."""


@contextlib.contextmanager
def refused_in_words(outcome: Outcome | None = None) -> Iterator[None]:
    """A sentence is a good answer, if it is one."""
    try:
        yield
    except REFUSALS as error:
        check_words(str(error))
        if outcome is not None:
            outcome.refused = str(error)


def check_words(words: str) -> None:
    assert words.strip(), "a refusal says nothing"
    assert "Traceback" not in words


def command(*arguments: str) -> int:
    """A command line in this process; what it prints is looked at as a terminal would have it, and thrown away."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            status = main(arguments)
        except SystemExit as ended:  # argparse
            status = ended.code if isinstance(ended.code, int) else 2
        finally:
            use("en")
        if sys.stdout is not None:
            sys.stdout.flush()
    printed = out.buffer.getvalue().decode()  # type: ignore[attr-defined]
    assert "Traceback" not in printed
    assert not any(character in printed for character in "\x1b\x07\x9b\0"), "a control character reached the terminal"
    return status
