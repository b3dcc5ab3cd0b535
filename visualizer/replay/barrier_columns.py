"""What every barrier looks like after each of its events: phase, pending, expected, tx, valid, as columns.

The same rules as semantics.Mbarrier, but as running sums between the rows that reload a barrier, so that millions of
events need no Python loop. The tests hold the two against each other.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.parallel import each
from visualizer.recording.event_columns import EventColumns
from visualizer.recording.schema import ARRIVAL_KINDS, BARRIER_STATE_KINDS, EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.kinds import kind_mask
from visualizer.replay.step_index import ALL_ROWS, Rows, StepIndex, Steps, pick

_CHANGES = kind_mask(*BARRIER_STATE_KINDS)
_ARRIVING = kind_mask(*ARRIVAL_KINDS).astype(np.int32)
_ARRIVING[EventKind.CP_ASYNC_ARRIVE] = -1
_ADDING = kind_mask(EventKind.EXPECT_TX, EventKind.ARRIVE_EXPECT_TX).astype(np.int32)
_ADDING[EventKind.COMPLETE_TX] = -1
"""At a kind: how often an event's amount counts as arrivals, and as bytes to come."""
_COMPLETE_TX = int(EventKind.COMPLETE_TX)
_ROWS_AT_ONCE = 1 << 15


class Counting(IntEnum):
    """What the number of a barrier's phase counts from."""

    INIT = 0
    BEGINNING = 1  # of the recording, in the middle of the run: an even number of phases before it is not known
    NOTHING = 2  # nobody told the barrier's count, so that none of its phases is known


@dataclass(frozen=True, eq=False)
class BarrierCurve:
    """One barrier over time, a row per change; all shape (changes,). Times in ps, tx in bytes."""

    time: NDArray[np.int64]
    step: NDArray[np.int64]
    phase: NDArray[np.int32]
    pending: NDArray[np.int32]
    expected: NDArray[np.int32]
    tx: NDArray[np.int32]
    counting: Counting = Counting.INIT  # what `phase` counts from


@dataclass(frozen=True, slots=True)
class BarrierState:
    """One barrier at one step."""

    valid: bool = False
    phase: int = 0
    pending: int = 0  # arrivals
    expected: int = 0  # arrivals of the phases to come
    tx: int = 0  # bytes
    needed: int = 0  # arrivals that the current phase takes: what it began with, and what was added since
    landed: int = 0  # bytes of the current phase that are in
    counting: Counting = Counting.INIT  # what `phase` counts from

    @property
    def parity(self) -> int:
        return self.phase & 1

    @property
    def counted(self) -> bool:
        """Whether it is known how many arrivals a phase takes."""
        return self.needed != 0

    @property
    def arrived(self) -> int:
        """Arrivals of the current phase so far."""
        return self.needed - self.pending


class BarrierValues(NamedTuple):
    """Some barriers at a step of each; all shape (n,)."""

    valid: NDArray[np.bool_]
    phase: NDArray[np.int32]
    pending: NDArray[np.int32]
    expected: NDArray[np.int32]
    tx: NDArray[np.int32]


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
    # Before a barrier's first row, (barriers,): valid if the recording uses it and has no INIT of it, so that it was
    # initialised before. Its count is what the program gives it; 0: not known, and its pending and expected stay 0.
    first_valid: NDArray[np.bool_]
    first_phase: NDArray[np.int32]
    first_count: NDArray[np.int32]
    counting: NDArray[np.uint8]  # Counting, (barriers,)

    @property
    def uncounted(self) -> NDArray[np.bool_]:
        """Barriers whose count nobody told, so that none of their phases is known; shape (barriers,)."""
        uncounted: NDArray[np.bool_] = self.counting == Counting.NOTHING
        return uncounted

    def counts_from(self, row: int) -> Counting:
        """What the numbers of a barrier's phases count from."""
        return Counting(self.counting[row])

    def at(self, row: int, step: int) -> BarrierState:
        """The barrier after event `step`; before its first event what it was when the recording began."""
        return self.after(row, self.change_at(row, step))

    def change_at(self, row: int, step: int) -> int:
        """The position of the barrier's latest change at `step`; before its first, one before the barrier's."""
        return self.index.position_from(row, step + 1) - 1

    def after(self, row: int, change: int) -> BarrierState:
        """The barrier after the change at a position of its own, as `change_at` and State.barrier_change tell it."""
        if change < self.index.starts[row]:
            count = int(self.first_count[row])
            first = bool(self.first_valid[row]), int(self.first_phase[row]), count, count, 0, count, 0
            return BarrierState(*first, self.counts_from(row))
        reload = int(self.reloads[self.reloads.searchsorted(change, side="right") - 1])
        return BarrierState(
            bool(self.valid[change]),
            int(self.phase[change]),
            int(self.pending[change]),
            int(self.expected[change]),
            int(self.tx[change]),
            self._needed(row, reload, change),
            self._landed(reload, change),
            self.counts_from(row),
        )

    def _landed(self, reload: int, position: int) -> int:
        """The bytes that came, up to and with `position`, of the phase beginning at `reload`."""
        kind, tx = self.kind[reload : position + 1], self.tx[reload : position + 1]
        if _COMPLETE_TX not in kind.tobytes():  # many times as fast as to compare; most barriers bring no bytes
            return 0
        brings = kind == _COMPLETE_TX
        return int((tx[:-1] - tx[1:])[brings[1:]].sum()) - int(tx[0] * brings[0])

    def _needed(self, row: int, reload: int, position: int) -> int:
        """The arrivals that the phase beginning at `reload` takes, as far as it is known at `position`."""
        begun_before = (
            self.first_valid[row]
            and reload == self.index.starts[row]
            and self.kind[reload] not in (EventKind.PHASE_COMPLETE, EventKind.CP_ASYNC_ARRIVE)
        )
        needed = int(self.first_count[row]) if begun_before else int(self.pending[reload])
        if not self._any_raised:
            return needed
        raised = reload + 1 + np.flatnonzero(self.kind[reload + 1 : position + 1] == EventKind.CP_ASYNC_ARRIVE)
        return needed + int((self.pending[raised] - self.pending[raised - 1]).sum())

    @cached_property
    def _any_raised(self) -> bool:
        """Whether some phase comes to take more arrivals than it began with."""
        return bool((self.kind == EventKind.CP_ASYNC_ARRIVE).any())

    def values(self, change: Steps, barriers: Rows = ALL_ROWS) -> BarrierValues:
        """Each barrier after a change of its own; -1: before its first."""
        phase, count, valid = self.first_phase[barriers], self.first_count[barriers], self.first_valid[barriers]
        return BarrierValues(
            pick(self.valid, change, valid),
            pick(self.phase, change, phase),
            pick(self.pending, change, count),
            pick(self.expected, change, count),
            pick(self.tx, change, np.zeros_like(count)),
        )

    def phase_at(self, barrier: NDArray[np.int64], step: NDArray[np.int64]) -> NDArray[np.int64]:
        """The phase of each barrier after the event at each step; before its first, that of the beginning."""
        return self.phases(barrier, self.index.latest(barrier, step))

    def phases(self, barrier: NDArray[np.int64], position: NDArray[np.int64]) -> NDArray[np.int64]:
        """The phase of each barrier at a position of its own; at -1, that of the beginning."""
        if not len(self.index):
            return self.first_phase[barrier].astype(np.int64)
        return np.where(position >= 0, self.phase[position], self.first_phase[barrier]).astype(np.int64)

    def is_first(self, position: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each position is the first of its barrier."""
        first: NDArray[np.bool_] = self.index.starts[np.searchsorted(self.index.starts, position)] == position
        return first

    def curve(self, trace: Trace, row: int) -> BarrierCurve:
        rows, steps = self.index.rows(row), self.index.steps(row)
        return BarrierCurve(
            trace.events["time"][steps],
            steps,
            self.phase[rows],
            self.pending[rows],
            self.expected[rows],
            self.tx[rows],
            self.counts_from(row),
        )


def build_barrier_columns(columns: EventColumns) -> BarrierColumns:
    """All barriers of the trace."""
    trace = columns.trace
    index, (kind, amount) = StepIndex.of_kinds(
        columns.kind, _CHANGES, columns.barrier, len(trace.barriers), columns.kind, columns.amount
    )
    size = len(index)
    phase, pending, expected, tx = np.empty((4, size), np.int32)
    first = _first(columns, index, kind)
    reloads = np.empty(0, np.int64)
    built = BarrierColumns(index, kind, phase, pending, expected, tx, np.empty(size, bool), reloads, *first)

    def fill(rows: slice) -> NDArray[np.int64]:
        return _fill(built, rows, amount[rows])

    # Some barriers at a time, so that their rows stay in the processor's cache.
    edges = np.searchsorted(index.starts, np.arange(0, size + _ROWS_AT_ONCE, _ROWS_AT_ONCE))
    edges = index.starts[np.minimum(edges, len(index.starts) - 1)].tolist()
    rows = [slice(begin, end) for begin, end in itertools.pairwise(edges) if end > begin]
    reloads = np.concatenate([np.empty(0, np.int64), *each(fill, rows)])
    for row, barrier in enumerate(trace.barriers):
        if barrier.first_phase:
            own = index.rows(row)
            flips = np.flatnonzero(kind[own] == EventKind.PHASE_COMPLETE)[:1]
            phase[own.start : own.start + int(flips[0]) if len(flips) else own.stop] = barrier.first_phase
    for row in np.flatnonzero(built.uncounted).tolist():
        pending[index.rows(row)] = expected[index.rows(row)] = 0
    return replace(built, reloads=reloads)


def _first(
    columns: EventColumns, index: StepIndex, kind: NDArray[np.uint8]
) -> tuple[NDArray[np.bool_], NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]:
    """Whether each barrier was initialised before the recording began, and its phase and count by then, else 0; and
    what its phases count from."""
    inits = np.searchsorted(index.starts, np.flatnonzero(kind == EventKind.INIT), side="right") - 1
    trace = columns.trace
    valid = np.diff(index.starts) > 0
    if "unplaced" in trace.meta.window or not len(inits):
        # Inits are not there to be missed: what is waited for was a barrier, whether it changes here or not.
        valid |= np.bincount(columns.barrier[columns.barrier >= 0], minlength=len(valid)) > 0
    valid[inits] = False
    phase = np.array([barrier.first_phase for barrier in trace.barriers], np.int32)
    count = np.array([barrier.init_count for barrier in trace.barriers], np.int32)
    since = Counting.BEGINNING if "unplaced" in trace.meta.window else Counting.INIT
    counting = np.where(valid, np.where(count == 0, Counting.NOTHING, since), Counting.INIT).astype(np.uint8)
    return valid, np.where(valid, phase, 0).astype(np.int32), np.where(valid, count, 0).astype(np.int32), counting


def _fill(built: BarrierColumns, rows: slice, amount: NDArray[np.int32]) -> NDArray[np.int64]:
    """Fill in the rows of some barriers; their reloads. Sums may go round in 32 bits: differences come out right."""
    kind = built.kind[rows]
    is_init = kind == EventKind.INIT
    is_complete = kind == EventKind.PHASE_COMPLETE
    arrivals = amount * _ARRIVING.take(kind)
    arrivals[kind == EventKind.ARRIVE_EXPECT_TX] = 1
    bytes_ = amount * _ADDING.take(kind)

    first = np.zeros(len(kind), bool)
    before = np.zeros(len(kind), np.int32)  # at a barrier's first row: its count by then
    known = np.zeros(len(kind), bool)  # ... and whether it was a barrier already
    starts = built.index.starts
    whose = slice(*np.searchsorted(starts, (rows.start, rows.stop)))
    whose = np.flatnonzero(np.diff(starts[whose.start : whose.stop + 1])) + whose.start
    at = starts[whose] - rows.start
    first[at], before[at], known[at] = True, built.first_count[whose], built.first_valid[whose]
    born = np.flatnonzero(is_init | first)
    expected = built.expected[rows]
    drops = kind == EventKind.ARRIVE_DROP
    if drops.any():
        lowered = np.where(drops, -amount, 0)
        given = np.where(is_init[born], amount[born], before[born] + known[born] * lowered[born])
        _since(born, given, lowered, expected)
    else:
        expected[:] = np.repeat(np.where(is_init[born], amount[born], before[born]), np.diff(born, append=len(kind)))

    begins = np.flatnonzero(is_init | first | is_complete)
    is_init, is_complete, given = is_init[begins], is_complete[begins], amount[begins]
    pending = np.where(is_init, given, np.where(is_complete, expected[begins], before[begins] - arrivals[begins]))
    _since(begins, pending, np.negative(arrivals, out=arrivals), built.pending[rows])
    _since(begins, np.where(is_init | is_complete, 0, bytes_[begins]), bytes_, built.tx[rows])
    lengths = np.diff(begins, append=len(kind))
    built.phase[rows] = np.repeat(np.where(is_complete, given + 1, 0), lengths)
    turns = np.flatnonzero(first | (kind == EventKind.INIT) | (kind == EventKind.INVAL))
    valid = (kind[turns] == EventKind.INIT) | (known[turns] & (kind[turns] != EventKind.INVAL))
    built.valid[rows] = np.repeat(valid, np.diff(turns, append=len(kind)))
    reloads: NDArray[np.int64] = rows.start + begins
    return reloads


def _since(
    origins: NDArray[np.int64], start: NDArray[np.int32], change: NDArray[np.int32], into: NDArray[np.int32]
) -> None:
    """Write `start` at each of the origins (the first is row 0), and at rows after it that plus the changes of the
    rows since, up to and with the row. `change` is used up."""
    change[origins] = 0
    ends = start + np.add.reduceat(change, origins, dtype=np.int32)
    change[origins] = start
    change[origins[1:]] -= ends[:-1]
    np.cumsum(change, dtype=np.int32, out=into)
