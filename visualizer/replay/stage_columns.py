"""What each stage buffer holds after each event that concerns it: empty, filling, full, being read, and which tile."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import group_starts, order_by
from visualizer.arrays.parallel import each
from visualizer.recording.event_columns import EventColumns
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.event_places import EventPlaces
from visualizer.replay.kinds import kind_mask
from visualizer.replay.spans import Spans, merge_spans
from visualizer.replay.step_index import ALL_ROWS, Narrow, Rows, StepIndex, Steps, pick, stable_order, step_type
from visualizer.structure.model import Structure


class StageState(IntEnum):
    """Occupancy of a stage buffer; the events that begin each state. Of several full or empty barriers the last one's
    phase counts."""

    EMPTY = 0  # at first, and when the empty barrier's phase completes
    FILLING = 1  # COPY_ISSUE into the stage, or WRITE
    FULL = 2  # the full barrier's phase completes: by its count all bytes are in; without barriers the last COPY_DONE
    READING = 3  # the first READ_BEGIN


STAGE_STATES = tuple(state.name.lower() for state in StageState)
"""By StageState, as JSON and queries name them."""

_STATE = np.zeros(256, np.uint8)
_STATE[[EventKind.COPY_ISSUE, EventKind.WRITE]] = StageState.FILLING
_STATE[EventKind.READ_BEGIN] = StageState.READING
_STATE[EventKind.COPY_DONE] = StageState.FULL
_NEITHER = 255
_HELD = {"full": StageState.FULL, "empty": StageState.EMPTY}
"""What a stage holds once the phase of such a barrier completes; _NEITHER for others."""
_CONCERNS = kind_mask(
    EventKind.COPY_ISSUE, EventKind.WRITE, EventKind.READ_BEGIN, EventKind.PHASE_COMPLETE, EventKind.COPY_DONE
)
_ROWS_AT_ONCE = 1 << 17
_CANDIDATES_AT_ONCE = 1 << 15


@dataclass(frozen=True, eq=False)
class StageColumns:
    """State and tile from each row of `index` on (entity = place): a row for each change."""

    index: StepIndex
    state: NDArray[np.uint8]
    tile: NDArray[np.int32]
    first_state: NDArray[np.uint8]  # (places,): before the place's first row
    first_tile: NDArray[np.int32]

    def values(self, positions: Steps, places: Rows = ALL_ROWS) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
        """State and tile, (n,) each, of each place after a row of its own; -1: before its first. Tile -1 when empty."""
        state = pick(self.state, positions, self.first_state[places])
        return state, pick(self.tile, positions, self.first_tile[places])

    def one(self, place: int, step: int) -> tuple[StageState, int]:
        """State and tile of one place after event `step`; step -1 is before the first event."""
        position = self.index.position_from(place, step + 1) - 1
        if position < self.index.starts[place]:
            return StageState(int(self.first_state[place])), int(self.first_tile[place])
        return StageState(int(self.state[position])), int(self.tile[position])

    def spans(self, trace: Trace, place: int) -> Spans:
        """The place's states from time 0 to the end of the recording, the empty ones too."""
        rows, steps = self.index.rows(place), self.index.steps(place)
        first_state, first_tile = self.first_state[place : place + 1], self.first_tile[place : place + 1]
        if len(trace) and not len(steps):  # of thousands of buffers most may be used by nobody
            time = trace.events["time"]
            last = np.full(1, len(trace) - 1)
            return Spans(time[:1], time[-1:], first_state, first_tile, np.full(1, -1, np.int32), np.zeros(1, int), last)
        state, tile = self.state[rows], self.tile[rows]
        if len(trace) and steps[0] > 0:
            steps = np.concatenate(([0], steps))
            state = np.concatenate((first_state, state))
            tile = np.concatenate((first_tile, tile))
        return merge_spans(trace, steps, state, tile, np.full(len(steps), -1, np.int32))


def build_stage_columns(columns: EventColumns, structure: Structure, places: EventPlaces) -> StageColumns:
    """All stage buffers of the trace."""
    trace = columns.trace
    # A last entry for "no barrier", which index -1 finds.
    held_after = np.array([_HELD.get(kind, _NEITHER) for kind in structure.kinds] + [_NEITHER], np.uint8)
    # The narrowest type for the number of a place.
    number = np.uint16 if structure.places <= 1 << 16 else np.int32

    def find(begin: int) -> _Candidates:
        return _candidates(columns, places, held_after, number, begin)

    pieces = each(find, range(0, len(trace), _ROWS_AT_ONCE)) or [find(0)]
    steps, kind, place, state, tile = (np.concatenate(column) for column in zip(*pieces, strict=True))
    del pieces
    kept = _completed_by_all(columns, structure, _Candidates(steps, kind, place, state, tile))
    if kept is not None:
        steps, kind, place, state, tile = (column[kept] for column in (steps, kind, place, state, tile))
    landings = kind == EventKind.COPY_DONE
    if landings.any():
        kept = ~landings | _last_landed(place.astype(np.int64), tile, kind)
        steps, place, state, tile = steps[kept], place[kept], state[kept], tile[kept]
    changes = _changes(place, state, tile, structure.places)
    index, (state, tile) = StepIndex.build(
        place[changes], steps[changes], structure.places, len(trace), state[changes], tile[changes]
    )
    return StageColumns(index, state, tile, *_first(trace, structure))


class _Candidates(NamedTuple):
    """Events that may change what a place holds: their steps, places, and what it would hold; shapes (n,)."""

    steps: Narrow
    kind: NDArray[np.uint8]
    place: NDArray[Any]
    state: NDArray[np.uint8]
    tile: NDArray[np.int32]


def _candidates(
    columns: EventColumns,
    places: EventPlaces,
    held_after: NDArray[np.uint8],
    number: type[np.integer[Any]],
    begin: int,
) -> _Candidates:
    """Those of the piece that begins at step `begin`. `held_after`: by barrier, what completing its phase leaves."""
    trace, piece = columns.trace, slice(begin, begin + _ROWS_AT_ONCE)
    # Of copies that are bound to a barrier, that knows when all are in.
    concerns = _CONCERNS.take(columns.kind[piece])
    concerns &= (columns.kind[piece] != EventKind.COPY_DONE) | (columns.barrier[piece] < 0)
    steps = np.flatnonzero(concerns) + begin
    kind = columns.kind.take(steps)
    state = np.where(kind == EventKind.PHASE_COMPLETE, held_after[columns.barrier.take(steps)], _STATE.take(kind))
    place = places.of(steps)
    tile = np.where(state == StageState.EMPTY, np.int32(-1), columns.tile[steps])
    found = _Candidates(steps.astype(step_type(len(trace))), kind, place.astype(number), state, tile)
    keep = (place >= 0) & (state != _NEITHER)
    return found if keep.all() else _Candidates(*(column[keep] for column in found))


def _completed_by_all(columns: EventColumns, structure: Structure, found: _Candidates) -> NDArray[np.bool_] | None:
    """The candidates that stay where stages have several barriers of a kind: of those that complete one phase the last,
    as none alone says that all is in, or read. None: all, for no stage has several."""
    kept: NDArray[np.bool_] | None = None
    first_phase = np.array([barrier.first_phase for barrier in columns.trace.barriers], np.int64)
    for kind, held in _HELD.items():
        rows = np.flatnonzero((np.array(structure.kinds) == kind) & (structure.place_of >= 0))
        several = np.bincount(structure.place_of[rows], minlength=structure.places) > 1
        if not several.any():
            continue
        kept = np.ones(len(found.steps), bool) if kept is None else kept
        own = np.flatnonzero((found.kind == EventKind.PHASE_COMPLETE) & (found.state == held) & several[found.place])
        place = found.place[own].astype(np.int64)
        phase = columns.amount.take(found.steps[own]).astype(np.int64)
        # A barrier that the recording finds in a later phase completed this one before it began.
        theirs = np.sort(structure.place_of[rows] << 32 | first_phase[rows])
        needed = np.searchsorted(theirs, place << 32 | phase, side="right") - np.searchsorted(theirs, place << 32)
        order = order_by(place, phase)
        lane = (place << 32 | phase)[order]
        kept[own[order[np.arange(len(lane)) - group_starts(lane) + 1 < needed[order]]]] = False
    return kept


def _changes(place: NDArray[Any], state: NDArray[np.uint8], tile: NDArray[np.int32], places: int) -> NDArray[np.bool_]:
    """Which candidates differ from the one before of their place: further copies into a stage and further readers of
    it change nothing. A piece at a time, to stay in the processor's cache."""
    changes = np.zeros(len(place), bool)

    def compare(begin: int) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Mark changes within a piece; its places, where each first occurs, and what it holds first and last."""
        piece = slice(begin, begin + _CANDIDATES_AT_ONCE)
        order = stable_order(place[piece], places)
        whose = place[piece].take(order)
        held = state[piece].take(order).astype(np.int64) << 32 | tile[piece].take(order).view(np.uint32)
        first = np.ones(len(order), bool)
        first[1:] = whose[1:] != whose[:-1]
        differs = first.copy()
        differs[1:] |= held[1:] != held[:-1]
        changes[piece][order] = differs
        return whose[first], begin + order[first], held[first], held[np.append(first[1:], True)]

    latest = np.full(places, -1, np.int64)
    for touched, at, begun, left in each(compare, range(0, len(place), _CANDIDATES_AT_ONCE)):
        changes[at[begun == latest[touched]]] = False
        latest[touched] = left
    return changes


def _first(trace: Trace, structure: Structure) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """What each place holds where the recording begins: in mid-run the tile whose release is still to come. Where the
    phases are known by their parity alone, that tells whether there is one, and not which."""
    uses = {kind: np.full(structure.places, np.iinfo(np.int64).max) for kind in _HELD}
    for barrier, kind, place in zip(trace.barriers, structure.kinds, structure.place_of.tolist(), strict=True):
        if place >= 0 and kind in uses:
            uses[kind][place] = min(uses[kind][place], barrier.first_phase)
    filled, freed = (np.where(uses[kind] == np.iinfo(np.int64).max, 0, uses[kind]) for kind in ("full", "empty"))
    stages = np.diff(structure.first_place)
    stage = np.arange(structure.places) - np.repeat(structure.first_place[:-1], stages)
    holds = (filled - freed) % 2 == 1
    state = np.where(holds, StageState.FULL, StageState.EMPTY).astype(np.uint8)
    if "unplaced" in trace.meta.window:
        return state, np.full(structure.places, -1, np.int32)
    return state, np.where(holds, (filled - 1) * np.repeat(stages, stages) + stage, -1).astype(np.int32)


def _last_landed(place: NDArray[np.int64], tile: NDArray[np.int32], kind: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which of these events in order are the COPY_DONE with which all copies of a tile into a place are in."""
    last = np.zeros(len(kind), bool)
    dones = np.flatnonzero(kind == EventKind.COPY_DONE)
    lanes = (place << 32) | (tile.astype(np.int64) & 0xFFFFFFFF)
    groups, latest, landed = np.unique(lanes[dones][::-1], return_index=True, return_counts=True)
    issues = np.sort(lanes[kind == EventKind.COPY_ISSUE])
    issued = np.searchsorted(issues, groups, side="right") - np.searchsorted(issues, groups)
    last[dones[::-1][latest[landed == issued]]] = True
    return last
