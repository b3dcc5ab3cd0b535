"""Who was busy and who waited, with the cause of every wait: sums over the parts of waits that lie in a range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from visualizer.diagnosis.statistics.facts import CONSUMER, OTHER, PRODUCER, ROLE_NAMES, Facts, Ints
from visualizer.diagnosis.statistics.hang import Stuck


@dataclass(frozen=True, slots=True)
class RoleShare:
    """How the agents of one role spent their time within a range; all in ps, summed over agents."""

    role: str
    agents: int
    present: int  # between an agent's first and last event
    back_pressure: int  # a producer waits for a stage to be released
    starved: int  # a consumer waits for a stage to be filled
    other: int  # waits on other barriers, or against the role
    stuck: int  # agents that wait for ever, in a run that hangs
    issue: int  # of waits, the time after their phase had completed: the test itself, and waking up

    @property
    def busy(self) -> int:
        return self.present - self.waiting

    @property
    def waiting(self) -> int:
        return self.back_pressure + self.starved + self.other + self.issue

    @property
    def has_shares(self) -> bool:
        """Whether shares of its time mean something: not if all that it did was to begin a wait without end."""
        return self.present > 0 and (self.stuck < self.agents or self.waiting > 0)

    def share(self, part: int) -> float:
        """`part` of the time present, 0..1."""
        return part / self.present if self.present else 0.0

    def as_json(self) -> dict[str, Any]:
        parts = ("busy", "back_pressure", "starved", "other", "issue")
        return {
            "role": self.role,
            "agents": self.agents,
            "stuck": self.stuck,
            "present_ns": self.present / 1000,
            **{f"{name}_share": self._share(name) for name in parts},
        }

    def _share(self, part: str) -> float | None:
        return None if self.stuck and not self.has_shares else round(self.share(getattr(self, part)), 5)


def clipped(begin: Ints, end: Ints, first: int, last: int) -> Ints:
    """How much (ps) of each interval lies within first..last; 0 if nothing does. Same shape."""
    within: Ints = np.maximum(np.minimum(end, last) - np.maximum(begin, first), 0)
    return within


def role_shares(facts: Facts, first: int, last: int, stuck: tuple[Stuck, ...] = ()) -> tuple[RoleShare, ...]:
    """One for each role with agents that wait or read, in the order of ROLE_NAMES; copy engines do neither."""
    waits, lives = facts.wait_times, facts.lives
    caused = clipped(waits.begin, waits.due, first, last)
    after = clipped(waits.due, waits.end, first, last)
    back_pressure = (waits.role == PRODUCER) & waits.on_empty
    starved = (waits.role == CONSUMER) & waits.on_full
    present = clipped(lives.begin, lives.end, first, last)
    there = (lives.begin <= lives.end) & (lives.begin <= last) & (lives.end >= first)
    shares = []
    for role in (PRODUCER, CONSUMER, OTHER):
        members = lives.role == role
        own = waits.role == role
        if members.any():
            shares.append(
                RoleShare(
                    ROLE_NAMES[role],
                    int((members & there).sum()),
                    int(present[members].sum()),
                    int(caused[own & back_pressure].sum()),
                    int(caused[own & starved].sum()),
                    int(caused[own & ~back_pressure & ~starved].sum()),
                    sum(bool(members[one.row]) for one in stuck),
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
    busy = clipped(copies.alone_from, np.maximum(copies.landed, copies.alone_from), first, last)
    return float(busy.sum()) / (len(ctas) * (last - first))


def ring_waits(facts: Facts, ring: int, first: int, last: int) -> tuple[float, float]:
    """Shares of the producers' time in back-pressure of one ring (row of Structure.names), and of the consumers' time
    starved for its tiles; 0..1."""
    waits, lives = facts.wait_times, facts.lives
    caused = clipped(waits.begin, waits.due, first, last)
    present = clipped(lives.begin, lives.end, first, last)
    shares = []
    for role, on in ((PRODUCER, waits.on_empty), (CONSUMER, waits.on_full)):
        waited = caused[(waits.role == role) & on & (waits.ring == ring)].sum()
        shares.append(float(waited) / max(float(present[lives.role == role].sum()), 1.0))
    return shares[0], shares[1]


def starved_parts(facts: Facts, first: int, last: int) -> tuple[int, int]:
    """Consumers' starved time (ps) split by what was missing: (the copy had not been issued, it was in flight)."""
    waits = facts.wait_times
    rows = np.flatnonzero((waits.role == CONSUMER) & waits.on_full & waits.held & (waits.copy >= 0))
    begin, due = waits.begin[rows], waits.due[rows]
    issued = np.clip(facts.copies.issued[waits.copy[rows]], begin, due)
    return int(clipped(begin, issued, first, last).sum()), int(clipped(issued, due, first, last).sum())
