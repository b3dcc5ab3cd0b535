"""How long a program may be that is laid out in memory: less where a file names it than where a person does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MAX_OPERATIONS = 5_000_000
"""Longest program that anybody gets, all agents together (about half a gigabyte)."""

_most = ContextVar("most", default=MAX_OPERATIONS)


def most_operations() -> int:
    """So many operations may all agents of a program have together."""
    return _most.get()


@contextmanager
def at_most(operations: int) -> Iterator[None]:
    """Programs laid out meanwhile are no longer than that: a ProgramError says so of those that would be."""
    before = _most.set(min(operations, MAX_OPERATIONS))
    try:
        yield
    finally:
        _most.reset(before)
