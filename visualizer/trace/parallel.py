"""The same work on every CTA's part of a recording, by as many threads as there are processors.

CTAs share no barrier, and numpy lets other threads run while it is inside an array. A part is small enough for the
processor's cache, which alone makes the work several times faster than on whole columns.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def each(work: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """work(item) of every item, in their order. The first exception is raised once those under way have ended."""
    threads = min(os.cpu_count() or 1, len(items))
    if threads < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(threads, "part") as pool:
        return list(pool.map(work, items))
