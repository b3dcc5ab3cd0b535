"""What is known of one CTA's barriers without a word from the program: a summary each, and the order of use."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import distinct, distinct_rows
from visualizer.structure.uses import Action, Uses

Ints = NDArray[np.int64]
FILLS = (Action.EXPECT, Action.COPY, Action.ARRIVE, Action.COMMIT)
"""What an agent does on a full barrier when it fills the stage; the first of them that it does at all counts."""
RELEASES = (Action.ARRIVE, Action.COMMIT)
"""What it does on an empty barrier when it has read the stage."""
_KEEPS_ORDER = (Action.WAIT, Action.ARRIVE, Action.EXPECT, Action.COMMIT, Action.COPY)


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """One agent's uses of one kind, in order: barriers, places among all that the agent does, and parities of waits."""

    agent: int
    action: Action
    barrier: Ints
    place: Ints
    parity: Ints


@dataclass(slots=True)
class BarrierFacts:
    """One barrier. Agents are those of its own CTA, or those of others where no own one does it."""

    address: int
    count: int
    landed: bool = False  # bytes are expected or come, or copies arrive on it
    committed: bool = False  # the tensor core arrives on it
    first_parity: int | None = None  # of the first wait, as of phase 0; None: no wait, or agents differ
    waiters: frozenset[int] = frozenset()
    arrivers: frozenset[int] = frozenset()  # by RELEASES
    fillers: frozenset[int] = frozenset()  # by FILLS
    marks: set[tuple[int, int, int]] = field(default_factory=set)  # which instructions use it, with which amounts

    @property
    def used(self) -> bool:
        return bool(self.landed or self.committed or self.waiters or self.fillers)


@dataclass(frozen=True, eq=False)
class Facts:
    """One CTA: its barriers by address, and streams of its own agents (of others if it has none)."""

    barriers: tuple[BarrierFacts, ...]
    streams: tuple[Stream, ...]
    sited: bool  # whether instructions are told apart
    copied: bool  # they are, but not by the source: those of a loop that was unrolled are several
    begun: bool  # the recording begins in the middle: uses of a stage, and stages of a lap, may be missing at first
    followers: frozenset[int]  # agents that only wait, and as somebody does who acts as well

    def of(self, action: Action, agent: int) -> Stream | None:
        return next((s for s in self.streams if (s.action, s.agent) == (action, agent)), None)


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """What is told of all barriers of a recording, by row, (barriers,), and of its instructions."""

    address: Ints
    count: Ints
    begun: NDArray[np.bool_]  # initialised before the recording
    first_phase: Ints
    lines: NDArray[np.bool_]  # (sites,): it is known by its line in the source


def facts_of(uses: Uses, rows: Ints, own: NDArray[np.bool_], tables: Tables) -> Facts:
    """The facts of a CTA whose barriers are `rows`, by address. `own`: its agents. `uses` has those of these barriers
    alone.
    """
    address, count = tables.address, tables.count
    local = np.full(int(rows.max()) + 1, -1, np.int64)
    local[rows] = np.arange(len(rows))
    barrier = local[uses.barrier]
    action = uses.action.astype(np.int64)
    barriers = tuple(BarrierFacts(int(address[row]), int(count[row])) for row in rows)
    streams = _streams(uses, barrier)
    _agents(barriers, uses, barrier, action, own)
    by_agents = action != Action.LAND
    for place in distinct(barrier[(action == Action.LAND) | (action == Action.EXPECT) | (action == Action.COPY)]):
        barriers[place].landed = True
    for place in distinct(barrier[action == Action.COMMIT]):
        barriers[place].committed = True
    begun = bool(tables.begun[rows].any())
    if not begun:
        _first_parities(barriers, streams, tables.first_phase[rows])
    amount = np.where((action == Action.EXPECT) | (action == Action.COPY), uses.amount, 0).astype(np.int64)
    site = uses.site.astype(np.int64)
    marks = distinct_rows(*(column[by_agents] for column in (barrier, action, site, amount)))
    for place, *mark in zip(*(column.tolist() for column in marks), strict=True):
        barriers[place].marks.add((mark[0], mark[1], mark[2]))
    sites = distinct(site[by_agents & (site >= 0)])
    copied = not bool(tables.lines[sites].all())
    return Facts(barriers, tuple(streams), len(sites) > 0, copied, begun, _followers(streams))


def _agents(
    barriers: tuple[BarrierFacts, ...], uses: Uses, barrier: Ints, action: Ints, own: NDArray[np.bool_]
) -> None:
    """Who waits, releases and fills."""
    who: dict[tuple[int, int], set[int]] = defaultdict(set)
    rows = distinct_rows(barrier, action, uses.agent)
    for place, did, agent in zip(*(column.tolist() for column in rows), strict=True):
        who[place, did].add(agent)
    for key, agents in who.items():
        mine = {agent for agent in agents if own[agent]}
        who[key] = mine or agents
    for place, known in enumerate(barriers):
        known.waiters = frozenset(who.get((place, Action.WAIT), ()))
        known.arrivers = frozenset().union(*(who.get((place, did), ()) for did in RELEASES))
        known.fillers = frozenset().union(*(who.get((place, did), ()) for did in FILLS))


def _streams(uses: Uses, barrier: Ints) -> list[Stream]:
    """By agent and action. What an agent does several times on a barrier before it goes on to another or waits, as
    lanes and the loads of a stage's parts do, counts once."""
    of_agents = uses.action != Action.LAND
    order = np.flatnonzero(of_agents)[np.argsort(uses.agent[of_agents], kind="stable")]
    agent, action, barrier, parity = uses.agent[order], uses.action[order], barrier[order], uses.parity[order]
    waits = action == Action.WAIT
    goes_on = np.ones(len(order), bool)
    goes_on[1:] = (agent[1:] != agent[:-1]) | (barrier[1:] != barrier[:-1]) | (waits[1:] != waits[:-1])
    goes_on[1:] |= waits[1:] & (parity[1:] != parity[:-1])
    visit = np.cumsum(goes_on)
    once = np.zeros(len(order), bool)
    for kind in _KEEPS_ORDER:
        of_kind = np.flatnonzero(action == kind)
        once[of_kind[np.diff(visit[of_kind], prepend=-1) != 0]] = True
    agent, action, barrier, parity = agent[once], action[once], barrier[once], parity[once]
    streams: list[Stream] = []
    for one in distinct(agent.astype(np.int64)):
        places = np.flatnonzero(agent == one)
        for kind in _KEEPS_ORDER:
            at = places[action[places] == kind]
            if len(at):
                streams.append(Stream(int(one), kind, barrier[at], at - places[0], parity[at].astype(np.int64)))
    return streams


def _followers(streams: list[Stream]) -> frozenset[int]:
    """The other warps of a warpgroup of which one fills the stages: what they wait on says nothing that is not said by
    what that one does. In a run that hung, one may have come further than another."""
    acting = {stream.agent for stream in streams if stream.action != Action.WAIT}
    waits = [stream for stream in streams if stream.action == Action.WAIT]
    leads = [stream for stream in waits if stream.agent in acting]
    return frozenset(
        stream.agent
        for stream in waits
        if stream.agent not in acting and any(_goes_along(stream, lead) for lead in leads)
    )


def _goes_along(stream: Stream, lead: Stream) -> bool:
    both = min(len(stream.barrier), len(lead.barrier))
    return np.array_equal(stream.barrier[:both], lead.barrier[:both]) and np.array_equal(
        stream.parity[:both], lead.parity[:both]
    )


def _first_parities(barriers: tuple[BarrierFacts, ...], streams: list[Stream], first_phase: Ints) -> None:
    """A recording may begin in a later phase; the parity is told as if it had begun in phase 0."""
    found: dict[int, set[int]] = defaultdict(set)
    for stream in streams:
        if stream.action == Action.WAIT:
            for place, at in zip(*np.unique(stream.barrier, return_index=True), strict=True):
                found[int(place)].add(int(stream.parity[at] ^ (first_phase[place] & 1)))
    for place, parities in found.items():
        if len(parities) == 1:
            barriers[place].first_parity = parities.pop()
