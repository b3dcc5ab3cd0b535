"""Watches a flight recorder while its kernel runs: how many events there are, and whether any still come."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from visualizer.language import tr
from visualizer.language.endings import NO_EVENT
from visualizer.sources.progress import Progress
from visualizer.sources.runner.flight import FlightFile

LOOK_EVERY_S = 0.2
REST = 10
"""A look reads the whole file: it rests for so many times as long as the look took."""


class FlightWatch:
    """Call it often; it looks at the file now and then. Its answer is why the run should be ended, or "".

    Of a log that the worker copies only a further copy tells anything: without one, nothing stands still.
    """

    def __init__(
        self,
        file: FlightFile[Any],
        hang_s: float,
        progress: Progress | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._file = file
        self._hang_s = hang_s
        self._progress = progress
        self._clock = clock
        self.hung = False
        self._copies = 0
        self._events = -1
        self._mark = -1
        self._changed = clock()
        self._due = self._changed + LOOK_EVERY_S

    def __call__(self) -> str:
        now = self._clock()
        if now < self._due:
            return ""
        reason = self._look(now)
        end = self._clock()
        self._due = end + max(LOOK_EVERY_S, REST * (end - now))
        return reason

    def _look(self, now: float) -> str:
        if self._file.copied:
            copies = self._file.copies()
            if copies == self._copies:
                return ""
            self._copies = copies
        events = self._file.events_so_far()
        mark = self._file.mark()
        if (events, mark) != (self._events, self._mark):
            self._events, self._mark, self._changed = events, mark, now
            if self._progress and events:
                self._progress(0.5, tr("running the kernel: {events} events", events=events))
        elif now - self._changed >= self._hang_s:
            self.hung = True
            return NO_EVENT.format(seconds=f"{self._hang_s:g}", events=max(events, 0))
        return ""
