"""What a pressed mouse button does on the timeline, one small class per gesture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


class Gesture(Protocol):
    """A drag in progress. x and y are pixels of the widget; `free` is true while Alt asks not to snap."""

    def move(self, x: float, y: float, free: bool) -> None:
        """The pointer moved."""

    def release(self) -> None:
        """The button was let go."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """A stretch of time (ps) marked on the ruler, in either direction."""

    begin: int
    end: int

    @property
    def length(self) -> int:
        return abs(self.end - self.begin)


class PanDrag:
    """Middle button: the lanes stick to the pointer, in time and up and down."""

    def __init__(self, x: float, y: float, pan: Callable[[float], None], scroll: Callable[[float], None]) -> None:
        self._x, self._y = x, y
        self._pan, self._scroll = pan, scroll

    def move(self, x: float, y: float, free: bool) -> None:
        self._pan(self._x - x)
        self._scroll(self._y - y)
        self._x, self._y = x, y

    def release(self) -> None:
        pass


class MeasureDrag:
    """Left button on the ruler: marks a stretch of time; its ends snap to events. A click without a drag clears it."""

    def __init__(
        self,
        x: float,
        free: bool,
        time_at: Callable[[float, bool], int],
        show: Callable[[Measurement | None], None],
    ) -> None:
        self._time_at, self._show = time_at, show
        self._begin = time_at(x, free)
        self._moved = False

    def move(self, x: float, y: float, free: bool) -> None:
        self._moved = True
        self._show(Measurement(self._begin, self._time_at(x, free)))

    def release(self) -> None:
        if not self._moved:
            self._show(None)
