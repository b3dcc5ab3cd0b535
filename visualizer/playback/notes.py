"""Notes on a recording: bookmarks 1 to 9, marks at an event or over a stretch, their texts, and the breakpoints."""

from __future__ import annotations

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
    """Everything noted on one recording; marks in order of step. Immutable: every change makes another."""

    marks: tuple[Mark, ...] = ()
    breakpoints: tuple[SavedBreakpoint, ...] = field(default=())

    @classmethod
    def of(cls, marks: Iterable[Mark], breakpoints: Iterable[SavedBreakpoint]) -> Notes:
        """Marks in any order."""
        return cls(breakpoints=tuple(breakpoints))._with_marks(marks)

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
        return self._with_marks([*(mark for mark in self.marks if mark is not old), new])

    def with_mark(self, mark: Mark) -> Notes:
        return self._with_marks([*self.marks, mark])

    def without(self, mark: Mark) -> Notes:
        return self._with_marks(known for known in self.marks if known is not mark)

    def with_text(self, mark: Mark, text: str) -> Notes:
        return self._with_marks(replace(known, text=text) if known is mark else known for known in self.marks)

    def with_breakpoints(self, breakpoints: Iterable[SavedBreakpoint]) -> Notes:
        return replace(self, breakpoints=tuple(breakpoints))

    def at(self, step: int) -> Mark | None:
        """The mark without a number that begins at this event."""
        return next((mark for mark in self.marks if mark.focus.step == step and mark.bookmark is None), None)

    def _with_marks(self, marks: Iterable[Mark]) -> Notes:
        return replace(self, marks=tuple(sorted(marks, key=lambda mark: (mark.focus.step, mark.bookmark or 0))))
