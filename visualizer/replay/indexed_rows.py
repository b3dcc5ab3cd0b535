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
    """Rows in the order of steps, in blocks. Columns have a value at each *place*."""

    blocks: int
    places: int
    """Of a block; the last one may have fewer."""

    def of(self, first: int, last: int) -> tuple[Steps, NDArray[np.integer]]:
        """The rows of the blocks from `first` to `last`, in order: their places, counted from the first block's first,
        and whose they are."""

    def steps(self, begin: int, places: Steps) -> NDArray[np.integer]:
        """The steps of the rows at these places, counted from `begin`."""

    def since_block(self, step: int) -> tuple[int, NDArray[np.integer]]:
        """The block in which `step` lies, and whose the rows are from its beginning up to and with the step."""


class ListedRows:
    """Rows that are listed: `steps` ascend, `entity` says whose each is. Its place is its number."""

    def __init__(self, steps: Narrow, entity: NDArray[np.integer], entities: int) -> None:
        self._steps, self._entity = steps, entity
        self.places = _places(entities)
        self.blocks = -(-len(steps) // self.places)

    def of(self, first: int, last: int) -> tuple[Steps, NDArray[np.integer]]:
        """As IndexedRows.of."""
        entity = self._entity[first * self.places : last * self.places]
        return np.arange(len(entity)), entity

    def steps(self, begin: int, places: Steps) -> NDArray[np.integer]:
        """As IndexedRows.steps."""
        return self._steps[begin:].take(places)

    def since_block(self, step: int) -> tuple[int, NDArray[np.integer]]:
        """As IndexedRows.since_block."""
        reached = int(self._steps.searchsorted(self._steps.dtype.type(step), side="right"))
        block = min(reached // self.places, self.blocks)
        return block, self._entity[block * self.places : reached]


class ChosenRows:
    """The events of some kinds: `kind` and `entity` have all events, and `mask` (see kind_mask) says which kinds are
    chosen. Those whose entity is negative are none's. The place of a row is its step."""

    def __init__(
        self, kind: NDArray[np.uint8], mask: NDArray[np.bool_], entity: NDArray[np.integer], entities: int
    ) -> None:
        self._kind, self._mask, self._entity = kind, mask, entity
        self.places = _places(entities)
        self.blocks = -(-len(kind) // self.places)

    def of(self, first: int, last: int) -> tuple[Steps, NDArray[np.integer]]:
        """As IndexedRows.of."""
        return self._between(first * self.places, last * self.places)

    def steps(self, begin: int, places: Steps) -> NDArray[np.integer]:
        """As IndexedRows.steps."""
        return places + begin

    def since_block(self, step: int) -> tuple[int, NDArray[np.integer]]:
        """As IndexedRows.since_block."""
        block = min((step + 1) // self.places, self.blocks)
        return block, self._between(block * self.places, step + 1)[1]

    def _between(self, begin: int, end: int) -> tuple[Steps, NDArray[np.integer]]:
        entity = self._entity[begin:end]
        chosen = of_kinds(self._kind[begin:end], self._mask)
        chosen &= entity >= 0
        found = np.flatnonzero(chosen)
        return found, entity.take(found)


def _places(entities: int) -> int:
    """With very many entities larger blocks, so that the table of counts stays in proportion to the rows."""
    return max(_BLOCK, entities)
