"""The sign that stands for a mark, in the Notes pane and on the timeline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from visualizer.playback.notes import Mark

_MARK, _REGION = "⚑", "↔"


def sign(mark: Mark) -> str:
    """A bookmark's number; else whether it marks a moment or a stretch."""
    if mark.bookmark is not None:
        return str(mark.bookmark)
    return _REGION if mark.is_region else _MARK


class Signs(Sequence[str]):
    """What stands for each of the marks, made when it is looked at."""

    def __init__(self, marks: Sequence[Mark]) -> None:
        self._marks = marks

    def __len__(self) -> int:
        return len(self._marks)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> Sequence[str]: ...
    def __getitem__(self, row: int | slice) -> str | Sequence[str]:
        return Signs(self._marks[row]) if isinstance(row, slice) else sign(self._marks[row])
