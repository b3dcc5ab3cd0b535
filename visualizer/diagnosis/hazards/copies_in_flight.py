"""Copies that were issued and are not over: what their landing tells the phase of the barrier that they complete on."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from visualizer.diagnosis.hazards.vector_clock import Clock, join


@dataclass(slots=True)
class _Copy:
    ordinal: int  # among the copies into its place
    left: int  # bytes that have not landed
    bytes: int
    clock: Clock  # of who issued it, then


class CopiesInFlight:
    """By barrier, the oldest first. Places are those of the clocks, whose components begin at `places_at`."""

    def __init__(self, places_at: int) -> None:
        self._places_at = places_at
        self._of: defaultdict[int, list[_Copy]] = defaultdict(list)

    def issue(self, barrier: int, ordinal: int, bytes_: int, clock: Clock) -> None:
        """The `ordinal`-th copy into its place."""
        self._of[barrier].append(_Copy(ordinal, bytes_, bytes_, [*clock]))

    def land(self, barrier: int, bytes_: int, given: Clock, place: int) -> None:
        """Bytes land, the oldest copy's first; a copy has landed with its last byte. `given`: what the phase knows."""
        for copy in self._of[barrier]:
            if bytes_ <= 0:
                break
            part = min(copy.left, bytes_)
            copy.left -= part
            bytes_ -= part
            if part:
                join(given, copy.clock)
            if part and not copy.left and place >= 0:
                self._tell_landed(copy, given, place)

    def end(self, barrier: int, given: Clock, place: int) -> None:
        """The oldest copy is over. If it never counted bytes (cp.async), its landing is what the arrival after it
        tells."""
        if not self._of[barrier]:
            return
        copy = self._of[barrier].pop(0)
        if copy.left == copy.bytes and place >= 0:
            join(given, copy.clock)
            self._tell_landed(copy, given, place)

    def _tell_landed(self, copy: _Copy, given: Clock, place: int) -> None:
        at = self._places_at + place
        given[at] = max(given[at], copy.ordinal)
