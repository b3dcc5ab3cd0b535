"""One phase of one barrier: which events made it up, which completed it. The ground for "what released this wait"."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.schema import ARRIVAL_KINDS, EventKind
from visualizer.replay.barrier_columns import BarrierColumns
from visualizer.replay.step_index import kind_mask

_ARRIVALS = kind_mask(*ARRIVAL_KINDS)


@dataclass(frozen=True, slots=True)
class Phase:
    """Phase #`number` of a barrier. All lists are steps, ascending."""

    barrier: int
    number: int
    completion: int | None  # the PHASE_COMPLETE; None: it never completed
    arrivals: tuple[int, ...]
    bytes_landed: tuple[int, ...]  # COMPLETE_TX
    bytes_expected: tuple[int, ...]  # EXPECT_TX alone; an ARRIVE_EXPECT_TX is an arrival

    @property
    def contributions(self) -> tuple[int, ...]:
        return tuple(sorted(self.arrivals + self.bytes_landed + self.bytes_expected))


def phase_of(barriers: BarrierColumns, barrier: int, step: int) -> Phase:
    """The phase that an event at `step` belongs to: the one open just before it, which a PHASE_COMPLETE ends."""
    position = barriers.index.position_from(barrier, step)
    return _phase_ending_at(barriers, barrier, int(np.searchsorted(barriers.reloads, position)))


def completion_before(barriers: BarrierColumns, barrier: int, step: int, parity: int) -> Phase | None:
    """The latest phase with this parity that completed before `step`; None: none did since the barrier's init."""
    position = barriers.index.position_from(barrier, step)
    reload = int(np.searchsorted(barriers.reloads, position)) - 1
    first = int(barriers.index.starts[barrier])
    while reload >= 0 and (row := int(barriers.reloads[reload])) >= first:
        if barriers.kind[row] != EventKind.PHASE_COMPLETE:
            return None
        if (int(barriers.phase[row]) - 1) & 1 == parity & 1:
            return _phase_ending_at(barriers, barrier, reload)
        reload -= 1
    return None


def released_until(barriers: BarrierColumns, barrier: int, completion: int) -> int:
    """The step from which a wait on the completed phase's parity is another phase's doing: the completion of the next
    phase of that parity, or another init; the recording's length if there is neither."""
    position = barriers.index.position_from(barrier, completion)
    reload = int(np.searchsorted(barriers.reloads, position, side="right"))
    end = int(barriers.index.starts[barrier + 1])
    for row in barriers.reloads[reload : reload + 2]:
        if row < end and (barriers.kind[row] == EventKind.INIT or row != barriers.reloads[reload]):
            return barriers.index.one(int(row))
    return barriers.index.length


def _phase_ending_at(barriers: BarrierColumns, barrier: int, reload: int) -> Phase:
    """The phase that ends at the reload with this number, or at the barrier's last row."""
    rows = barriers.index.rows(barrier)
    begin = max(int(barriers.reloads[reload - 1]), rows.start) if reload else rows.start
    end = int(barriers.reloads[reload]) if reload < len(barriers.reloads) else rows.stop
    completed = end < rows.stop and barriers.kind[end] == EventKind.PHASE_COMPLETE
    end = min(end, rows.stop)
    kind = barriers.kind[begin:end]
    steps = barriers.index.step_at(np.arange(begin, end))
    return Phase(
        barrier,
        int(barriers.phase[begin]) if begin < rows.stop else 0,
        barriers.index.one(end) if completed else None,
        _steps(steps, _ARRIVALS[kind]),
        _steps(steps, kind == EventKind.COMPLETE_TX),
        _steps(steps, kind == EventKind.EXPECT_TX),
    )


def _steps(steps: NDArray[np.int64], chosen: NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(steps[chosen].tolist())
