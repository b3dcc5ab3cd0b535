"""Who touched which stage buffer when: copies into it and reads of it, as columns, for the hazard checks."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from visualizer.diagnosis.waits import phase_at
from visualizer.recording.schema import ARRIVAL_KINDS, EventKind
from visualizer.replay.history import History
from visualizer.replay.step_index import Steps, kind_mask

NEVER = np.iinfo(np.int64).max
"""A step or phase that does not come in this recording."""


@dataclass(frozen=True, eq=False)
class Copies:
    """Copies by place, then issue; all shape (copies,)."""

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


@dataclass(frozen=True, eq=False)
class Arrivals:
    """Arrivals by agent and barrier, then step, with the phase each belongs to; all shape (arrivals,)."""

    keys: Steps  # (agent * barriers + barrier) * steps + step, ascending
    phase: Steps


T = TypeVar("T", Copies, Reads)


def build_copies(history: History) -> Copies:
    events = history.trace.events
    issue = history.copies.issued.astype(np.int64)
    place = history.event_places.of(issue)
    keys = place * history.steps + issue
    order = np.argsort(keys, kind="stable")
    copy_keys, place, issue, done = keys[order], place[order], issue[order], history.copies.landed[order]
    event = events[issue]
    barrier = event["barrier"].astype(np.int64)
    landed = np.where(done >= 0, done, NEVER)
    bytes_in = np.flatnonzero(history.kinds == EventKind.COMPLETE_TX)
    bytes_in = bytes_in[events["barrier"][bytes_in] >= 0]
    keys = events["barrier"][bytes_in].astype(np.int64) * history.steps + bytes_in
    order = np.argsort(keys, kind="stable")
    keys, bytes_in = keys[order], bytes_in[order]
    last = np.searchsorted(keys, barrier * history.steps + np.where(landed == NEVER, 0, landed)) - 1
    found = (landed != NEVER) & (last >= 0) & (barrier >= 0)
    at = bytes_in[np.maximum(last, 0)] if len(bytes_in) else np.zeros(len(issue), np.int64)
    if len(bytes_in):
        found &= (events["barrier"][at] == barrier) & (at > issue)
    phase = np.where(found, phase_at(history, np.maximum(barrier, 0), at - 1), NEVER)
    agent, tile = event["agent"].astype(np.int64), event["tile"].astype(np.int64)
    return Copies(copy_keys, place, issue, agent, barrier, tile, landed, phase)


def shared_places(place: Steps, barrier: NDArray[np.integer]) -> Steps:
    """Known places that copies of several barriers go to, from each copy's place and barrier: perhaps more than one
    buffer by that number (two rings that were told as one, say), so that it does not tell which buffer is meant."""
    pairs = np.unique((place << 32) + (barrier + np.int64(1))) >> 32
    places, times = np.unique(pairs, return_counts=True)
    shared: Steps = places[(times > 1) & (places >= 0)]
    return shared


def only(columns: T, keep: NDArray[np.bool_]) -> T:
    """The rows of `columns` (Copies or Reads) marked in `keep`."""
    return replace(columns, **{field.name: getattr(columns, field.name)[keep] for field in fields(columns)})


def build_reads(history: History) -> Reads:
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
    order = np.argsort(end_keys)
    at = np.searchsorted(end_keys[order], keys)
    ends = np.append(steps[~begins][order], NEVER)
    found = np.append(end_keys[order], -1)[at] == keys
    tile = trace.events["tile"][steps[begins]].astype(np.int64)
    return Reads(steps[begins], np.where(found, ends[at], NEVER), place[begins], agent[begins], tile)


def build_arrivals(history: History) -> Arrivals:
    events = history.trace.events
    steps = np.flatnonzero(kind_mask(*ARRIVAL_KINDS)[history.kinds] & (events["barrier"] >= 0))
    barrier = events["barrier"][steps].astype(np.int64)
    agent = events["agent"][steps].astype(np.int64)
    keys = (agent * len(history.trace.barriers) + barrier) * history.steps + steps
    order = np.argsort(keys, kind="stable")
    return Arrivals(keys[order], phase_at(history, barrier, steps - 1)[order])


def _ranks(lane: NDArray[np.integer], span: int) -> Steps:
    """lane * span + how many rows of that lane came before, for each row."""
    order = np.argsort(lane, kind="stable")
    ordered = lane[order].astype(np.int64)
    rows = np.arange(len(lane))
    starts = np.ones(len(lane), bool)
    starts[1:] = ordered[1:] != ordered[:-1]
    keys = np.empty(len(lane), np.int64)
    keys[order] = ordered * span + rows - np.maximum.accumulate(np.where(starts, rows, 0))
    return keys
