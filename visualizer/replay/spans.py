"""Spans: stretches of time in which a lane (agent, copy engine, stage) stays in one state; what the timeline draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.columns import rows_of
from visualizer.recording.trace import Trace


@dataclass(frozen=True, eq=False)
class Spans:
    """One row a span, in order of start; all columns shape (spans,).

    A span begins with event `first_step` and ends with event `last_step` (the recording's last step if it never
    ends). It may be of no length: begin and end at the same time. `tile` and `barrier` are -1 where there is none.
    """

    start: NDArray[np.int64]  # ps
    end: NDArray[np.int64]  # ps
    state: NDArray[np.uint8]
    tile: NDArray[np.int32]
    barrier: NDArray[np.int32]  # row of the barrier waited for
    first_step: NDArray[np.int64]
    last_step: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.start)

    def keep(self, rows: NDArray[np.bool_]) -> Spans:
        """The spans that `rows` marks."""
        return self if rows.all() else rows_of(self, rows)


_NONE = np.empty(0, np.int64)
NO_SPANS = Spans(*(_NONE.astype(dtype) for dtype in ("i8", "i8", "u1", "i4", "i4", "i8", "i8")))
"""Of a lane to which nothing happens."""


def merge_spans(
    trace: Trace,
    steps: NDArray[np.int64],
    state: NDArray[np.uint8],
    tile: NDArray[np.int32],
    barrier: NDArray[np.signedinteger[Any]],
) -> Spans:
    """Spans from one lane's rows (steps ascending): each lasts until the first later row that differs.

    A `barrier` below -1 is none, and tells apart what would be one span.
    """
    changed = np.ones(len(steps), bool)
    changed[1:] = (state[1:] != state[:-1]) | (tile[1:] != tile[:-1]) | (barrier[1:] != barrier[:-1])
    rows = np.flatnonzero(changed)
    first = steps[rows]
    last = np.append(first[1:], len(trace) - 1)[: len(first)]
    time = trace.events["time"]
    return Spans(
        time[first],
        time[last],
        state[rows].astype(np.uint8),
        tile[rows].astype(np.int32),
        np.maximum(barrier[rows], -1).astype(np.int32),
        first,
        last,
    )
