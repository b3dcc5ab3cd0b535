"""A copy engine's lane: its copies as intervals, those of one tile as one, in a row for each target if any overlap."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.schema import EventFlag
from visualizer.replay.spans import Spans
from visualizer.views.timeline.shapes.intervals import Intervals


@dataclass(frozen=True, eq=False)
class CopyRows:
    """A copy engine's lane: one row if no two copies overlap, else a row per stage."""

    rows: list[Intervals]
    estimated: list[NDArray[np.int64]]  # per row, landing times (ps) that are estimates


def estimated(events: NDArray[np.void], spans: Spans) -> NDArray[np.int64]:
    """When those copies landed (ps) of which only bounds are known."""
    landings: NDArray[np.int64] = spans.end[(events["flags"][spans.last_step] & EventFlag.ESTIMATED) != 0]
    return landings


def joined(spans: Spans) -> Spans:
    """Copies of one tile on one barrier as one, from the first issue to the last landing; cut where the next begins.

    Those of which no tile is known stay apart.
    """
    if not len(spans):
        return spans
    first = np.ones(len(spans), bool)
    first[1:] = (spans.tile[1:] != spans.tile[:-1]) | (spans.barrier[1:] != spans.barrier[:-1]) | (spans.tile[1:] < 0)
    starts = np.flatnonzero(first)
    end = np.maximum.reduceat(spans.end, starts)
    last_step = np.maximum.reduceat(spans.last_step, starts)
    joined = spans.keep(first)
    end[:-1] = np.minimum(end[:-1], joined.start[1:])
    return replace(joined, end=end, last_step=last_step)


def most_at_once(rows: list[Spans]) -> int:
    """The most intervals of all rows that overlap at any time."""
    starts = np.sort(np.concatenate([row.start for row in rows]))
    ends = np.sort(np.concatenate([row.end for row in rows]))
    return int((np.arange(1, len(starts) + 1) - np.searchsorted(ends, starts, side="right")).max(initial=0))
