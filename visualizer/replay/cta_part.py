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

from visualizer.replay.history import History

_KEPT = 6  # parts; their lanes keep what they need


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
        mine = self._cta == cta
        remote, owner = self._remote
        mine[remote[owner == cta]] = True
        mine[[0, -1]] = True
        steps = np.flatnonzero(mine)
        return CtaPart(History(trace.part(steps), self._history.structure), steps)

    @cached_property
    def _cta(self) -> NDArray[np.unsignedinteger]:
        """The CTA of every event's agent."""
        trace = self._history.trace
        narrow = trace.agent_cta.astype(np.min_scalar_type(trace.ctas))
        cta: NDArray[np.unsignedinteger] = narrow[trace.events["agent"]]
        return cta

    @cached_property
    def _remote(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Steps of the events on a barrier of another CTA than their agent's, and that CTA."""
        trace = self._history.trace
        owners = np.append(trace.barrier_cta, -1).astype(np.int32)  # index -1, "no barrier", finds the last
        owner = owners[trace.events["barrier"]]
        steps = np.flatnonzero((owner != self._cta) & (owner >= 0))
        return steps, owner[steps]
