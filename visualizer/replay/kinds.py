"""Sets of kinds of events, and which events are of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def of_kinds(kinds: NDArray[np.uint8], mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which of `kinds` are in the mask (see kind_mask). numpy compares with a kind many times as fast as it looks one
    up in a table."""
    inverted = 2 * np.count_nonzero(mask) > len(mask)
    chosen = np.full(len(kinds), inverted)
    for kind in np.flatnonzero(mask != inverted).tolist():
        chosen ^= kinds == kind
    return chosen


def kind_mask(*kinds: int) -> NDArray[np.bool_]:
    """A table of 256 booleans, true at the kinds."""
    mask = np.zeros(256, bool)
    mask[list(kinds)] = True
    return mask
