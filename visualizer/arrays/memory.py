"""Memory for columns that come and go: taken from the system once, instead of again for every column.

A page that is written to for the first time costs more than all else that happens to the numbers in it. The C library
gives freed blocks back to the system until it has seen a large one freed: from then on it keeps what is smaller.
"""

from __future__ import annotations

import numpy as np

_LARGEST = (32 << 20) - (8 << 10)
"""Bytes of the largest block that glibc learns from, without its own."""


def keep_freed_memory() -> None:
    """Let the C library keep what is freed for the next column. Costs nothing: the block is never written to."""
    np.empty(_LARGEST, np.uint8)
