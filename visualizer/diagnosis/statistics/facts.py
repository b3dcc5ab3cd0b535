"""Facts: when every wait, copy, stage state and finished tile of a recording was, and what each wait depended on.

What happened is History's to say; these are the times of it. Found once per recording (find.py), in passes over
columns; the statistics of any range of time and the prediction are sums over them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.replay.history import History
from visualizer.replay.waits import Waits

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

PRODUCER, CONSUMER, COPY_ENGINE, OTHER = range(4)
ROLE_NAMES = ("producer", "consumer", "copy_engine", "other")
"""The roles of agents, at the codes above."""


@dataclass(frozen=True, eq=False)
class WaitTimes:
    """What each wait of History.waits cost and who was behind it, at its row; all shape (waits,). Times in ps."""

    cta: Ints
    role: Ints  # code of the agent's role
    on_full: Bools
    on_empty: Bools
    ring: Ints  # of the barrier: row of Structure.names; -1: in none
    begin: Ints
    end: Ints  # of a wait that did not pass: when it gave up, or the recording's end
    due: Ints  # when its phase completed, no earlier than `begin` and no later than `end`; of an open wait its end
    held: Bools  # blocked, passed, and known by what
    copy: Ints  # row of the copy that the phase's completion landed; -1: a warp completed it, or nothing did
    cause_step: Ints  # what a warp did to release it: the copy's issue, else the completing arrival; -1: unknown
    held_before: Ints  # row of the last wait that held that warp up before it did so; -1: none

    @property
    def blocked(self) -> Bools:
        """Whether the phase was still open when the wait began: the wait has a cause outside itself."""
        return self.due > self.begin


@dataclass(frozen=True, eq=False)
class CopyTimes:
    """Every copy that landed, by time of landing; all shape (copies,). Times in ps, amount in bytes."""

    issue_step: Ints
    done_step: Ints
    issued: Ints
    landed: Ints
    amount: Ints
    cta: Ints
    barrier: Ints
    ring: Ints  # of the buffer it goes to: row of Structure.names; -1: in none
    tile: Ints
    estimated: Bools  # the landing is an estimate between two observations
    alone_from: Ints  # ps from which no earlier copy of its CTA is in flight any more, no earlier than `issued`


@dataclass(frozen=True, eq=False)
class Tiles:
    """Every tile that was done with, by CTA and within one by time; all shape (tiles,)."""

    cta: Ints
    tile: Ints
    step: Ints  # the event that ended it
    time: Ints  # ps
    gap: Ints  # ps since the tile before it in the same CTA; -1: it is the first
    ends_with: str  # what ends a tile here: "empty" (its stage is free again), "read", "full", or "" (no tile is known)


@dataclass(frozen=True, eq=False)
class Lives:
    """When each agent began and left (ps), at its row; begin > end: it did nothing. Shape (agents,)."""

    begin: Ints
    end: Ints
    role: Ints
    cta: Ints


@dataclass(frozen=True, eq=False)
class StageTimes:
    """Every state of every stage buffer, by place and within one by time; all shape (states,). Times in ps."""

    stage: Ints  # in its ring
    ring: Ints  # row of Structure.names
    stage_of_cta: Ints  # the stages of a CTA's rings counted on, one ring after another
    state: Ints  # a StageState
    begin: Ints
    end: Ints


@dataclass(frozen=True, eq=False)
class Leads:
    """How many stages of a CTA were not empty from when to when; all shape (changes,). Times in ps."""

    tiles: Ints
    begin: Ints
    end: Ints


@dataclass(frozen=True, eq=False)
class RingFacts:
    """What is by ring: of the rings of one name, every CTA's."""

    name: str
    stages: int  # the most that a CTA has
    leads: Leads
    tiles: Tiles


@dataclass(frozen=True, eq=False)
class Facts:
    """All of them, of one recording, and its waits; `leads` and `tiles` of all rings of a CTA together."""

    history: History
    waits: Waits
    wait_times: WaitTimes
    copies: CopyTimes
    stages: StageTimes
    leads: Leads
    tiles: Tiles
    lives: Lives
    rings: tuple[RingFacts, ...]  # in the order of Structure.names


_CODES = {
    "producer": PRODUCER,
    "consumer": CONSUMER,
    "mma": CONSUMER,
    "copy_engine": COPY_ENGINE,
    "tensor_core": COPY_ENGINE,
}
"""An MMA warp reads stages as any consumer does; a tensor core waits for nobody, as copy engines do not."""


def role_codes(history: History) -> Ints:
    """The code of every agent's role, shape (agents,)."""
    return np.array([_CODES.get(role, OTHER) for role in history.structure.roles], np.int64)


def ring_names(history: History) -> Ints:
    """The row in Structure.names of each ring, and -1 for "in none", which index -1 finds; shape (rings + 1,)."""
    structure = history.structure
    return np.array([*(structure.names.index(ring.name) for ring in structure.rings), -1], np.int64)


def ring_of_places(history: History) -> Ints:
    """The row in Structure.names of each place's ring, and -1 for "nowhere", which index -1 finds; (places + 1,)."""
    structure = history.structure
    named = np.repeat(ring_names(history)[:-1], np.diff(structure.first_place))
    return np.append(named, -1).astype(np.int64)
