"""Who touched which stage buffer when: copies into it and reads of it, as columns, for the hazard checks."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import order_by, search
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.replay.step_index import Steps, kind_mask

NEVER = np.iinfo(np.int64).max
"""A step or phase that does not come in this recording."""


@dataclass(frozen=True, eq=False)
class Fills:
    """The copies by the buffer they fill, then issue; all shape (copies,)."""

    keys: Steps  # place * steps + issue, ascending
    place: Steps  # -1: not known
    issue: Steps
    agent: Steps
    barrier: Steps
    tile: Steps
    landed: Steps  # the COPY_DONE, or NEVER
    phase: Steps  # of its barrier when the last bytes came, or NEVER


@dataclass(frozen=True, eq=False)
class Reads:
    """Reads of stage buffers in order of step; all shape (reads,)."""

    begin: Steps
    end: Steps  # or NEVER
    place: Steps
    agent: Steps
    tile: Steps


T = TypeVar("T", Fills, Reads)


def find_fills(history: History) -> Fills:
    """All copies of a history."""
    copies = history.copies
    keys = copies.place * history.steps + copies.issued
    order = np.argsort(keys, kind="stable")
    landed, phase = (np.where(column < 0, NEVER, column)[order] for column in (copies.landed, history.copy_phases))
    return Fills(
        keys=keys[order],
        place=copies.place[order],
        issue=copies.issued[order].astype(np.int64),
        agent=copies.agent[order],
        barrier=copies.barrier[order],
        tile=copies.tile[order],
        landed=landed,
        phase=phase,
    )


def shared_places(place: Steps, barrier: NDArray[np.integer]) -> Steps:
    """Known places that copies of several barriers go to, from each copy's place and barrier: perhaps more than one
    buffer by that number (two rings that were told as one, say), so that it does not tell which buffer is meant."""
    pairs = np.unique((place << 32) + (barrier + np.int64(1))) >> 32
    places, times = np.unique(pairs, return_counts=True)
    shared: Steps = places[(times > 1) & (places >= 0)]
    return shared


def only(columns: T, keep: NDArray[np.bool_]) -> T:
    """The rows of `columns` (Fills or Reads) marked in `keep`."""
    return replace(columns, **{field.name: getattr(columns, field.name)[keep] for field in fields(columns)})


def find_reads(history: History) -> Reads:
    """Reads; an agent's n-th READ_END of a stage ends its n-th READ_BEGIN of it."""
    trace = history.trace
    steps = np.flatnonzero(kind_mask(EventKind.READ_BEGIN, EventKind.READ_END)[history.kinds])
    place = history.event_places.of(steps)
    steps, place = steps[place >= 0], place[place >= 0]
    agent = trace.events["agent"][steps].astype(np.int64)
    begins = history.kinds[steps] == EventKind.READ_BEGIN
    lane = place * max(len(trace.agents), 1) + agent
    span = len(steps) + 1
    keys = _ranks(lane[begins], span)
    end_keys = _ranks(lane[~begins], span)
    order = order_by(end_keys)
    at = search(end_keys[order], keys)
    ends = np.append(steps[~begins][order], NEVER)
    found = np.append(end_keys[order], -1)[at] == keys
    tile = trace.events["tile"][steps[begins]].astype(np.int64)
    return Reads(steps[begins], np.where(found, ends[at], NEVER), place[begins], agent[begins], tile)


def _ranks(lane: NDArray[np.integer], span: int) -> Steps:
    """lane * span + how many rows of that lane came before, for each row."""
    order = order_by(lane)
    ordered = lane[order].astype(np.int64)
    rows = np.arange(len(lane))
    starts = np.ones(len(lane), bool)
    starts[1:] = ordered[1:] != ordered[:-1]
    keys = np.empty(len(lane), np.int64)
    keys[order] = ordered * span + rows - np.maximum.accumulate(np.where(starts, rows, 0))
    return keys
