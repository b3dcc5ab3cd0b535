"""Who touched which stage buffer when: copies into it and reads of it, as columns, for the hazard checks."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from visualizer.diagnosis.waits import phase_at
from visualizer.recording.schema import ARRIVAL_KINDS, EventKind
from visualizer.replay.history import History
from visualizer.replay.stage_columns import place_of
from visualizer.replay.step_index import Steps, kind_mask

NEVER = np.iinfo(np.int64).max
"""A step or phase that does not come in this recording."""


@dataclass(frozen=True, eq=False)
class Copies:
    """Copies by stage row (cta * stages + stage), then issue; all shape (copies,)."""

    keys: Steps  # row * steps + issue, ascending
    row: Steps
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
    row: Steps
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
    index = history.copies.issues
    row = np.repeat(np.arange(len(index.starts) - 1), np.diff(index.starts))
    issue = index.keys - row * index.length
    event = events[issue]
    barrier = event["barrier"].astype(np.int64)
    landed = np.where(history.copies.done_step >= 0, history.copies.done_step, NEVER)
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
    return Copies(
        index.keys, row, issue, event["agent"].astype(np.int64), barrier, event["tile"].astype(np.int64), landed, phase
    )


def shared_rows(copies: Copies) -> Steps:
    """Stage rows that copies of several barriers go to: more than one buffer by that number (two rings, say), so that
    it does not tell which buffer is meant."""
    pairs = np.unique(np.stack((copies.row, copies.barrier)), axis=1)[0]
    rows, times = np.unique(pairs, return_counts=True)
    shared: Steps = rows[times > 1]
    return shared


def only(columns: T, keep: NDArray[np.bool_]) -> T:
    """The rows of `columns` (Copies or Reads) marked in `keep`."""
    return replace(columns, **{field.name: getattr(columns, field.name)[keep] for field in fields(columns)})


def build_reads(history: History) -> Reads:
    """Reads; an agent's n-th READ_END of a stage ends its n-th READ_BEGIN of it."""
    trace = history.trace
    steps = np.flatnonzero(kind_mask(EventKind.READ_BEGIN, EventKind.READ_END)[history.kinds])
    stage, cta = place_of(history.columns, steps)
    steps, row = steps[stage >= 0], (cta * trace.stages + stage)[stage >= 0]
    agent = trace.events["agent"][steps].astype(np.int64)
    begins = history.kinds[steps] == EventKind.READ_BEGIN
    lane = row * max(len(trace.agents), 1) + agent
    span = len(steps) + 1
    keys = _ranks(lane[begins], span)
    end_keys = _ranks(lane[~begins], span)
    order = np.argsort(end_keys)
    at = np.searchsorted(end_keys[order], keys)
    ends = np.append(steps[~begins][order], NEVER)
    found = np.append(end_keys[order], -1)[at] == keys
    tile = trace.events["tile"][steps[begins]].astype(np.int64)
    return Reads(steps[begins], np.where(found, ends[at], NEVER), row[begins], agent[begins], tile)


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
