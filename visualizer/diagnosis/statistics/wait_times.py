"""Finds the times of waits: what of each was caused by others, and who was behind that."""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.statistics.facts import CopyTimes, Ints, WaitTimes, ring_names, role_codes
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History


def time_waits(history: History, copies: CopyTimes) -> WaitTimes:
    """Of every wait of the recording, with what released it."""
    trace, structure, waits = history.trace, history.structure, history.waits
    time = trace.events["time"]
    begin = time[waits.begin].astype(np.int64)
    end = np.where(waits.over >= 0, time[waits.over], trace.duration_ps).astype(np.int64)
    flip = waits.completion
    due = np.where(flip >= 0, time[flip], begin) if len(flip) else begin
    # What a wait for anything but an mbarrier waited for is not followed: it lasts as long as that did.
    followed = (waits.end >= 0) & (waits.kind == EventKind.WAIT_BEGIN)
    due = np.where(followed, np.clip(due, begin, end), end)
    copy, cause = _causes(history, copies, waits.barrier, flip)
    held = (due > begin) & (flip >= 0)
    kind_of_barrier = np.array([*structure.kinds, "other"])
    return WaitTimes(
        cta=trace.agent_cta[waits.agent].astype(np.int64),
        role=role_codes(history)[waits.agent],
        on_full=(kind_of_barrier == "full")[waits.barrier],
        on_empty=(kind_of_barrier == "empty")[waits.barrier],
        ring=ring_names(history)[np.append(structure.ring_of, -1)[waits.barrier]],
        begin=begin,
        end=end,
        due=due,
        held=held,
        copy=copy,
        cause_step=cause,
        held_before=_held_before(history, np.flatnonzero(held), cause),
    )


def _causes(history: History, copies: CopyTimes, barrier: Ints, flip: Ints) -> tuple[Ints, Ints]:
    """For each wait the copy that completed its phase (row, or -1), and the step of the warp that is behind it."""
    copy, cause = np.full(len(flip), -1, np.int64), flip.copy()
    by_engine = (flip >= 0) & np.isin(history.columns.agent.take(flip), history.engine_rows)
    rows = np.flatnonzero(by_engine)
    if len(rows) and len(copies.issued):
        # The last copy bound to the barrier that was issued before the completion.
        length = max(history.steps, 1)
        keys = copies.barrier * length + copies.issue_step
        order = np.argsort(keys)
        found = np.searchsorted(keys[order], barrier[rows] * length + flip[rows]) - 1
        at = order[np.maximum(found, 0)]
        known = (found >= 0) & (copies.barrier[at] == barrier[rows])
        copy[rows[known]] = at[known]
        cause[rows[known]] = copies.issue_step[at[known]]
    return copy, cause


def _held_before(history: History, held: Ints, cause: Ints) -> Ints:
    """For each held wait the row of the latest held wait of the agent behind its cause that ended before the cause."""
    waits, columns = history.waits, history.columns
    before = np.full(len(waits), -1, np.int64)
    if not len(held):
        return before
    behind = columns.agent.take(cause[held]).astype(np.int64)
    keys = waits.agent[held] * history.steps + waits.end[held]
    found = np.searchsorted(keys, behind * history.steps + cause[held], side="right") - 1
    at = held[np.maximum(found, 0)]
    before[held] = np.where((found >= 0) & (waits.agent[at] == behind), at, -1)
    return before
