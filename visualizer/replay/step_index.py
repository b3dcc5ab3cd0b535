"""StepIndex: the steps of each entity (barrier, agent, stage) in one sorted array: one search answers for all.

It exists because state at a step must cost microseconds whatever the length of the recording: instead of a list per
entity, one key entity * length + step per row, searched for every entity at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Steps = NDArray[np.int64]

_RADIX_SPAN = 1 << 16
_MOST_BLOCKS = 1 << 10


def stable_order(entity: NDArray[np.integer], entities: int) -> Steps:
    """The order that sorts `entity` (values 0..entities-1), equal values in their given order.

    numpy sorts 16-bit integers by radix, in linear time; wider ids take two such passes.
    """
    order = np.argsort(entity.astype(np.uint16), kind="stable")
    if entities > _RADIX_SPAN:
        high = (entity >> 16).astype(np.uint16)[order]
        order = order[np.argsort(high, kind="stable")]
    return order


@dataclass(frozen=True, eq=False)
class StepIndex:
    """Rows sorted by (entity, step). A *position* is a row of this order; an entity's rows are starts[e]..starts[e+1].

    `keys` has shape (rows,), `starts` shape (entities + 1,); `length` is the number of steps of the recording.
    """

    keys: Steps
    starts: Steps
    length: int
    _blocks: _Blocks

    @classmethod
    def build(cls, entity: NDArray[np.integer], steps: Steps, entities: int, length: int) -> tuple[StepIndex, Steps]:
        """The index of rows (entity[i], steps[i]), steps ascending, and the order that sorts the caller's columns."""
        order = stable_order(entity, entities)
        keys = entity[order].astype(np.int64)
        keys *= length
        keys += steps[order]
        counts = np.bincount(entity, minlength=entities) if len(entity) else np.zeros(entities, np.int64)
        starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        position = np.empty(len(order), np.int32)
        position[order] = np.arange(len(order), dtype=np.int32)
        return cls(keys, starts, length, _Blocks.build(keys, starts, entity, steps, position, length)), order

    def __len__(self) -> int:
        return len(self.keys)

    def last_at(self, step: int) -> Steps:
        """For every entity the position of its last row at or before `step`; -1 where it has none."""
        return self._blocks.last_at(step)

    def step_at(self, positions: Steps) -> Steps:
        """The step of each position; -1 for position -1."""
        steps = np.full(len(positions), -1, np.int64)
        held = np.flatnonzero(positions >= 0)
        steps[held] = self.keys[positions[held]] % self.length
        return steps

    def rows(self, entity: int) -> slice:
        """The positions of one entity."""
        return slice(int(self.starts[entity]), int(self.starts[entity + 1]))

    def steps(self, entity: int) -> Steps:
        """The steps of one entity, ascending."""
        return self.keys[self.rows(entity)] - entity * self.length

    def position_from(self, entity: int, step: int) -> int:
        """The position of the entity's first row at or after `step`; the end of its rows if there is none."""
        rows = self.rows(entity)
        return int(rows.start) + int(np.searchsorted(self.keys[rows], entity * self.length + step))

    def between(self, entity: int, first: int, last: int) -> tuple[slice, Steps]:
        """Positions and steps of the entity's rows with first <= step < last."""
        rows = slice(self.position_from(entity, first), self.position_from(entity, last))
        return rows, self.keys[rows] - entity * self.length

    def before(self, entity: int, step: int) -> int | None:
        """The entity's last step before `step`."""
        position = self.position_from(entity, step) - 1
        return int(self.keys[position]) - entity * self.length if position >= self.starts[entity] else None

    def after(self, entity: int, step: int) -> int | None:
        """The entity's first step after `step`."""
        position = self.position_from(entity, step + 1)
        return int(self.keys[position]) - entity * self.length if position < self.starts[entity + 1] else None

    def nearest(
        self, entity: int, step: int, direction: int, accept: Callable[[Steps], NDArray[np.bool_]]
    ) -> int | None:
        """The entity's nearest step after (+1) or before (-1) `step` that `accept` marks; looks in growing blocks."""
        rows = self.rows(entity)
        edge = self.position_from(entity, step + 1 if direction > 0 else step)
        block = 256
        while rows.start < edge if direction < 0 else edge < rows.stop:
            low, high = (edge, min(edge + block, rows.stop)) if direction > 0 else (max(edge - block, rows.start), edge)
            steps = self.keys[low:high] - entity * self.length
            hits = np.flatnonzero(accept(steps))
            if len(hits):
                return int(steps[hits[0 if direction > 0 else -1]])
            edge = high if direction > 0 else low
            block *= 4
        return None


@dataclass(frozen=True, eq=False)
class _Blocks:
    """The rows once more in order of step, in blocks of 2^shift steps, with every entity's position before each block.

    The rows of one block lie together in memory, where a search through every entity's own rows would miss the cache
    hundreds of times.
    """

    shift: int
    before: NDArray[np.int32]  # (blocks, entities): position of the last row before the block; -1: none
    first_row: Steps  # (blocks + 1,)
    offset: NDArray[np.uint32]  # (rows,): step within the block
    entity: NDArray[np.integer]
    position: NDArray[np.int32]

    @classmethod
    def build(
        cls,
        keys: Steps,
        starts: Steps,
        entity: NDArray[np.integer],
        steps: Steps,
        position: NDArray[np.int32],
        length: int,
    ) -> _Blocks:
        # With very many entities fewer blocks, so that the table stays in proportion to the rows.
        blocks = min(_MOST_BLOCKS, max(4 * len(steps) // max(len(starts) - 1, 1), 1))
        shift = max(length // blocks, 1).bit_length()
        marks = np.arange(0, length + 1, 1 << shift)
        wanted = np.arange(len(starts) - 1)[:, None] * length + marks
        before = np.searchsorted(keys, wanted.ravel()).reshape(wanted.shape) - 1
        before = np.where(before < starts[:-1, None], -1, before).astype(np.int32)
        first_row = np.append(np.searchsorted(steps, marks), len(steps))
        offset = (steps & ((1 << shift) - 1)).astype(np.uint32)
        return cls(shift, np.ascontiguousarray(before.T), first_row, offset, entity, position)

    def last_at(self, step: int) -> Steps:
        block = step >> self.shift
        first, last = self.first_row[block], self.first_row[block + 1]
        reached = np.searchsorted(self.offset[first:last], step & ((1 << self.shift) - 1), side="right")
        rows = slice(first, first + reached)
        positions: Steps = self.before[block].astype(np.int64)
        # Where an entity has several of the rows, the last one assigned stays: the latest.
        positions[self.entity[rows]] = self.position[rows]
        return positions


def kind_mask(*kinds: int) -> NDArray[np.bool_]:
    """A table of 256 booleans, true at the kinds: `mask[events_kind]` selects in one pass."""
    mask = np.zeros(256, bool)
    mask[list(kinds)] = True
    return mask
