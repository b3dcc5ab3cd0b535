"""Who touched which stage buffer when: copies into it and reads of it, as columns, for the hazard checks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import order_by, search
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.replay.kinds import kind_mask
from visualizer.replay.step_index import Steps

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
    asker: Steps  # who had to know that the data is there: the agent, or the warp whose tcgen05.mma it is ...
    asked: Steps  # ... and when: the step at which it began, or was handed to the tensor core


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


def shared_places(history: History, place: Steps, barrier: NDArray[np.integer]) -> Steps:
    """Known places at which several barriers are at home, from each copy's place and barrier: perhaps more than one
    buffer by that number (two rings that were told as one, say), so that it does not tell which buffer is meant. At
    home a barrier is where the recording's tables say, or else where its copies go to for the most part."""
    pairs, often = np.unique((barrier.astype(np.int64) + 1 << 32) + place + 1, return_counts=True)
    order = np.lexsort((-often, pairs >> 32))
    rows, first = np.unique((pairs[order] >> 32) - 1, return_index=True)
    told = np.array([*(b.kind != "other" for b in history.trace.barriers), False], bool)[rows]
    own = np.append(history.structure.place_of, -1)[rows]
    home = np.where(told & (own >= 0), own, (pairs[order][first] & 0xFFFFFFFF) - 1)
    places, times = np.unique(home, return_counts=True)
    shared: Steps = places[(times > 1) & (places >= 0)]
    return shared


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
    end = np.where(found, ends[at], NEVER)
    return Reads(steps[begins], end, place[begins], agent[begins], tile, *_asked(history, steps[begins], agent[begins]))


def _asked(history: History, begin: Steps, agent: Steps) -> tuple[Steps, Steps]:
    """Who asked for each read and when: a tensor core reads what warps of its CTA hand to it, in that order."""
    asker, asked = agent.copy(), begin.astype(np.int64)
    issues = np.flatnonzero(history.kinds == EventKind.MMA_ISSUE)
    if not len(issues):
        return asker, asked
    events, agents = history.trace.events, history.trace.agents
    cta = np.array([table.cta for table in agents], np.int64)
    is_core = np.array([table.role == "tensor_core" for table in agents], bool)
    by = events["agent"][issues].astype(np.int64)
    own = np.flatnonzero(is_core[agent])
    span = max(len(issues), len(own)) + 1
    wanted, handed = _ranks(cta[agent[own]], span), _ranks(cta[by], span)
    order = np.argsort(handed)
    at = np.minimum(np.searchsorted(handed[order], wanted), len(order) - 1)
    known = handed[order][at] == wanted
    asker[own[known]], asked[own[known]] = by[order[at[known]]], issues[order[at[known]]]
    return asker, asked


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
