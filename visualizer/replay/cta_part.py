"""One CTA's share of a recording, with a History of its own: what a lane needs without building the whole one.

A recording of 132 CTAs has 1 800 lanes, of which a window shows some sixty. The events of one CTA are found in
milliseconds, and everything about its lanes follows from them alone. CTAs that have few share a part.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.parallel import each
from visualizer.replay.history import History

_KEPT = 6  # parts; their lanes keep what they need
_EVENTS_AT_ONCE = 1 << 15


@dataclass(frozen=True, eq=False)
class CtaPart:
    """The events of one CTA or a few, and the recording's first and last, which say where time begins and ends."""

    history: History
    steps: NDArray[np.int64] | None
    """The recording's step of each step of `history`; None if `history` is the whole recording's."""

    def in_recording(self, steps: NDArray[np.int64]) -> NDArray[np.int64]:
        """The recording's steps of the part's `steps`."""
        return steps if self.steps is None else self.steps[steps]


class CtaParts:
    """The parts of one recording, made when first asked for; may be asked from several threads.

    A part's History has tables of all agents, barriers, places and CTAs. A part has as many events as these have rows,
    or all parts together would cost CTAs times rows.
    """

    def __init__(self, history: History) -> None:
        self._history = history
        self._parts: OrderedDict[int, CtaPart] = OrderedDict()
        self._lock = threading.Lock()
        trace = history.trace
        rows = len(trace.agents) + len(trace.barriers) + history.structure.places + trace.ctas
        most = max(len(trace) // max(rows, 1), 1)
        self._ctas = trace.recorded_ctas
        self._ctas_at_once = max(-(-len(self._ctas) // most), 1)

    def __getitem__(self, cta: int) -> CtaPart:
        """Events by agents of the CTA, and by others on its barriers; perhaps those of some more CTAs as well."""
        part = bisect_left(self._ctas, cta) // self._ctas_at_once
        with self._lock:
            if part not in self._parts:
                self._parts[part] = self._make(part)
                if len(self._parts) > _KEPT:
                    self._parts.popitem(last=False)
            self._parts.move_to_end(part)
            return self._parts[part]

    def _make(self, part: int) -> CtaPart:
        trace = self._history.trace
        if len(self._ctas) <= self._ctas_at_once:
            return CtaPart(self._history, None)
        of_agent, remote, owner = self._of_events
        mine = of_agent == part
        mine[remote[owner == part]] = True
        mine[[0, -1]] = True
        steps = np.flatnonzero(mine)
        return CtaPart(History(trace.part(steps), self._history.structure), steps)

    @cached_property
    def _of_events(self) -> tuple[NDArray[np.unsignedinteger], NDArray[np.int64], NDArray[np.int32]]:
        """The part of every event's agent; the steps of the events on a barrier of another part, and that part.

        The first lane waits for this: all processors look, a piece at a time.
        """
        trace = self._history.trace
        agents, barriers = (
            np.searchsorted(self._ctas, cta) // self._ctas_at_once for cta in (trace.agent_cta, trace.barrier_cta)
        )
        narrow = agents.astype(np.min_scalar_type(len(self._ctas)))
        owners = np.append(barriers, -1).astype(np.int32)  # index -1, "no barrier", finds the last
        of_agent = np.empty(len(trace), narrow.dtype)

        def look(first: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
            piece = trace.events[first : first + _EVENTS_AT_ONCE]
            part = of_agent[first : first + _EVENTS_AT_ONCE] = narrow.take(piece["agent"])
            owner = owners[piece["barrier"]]
            remote = np.flatnonzero((owner != part) & (owner >= 0))
            return remote + first, owner[remote]

        steps, owner = zip(*each(look, range(0, len(trace), _EVENTS_AT_ONCE)), strict=True)
        return of_agent, np.concatenate(steps), np.concatenate(owner)
