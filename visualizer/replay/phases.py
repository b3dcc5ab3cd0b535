"""One phase of one barrier: which events made it up, which completed it. The ground for "what released this wait"."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.schema import ARRIVAL_KINDS, EventKind
from visualizer.replay.barrier_columns import BarrierColumns
from visualizer.replay.kinds import kind_mask

ARRIVALS = kind_mask(*ARRIVAL_KINDS)
"""At a kind: whether it is an arrival."""


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
    position = barriers.index.position_from(barrier, step) - 1
    if position < barriers.index.starts[barrier]:
        return None
    row = int(completions_before(barriers, np.array([position]), np.array([parity & 1]))[0])
    return None if row < 0 else _phase_ending_at(barriers, barrier, int(np.searchsorted(barriers.reloads, row)))


def completions_before(
    barriers: BarrierColumns, position: NDArray[np.int64], parity: NDArray[np.int64]
) -> NDArray[np.int64]:
    """At each position of the barriers' index (-1: none) the position of the latest PHASE_COMPLETE, of that barrier and
    up to there, of a phase with this parity: what a wait that passes then has waited for. -1: there is none since the
    barrier's init. Same shape.

    Parities alternate, so it is the latest completion or the one before: further back only where records are missing.
    """
    found = np.full(len(position), -1, np.int64)
    rest = np.flatnonzero(position >= 0)
    # A barrier's first row is among the reloads, so that none of another barrier's is met unnoticed.
    reload = np.searchsorted(barriers.reloads, position[rest], side="right") - 1
    while len(rest):
        row = barriers.reloads[reload]
        completes = barriers.kind[row] == EventKind.PHASE_COMPLETE
        fits = completes & ((barriers.phase[row] - 1) & 1 == parity[rest])
        found[rest[fits]] = row[fits]
        further = np.flatnonzero(completes & ~fits)
        further = further[~barriers.is_first(row[further])]
        rest, reload = rest[further], reload[further] - 1
    return found


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
        _steps(steps, ARRIVALS[kind]),
        _steps(steps, kind == EventKind.COMPLETE_TX),
        _steps(steps, kind == EventKind.EXPECT_TX),
    )


def _steps(steps: NDArray[np.int64], chosen: NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(steps[chosen].tolist())
