"""What a pressed mouse button does on the timeline, one small class per gesture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Gesture(Protocol):
    """A drag in progress. x and y are pixels of the widget; `free` is true while Alt asks not to snap."""

    def move(self, x: float, y: float, free: bool) -> None:
        """The pointer moved."""

    def release(self) -> None:
        """The button was let go."""


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
