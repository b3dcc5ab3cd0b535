"""Finds the waits of a recording, the phase that let each pass, and who was behind that."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visualizer.diagnosis.statistics.facts import CopyTimes, Ints, Waits, ring_names, role_codes
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.replay.step_index import kind_mask, stable_order

_ENDS = {
    EventKind.WAIT_BEGIN: EventKind.WAIT_END,
    EventKind.SYNC_BEGIN: EventKind.SYNC_END,
    EventKind.CLUSTER_WAIT_BEGIN: EventKind.CLUSTER_WAIT_END,
    EventKind.WGMMA_WAIT_BEGIN: EventKind.WGMMA_WAIT_END,
    EventKind.STORE_WAIT_BEGIN: EventKind.STORE_WAIT_END,
}
_BEGINS = kind_mask(*_ENDS)
_END_OF = np.zeros(256, np.uint8)
_END_OF[list(_ENDS)] = list(_ENDS.values())
_OBSERVED = kind_mask(EventKind.PHASE_COMPLETE, EventKind.WORD_SAMPLE)


def find_waits(history: History, copies: CopyTimes) -> Waits:
    """Every wait of the recording, with what released it."""
    trace, kinds = history.trace, history.kinds
    events, time = trace.events, trace.events["time"]
    acts = np.flatnonzero(~_OBSERVED[kinds])
    agent = events["agent"][acts].astype(np.int64)
    order = stable_order(agent, max(len(trace.agents), 1))
    steps, agent = acts[order], agent[order]
    begins = np.flatnonzero(_BEGINS[kinds[steps]])
    following = np.minimum(begins + 1, max(len(steps) - 1, 0))
    same = (following > begins) & (agent[following] == agent[begins])
    passed = same & (kinds[steps[following]] == _END_OF[kinds[steps[begins]]])
    gave_up = same & (kinds[steps[following]] == EventKind.TIMEOUT)

    begin_step, rows = steps[begins], events[steps[begins]]
    end_step = np.where(passed, steps[following], -1)
    begin = rows["time"].astype(np.int64)
    end = np.where(passed | gave_up, time[steps[following]], trace.duration_ps).astype(np.int64)
    on_mbarrier = rows["kind"] == EventKind.WAIT_BEGIN
    barrier = np.where(on_mbarrier, rows["barrier"], -1).astype(np.int64)
    flip = _flips(history, barrier, end_step, rows["parity"].astype(np.int64))
    due = np.where(flip >= 0, time[np.maximum(flip, 0)], begin) if len(flip) else begin
    kind_of_barrier = np.array([*history.structure.kinds, "other"])
    # What a wait for anything but an mbarrier waited for is not followed: it lasts as long as that did.
    due = np.where(passed & on_mbarrier, np.clip(due, begin, end), end)
    copy, cause = _causes(history, copies, barrier, flip)
    held = np.flatnonzero((due > begin) & (flip >= 0))
    return Waits(
        agent=agent[begins],
        cta=trace.agent_cta[agent[begins]].astype(np.int64),
        role=role_codes(history)[agent[begins]],
        barrier=barrier,
        on_full=(kind_of_barrier == "full")[barrier],
        on_empty=(kind_of_barrier == "empty")[barrier],
        ring=ring_names(history)[np.append(history.structure.ring_of, -1)[barrier]],
        tile=rows["tile"].astype(np.int64),
        begin_step=begin_step,
        end_step=end_step,
        begin=begin,
        end=end,
        flip_step=flip,
        due=due,
        copy=copy,
        cause_step=cause,
        held_before=_held_before(events, agent[begins], end_step, held, cause, max(len(steps), history.steps, 1)),
    )


def _flips(history: History, barrier: Ints, end_step: Ints, parity: Ints) -> Ints:
    """For each wait that passed the latest completion before its end of a phase of its parity; -1: none."""
    events, length = history.trace.events, max(history.steps, 1)
    flips = history.completion_steps
    flip_barrier = events["barrier"][flips].astype(np.int64)
    keys = flip_barrier * length + flips
    order = np.argsort(keys, kind="stable")
    keys, flips, flip_barrier = keys[order], flips[order], flip_barrier[order]
    found = np.full(len(barrier), -1, np.int64)
    if not len(flips):
        return found
    flip_parity = events["parity"][flips]
    row = np.searchsorted(keys, barrier * length + end_step) - 1
    # Parities alternate: it is the latest completion or the one before.
    for back in (0, 1):
        at = np.maximum(row - back, 0)
        fits = (row - back >= 0) & (flip_barrier[at] == barrier) & (flip_parity[at] == parity) & (end_step >= 0)
        found = np.where((found < 0) & fits, flips[at], found)
    return found


def _causes(history: History, copies: CopyTimes, barrier: Ints, flip: Ints) -> tuple[Ints, Ints]:
    """For each wait the copy that completed its phase (row, or -1), and the step of the warp that is behind it."""
    copy, cause = np.full(len(flip), -1, np.int64), flip.copy()
    by_engine = (flip >= 0) & np.isin(history.trace.events["agent"][flip], history.engine_rows)
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


def _held_before(events: NDArray[np.void], agent: Ints, end_step: Ints, held: Ints, cause: Ints, length: int) -> Ints:
    """For each held wait the row of the latest held wait of the agent behind its cause that ended before the cause."""
    before = np.full(len(agent), -1, np.int64)
    if not len(held):
        return before
    behind = events["agent"][cause[held]].astype(np.int64)
    found = np.searchsorted(agent[held] * length + end_step[held], behind * length + cause[held], side="right") - 1
    at = held[np.maximum(found, 0)]
    before[held] = np.where((found >= 0) & (agent[at] == behind), at, -1)
    return before
