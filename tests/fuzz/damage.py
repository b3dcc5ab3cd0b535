"""Recordings that are well-formed files - every checksum and size fits - and say things that cannot be.

Each way of damaging is a function of the parts of a recording; its name is told, so that a report can say which ways
got how far.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.fuzz import damage_events, damage_tables
from tests.fuzz.parts import Parts, put_together, take_apart

WAYS: tuple[Callable[[Parts, Random], None], ...] = damage_tables.WAYS + damage_events.WAYS


def damage(content: bytes, random: Random) -> tuple[bytes, tuple[str, ...]]:
    """The recording damaged in one to four ways, and which."""
    parts = take_apart(content)
    ways = [random.choice(WAYS) for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4)))]
    for way in ways:
        if isinstance(parts.document.get("meta"), dict):  # else nothing more can be wrong with it
            way(parts, random)
    parts.events = _loadable(parts.events, parts.document) if random.random() < 0.7 else parts.events
    return put_together(parts), tuple(way.__name__.strip("_") for way in ways)


def _loadable(events: NDArray[np.void], document: dict[str, Any]) -> NDArray[np.void]:
    """Times in order from 0 and rows within the tables, so that what else is wrong is not hidden by these checks."""
    if not len(events):
        return events
    events["time"] = np.maximum.accumulate(events["time"])
    events["time"] -= events["time"][0]
    for column, table, least in (("agent", "agents", 0), ("barrier", "barriers", -1), ("site", "sites", -1)):
        rows = document.get(table)
        most = len(rows) - 1 if isinstance(rows, list) else 0
        np.clip(events[column], least, max(most, least), out=events[column])
    return events
