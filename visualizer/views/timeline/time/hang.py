"""What a hang opens at: its last activity, with everything before it folded away. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from visualizer.diagnosis.wording import commas
from visualizer.language import tr, trn
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace

_SETUP = (
    EventKind.INIT,
    EventKind.FENCE,
    EventKind.SYNC_BEGIN,
    EventKind.SYNC_END,
    EventKind.SYNC_ARRIVE,
    EventKind.CLUSTER_ARRIVE,
    EventKind.CLUSTER_WAIT_BEGIN,
    EventKind.CLUSTER_WAIT_END,
    EventKind.SETMAXNREG_DEC,
    EventKind.SETMAXNREG_INC_BEGIN,
    EventKind.SETMAXNREG_INC_END,
)
"""What agents do before the pipeline runs."""
_MOST = 200
"""Events of the CTA that are shown."""
_LEAST_WAIT = 50_000
"""Picoseconds of a wait without end that are shown at least, where the recording goes on for so long."""


@dataclass(frozen=True, slots=True)
class Hang:
    """The stretch to show (ps), and what of the CTA lies before it: barriers initialised, and other events."""

    begin: int
    end: int
    barriers: int
    events: int

    @property
    def text(self) -> str:
        """What is folded away; "" where nothing is."""
        what = []
        if self.barriers:
            what.append(trn("initialisation of {n} barrier", "initialisation of {n} barriers", self.barriers))
        if self.events:
            what.append(trn("{n} event", "{n} events", self.events))
        return tr("◀ folded: {what}", what=commas(what)) if what else ""


def hang_at(trace: Trace, step: int, end: int) -> Hang:
    """How to show the wait that begins at `step` and never ends; `end` (ps) is where the picture ends.

    Where a watchdog gave up, that came long after the last activity: the waits run out of the picture.
    """
    events = trace.events
    cta = trace.agent_cta[events["agent"][step]]
    steps = np.flatnonzero(trace.agent_cta[events["agent"]] == cta)
    kinds, times = events["kind"][steps], events["time"]
    gave_up = steps[kinds == EventKind.TIMEOUT]
    work = steps[~np.isin(kinds, _SETUP)]
    work = work[: np.searchsorted(work, gave_up[0])] if len(gave_up) else work
    if not len(work):
        return Hang(0, end, 0, 0)
    first = int(work[max(len(work) - _MOST, 0)])
    begin, last = min(int(times[first]), int(times[step])), int(times[work[-1]])
    wait = max((last - begin) // 3, _LEAST_WAIT)
    before = int(np.searchsorted(times[work], begin))
    setup = kinds[steps < work[0]]
    stop = end if end - last <= 2 * wait else last + wait  # the waits' open edge, where it is not far
    return Hang(begin, stop, int((setup == EventKind.INIT).sum()), before)
