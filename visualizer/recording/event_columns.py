"""The columns that structure and History are made from, each contiguous: read from the events once, a piece at a time.

The events are rows of 48 bytes, mapped from a file perhaps; reading one column of them moves all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    first = trace.events[:1]
    likely = [name for name in ("stage", "tile") if _is_alike(trace.events[:_ROWS_AT_ONCE], first, name)]
    columns, differing = _read(trace, {name: types[name] for name in types if name not in likely}, likely)
    kept |= {name: np.broadcast_to(types[name](first[name][0]), len(trace)) for name in likely if name not in differing}
    columns |= _read(trace, {name: types[name] for name in differing})[0] if differing else {}
    for column in columns.values():
        column.flags.writeable = False
    return EventColumns(trace, **kept, **columns)


def _read(trace: Trace, types: dict[str, Any], likely: Sequence[str] = ()) -> tuple[dict[str, Any], set[str]]:
    """The columns of these types; and those of the `likely` to have one value throughout that have several."""
    first = trace.events[:1]
    columns = {name: np.empty(len(trace), dtype) for name, dtype in types.items()}

    def read(begin: int) -> list[str]:
        piece = trace.events[begin : begin + _ROWS_AT_ONCE]
        for name, column in columns.items():
            column[begin : begin + _ROWS_AT_ONCE] = piece[name]
        return [name for name in likely if not _is_alike(piece, first, name)]

    return columns, set().union(*each(read, range(0, len(trace), _ROWS_AT_ONCE)))


def _is_alike(piece: NDArray[np.void], first: NDArray[np.void], name: str) -> bool:
    """Whether a column has the value of the first event throughout a piece, which is not empty."""
    return len(first) > 0 and bool((piece[name] == first[name]).all())
