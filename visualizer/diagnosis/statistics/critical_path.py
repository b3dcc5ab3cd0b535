"""The critical path: who waited for whom, from the last event of a range back to its beginning, without a gap.

From an event back along its agent to the wait that last held it up; from there to who released it, directly or by a
copy it had issued; and so on. Shortening anything off this path would not have ended the range earlier.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from visualizer.diagnosis.statistics.facts import CONSUMER, PRODUCER, Facts, Ints
from visualizer.language import mark

PRODUCE, CONSUME, COPY, WAKE, OTHER_WORK = range(5)
LINK_NAMES = (mark("produce"), mark("consume"), mark("copy"), mark("wake"), mark("other"))
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
    ring: Ints  # of the wait that it led to: row of Structure.names; -1: in none, as the last stretch of work

    def __len__(self) -> int:
        return len(self.agent)

    @property
    def length(self) -> int:
        """ps."""
        return int((self.end - self.begin).sum())

    def of_ring(self, ring: int) -> CriticalPath:
        """What led to waits on barriers of one ring (row of Structure.names): stretches with others between them."""
        own = self.ring == ring
        columns = (self.agent, self.kind, self.begin, self.end, self.step, self.ring)
        return CriticalPath(*(column[own] for column in columns))

    @property
    def shares(self) -> dict[str, float]:
        """Share of the path's length by kind, the largest first; without those of no length."""
        total = self.length
        sums = np.bincount(self.kind, weights=self.end - self.begin, minlength=len(LINK_NAMES))
        order = np.argsort(-sums, kind="stable")
        return {LINK_NAMES[kind]: float(sums[kind]) / total for kind in order.tolist() if sums[kind] > 0}

    def as_json(self) -> dict[str, Any]:
        return {
            "length_ns": self.length / 1000,
            "links": len(self),
            "share": {k: round(v, 5) for k, v in self.shares.items()},
        }


def critical_path(facts: Facts, first: int, last: int) -> CriticalPath:
    """The path to the latest event of a warp in the range first..last (ps), cut off at `first`."""
    events, times = facts.history.trace.events, facts.wait_times
    start, stop = np.searchsorted(events["time"], [first, last], side="right").tolist()
    own = np.flatnonzero(~np.isin(events["agent"][start:stop], facts.history.engine_rows))
    if not len(own):
        empty = np.empty(0, np.int64)
        return CriticalPath(empty, empty, empty, empty, empty, empty)
    end = start + int(own[-1])
    # From one wait to the one before it: one step a link of the path, not one an event.
    at = _last_held(facts, int(events["agent"][end]), end)
    chain: list[int] = []
    while at >= 0:
        chain.append(at)
        if times.end[at] <= first:
            break
        at = int(times.held_before[at])
    return _links(facts, np.array(chain[::-1], np.int64), end, first)


def _last_held(facts: Facts, agent: int, step: int) -> int:
    """Row of the agent's latest held wait that ended at or before the step; -1: none."""
    waits = facts.waits
    rows = waits.rows(agent)
    found = np.flatnonzero(facts.wait_times.held[rows] & (waits.end[rows] <= step))
    return int(rows.start + found[-1]) if len(found) else -1


def _links(facts: Facts, chain: Ints, end: int, first: int) -> CriticalPath:
    """The chain as stretches: work up to each cause, the copy, the waking up; and the work up to the last event."""
    waits, times, copies = facts.waits, facts.wait_times, facts.copies
    events, role = facts.history.trace.events, facts.lives.role
    ended, flip = times.end[chain], waits.completion[chain]
    work_end = np.append(times.cause_step[chain], end)
    worker = events["agent"][work_end].astype(np.int64)
    work_begin = np.concatenate(([0], ended))
    # Where no wait holds up the first of them, its work begins with itself.
    work_begin[0] = max(first, int(facts.lives.begin[worker[0]]))
    work_kind = np.select([role[worker] == PRODUCER, role[worker] == CONSUMER], [PRODUCE, CONSUME], OTHER_WORK)
    copied = times.copy[chain] >= 0
    flip_time = events["time"][flip].astype(np.int64)
    issued = copies.issued[times.copy[chain][copied]]
    engine = events["agent"][flip].astype(np.int64)[copied]
    ring = times.ring[chain]
    parts = (
        (worker, work_kind, work_begin, events["time"][work_end].astype(np.int64), work_end, np.append(ring, -1)),
        (engine, np.full(copied.sum(), COPY), issued, flip_time[copied], flip[copied], ring[copied]),
        (waits.agent[chain], np.full(len(chain), WAKE), flip_time, ended, waits.end[chain], ring),
    )
    agent, kind, begin, until, step, led_to = (np.concatenate(column) for column in zip(*parts, strict=True))
    begin = np.maximum(begin, first)
    order = np.lexsort((step, until))
    order = order[(until > begin)[order]]
    return CriticalPath(agent[order], kind[order], begin[order], until[order], step[order], led_to[order])
