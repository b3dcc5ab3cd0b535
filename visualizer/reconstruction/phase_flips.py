"""Phases that a probe saw end: evidence of when a barrier flipped, beside what the agents logged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, running_total

_PHASE_BIT = np.uint64(63)


@dataclass(frozen=True, eq=False)
class Flips:
    """Phases that the probe saw end, sorted by barrier and phase. Times in ps. All shapes (n,)."""

    barrier: Ints
    phase: Ints
    still: Ints  # then the phase was seen for the last time
    seen: Ints  # by then the next one had been seen

    def of(self, barrier: Ints, phase: Ints) -> tuple[Ints, Ints]:
        """`still` and `seen` of each phase asked for; -1 where the probe did not see it end."""
        span = int(max(self.phase.max(initial=0), phase.max(initial=0))) + 1
        keys, wanted = self.barrier * span + self.phase, barrier * span + phase
        row = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        if not len(keys):
            return np.full(len(wanted), -1), np.full(len(wanted), -1)
        known = keys[row] == wanted
        return np.where(known, self.still[row], -1), np.where(known, self.seen[row], -1)

    def of_part(self, barriers: slice) -> Flips:
        """Those of these rows of the barriers table, counted from the first of them."""
        rows = slice(*np.searchsorted(self.barrier, [barriers.start, barriers.stop]).tolist())
        return Flips(self.barrier[rows] - barriers.start, self.phase[rows], self.still[rows], self.seen[rows])


NO_FLIPS = Flips(*(np.zeros(0, np.int64) for _ in range(4)))


def find_flips(samples: NDArray[np.void]) -> Flips:
    """Where consecutive runs of a barrier differ in their phase bit. Two flips between two samples go unseen, so who
    uses a number must compare times."""
    parity = (samples["word"] >> _PHASE_BIT).astype(np.int64)
    barrier = samples["barrier"].astype(np.int64)
    at = np.flatnonzero((barrier[1:] == barrier[:-1]) & (parity[1:] != parity[:-1]))
    place = barrier[at]
    # The first flip a barrier shows is from the parity of its first run.
    phase = running_total(place, np.ones(len(at), np.int64))
    first = parity[at]
    first[1:] = np.where(place[1:] == place[:-1], 0, first[1:])
    phase += running_total(place, first) + first
    return Flips(place, phase, samples["end"][at].astype(np.int64), samples["begin"][at + 1].astype(np.int64))
