"""Tables as plain data: columns and cells, so that what a table says can be tested without a window.

Every table of the app is a CellSource shown by the one table widget; cells are made when they are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from visualizer.language import mark

Tone = Literal["", "muted", "changed", "waiting", "error", "focus"]
"""How a cell stands out. Never by colour alone: changed and focus are bold, the others say it in their text."""
TONE_WORDS: dict[Tone, str] = {
    "muted": mark("greyed"),
    "changed": mark("changed"),
    "waiting": mark("waiting"),
    "error": mark("error"),
    "focus": mark("in focus"),
}
"""For who hears the table."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its title, what it means, whether numbers line up on the right, and a text as wide as it needs."""

    key: str
    title: str
    help: str
    numeric: bool
    widest: str


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell's text, how it stands out, the step where it happened if it leads to one, and what a pointer on it says
    besides."""

    text: str
    tone: Tone = ""
    step: int | None = None
    hint: str = ""


class CellSource(Protocol):
    """Rows of cells, asked for one at a time."""

    columns: Sequence[Column]

    def rows(self) -> int: ...

    def cell(self, row: int, column: int) -> Cell: ...
