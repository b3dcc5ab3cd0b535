"""The columns that structure and History are made from, each contiguous: read from the events once, a piece at a time.

The events are rows of 48 bytes, mapped from a file perhaps; reading one column of them moves all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.parallel import each
from visualizer.recording.trace import Trace

_ROWS_AT_ONCE = 1 << 15


@dataclass(frozen=True, eq=False)
class EventColumns:
    """Columns of all events, in order; shape (steps,) each, read-only. Ids are as narrow as the tables are short; of a
    column with one value throughout, as a stranger's tiles and stages are, only that is kept."""

    trace: Trace
    kind: NDArray[np.uint8]
    agent: NDArray[Any]  # unsigned
    barrier: NDArray[Any]  # signed; -1: none
    stage: NDArray[np.int16]
    ring: NDArray[np.uint8]
    tile: NDArray[np.int32]
    amount: NDArray[np.int32]


def event_columns(trace: Trace) -> EventColumns:
    """Read the columns of `trace`."""
    types: dict[str, Any] = {
        "kind": np.uint8,
        "agent": np.uint16 if len(trace.agents) <= 1 << 16 else np.uint32,
        "barrier": np.int16 if len(trace.barriers) <= 1 << 15 else np.int32,
        "stage": np.int16,
        "ring": np.uint8,
        "tile": np.int32,
        "amount": np.int32,
    }
    # Where there is one ring only, nothing of its column need be read.
    kept: dict[str, Any] = {} if len(trace.rings) > 1 else {"ring": np.broadcast_to(types.pop("ring")(0), len(trace))}
    for name in ("stage", "tile"):
        if _is_constant(trace.events[name]):
            kept[name] = np.broadcast_to(types.pop(name)(trace.events[name][0]), len(trace))
    columns: dict[str, Any] = {name: np.empty(len(trace), dtype) for name, dtype in types.items()}

    def read(begin: int) -> None:
        piece = trace.events[begin : begin + _ROWS_AT_ONCE]
        for name, column in columns.items():
            column[begin : begin + _ROWS_AT_ONCE] = piece[name]

    each(read, range(0, len(trace), _ROWS_AT_ONCE))
    for column in columns.values():
        column.flags.writeable = False
    return EventColumns(trace, **kept, **columns)


def _is_constant(column: NDArray[Any]) -> bool:
    """Whether a column has one value throughout. Where it has not, the first piece mostly tells."""

    def is_alike(begin: int) -> bool:
        return bool((column[begin : begin + _ROWS_AT_ONCE] == column[0]).all())

    begins = range(0, len(column), _ROWS_AT_ONCE)
    return len(begins) > 0 and is_alike(0) and all(each(is_alike, begins[1:]))
