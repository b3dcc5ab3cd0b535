"""What the tables of every Trace hold to, whoever made it, so that nobody who reads one has to doubt it.

Passes over the tables alone; the events are checked in trace.py, piece by piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from visualizer.language import tr
from visualizer.recording.facts import MOST
from visualizer.recording.tables import Agent, Barrier
from visualizer.semantics.pipeline_state import PipelineState

MAX_RINGS = 255
MOST_CTA_RINGS = 2**20
"""Tables by CTA and ring have so many entries at most: CTAs that a file merely numbers cost memory too."""
MOST_PS = MOST
"""About two and a half hours. Every time fits exactly into a double, and sums of them over all agents into an int64."""
_LANE_OF_OTHERS = re.compile(r"CTA\d+|(.+\.)?stage\[\d+\]")


class TraceError(ValueError):
    """A recording that breaks the format's rules; the message says which rule, where, and what was expected."""


def check_tables(agents: Sequence[Agent], barriers: Sequence[Barrier], rings: Sequence[str]) -> None:
    """TraceError if the tables contradict each other."""
    _check_names(agents, barriers)
    if not 1 <= len(rings) <= MAX_RINGS or len(set(rings)) != len(rings):
        raise TraceError(
            tr("rings must be 1..{most} different names, not {names}", most=MAX_RINGS, names=list(rings)[:MAX_RINGS])
        )
    known = set(rings)
    for row, barrier in enumerate(barriers):
        if barrier.ring not in known:
            raise TraceError(
                tr("barrier {row} is of ring {ring!r}, which is none of the rings", row=row, ring=barrier.ring)
            )
    for agent in agents:
        for ring, _ in agent.more_starts:
            if ring not in known:
                raise TraceError(tr("an agent has a cursor over ring {ring!r}, which is none of the rings", ring=ring))
    _check_cursors(agents, rings, _stages_of_rings(barriers))


def _check_names(agents: Sequence[Agent], barriers: Sequence[Barrier]) -> None:
    """A name is a lane, and a lane is one thing."""
    seen: set[str] = set()
    for name in (row.name for table in (agents, barriers) for row in table):
        if not name:
            raise TraceError(tr("an agent or barrier has no name; names are texts that differ"))
        if name in seen:
            raise TraceError(tr("two agents or barriers are called {name!r}; names must differ", name=name))
        seen.add(name)
        if _LANE_OF_OTHERS.fullmatch(name):
            raise TraceError(tr("an agent or barrier is called {name!r}, as the lane of a stage or CTA is", name=name))


def _stages_of_rings(barriers: Sequence[Barrier]) -> Mapping[str, int]:
    """How many stages each ring has, by its barriers in any CTA."""
    stages: dict[str, int] = {}
    for barrier in barriers:
        if barrier.stage >= 0:
            stages[barrier.ring] = max(stages.get(barrier.ring, 0), barrier.stage + 1)
    return stages


def _check_cursors(agents: Sequence[Agent], rings: Sequence[str], stages: Mapping[str, int]) -> None:
    seen: set[tuple[str, str]] = set()
    for agent, ring, cursor in _cursors(agents, rings):
        if (agent.name, ring) in seen:
            raise TraceError(tr("agent {agent!r} has two cursors over ring {ring!r}", agent=agent.name, ring=ring))
        seen.add((agent.name, ring))
        if cursor.index >= stages.get(ring, cursor.stages):
            raise TraceError(
                tr(
                    "agent {agent!r} starts at stage {index} of ring {ring!r}, which has {stages} stages",
                    agent=agent.name,
                    index=cursor.index,
                    ring=ring,
                    stages=stages[ring],
                )
            )


def _cursors(agents: Sequence[Agent], rings: Sequence[str]) -> Iterator[tuple[Agent, str, PipelineState]]:
    for agent in agents:
        if agent.start is not None:
            yield agent, rings[0], agent.start
        for ring, cursor in agent.more_starts:
            yield agent, ring, cursor


def check_size(agents: Sequence[Agent], barriers: Sequence[Barrier], rings: Sequence[str], stages: int) -> None:
    """TraceError if the tables declare more than they have rows for: what is built from them is bounded by that.

    `stages`: how many a CTA has at least, also where no barrier belongs to one.
    """
    stages = max(stages, sum(_stages_of_rings(barriers).values()))
    ctas = {agent.cta for agent in agents} | {barrier.cta for barrier in barriers}
    numbered = 1 + max(ctas, default=-1)
    if numbered * len(rings) > MOST_CTA_RINGS:
        raise TraceError(
            tr(
                "{ctas} CTAs with {rings} rings are more than phasescope has room for, which is {most} of both",
                ctas=numbered,
                rings=len(rings),
                most=MOST_CTA_RINGS,
            )
        )
    places, most = len(ctas) * stages, 1024 + 8 * (len(agents) + len(barriers))
    if places > most:
        raise TraceError(
            tr(
                "{ctas} CTAs with {stages} stages each are more than {rows} agents and barriers can be about",
                ctas=len(ctas),
                stages=stages,
                rows=len(agents) + len(barriers),
            )
        )
