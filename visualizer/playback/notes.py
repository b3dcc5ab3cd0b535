"""Notes on a recording: bookmarks 1 to 9, marks at an event or over a stretch, their texts, and the breakpoints."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from visualizer.playback.focus import Focus

BOOKMARKS = range(1, 10)


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked event, or a stretch of events up to `last`. `bookmark` is its number, None for a mark without one."""

    focus: Focus
    last: int | None = None
    text: str = ""
    bookmark: int | None = None

    @property
    def is_region(self) -> bool:
        return self.last is not None


@dataclass(frozen=True, slots=True)
class SavedBreakpoint:
    """A breakpoint as it is kept: without its hits, which are the recording's."""

    query: str
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class Notes:
    """Everything noted on one recording; marks in order of step. Immutable: every change makes another. What one costs
    hardly grows with the marks there are: a file may hold tens of thousands.
    """

    marks: tuple[Mark, ...] = ()
    breakpoints: tuple[SavedBreakpoint, ...] = field(default=())

    @classmethod
    def of(cls, marks: Iterable[Mark], breakpoints: Iterable[SavedBreakpoint]) -> Notes:
        """Marks in any order."""
        return cls(tuple(sorted(marks, key=_place)), tuple(breakpoints))

    @property
    def is_empty(self) -> bool:
        return not self.marks and not self.breakpoints

    def bookmark(self, number: int) -> Mark | None:
        return next((mark for mark in self.marks if mark.bookmark == number), None)

    def with_bookmark(self, number: int, focus: Focus) -> Notes:
        """Bookmark `number` at `focus`, with the text it had; on the place where it is, taken away again."""
        old = self.bookmark(number)
        if old is not None and old.focus == focus:
            return self.without(old)
        new = Mark(focus, text=old.text if old is not None else "", bookmark=number)
        return (self if old is None else self.without(old)).with_mark(new)

    def with_mark(self, mark: Mark) -> Notes:
        row = bisect_right(self.marks, _place(mark), key=_place)
        return replace(self, marks=(*self.marks[:row], mark, *self.marks[row:]))

    def without(self, mark: Mark) -> Notes:
        row = self.row(mark)
        return self if row < 0 else replace(self, marks=(*self.marks[:row], *self.marks[row + 1 :]))

    def with_text(self, mark: Mark, text: str) -> Notes:
        row = self.row(mark)
        written = replace(mark, text=text)
        return self if row < 0 else replace(self, marks=(*self.marks[:row], written, *self.marks[row + 1 :]))

    def with_breakpoints(self, breakpoints: Iterable[SavedBreakpoint]) -> Notes:
        return replace(self, breakpoints=tuple(breakpoints))

    def at(self, step: int) -> Mark | None:
        """The mark without a number that begins at this event."""
        found = self.any_at(step)
        return found if found is not None and found.bookmark is None else None

    def any_at(self, step: int) -> Mark | None:
        """The first mark that begins at this event; one without a number if there is one."""
        found = self.beside(step - 1, 1)
        return found if found is not None and found.focus.step == step else None

    def beside(self, step: int, direction: int) -> Mark | None:
        """The next mark that begins after this event (1), or the last before it (-1)."""
        if direction > 0:
            row = bisect_right(self.marks, step, key=_step)
        else:
            row = bisect_left(self.marks, step, key=_step) - 1
        return self.marks[row] if 0 <= row < len(self.marks) else None

    def row(self, mark: Mark) -> int:
        """The row of this very mark; -1 if it is none of these."""
        row = bisect_left(self.marks, _place(mark), key=_place)
        while row < len(self.marks) and _place(self.marks[row]) == _place(mark):
            if self.marks[row] is mark:
                return row
            row += 1
        return -1


def _place(mark: Mark) -> tuple[int, int]:
    return mark.focus.step, mark.bookmark or 0


def _step(mark: Mark) -> int:
    return mark.focus.step
