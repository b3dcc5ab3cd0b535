"""The same work on every CTA's part of a recording, by all processors.

CTAs share no barrier, and numpy lets other threads run while it is inside an array. A part is small enough for the
processor's cache, which alone makes the work several times faster than on whole columns.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from visualizer.arrays.memory import keep_freed_memory

T = TypeVar("T")
R = TypeVar("R")

_idle = threading.Semaphore((os.cpu_count() or 1) - 1)
"""Processors that nobody works on, beside the one of whoever calls `each`."""


def each(work: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """work(item) of every item, in their order. The first exception is raised once those under way have ended.

    The caller's thread works too, and beside it one for each idle processor. Within such work there mostly is none,
    until others have done theirs.
    """
    keep_freed_memory()
    done: dict[int, R] = {}
    failed: dict[int, BaseException] = {}
    places = iter(range(len(items)))  # shared: each place is taken once

    def take() -> None:
        for place in places:
            try:
                done[place] = work(items[place])
            except BaseException as error:  # raised below, in the caller's thread
                failed[place] = error
            if failed:
                return

    def help_out() -> None:
        take()
        _idle.release()

    helpers: list[threading.Thread] = []
    while len(helpers) < len(items) - 1 and _idle.acquire(blocking=False):
        helpers.append(threading.Thread(target=help_out, name=f"part {len(helpers)}"))
    for helper in helpers:
        helper.start()
    take()
    for helper in helpers:
        helper.join()
    if failed:
        raise failed[min(failed)]
    return [done[place] for place in range(len(items))]
