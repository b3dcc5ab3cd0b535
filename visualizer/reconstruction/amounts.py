"""Whether arrivals and copies can count for what a log says: a kernel that goes astray may have written over it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from visualizer.language import tr
from visualizer.reconstruction.logged import Logged
from visualizer.recording.schema import COUNTED_ARRIVALS, EventKind
from visualizer.recording.tables import Barrier
from visualizer.recording.trace import TraceError


def check_amounts(logged: Logged, barriers: Sequence[Barrier]) -> None:
    """TraceError, which names the barrier, if one counts for less than nothing. `barriers`: those that `logged` counts
    by."""
    below = np.flatnonzero((logged.amount < 0) & (logged.barrier >= 0))
    below = below[np.isin(logged.kind[below], (*COUNTED_ARRIVALS, EventKind.COPY_ISSUE))]
    if not len(below):
        return
    row = int(below[0])
    name, amount = barriers[int(logged.barrier[row])].name, int(logged.amount[row])
    if logged.kind[row] == EventKind.COPY_ISSUE:
        raise TraceError(tr("a copy to {barrier} brings {amount} bytes, which none can", barrier=name, amount=amount))
    raise TraceError(tr("an arrival on {barrier} counts for {amount}, which none can", barrier=name, amount=amount))
