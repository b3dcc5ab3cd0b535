"""Finds the times of copies: issued, landed, and when none other was in flight."""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.statistics.facts import CopyTimes, Ints, ring_of_places
from visualizer.recording.schema import EventFlag
from visualizer.replay.history import History


def time_copies(history: History) -> CopyTimes:
    """Of every copy that landed."""
    events, copies = history.trace.events, history.copies
    rows = copies.by_landing
    issue_step, done_step = copies.issued[rows].astype(np.int64), copies.landed[rows]
    cta = history.trace.agent_cta[copies.agent[rows]].astype(np.int64)
    issued, landed = (events["time"][step].astype(np.int64) for step in (issue_step, done_step))
    return CopyTimes(
        issue_step=issue_step,
        done_step=done_step,
        issued=issued,
        landed=landed,
        amount=copies.amount[rows],
        cta=cta,
        barrier=copies.barrier[rows],
        ring=ring_of_places(history)[copies.place[rows]],
        tile=copies.tile[rows],
        estimated=(events["flags"][done_step] & EventFlag.ESTIMATED) != 0,
        alone_from=_alone_from(cta, issued, landed),
    )


def _alone_from(cta: Ints, issued: Ints, landed: Ints) -> Ints:
    """So that overlapping copies count once: from when on all copies of the CTA issued earlier have landed."""
    order = np.lexsort((issued, cta))
    # CTAs end to end, by the rank of each landing, so that one running maximum does for all of them.
    times, rank = np.unique(landed[order], return_inverse=True)
    same = cta[order][1:] == cta[order][:-1]
    offset = np.concatenate([[0], np.cumsum(~same)])[: len(order)] * len(times)
    reached = times[np.maximum.accumulate(rank + offset) - offset]
    begin = issued[order]
    begin[1:][same] = np.maximum(begin[1:], reached[:-1])[same]
    alone = np.empty(len(begin), np.int64)
    alone[order] = begin
    return alone
