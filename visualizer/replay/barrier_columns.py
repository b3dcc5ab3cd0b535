"""What every barrier looks like after each of its events: phase, pending, expected, tx, valid, as columns.

The same rules as semantics.Mbarrier, but as running sums between the rows that reload a barrier, so that millions of
events need no Python loop. The tests hold the two against each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.replay.step_index import StepIndex, kind_mask
from visualizer.trace.schema import ARRIVAL_KINDS, BARRIER_STATE_KINDS, EventKind
from visualizer.trace.trace import Trace

_CHANGES = kind_mask(*BARRIER_STATE_KINDS)


@dataclass(frozen=True, eq=False)
class BarrierCurve:
    """One barrier over time, a row per change; all shape (changes,). Times in ps, tx in bytes."""

    time: NDArray[np.int64]
    step: NDArray[np.int64]
    phase: NDArray[np.int32]
    pending: NDArray[np.int32]
    expected: NDArray[np.int32]
    tx: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class BarrierState:
    """One barrier at one step."""

    valid: bool = False
    phase: int = 0
    pending: int = 0  # arrivals
    expected: int = 0  # arrivals of the phases to come
    tx: int = 0  # bytes
    needed: int = 0  # arrivals that the current phase began with

    @property
    def parity(self) -> int:
        return self.phase & 1

    @property
    def arrived(self) -> int:
        """Arrivals of the current phase so far."""
        return self.needed - self.pending


@dataclass(frozen=True, eq=False)
class BarrierColumns:
    """The state after each barrier event, at the positions of `index` (entity = barrier row)."""

    index: StepIndex
    kind: NDArray[np.uint8]
    phase: NDArray[np.int32]
    pending: NDArray[np.int32]
    expected: NDArray[np.int32]
    tx: NDArray[np.int32]
    valid: NDArray[np.bool_]
    reloads: NDArray[np.int64]  # ascending: the positions at which a phase begins (INIT, PHASE_COMPLETE, first row)

    def at(self, row: int, step: int) -> BarrierState:
        """The barrier after event `step`; what an uninitialised object is before its first event."""
        position = self.index.position_from(row, step + 1) - 1
        if position < self.index.starts[row]:
            return BarrierState()
        reload = self.reloads[np.searchsorted(self.reloads, position, side="right") - 1]
        return BarrierState(
            bool(self.valid[position]),
            int(self.phase[position]),
            int(self.pending[position]),
            int(self.expected[position]),
            int(self.tx[position]),
            int(self.pending[reload]),
        )

    def curve(self, trace: Trace, row: int) -> BarrierCurve:
        rows, steps = self.index.rows(row), self.index.steps(row)
        return BarrierCurve(
            trace.events["time"][steps],
            steps,
            self.phase[rows],
            self.pending[rows],
            self.expected[rows],
            self.tx[rows],
        )


def build_barrier_columns(trace: Trace, kinds: NDArray[np.uint8]) -> BarrierColumns:
    """All barriers of the trace; `kinds` is its kind column, contiguous."""
    steps = np.flatnonzero(_CHANGES[kinds])
    barrier = trace.events["barrier"][steps]
    if len(barrier) and barrier.min() < 0:
        steps, barrier = steps[barrier >= 0], barrier[barrier >= 0]
    index, order = StepIndex.build(barrier, steps, len(trace.barriers), len(trace))
    steps = steps[order]
    kind = kinds[steps]
    amount = trace.events["amount"][steps].astype(np.int64)

    is_init = kind == EventKind.INIT
    is_complete = kind == EventKind.PHASE_COMPLETE
    arrivals = _masked(amount, kind, *ARRIVAL_KINDS)
    arrivals[kind == EventKind.ARRIVE_EXPECT_TX] = 1
    bytes_ = _masked(amount, kind, EventKind.EXPECT_TX, EventKind.ARRIVE_EXPECT_TX)
    bytes_ -= _masked(amount, kind, EventKind.COMPLETE_TX)

    first = np.zeros(len(steps), bool)
    first[index.starts[:-1][np.diff(index.starts) > 0]] = True
    life = _latest(is_init | first)
    expected = _since(np.where(is_init, amount, 0), _masked(-amount, kind, EventKind.ARRIVE_DROP), life)
    reload = _latest(is_init | is_complete | first)
    start_pending = np.where(is_init, amount, np.where(is_complete, expected, -arrivals))
    pending = _since(start_pending, -arrivals, reload)
    tx = _since(np.where(is_init | is_complete, 0, bytes_), bytes_, reload)
    first_phase = np.array([b.first_phase for b in trace.barriers] or [0], np.int64)[barrier[order]]
    phase = np.where(is_complete, amount + 1, first_phase)[reload]
    valid = is_init[_latest(is_init | (kind == EventKind.INVAL) | first)]
    return BarrierColumns(
        index,
        kind,
        phase.astype(np.int32),
        pending.astype(np.int32),
        expected.astype(np.int32),
        tx.astype(np.int32),
        valid,
        np.flatnonzero(is_init | is_complete | first),
    )


def _masked(values: NDArray[np.int64], kind: NDArray[np.uint8], *kinds: int) -> NDArray[np.int64]:
    return values * kind_mask(*kinds)[kind]


def _latest(marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each row the latest marked row at or before it (row 0 is marked or there are no rows)."""
    return np.maximum.accumulate(np.where(marked, np.arange(len(marked)), 0))


def _since(start: NDArray[np.int64], change: NDArray[np.int64], origin: NDArray[np.int64]) -> NDArray[np.int64]:
    """start at each row's origin plus the changes of the rows after it, up to and with the row."""
    total = np.cumsum(change)
    total -= total[origin]
    total += start[origin]
    return total
