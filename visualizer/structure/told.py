"""The structure that a recording's tables tell: barriers with a kind, a ring and a stage; agents with a role."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from visualizer.recording.tables import Agent, AgentRole
from visualizer.recording.trace import Trace
from visualizer.structure.model import Ring, Structure

_CONSUMES: tuple[AgentRole, ...] = ("consumer", "epilogue")


def tells(trace: Trace) -> bool:
    """Whether the tables say anything of stages."""
    return trace.stages > 0


def told(trace: Trace) -> Structure:
    """The structure as told.

    A CTA's ring has the stages that its barriers belong to. Where there is but one ring, every CTA has all its stages:
    where no barrier belongs to one, as in a cp.async pipeline, those that Trace.stages knows of.
    """
    of_ring = defaultdict(list)
    for row, barrier in enumerate(trace.barriers):
        if barrier.stage >= 0:
            of_ring[barrier.cta, barrier.ring].append(row)
    agents_of = defaultdict(list)
    for row, agent in enumerate(trace.agents):
        agents_of[agent.cta].append(row)
    rings: list[Ring] = []
    ring_of = np.full(len(trace.barriers), -1, np.int32)
    for cta in trace.recorded_ctas:
        for name in trace.rings:
            rows = of_ring[cta, name]
            stages = 1 + max((trace.barriers[row].stage for row in rows), default=-1)
            if len(trace.rings) == 1:
                stages = trace.stages
            if not stages:
                continue
            ring_of[rows] = len(rings)
            rings.append(_ring(trace, cta, name, stages, rows, agents_of[cta]))
    return Structure(
        tuple(rings),
        tuple(trace.rings),
        tuple(agent.role for agent in trace.agents),
        tuple(barrier.kind for barrier in trace.barriers),
        ring_of,
        np.array([barrier.stage for barrier in trace.barriers], np.int32).reshape(-1),
    )


def _ring(trace: Trace, cta: int, name: str, stages: int, rows: list[int], agents: list[int]) -> Ring:
    """One ring of one CTA, of its barriers in `rows`. Who of its `agents` goes round it: agents of that role, with a
    cursor over it if they have cursors over several rings."""
    full: list[list[int]] = [[] for _ in range(stages)]
    empty: list[list[int]] = [[] for _ in range(stages)]
    for row in rows:
        barrier = trace.barriers[row]
        if barrier.kind in ("full", "empty"):
            (full if barrier.kind == "full" else empty)[barrier.stage].append(row)
    takes_part = [row for row in agents if _goes_round(trace.agents[row], name, trace.rings[0])]
    return Ring(
        name,
        cta,
        tuple(map(tuple, full)),
        tuple(map(tuple, empty)),
        producers=tuple(row for row in takes_part if _fills(trace.agents[row], name, trace.rings[0])),
        consumers=tuple(row for row in takes_part if _reads(trace.agents[row], name, trace.rings[0])),
        cursor_ring=trace.rings.index(name),
    )


def _goes_round(agent: Agent, ring: str, first: str) -> bool:
    """Whether the agent may go round the ring: it has a cursor over it, or of the first ring, over no ring at all."""
    if ring != first:
        return ring in dict(agent.more_starts)
    return agent.start is not None or not agent.more_starts


def _fills(agent: Agent, ring: str, first: str) -> bool:
    """An MMA warp fills the accumulators, round which it starts inverted as a producer does."""
    return agent.role == "producer" or (agent.role == "mma" and _starts_inverted(agent, ring, first))


def _reads(agent: Agent, ring: str, first: str) -> bool:
    return agent.role in _CONSUMES or (agent.role == "mma" and not _starts_inverted(agent, ring, first))


def _starts_inverted(agent: Agent, ring: str, first: str) -> bool:
    start = agent.start if ring == first else dict(agent.more_starts)[ring]
    return start is not None and start.phase == 1
