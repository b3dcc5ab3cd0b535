"""What each stage buffer holds after each event that concerns it: empty, filling, full, being read, and which tile."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.parallel import each
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.event_columns import EventColumns
from visualizer.replay.spans import Spans, merge_spans
from visualizer.replay.step_index import Narrow, StepIndex, kind_mask, stable_order, step_type


class StageState(IntEnum):
    """Occupancy of a stage buffer; the events that begin each state."""

    EMPTY = 0  # at first, and when the empty barrier's phase completes
    FILLING = 1  # COPY_ISSUE into the stage
    FULL = 2  # the full barrier's phase completes: by its count all bytes are in; without barriers the last COPY_DONE
    READING = 3  # the first READ_BEGIN


_STATE = np.zeros(256, np.uint8)
_STATE[EventKind.COPY_ISSUE] = StageState.FILLING
_STATE[EventKind.READ_BEGIN] = StageState.READING
_STATE[EventKind.COPY_DONE] = StageState.FULL
_NEITHER = 255
_HELD = {"full": StageState.FULL, "empty": StageState.EMPTY}
"""What a stage holds once the phase of such a barrier completes; _NEITHER for others."""
_CONCERNS = kind_mask(EventKind.COPY_ISSUE, EventKind.READ_BEGIN, EventKind.PHASE_COMPLETE, EventKind.COPY_DONE)
_ROWS_AT_ONCE = 1 << 17
_CANDIDATES_AT_ONCE = 1 << 15


@dataclass(frozen=True, eq=False)
class StageColumns:
    """State and tile from each row of `index` on (entity = cta * stages + stage): a row for each change."""

    index: StepIndex
    state: NDArray[np.uint8]
    tile: NDArray[np.int32]
    first_state: NDArray[np.uint8]  # (ctas * stages,): before the stage's first row
    first_tile: NDArray[np.int32]

    def at(self, step: int) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
        """State and tile of every stage, shape (ctas * stages,); tile -1 when empty."""
        positions = self.index.last_at(step)
        held = np.flatnonzero(positions >= 0)
        state, tile = self.first_state.copy(), self.first_tile.copy()
        state[held] = self.state[positions[held]]
        tile[held] = self.tile[positions[held]]
        return state, tile

    def one(self, row: int, step: int) -> tuple[StageState, int]:
        """State and tile of one stage after event `step`; step -1 is before the first event."""
        position = self.index.position_from(row, step + 1) - 1
        if position < self.index.starts[row]:
            return StageState(int(self.first_state[row])), int(self.first_tile[row])
        return StageState(int(self.state[position])), int(self.tile[position])

    def spans(self, trace: Trace, row: int) -> Spans:
        """The stage's states from time 0 to the end of the recording, the empty ones too."""
        rows, steps = self.index.rows(row), self.index.steps(row)
        state, tile = self.state[rows], self.tile[rows]
        if len(trace) and (not len(steps) or steps[0] > 0):
            steps = np.concatenate(([0], steps))
            state = np.concatenate((self.first_state[row : row + 1], state))
            tile = np.concatenate((self.first_tile[row : row + 1], tile))
        return merge_spans(trace, steps, state, tile, np.full(len(steps), -1, np.int32))


def build_stage_columns(columns: EventColumns) -> StageColumns:
    """All stages of the trace."""
    trace = columns.trace
    stages = trace.ctas * trace.stages
    # A last entry for "no barrier", which index -1 finds.
    held_after = np.array([_HELD.get(b.kind, _NEITHER) for b in trace.barriers] + [_NEITHER], np.uint8)
    pieces = each(lambda begin: _candidates(columns, held_after, begin), range(0, len(trace), _ROWS_AT_ONCE))
    pieces = pieces or [_candidates(columns, held_after, 0)]
    steps, kind, row, state, tile = (np.concatenate(column) for column in zip(*pieces, strict=True))
    del pieces
    landings = kind == EventKind.COPY_DONE
    if landings.any():
        kept = ~landings | _last_landed(row.astype(np.int64), tile, kind)
        steps, row, state, tile = steps[kept], row[kept], state[kept], tile[kept]
    changes = _changes(row, state, tile, stages)
    index, (state, tile) = StepIndex.build(
        row[changes], steps[changes], stages, len(trace), state[changes], tile[changes]
    )
    return StageColumns(index, state, tile, *_first(trace))


class _Candidates(NamedTuple):
    """Events that may change what a stage holds: their steps, stages, and what the stage would hold; shapes (n,)."""

    steps: Narrow
    kind: NDArray[np.uint8]
    row: NDArray[Any]
    state: NDArray[np.uint8]
    tile: NDArray[np.int32]


def _candidates(columns: EventColumns, held_after: NDArray[np.uint8], begin: int) -> _Candidates:
    """Those of the piece that begins at step `begin`. `held_after`: by barrier, what completing its phase leaves."""
    trace, piece = columns.trace, slice(begin, begin + _ROWS_AT_ONCE)
    # Of copies that are bound to a barrier, that knows when all are in.
    concerns = _CONCERNS.take(columns.kind[piece])
    concerns &= (columns.kind[piece] != EventKind.COPY_DONE) | (columns.barrier[piece] < 0)
    steps = np.flatnonzero(concerns) + begin
    kind = columns.kind.take(steps)
    state = np.where(kind == EventKind.PHASE_COMPLETE, held_after[columns.barrier.take(steps)], _STATE.take(kind))
    stage, cta = place_of(columns, steps)
    row = (cta * trace.stages + stage).astype(_row_type(trace))
    tile = np.where(state == StageState.EMPTY, np.int32(-1), columns.tile.take(steps))
    found = _Candidates(steps.astype(step_type(len(trace))), kind, row, state, tile)
    keep = (stage >= 0) & (state != _NEITHER)
    return found if keep.all() else _Candidates(*(column[keep] for column in found))


def _changes(row: NDArray[Any], state: NDArray[np.uint8], tile: NDArray[np.int32], stages: int) -> NDArray[np.bool_]:
    """Which candidates differ from the one before of their stage (`row`): further copies into a stage and further
    readers of it change nothing. A piece at a time, to stay in the processor's cache."""
    changes = np.zeros(len(row), bool)

    def compare(begin: int) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Mark changes within a piece; its stages, where each first occurs, and what it holds first and last."""
        piece = slice(begin, begin + _CANDIDATES_AT_ONCE)
        order = stable_order(row[piece], stages)
        whose = row[piece].take(order)
        held = state[piece].take(order).astype(np.int64) << 32 | tile[piece].take(order).view(np.uint32)
        first = np.ones(len(order), bool)
        first[1:] = whose[1:] != whose[:-1]
        differs = first.copy()
        differs[1:] |= held[1:] != held[:-1]
        changes[piece][order] = differs
        return whose[first], begin + order[first], held[first], held[np.append(first[1:], True)]

    latest = np.full(stages, -1, np.int64)
    for stage, at, begun, left in each(compare, range(0, len(row), _CANDIDATES_AT_ONCE)):
        changes[at[begun == latest[stage]]] = False
        latest[stage] = left
    return changes


def _row_type(trace: Trace) -> type[np.integer[Any]]:
    """The narrowest type for the number of a stage."""
    return np.uint16 if trace.ctas * trace.stages <= 1 << 16 else np.int32


def _first(trace: Trace) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """What each stage holds where the recording begins: in mid-run the tile whose release is still to come."""
    filled, freed = np.zeros((2, trace.ctas * trace.stages), np.int64)
    stage = np.tile(np.arange(trace.stages), trace.ctas)
    for barrier in trace.barriers:
        if barrier.first_phase and barrier.stage >= 0 and barrier.cta < trace.ctas:
            uses = {"full": filled, "empty": freed}.get(barrier.kind)
            if uses is not None:
                uses[barrier.cta * trace.stages + barrier.stage] = barrier.first_phase
    holds = filled > freed
    state = np.where(holds, StageState.FULL, StageState.EMPTY).astype(np.uint8)
    return state, np.where(holds, (filled - 1) * trace.stages + stage, -1).astype(np.int32)


def _last_landed(row: NDArray[np.int64], tile: NDArray[np.int32], kind: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which of these events in order are the COPY_DONE with which all copies of a tile into a stage (row) are in."""
    last = np.zeros(len(kind), bool)
    dones = np.flatnonzero(kind == EventKind.COPY_DONE)
    places = (row << 32) | (tile.astype(np.int64) & 0xFFFFFFFF)
    groups, latest, landed = np.unique(places[dones][::-1], return_index=True, return_counts=True)
    issues = np.sort(places[kind == EventKind.COPY_ISSUE])
    issued = np.searchsorted(issues, groups, side="right") - np.searchsorted(issues, groups)
    last[dones[::-1][latest[landed == issued]]] = True
    return last


def place_of(columns: EventColumns, steps: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Stage and CTA of the events at `steps`; stage -1: none.

    The barrier says the CTA; it says the stage too unless the event names one: a copy may fill another stage.
    """
    trace, barrier = columns.trace, columns.barrier.take(steps)
    stage_of_barrier = np.array([b.stage for b in trace.barriers] + [-1], np.int64)
    cta_of_barrier = np.array([b.cta for b in trace.barriers] + [0], np.int64)
    stage, cta = columns.stage.take(steps).astype(np.int64), cta_of_barrier[barrier]
    if len(unnamed := np.flatnonzero(stage < 0)):
        stage[unnamed] = stage_of_barrier[barrier[unnamed]]
    if len(unbound := np.flatnonzero(barrier < 0)):
        cta[unbound] = trace.agent_cta[columns.agent[steps[unbound]]]
    # A file may name a barrier of a CTA without agents, or a stage where no barrier has one: not a place of this trace.
    return np.where((stage < trace.stages) & (cta >= 0) & (cta < trace.ctas), stage, -1), cta


def stage_row_of(trace: Trace, step: int) -> int:
    """The same for one event, as one number: cta * stages + stage, or -1."""
    event = trace.events[step]
    stage, cta = int(event["stage"]), trace.agents[int(event["agent"])].cta
    if (barrier := int(event["barrier"])) >= 0:
        cta = trace.barriers[barrier].cta
        stage = stage if stage >= 0 else trace.barriers[barrier].stage
    known = 0 <= stage < trace.stages and 0 <= cta < trace.ctas
    return cta * trace.stages + stage if known else -1
