"""StepIndex: the steps of each entity (barrier, agent, stage) in one sorted array: one search answers for all.

It exists because state at a step must cost microseconds whatever the length of the recording. The rows are kept in the
order of steps too, in blocks with every entity's count before each: the rows of one block lie together in memory, where
a search through every entity's own rows would miss the cache hundreds of times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import sort_with_rows
from visualizer.arrays.parallel import each
from visualizer.replay.indexed_rows import ChosenRows, IndexedRows, ListedRows
from visualizer.replay.indexed_rows import Narrow as Narrow
from visualizer.replay.indexed_rows import Steps as Steps

_BLOCKS_AT_ONCE = 8
_STEPS_AT_ONCE = 1 << 16
_MANY_ENTITIES = 1 << 14  # it takes longer to count the rows of so many than to search for those of a few


def stable_order(entity: NDArray[np.integer], entities: int) -> Steps:
    """The order that sorts `entity` (values 0..entities-1), equal values in their given order.

    Entity and row become one number, 32 bits wide if they fit: numpy sorts plain numbers faster than an order.
    """
    bits = max(len(entity) - 1, 0).bit_length()
    return sort_with_rows(_key(entity, entities, bits), bits).astype(np.int64)


def _key(entity: NDArray[np.integer], entities: int, bits: int) -> NDArray[Any]:
    """A copy of `entity` with room for so many bits of rows."""
    return entity.astype(np.uint32 if entities <= 1 << (32 - bits) else np.uint64)


@dataclass(frozen=True, eq=False)
class StepIndex:
    """Rows sorted by (entity, step). A *position* is a row of this order; an entity's rows are starts[e]..starts[e+1].

    `starts` has shape (entities + 1,); `length` is the number of steps of the recording.
    """

    starts: Steps
    length: int
    _sorted: Narrow  # (rows,): the step at each position
    _rows: IndexedRows  # the same in the order of steps
    _before: NDArray[np.int32]  # (blocks + 1, entities): rows of the entity before the block

    @classmethod
    def build(
        cls, entity: NDArray[np.integer], steps: Narrow, entities: int, length: int, *columns: NDArray[Any]
    ) -> tuple[StepIndex, list[NDArray[Any]]]:
        """The index of rows (entity[i], steps[i]), steps ascending; and the columns, (rows,) each, in its order."""
        steps = steps.astype(step_type(length), copy=False)
        return cls._of(ListedRows(steps, entity, entities), entities, length, columns)

    @classmethod
    def of_kinds(
        cls,
        kind: NDArray[np.uint8],
        mask: NDArray[np.bool_],
        entity: NDArray[np.integer],
        entities: int,
        *columns: NDArray[Any],
    ) -> tuple[StepIndex, list[NDArray[Any]]]:
        """The index of the events of some kinds (see kind_mask) but for those whose entity is negative; and the columns
        in its order. `kind`, `entity` and the columns have all events; the first two are kept."""
        return cls._of(ChosenRows(kind, mask, entity, entities), entities, len(kind), columns)

    @classmethod
    def _of(
        cls, rows: IndexedRows, entities: int, length: int, columns: Sequence[NDArray[Any]]
    ) -> tuple[StepIndex, list[NDArray[Any]]]:
        before = np.zeros((rows.blocks + 1, entities), np.int32)
        pieces = [
            (first, min(first + _BLOCKS_AT_ONCE, rows.blocks)) for first in range(0, rows.blocks, _BLOCKS_AT_ONCE)
        ]
        most = _BLOCKS_AT_ONCE * rows.places - 1
        narrow, bits = np.min_scalar_type(most), most.bit_length()

        def sort(piece: tuple[int, int]) -> NDArray[np.integer]:
            """The places of a piece's rows, by entity."""
            first, last = piece
            places, entity = rows.of(first, last)
            edges = np.searchsorted(places, np.arange(1, last - first) * rows.places)
            for block, own in enumerate(np.split(entity, edges), first + 1):
                before[block] = np.bincount(own, minlength=entities)
            return sort_with_rows(_key(entity, entities, bits), bits, places).astype(narrow)

        by_entity = each(sort, pieces)
        np.cumsum(before, axis=0, out=before)
        starts = np.concatenate([[0], np.cumsum(before[-1], dtype=np.int64)])
        ordered = [np.empty(int(starts[-1]), dtype) for dtype in (step_type(length), *(one.dtype for one in columns))]

        def place(number: int) -> None:
            (first, last), places = pieces[number], by_entity[number].astype(np.int64)
            begin, own = first * rows.places, before[last] - before[first]
            # Where each entity's rows of these blocks go, less where they lie in `places`.
            target = np.repeat(starts[:-1] + before[first] - (np.cumsum(own) - own), own)
            target += np.arange(len(target))
            # In its own type: numpy assigns other ones several times slower.
            ordered[0][target] = rows.steps(begin, places).astype(ordered[0].dtype, copy=False)
            for into, column in zip(ordered[1:], columns, strict=True):
                into[target] = column[begin:].take(places)

        each(place, range(len(pieces)))
        return cls(starts, length, ordered[0], rows, before), ordered[1:]

    def __len__(self) -> int:
        return len(self._sorted)

    @cached_property
    def keys(self) -> Steps:
        """entity * length + step at each position, ascending: one search for many entities and steps. (rows,)"""
        keys = np.repeat(np.arange(len(self.starts) - 1) * self.length, np.diff(self.starts))
        keys += self._sorted
        return keys

    def last_at(self, step: int) -> Steps:
        """For every entity the position of its last row at or before `step`; -1 where it has none."""
        block, rows = self._rows.since_block(step)
        count = self._before[block] + np.bincount(rows, minlength=len(self.starts) - 1)
        return np.where(count > 0, self.starts[:-1] + count - 1, -1)

    def last_of(self, entities: Steps, step: int) -> Steps:
        """The same of some entities alone, (n,): where there are very many others, they cost nothing."""
        if len(self.starts) > _MANY_ENTITIES:
            return self.latest(entities, np.full(len(entities), step))
        return self.last_at(step)[entities]

    def latest(self, entity: NDArray[np.integer], steps: Steps) -> Steps:
        """The position of each entity's last row at or before each step; -1 where it has none. Same shape."""
        if not len(self) or not len(steps):
            return np.full(len(steps), -1, np.int64)
        keys = entity * np.int64(self.length) + steps
        if len(keys) > len(self) // 2:
            # Look-ups in the order of the index walk it once; in the order of the steps each would jump across it.
            order = stable_order(entity, len(self.starts) - 1)
            position = np.empty(len(keys), np.int64)
            position[order] = np.searchsorted(self.keys, keys[order], side="right") - 1
        else:
            position = np.searchsorted(self.keys, keys, side="right") - 1
        return np.where(position >= self.starts[entity], position, -1)

    def one(self, position: int) -> int:
        """The step at a position."""
        return int(self._sorted[position])

    def step_at(self, positions: Steps) -> Steps:
        """The step of each position; -1 for position -1."""
        steps = np.full(len(positions), -1, np.int64)
        held = np.flatnonzero(positions >= 0)
        steps[held] = self._sorted[positions[held]]
        return steps

    def rows(self, entity: int) -> slice:
        """The positions of one entity."""
        return slice(int(self.starts[entity]), int(self.starts[entity + 1]))

    def steps(self, entity: int) -> Steps:
        """The steps of one entity, ascending."""
        return self._sorted[self.rows(entity)].astype(np.int64)

    def position_from(self, entity: int, step: int) -> int:
        """The position of the entity's first row at or after `step`; the end of its rows if there is none."""
        rows = self.rows(entity)
        # A step of the column's own type, or the search would convert the column first.
        return int(rows.start) + int(self._sorted[rows].searchsorted(self._sorted.dtype.type(step)))

    def between(self, entity: int, first: int, last: int) -> tuple[slice, Steps]:
        """Positions and steps of the entity's rows with first <= step < last."""
        rows = slice(self.position_from(entity, first), self.position_from(entity, last))
        return rows, self._sorted[rows].astype(np.int64)

    def before(self, entity: int, step: int) -> int | None:
        """The entity's last step before `step`."""
        position = self.position_from(entity, step) - 1
        return int(self._sorted[position]) if position >= self.starts[entity] else None

    def after(self, entity: int, step: int) -> int | None:
        """The entity's first step after `step`."""
        position = self.position_from(entity, step + 1)
        return int(self._sorted[position]) if position < self.starts[entity + 1] else None

    def nearest(
        self, entity: int, step: int, direction: int, accept: Callable[[Steps], NDArray[np.bool_]]
    ) -> int | None:
        """The entity's nearest step after (+1) or before (-1) `step` that `accept` marks; looks in growing blocks."""
        rows = self.rows(entity)
        edge = self.position_from(entity, step + 1 if direction > 0 else step)
        block = 256
        while rows.start < edge if direction < 0 else edge < rows.stop:
            low, high = (edge, min(edge + block, rows.stop)) if direction > 0 else (max(edge - block, rows.start), edge)
            steps = self._sorted[low:high].astype(np.int64)
            hits = np.flatnonzero(accept(steps))
            if len(hits):
                return int(steps[hits[0 if direction > 0 else -1]])
            edge = high if direction > 0 else low
            block *= 4
        return None


Value = TypeVar("Value", bound=np.generic)
Rows = slice | Steps
"""Rows of a table, and all of them as a slice."""
ALL_ROWS = slice(None)


def pick(column: NDArray[Value], positions: Steps, first: NDArray[Value]) -> NDArray[Value]:
    """`column` at each position, (n,); at position -1 what stands in `first`, (n,)."""
    known = np.flatnonzero(positions >= 0)
    picked = first.copy()
    picked[known] = column[positions[known]]
    return picked


def step_type(length: int) -> type[np.signedinteger[Any]]:
    """The type that holds the steps of a recording of so many: half the memory wherever that will do."""
    return np.int32 if length < 1 << 31 else np.int64


def rows_where(chosen: NDArray[np.bool_], *columns: NDArray[Any]) -> list[NDArray[Any]]:
    """The steps at which `chosen`, (steps,), is true, and the columns there; a piece at a time, because numpy finds
    them in 64 bits."""
    begins = range(0, len(chosen), _STEPS_AT_ONCE)
    counts = [np.count_nonzero(chosen[begin : begin + _STEPS_AT_ONCE]) for begin in begins]
    ends = np.cumsum(counts, dtype=np.int64).tolist()
    rows: list[NDArray[Any]] = [np.empty(sum(counts), step_type(len(chosen)))]
    rows += [np.empty(sum(counts), column.dtype) for column in columns]

    def find(piece: int) -> None:
        begin, into = begins[piece], slice(ends[piece] - counts[piece], ends[piece])
        found = np.flatnonzero(chosen[begin : begin + _STEPS_AT_ONCE])
        for row, column in zip(rows[1:], columns, strict=True):
            row[into] = column[begin : begin + _STEPS_AT_ONCE].take(found)
        np.add(found, begin, out=rows[0][into], casting="same_kind")

    each(find, range(len(begins)))
    return rows
