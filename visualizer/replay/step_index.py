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
_WAYPOINTS = 1 << 10


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
    _base: Steps
    _waypoints: NDArray[np.int32]
    _shift: int

    @classmethod
    def build(cls, entity: NDArray[np.integer], steps: Steps, entities: int, length: int) -> tuple[StepIndex, Steps]:
        """The index of rows (entity[i], steps[i]), steps ascending, and the order that sorts the caller's columns."""
        order = stable_order(entity, entities)
        return cls.of_sorted(entity[order], steps[order], entities, length), order

    @classmethod
    def of_sorted(cls, entity: NDArray[np.integer], steps: Steps, entities: int, length: int) -> StepIndex:
        """The index of rows that are sorted by (entity, step) already."""
        keys = entity.astype(np.int64)
        keys *= length
        keys += steps
        counts = np.bincount(entity, minlength=entities) if len(entity) else np.zeros(entities, np.int64)
        starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        base = np.arange(entities, dtype=np.int64) * length
        shift = max(length // _WAYPOINTS, 1).bit_length()
        marks = np.arange(0, length + (1 << shift), 1 << shift)
        # Clipped, so that the mark beyond the last step does not reach into the next entity.
        wanted = base[:, None] + np.minimum(marks, length)
        waypoints = (np.searchsorted(keys, wanted.ravel()) - 1).astype(np.int32).reshape(wanted.shape)
        return cls(keys, starts, length, base, np.ascontiguousarray(waypoints.T), shift)

    def __len__(self) -> int:
        return len(self.keys)

    def last_at(self, step: int) -> Steps:
        """For every entity the position of its last row at or before `step`; -1 where it has none."""
        # Between two waypoints few rows are left to bisect, and they lie close together in memory.
        low = self._waypoints[step >> self._shift]
        high = self._waypoints[(step >> self._shift) + 1]
        wanted = self._base + step
        for _ in range(int((high - low).max(initial=0)).bit_length()):
            middle = (low + high + 1) >> 1
            reached = self.keys[middle] <= wanted
            low = np.where(reached, middle, low)
            high = np.where(reached, high, middle - 1)
        return np.where(low < self.starts[:-1], np.int64(-1), low)

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


def kind_mask(*kinds: int) -> NDArray[np.bool_]:
    """A table of 256 booleans, true at the kinds: `mask[events_kind]` selects in one pass."""
    mask = np.zeros(256, bool)
    mask[list(kinds)] = True
    return mask
