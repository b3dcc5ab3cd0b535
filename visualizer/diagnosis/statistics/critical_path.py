"""The critical path: who waited for whom, from the last event of a range back to its beginning, without a gap.

From an event back along its agent to the wait that last held it up; from there to who released it, directly or by a
copy it had issued; and so on. Shortening anything off this path would not have ended the range earlier.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from visualizer.diagnosis.statistics.facts import CONSUMER, PRODUCER, Facts, Ints

PRODUCE, CONSUME, COPY, WAKE, OTHER_WORK = range(5)
LINK_NAMES = ("produce", "consume", "copy", "wake", "other")
"""What an agent does on the path, at the codes above: a producer's or a consumer's own time, a copy in flight, the time
from a phase's completion to the end of the wait on it, and the time of agents of other roles."""


@dataclass(frozen=True, eq=False)
class CriticalPath:
    """Stretches of time, in order, each beginning where the one before ended; all shape (links,)."""

    agent: Ints  # row of the agent whose time it is; of a copy, its engine's if there is one, else its issuer's
    kind: Ints  # code of LINK_NAMES
    begin: Ints  # ps
    end: Ints  # ps
    step: Ints  # the event it ends with

    def __len__(self) -> int:
        return len(self.agent)

    @property
    def shares(self) -> dict[str, float]:
        """Share of the path's length by kind, the largest first; without those of no length."""
        total = int((self.end - self.begin).sum())
        sums = np.bincount(self.kind, weights=self.end - self.begin, minlength=len(LINK_NAMES))
        order = np.argsort(-sums, kind="stable")
        return {LINK_NAMES[kind]: float(sums[kind]) / total for kind in order.tolist() if sums[kind] > 0}

    def as_json(self) -> dict[str, Any]:
        length = int((self.end - self.begin).sum())
        return {
            "length_ns": length / 1000,
            "links": len(self),
            "share": {k: round(v, 5) for k, v in self.shares.items()},
        }


def critical_path(facts: Facts, first: int, last: int) -> CriticalPath:
    """The path to the latest event of a warp in the range first..last (ps), cut off at `first`."""
    events, waits = facts.history.trace.events, facts.waits
    start, stop = np.searchsorted(events["time"], [first, last], side="right").tolist()
    own = np.flatnonzero(~np.isin(events["agent"][start:stop], facts.history.engine_rows))
    if not len(own):
        empty = np.empty(0, np.int64)
        return CriticalPath(empty, empty, empty, empty, empty)
    end = start + int(own[-1])
    held = np.flatnonzero(waits.blocked & (waits.flip_step >= 0) & (waits.end_step >= 0))
    cause, copy_begin = _causes(facts, held)
    before = _latest_held(facts, held, events["agent"][cause].astype(np.int64), cause)
    # From one wait to the one before it: plain integers, as fast as a list can be followed.
    previous, ends = before.tolist(), waits.end[held].tolist()
    at = int(_latest_held(facts, held, events["agent"][[end]].astype(np.int64), np.array([end]))[0])
    chain = []
    while at >= 0:
        chain.append(at)
        if ends[at] <= first:
            break
        at = previous[at]
    return _links(facts, held[chain[::-1]], cause[chain[::-1]], copy_begin[chain[::-1]], end, first)


def _causes(facts: Facts, held: Ints) -> tuple[Ints, Ints]:
    """For each held wait: the step that released it, its agent's own act, and when the copy began that lay between
    (ps; -1: none did)."""
    history, waits, copies = facts.history, facts.waits, facts.copies
    events, length = history.trace.events, max(history.steps, 1)
    flip = waits.flip_step[held]
    cause, began = flip.copy(), np.full(len(held), -1, np.int64)
    engines = np.isin(events["agent"][flip], history.engine_rows)
    if engines.any() and len(copies.issued):
        order = np.lexsort((copies.issue_step, copies.barrier))
        keys = (copies.barrier * length + copies.issue_step)[order]
        rows = np.flatnonzero(engines)
        found = np.searchsorted(keys, waits.barrier[held[rows]] * length + flip[rows]) - 1
        at = order[np.maximum(found, 0)]
        known = (found >= 0) & (copies.barrier[at] == waits.barrier[held[rows]])
        cause[rows[known]] = copies.issue_step[at[known]]
        began[rows[known]] = copies.issued[at[known]]
    return cause, began


def _latest_held(facts: Facts, held: Ints, agent: Ints, step: Ints) -> Ints:
    """Row of `held` of each agent's latest held wait that ended at or before the step; -1: none."""
    waits, length = facts.waits, max(facts.history.steps, 1)
    found = np.searchsorted(waits.agent[held] * length + waits.end_step[held], agent * length + step, side="right") - 1
    at = np.maximum(found, 0)
    known = (found >= 0) & (waits.agent[held[at]] == agent) if len(held) else np.zeros(len(agent), bool)
    return np.where(known, found, -1)


def _links(facts: Facts, waits_on: Ints, cause: Ints, copy_begin: Ints, end: int, first: int) -> CriticalPath:
    """The chain as stretches: work up to each cause, the copy, the waking up; and the work up to the last event."""
    history, waits = facts.history, facts.waits
    events = history.trace.events
    time, agents = events["time"].astype(np.int64), events["agent"].astype(np.int64)
    role = facts.lives.role
    ended = waits.end[waits_on]
    work_end = np.append(cause, end)
    worker = agents[work_end]
    starts_at = np.append(ended[:1] * 0 + first, ended) if len(ended) else np.array([first])
    if not len(ended) or ended[0] > first:
        starts_at[0] = max(first, int(facts.lives.begin[worker[0]]))
    work_kind = np.select([role[worker] == PRODUCER, role[worker] == CONSUMER], [PRODUCE, CONSUME], OTHER_WORK)
    copied = copy_begin >= 0
    flip = waits.flip_step[waits_on]
    parts = (
        (worker, work_kind, starts_at, time[work_end], work_end),
        (agents[flip][copied], np.full(copied.sum(), COPY), copy_begin[copied], time[flip][copied], flip[copied]),
        (waits.agent[waits_on], np.full(len(flip), WAKE), time[flip], ended, waits.end_step[waits_on]),
    )
    agent, kind, begin, until, step = (np.concatenate(column) for column in zip(*parts, strict=True))
    begin = np.maximum(begin, first)
    order = np.lexsort((step, until))
    order = order[(until > begin)[order]]
    return CriticalPath(agent[order], kind[order], begin[order], until[order], step[order])
