"""All that a window does in threads: what Cancel stops, and what is let go of when the window closes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from visualizer.views.timeline.timeline_widget import TimelineWidget


class Stoppable(Protocol):
    """Something that may be at work."""

    def stop(self) -> None:
        """Let go of what runs, and tell nothing of it."""


class Cancellable(Stoppable, Protocol):
    """Work that a person waits for."""

    @property
    def is_busy(self) -> bool: ...

    def cancel(self) -> None:
        """Ask it to stop; it tells when it has."""


class WindowWork:
    """`waited_for` is what Cancel stops, as it does the timeline's lanes; `beside` goes on without anybody waiting."""

    def __init__(
        self, timeline: TimelineWidget, waited_for: Sequence[Cancellable], beside: Sequence[Stoppable]
    ) -> None:
        self._timeline, self._waited_for, self._beside = timeline, waited_for, beside

    @property
    def is_busy(self) -> bool:
        """Whether something runs that Cancel stops."""
        return self._timeline.busy or any(work.is_busy for work in self._waited_for)

    def cancel(self) -> None:
        self._timeline.cancel()
        for work in self._waited_for:
            work.cancel()

    def stop(self) -> None:
        for work in (*self._waited_for, *self._beside):
            work.stop()
