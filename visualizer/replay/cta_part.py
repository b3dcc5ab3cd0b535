"""One CTA's share of a recording, with a History of its own: what a lane needs without building the whole one.

A recording of 132 CTAs has 1 800 lanes, of which a window shows some sixty. The events of one CTA are found in
milliseconds, and everything about its lanes follows from them alone.
"""

from __future__ import annotations

import threading
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
    """The events of one CTA, and the recording's first and last, which say where time begins and ends."""

    history: History
    steps: NDArray[np.int64] | None
    """The recording's step of each step of `history`; None if `history` is the whole recording's."""

    def in_recording(self, steps: NDArray[np.int64]) -> NDArray[np.int64]:
        """The recording's steps of the part's `steps`."""
        return steps if self.steps is None else self.steps[steps]


class CtaParts:
    """The parts of one recording, made when first asked for; may be asked from several threads."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._parts: OrderedDict[int, CtaPart] = OrderedDict()
        self._lock = threading.Lock()

    def __getitem__(self, cta: int) -> CtaPart:
        """Events by agents of the CTA, and by others on its barriers."""
        with self._lock:
            if cta not in self._parts:
                self._parts[cta] = self._make(cta)
                if len(self._parts) > _KEPT:
                    self._parts.popitem(last=False)
            self._parts.move_to_end(cta)
            return self._parts[cta]

    def _make(self, cta: int) -> CtaPart:
        trace = self._history.trace
        if trace.ctas <= 1 or not len(trace):
            return CtaPart(self._history, None)
        of_agent, remote, owner = self._ctas
        mine = of_agent == cta
        mine[remote[owner == cta]] = True
        mine[[0, -1]] = True
        steps = np.flatnonzero(mine)
        return CtaPart(History(trace.part(steps), self._history.structure), steps)

    @cached_property
    def _ctas(self) -> tuple[NDArray[np.unsignedinteger], NDArray[np.int64], NDArray[np.int32]]:
        """The CTA of every event's agent; the steps of the events on a barrier of another CTA, and that CTA.

        The first lane waits for this: all processors look, a piece at a time.
        """
        trace = self._history.trace
        narrow = trace.agent_cta.astype(np.min_scalar_type(trace.ctas))
        owners = np.append(trace.barrier_cta, -1).astype(np.int32)  # index -1, "no barrier", finds the last
        of_agent = np.empty(len(trace), narrow.dtype)

        def look(first: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
            piece = trace.events[first : first + _EVENTS_AT_ONCE]
            cta = of_agent[first : first + _EVENTS_AT_ONCE] = narrow.take(piece["agent"])
            owner = owners[piece["barrier"]]
            remote = np.flatnonzero((owner != cta) & (owner >= 0))
            return remote + first, owner[remote]

        steps, owner = zip(*each(look, range(0, len(trace), _EVENTS_AT_ONCE)), strict=True)
        return of_agent, np.concatenate(steps), np.concatenate(owner)
