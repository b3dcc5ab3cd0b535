"""What a format brings along: how it is recognised, and how its text becomes rows. And what all of them share: lines
that are counted, so that an error can name one, and limits, since files come from strangers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from visualizer.language import tr
from visualizer.recording.tables import Ending
from visualizer.sources.errors import Cancelled, SourceError
from visualizer.sources.imports.rows import Rows
from visualizer.sources.progress import CancelCheck, Progress

MOST_BYTES = 512 << 20
"""Of a file: it is read as a whole."""
MOST_LINE = 1 << 16
"""Characters of a line that is not JSON's."""
_ASK_EVERY = 1 << 14


@dataclass(frozen=True, slots=True)
class Text:
    """A file's content, and how its reader tells how far it is and learns that it should stop."""

    content: str
    launch: int
    """Of a log that holds several launches, the one that is wanted, counted from 0."""
    progress: Progress
    cancelled: CancelCheck

    def lines(self) -> Iterator[tuple[int, str]]:
        """Every line with its number, from 1. Raises Cancelled."""
        begin, number, size = 0, 0, max(len(self.content), 1)
        while begin < len(self.content):
            end = self.content.find("\n", begin)
            end = len(self.content) if end < 0 else end
            number += 1
            if number % _ASK_EVERY == 0:
                self.tell(begin / size)
            if end - begin > MOST_LINE:
                raise at_line(number, tr("it is longer than {most} characters", most=MOST_LINE))
            yield number, self.content[begin:end].removesuffix("\r")
            begin = end + 1

    def tell(self, done: float) -> None:
        """Say how much, 0..1, is read. Raises Cancelled."""
        if self.cancelled():
            raise Cancelled
        self.progress(0.8 * done, tr("importing"))


@dataclass(frozen=True, slots=True)
class Imported:
    """What a reader found: the rows, how the run ended as far as the file tells, and what it does not tell."""

    rows: Rows
    ending: Ending | None = None
    """None: the file says nothing of it."""
    notes: tuple[str, ...] = ()
    """Sentences, in English, that the recording keeps."""
    tries_taken_as_passed: int = 0


@dataclass(frozen=True, slots=True)
class Reader:
    """A format. `sniff` gets the first 64 KiB of a file's text."""

    name: str
    title: str  # marked: `tr` shows it
    sniff: Callable[[str], bool]
    read: Callable[[Text], Imported]


def at_line(number: int, what: str) -> SourceError:
    """The error that `what` is wrong with a line."""
    return SourceError(tr("line {number}: {what}; docs/import.md says what is expected", number=number, what=what))
