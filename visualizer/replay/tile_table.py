"""The lesson's per-tile table, read off any recording: cursors, waits and phase flips of each tile of one CTA."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.schema import EventFlag, EventKind
from visualizer.replay.history import History
from visualizer.structure.model import Ring

Column = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Cursor:
    """A PipelineState as the agent held it when it began its wait for the tile."""

    index: int
    phase: int
    count: int

    def as_json(self) -> dict[str, int]:
        return {"index": self.index, "phase": self.phase, "count": self.count}


@dataclass(frozen=True, slots=True)
class TileWait:
    """A wait for a tile's barrier: its operand, and whether the first test was false (or it never passed)."""

    parity: int
    blocked: bool
    begin_step: int
    end_step: int | None  # None: it did not pass in this recording

    def as_json(self) -> dict[str, int | bool]:
        return {"parity": self.parity, "blocked": self.blocked}


@dataclass(frozen=True, slots=True)
class PhaseFlip:
    """A phase completion: the parities before and after, and its step."""

    before: int
    after: int
    step: int

    def as_json(self) -> list[int]:
        return [self.before, self.after]


@dataclass(frozen=True, slots=True)
class TileRow:
    """What happened to one tile; None: it did not happen. With several consumers, the first one's wait and cursor
    stand for all, but `full_wait.blocked` says whether any of them was blocked."""

    tile: int
    stage: int
    pipe_write: Cursor | None
    empty_wait: TileWait | None
    full_phase: PhaseFlip | None
    full_wait: TileWait | None
    empty_phase: PhaseFlip | None
    pipe_read: Cursor | None

    def as_json(self) -> dict[str, Any]:
        """The row as `show --table --json` prints it."""
        cells = {
            "pipe_write": self.pipe_write,
            "empty_wait": self.empty_wait,
            "full_phase": self.full_phase,
            "full_wait": self.full_wait,
            "empty_phase": self.empty_phase,
            "pipe_read": self.pipe_read,
        }
        json = {name: None if cell is None else cell.as_json() for name, cell in cells.items()}
        return {"tile": self.tile, "stage": self.stage, **json}


class TileTable(Sequence[TileRow]):
    """The rows of one ring in order of tile, made when asked for: a table of a million tiles is a few columns."""

    def __init__(self, history: History, ring: Ring) -> None:
        full_rows, empty_rows = (sorted(row for stage in side for row in stage) for side in (ring.full, ring.empty))
        write = _waits(history, ring, ring.producers, empty_rows)
        read = _waits(history, ring, ring.consumers, full_rows)
        full, empty = _flips(history, full_rows), _flips(history, empty_rows)
        parts = (write, read, full, empty)
        self._tiles = np.unique(np.concatenate([part.tile for part in parts]))
        self._write, self._read, self._full, self._empty = (part.at(self._tiles) for part in parts)

    def __len__(self) -> int:
        return len(self._tiles)

    @overload
    def __getitem__(self, row: int) -> TileRow: ...
    @overload
    def __getitem__(self, row: slice) -> list[TileRow]: ...
    def __getitem__(self, row: int | slice) -> TileRow | list[TileRow]:
        if isinstance(row, slice):
            return [self._row(index) for index in range(*row.indices(len(self)))]
        if not -len(self) <= row < len(self):
            raise IndexError(f"row {row} of a table of {len(self)} tiles")
        return self._row(row % len(self))

    def _row(self, row: int) -> TileRow:
        write, read, full, empty = (part[row] for part in (self._write, self._read, self._full, self._empty))
        return TileRow(
            tile=int(self._tiles[row]),
            stage=next(int(part[_STAGE]) for part in (write, read, full, empty) if part[_STEP] >= 0),
            pipe_write=_cursor(write),
            empty_wait=_wait(write),
            full_phase=_flip(full),
            full_wait=_wait(read),
            empty_phase=_flip(empty),
            pipe_read=_cursor(read),
        )


def tile_table(history: History, cta: int = 0, ring: str | None = None) -> TileTable:
    """The table of one CTA's ring: the first one, unless its name is given. IndexError if there is no such CTA or
    ring; of a CTA of which no ring is known, an empty table."""
    if not 0 <= cta < history.trace.ctas:
        raise IndexError(f"CTA {cta} is outside 0..{history.trace.ctas - 1}")
    rings = history.structure.of_cta(cta)
    if ring is None:
        return TileTable(history, rings[0] if rings else Ring("", cta, (), ()))
    row = history.structure.row(cta, ring)
    if row < 0:
        raise IndexError(f"CTA {cta} has no ring {ring!r}; it has {[ring.name for ring in rings]}")
    return TileTable(history, history.structure.rings[row])


# Columns of a part's rows. Flips have the first three.
_STEP, _STAGE, _PARITY, _END, _BLOCKED, _INDEX, _PHASE, _COUNT = range(8)


@dataclass(frozen=True, eq=False)
class _Part:
    """Rows (n, columns) about tiles (n,), a tile perhaps several times; the first is the one that counts."""

    tile: Column
    rows: Column

    def at(self, tiles: Column) -> Column:
        """The rows of `tiles` (ascending), -1 all over where there is none; blocked if any row of the tile is."""
        found, first, group = np.unique(self.tile, return_index=True, return_inverse=True)
        rows = self.rows[first]
        if rows.shape[1] > _BLOCKED:
            rows[group[self.rows[:, _BLOCKED] > 0], _BLOCKED] = 1
        filled = np.full((len(tiles), rows.shape[1]), -1, np.int64)
        filled[np.searchsorted(tiles, found)] = rows
        return filled


def _waits(history: History, ring: Ring, agents: Sequence[int], barriers: list[int]) -> _Part:
    """Every wait for a tile by these agents, or by any of the CTA's where they are not known, on these barriers."""
    trace = history.trace
    tiles, rows = [np.empty(0, np.int64)], [np.empty((0, 8), np.int64)]
    # A last entry for "no barrier", which index -1 finds.
    wanted = np.zeros(len(trace.barriers) + 1, bool)
    wanted[barriers] = True
    stage = np.append(history.structure.stage_of, -1)
    for row in agents or np.flatnonzero(trace.agent_cta == ring.cta).tolist():
        waits = history.waits_of(row)
        waits = waits.keep(wanted[waits.barrier] & (waits.tile >= 0))
        if not len(waits):  # of thousands of agents most may wait for none of the ring's
            continue
        blocked = (waits.end < 0) | (trace.events["flags"][waits.end] & EventFlag.BLOCKED > 0)
        cursor = _cursors_at(history, row, ring.cursor_ring, waits.begin)
        tiles.append(waits.tile)
        columns = (waits.begin, stage[waits.barrier], waits.parity, waits.end, blocked, *cursor.T)
        rows.append(np.stack(columns, axis=1).astype(np.int64))
    return _Part(np.concatenate(tiles), np.concatenate(rows))


def _cursors_at(history: History, agent: int, ring: int, steps: Column) -> Column:
    """(n, 3): the agent's cursor (index, phase, count) over the ring just before each step; -1 if it has none."""
    if ring < 0:
        return np.full((len(steps), 3), -1, np.int64)
    advances = history.agents.advances.steps(ring * len(history.trace.agents) + agent)
    latest = np.searchsorted(advances, steps) - 1
    cursors = np.tile(history.agents.start[ring, agent].astype(np.int64), (len(steps), 1))
    moved = np.flatnonzero(latest >= 0)
    events = history.trace.events[advances[latest[moved]]]
    cursors[moved] = np.stack([events["stage"], events["parity"], events["amount"]], axis=1)
    return cursors


def _flips(history: History, barriers: list[int]) -> _Part:
    """Every phase completion, with a tile, of these barriers."""
    columns = history.barriers
    tiles, rows = [np.empty(0, np.int64)], [np.empty((0, 3), np.int64)]
    for row in barriers:
        complete = columns.kind[columns.index.rows(row)] == EventKind.PHASE_COMPLETE
        steps = columns.index.steps(row)[complete]
        events = history.trace.events[steps]
        of_tile = events["tile"] >= 0
        steps, events = steps[of_tile], events[of_tile]
        tiles.append(events["tile"].astype(np.int64))
        stage = np.full(len(steps), history.structure.stage_of[row])
        rows.append(np.stack((steps, stage, events["amount"] & 1), axis=1).astype(np.int64))
    return _Part(np.concatenate(tiles), np.concatenate(rows))


def _cursor(row: Column) -> Cursor | None:
    return Cursor(int(row[_INDEX]), int(row[_PHASE]), int(row[_COUNT])) if row[_INDEX] >= 0 else None


def _wait(row: Column) -> TileWait | None:
    if row[_STEP] < 0:
        return None
    end = int(row[_END]) if row[_END] >= 0 else None
    return TileWait(int(row[_PARITY]), bool(row[_BLOCKED]), int(row[_STEP]), end)


def _flip(row: Column) -> PhaseFlip | None:
    return PhaseFlip(int(row[_PARITY]), 1 - int(row[_PARITY]), int(row[_STEP])) if row[_STEP] >= 0 else None
