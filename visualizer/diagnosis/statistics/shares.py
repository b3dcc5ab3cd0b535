"""Who was busy and who waited, with the cause of every wait: sums over the parts of waits that lie in a range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from visualizer.diagnosis.statistics.facts import CONSUMER, OTHER, PRODUCER, ROLE_NAMES, Facts, Ints


@dataclass(frozen=True, slots=True)
class RoleShare:
    """How the agents of one role spent their time within a range; all in ps, summed over agents."""

    role: str
    agents: int
    present: int  # between an agent's first and last event
    back_pressure: int  # a producer waits for a stage to be released
    starved: int  # a consumer waits for a stage to be filled
    other: int  # waits on other barriers, or against the role
    issue: int  # of waits, the time after their phase had completed: the test itself, and waking up

    @property
    def busy(self) -> int:
        return self.present - self.waiting

    @property
    def waiting(self) -> int:
        return self.back_pressure + self.starved + self.other + self.issue

    def share(self, part: int) -> float:
        """`part` of the time present, 0..1."""
        return part / self.present if self.present else 0.0

    def as_json(self) -> dict[str, Any]:
        parts = ("busy", "back_pressure", "starved", "other", "issue")
        return {
            "role": self.role,
            "agents": self.agents,
            "present_ns": self.present / 1000,
            **{f"{name}_share": round(self.share(getattr(self, name)), 5) for name in parts},
        }


def clipped(begin: Ints, end: Ints, first: int, last: int) -> Ints:
    """How much (ps) of each interval lies within first..last; 0 if nothing does. Same shape."""
    within: Ints = np.maximum(np.minimum(end, last) - np.maximum(begin, first), 0)
    return within


def role_shares(facts: Facts, first: int, last: int) -> tuple[RoleShare, ...]:
    """One for each role with agents that wait or read, in the order of ROLE_NAMES; copy engines do neither."""
    waits, lives = facts.waits, facts.lives
    caused = clipped(waits.begin, waits.due, first, last)
    after = clipped(waits.due, waits.end, first, last)
    back_pressure = (waits.role == PRODUCER) & waits.on_empty
    starved = (waits.role == CONSUMER) & waits.on_full
    present = clipped(lives.begin, lives.end, first, last)
    shares = []
    for role in (PRODUCER, CONSUMER, OTHER):
        members = lives.role == role
        own = waits.role == role
        if members.any():
            shares.append(
                RoleShare(
                    ROLE_NAMES[role],
                    int((members & (present > 0)).sum()),
                    int(present[members].sum()),
                    int(caused[own & back_pressure].sum()),
                    int(caused[own & starved].sum()),
                    int(caused[own & ~back_pressure & ~starved].sum()),
                    int(after[own].sum()),
                )
            )
    return tuple(shares)


def engine_share(facts: Facts, first: int, last: int) -> float:
    """Share of first..last in which a copy was in flight, the mean over the CTAs that copy; 0..1."""
    copies = facts.copies
    ctas = np.unique(copies.cta)
    if not len(ctas) or last <= first:
        return 0.0
    order = np.lexsort((copies.issued, copies.cta))
    cta, issued, landed = copies.cta[order], copies.issued[order], copies.landed[order]
    # Overlapping copies count once: each begins no earlier than all before it have landed. CTAs do not overlap.
    offset = np.searchsorted(ctas, cta) * (int(landed.max(initial=0)) + 1)
    reached = np.maximum.accumulate(landed + offset) - offset
    begin = issued.copy()
    same = cta[1:] == cta[:-1]
    begin[1:][same] = np.maximum(issued[1:], reached[:-1])[same]
    return float(clipped(begin, np.maximum(landed, begin), first, last).sum()) / (len(ctas) * (last - first))


def starved_parts(facts: Facts, first: int, last: int) -> tuple[int, int]:
    """Consumers' starved time (ps) split by what was missing: (the copy had not been issued, it was in flight)."""
    waits, copies = facts.waits, facts.copies
    rows = np.flatnonzero((waits.role == CONSUMER) & waits.on_full & waits.blocked & (waits.flip_step >= 0))
    if not len(rows) or not len(copies.issued):
        return 0, 0
    # The last copy bound to the barrier that was issued before the completion.
    length = max(facts.history.steps, 1)
    order = np.lexsort((copies.issue_step, copies.barrier))
    keys = (copies.barrier * length + copies.issue_step)[order]
    found = np.searchsorted(keys, waits.barrier[rows] * length + waits.flip_step[rows]) - 1
    at = order[np.maximum(found, 0)]
    known = (found >= 0) & (copies.barrier[at] == waits.barrier[rows])
    rows, at = rows[known], at[known]
    begin, due = waits.begin[rows], waits.due[rows]
    issued = np.clip(copies.issued[at], begin, due)
    return int(clipped(begin, issued, first, last).sum()), int(clipped(issued, due, first, last).sum())
