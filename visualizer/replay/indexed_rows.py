"""The rows that a StepIndex is of, step by step: listed, or found again in the recording's own columns when needed.

An index of what most events do would otherwise hold the steps of most events and whose they are a second time.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from visualizer.replay.kinds import of_kinds

Steps = NDArray[np.int64]
Narrow = NDArray[Any]
"""Steps or positions in 32 bits, unless the recording is too long for that."""

_BLOCK = 1 << 13


class IndexedRows(Protocol):
    """Rows in the order of steps, in blocks."""

    @property
    def blocks(self) -> int:
        """How many blocks there are."""

    def of(self, first: int, last: int) -> tuple[slice | Steps, Narrow, NDArray[np.integer]]:
        """The rows of the blocks from `first` to `last`: where their columns have them, their steps, and whose they
        are."""

    def entities(self, first: int, last: int) -> list[NDArray[np.integer]]:
        """Whose the rows of each of these blocks are, which are one at least."""

    def since_block(self, step: int) -> tuple[int, NDArray[np.integer]]:
        """The block in which `step` lies, and whose the rows are from its beginning up to and with the step."""


class ListedRows:
    """Rows that are listed: `steps` ascend, `entity` says whose each is. Columns have a value for each row."""

    def __init__(self, steps: Narrow, entity: NDArray[np.integer], entities: int) -> None:
        self._steps, self._entity = steps, entity
        self._block = _rows_of_block(entities)
        self.blocks = -(-len(steps) // self._block)

    def of(self, first: int, last: int) -> tuple[slice | Steps, Narrow, NDArray[np.integer]]:
        """As IndexedRows.of."""
        rows = slice(first * self._block, last * self._block)
        return rows, self._steps[rows], self._entity[rows]

    def entities(self, first: int, last: int) -> list[NDArray[np.integer]]:
        """As IndexedRows.entities."""
        return [self.of(block, block + 1)[2] for block in range(first, last)]

    def since_block(self, step: int) -> tuple[int, NDArray[np.integer]]:
        """As IndexedRows.since_block."""
        reached = int(self._steps.searchsorted(self._steps.dtype.type(step), side="right"))
        block = min(reached // self._block, self.blocks)
        return block, self._entity[block * self._block : reached]


class ChosenRows:
    """The events of some kinds: `kind` and `entity` have all events, and `mask` (see kind_mask) says which kinds are
    chosen. Those whose entity is negative are none's. Columns have a value for each event."""

    def __init__(
        self, kind: NDArray[np.uint8], mask: NDArray[np.bool_], entity: NDArray[np.integer], entities: int
    ) -> None:
        self._kind, self._mask, self._entity = kind, mask, entity
        self._block = _rows_of_block(entities)
        self.blocks = -(-len(kind) // self._block)

    def of(self, first: int, last: int) -> tuple[slice | Steps, Narrow, NDArray[np.integer]]:
        """As IndexedRows.of."""
        piece = slice(first * self._block, last * self._block)
        found = np.flatnonzero(self._chosen(piece))
        entity = self._entity[piece].take(found)
        found += piece.start
        return found, found, entity

    def entities(self, first: int, last: int) -> list[NDArray[np.integer]]:
        """As IndexedRows.entities."""
        _, steps, entity = self.of(first, last)
        return np.split(entity, np.searchsorted(steps, np.arange(first + 1, last) * self._block))

    def since_block(self, step: int) -> tuple[int, NDArray[np.integer]]:
        """As IndexedRows.since_block."""
        block = min((step + 1) // self._block, self.blocks)
        piece = slice(block * self._block, step + 1)
        return block, self._entity[piece][self._chosen(piece)]

    def _chosen(self, piece: slice) -> NDArray[np.bool_]:
        """Which events of these steps are rows."""
        chosen = of_kinds(self._kind[piece], self._mask)
        chosen &= self._entity[piece] >= 0
        return chosen


def _rows_of_block(entities: int) -> int:
    """With very many entities larger blocks, so that the table of counts stays in proportion to the rows."""
    return max(_BLOCK, entities)
