"""Finds the copies of a recording: issued, landed, how many bytes, and when none other was in flight."""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.statistics.facts import CopyTimes, Ints, ring_of_places
from visualizer.recording.schema import EventFlag
from visualizer.replay.history import History


def find_copies(history: History) -> CopyTimes:
    """Every copy that landed."""
    events, copies = history.trace.events, history.copies
    issue_step, done_step = copies.done_issue.astype(np.int64), copies.done_steps.astype(np.int64)
    issue, done = events[issue_step], events[done_step]
    cta = history.trace.agent_cta[issue["agent"]].astype(np.int64)
    issued, landed = issue["time"].astype(np.int64), done["time"].astype(np.int64)
    return CopyTimes(
        issue_step=issue_step,
        done_step=done_step,
        issued=issued,
        landed=landed,
        amount=issue["amount"].astype(np.int64),
        cta=cta,
        barrier=issue["barrier"].astype(np.int64),
        ring=ring_of_places(history)[history.event_places.of(issue_step)],
        tile=issue["tile"].astype(np.int64),
        estimated=(done["flags"] & EventFlag.ESTIMATED) != 0,
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
