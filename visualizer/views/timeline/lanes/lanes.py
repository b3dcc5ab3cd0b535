"""Lanes: the rows of the timeline, one for each agent, copy engine, stage buffer and barrier, and those that fold.

A lane that folds heads others, and stands for them where they are folded: a CTA, warps of one role in one warpgroup, a
ring. A lane's key, which Focus uses, is the name people already know ("producer", "full[0]", "CTA1.stage[2]"), so it
can stand in an address.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.tables import without_cta
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.replay.spans import Spans
from visualizer.structure.engines import copy_engines
from visualizer.structure.find import structure_of
from visualizer.structure.groups import Group, barrier_groups, warp_groups
from visualizer.structure.model import Structure
from visualizer.structure.titles import agent_name, barrier_name, stage_key, stage_title

LaneKind = Literal["cta", "warps", "ring", "agent", "copy", "stage", "barrier"]


@dataclass(frozen=True, slots=True)
class Lane:
    """One row. `row` is the agent's or barrier's row in its table; for a stage, its place; for a CTA, cta; for a ring
    its row in Structure.rings, -1 for the barriers of no ring; for warps, the first one's.

    A CTA's lane sums it up and heads its others; there is none where there is one CTA only.
    """

    key: str
    title: str  # without the CTA, which the header shows once for all its lanes; by structure where nobody named it
    kind: LaneKind
    cta: int
    row: int
    parent: str = ""  # key of the lane that folds this one; "": none does
    size: int = 0  # warps of a group, stages of a ring, barriers of none; 0 of all others

    @property
    def folds(self) -> bool:
        """Whether it heads other lanes, which can be folded into it."""
        return self.kind in ("cta", "warps", "ring")

    @property
    def name(self) -> str:
        """The title with the CTA, where there are several."""
        prefix = f"CTA{self.cta}."
        return prefix + self.title if self.key.startswith(prefix) else self.title


def build_lanes(trace: Trace, structure: Structure | None = None) -> list[Lane]:
    """All lanes in drawing order, each that folds above those it heads: for each CTA its agents, copy engine, stage
    buffers, then barriers; where there are several rings, for each ring its stage buffers and barriers.

    `structure`: if it is known already; otherwise it is asked for.
    """
    return _Builder(trace, structure or structure_of(trace)).build()


def count_single_lanes(trace: Trace, structure: Structure) -> int:
    """How many of the lanes head no others, without laying them out."""
    recorded = set(trace.agent_cta.tolist())
    stages = sum(ring.stages for ring in structure.rings if ring.cta in recorded)
    return len(trace.agents) + len(trace.barriers) + stages


def lanes_of_folds(lanes: Iterable[Lane]) -> dict[str, list[Lane]]:
    """The lanes that each of those that fold stands for, however far below it, by its key."""
    folds = {lane.key: lane for lane in lanes if lane.folds}
    found: dict[str, list[Lane]] = {key: [] for key in folds}
    for lane in lanes:
        above = None if lane.folds else folds.get(lane.parent)
        while above is not None:
            found[above.key].append(lane)
            above = folds.get(above.parent)
    return found


class _Builder:
    """Lays out the lanes of every CTA, each in a list of its own."""

    def __init__(self, trace: Trace, structure: Structure) -> None:
        self._trace = trace
        self._structure = structure
        ctas = trace.recorded_ctas  # of a large grid only some may be
        heads = {cta: Lane(f"CTA{cta}", f"CTA{cta}", "cta", cta, cta) for cta in ctas if len(ctas) > 1}
        self._engines = dict.fromkeys(copy_engines(trace, structure))
        self._recorded = {agent.cta for agent in trace.agents}
        self._above = {cta: f"CTA{cta}" if cta in heads else "" for cta in ctas}
        self._ctas: dict[int, list[Lane]] = {cta: [heads[cta]] if cta in heads else [] for cta in ctas}

    def build(self) -> list[Lane]:
        self._add_agents()
        self._add_engines()
        groups = barrier_groups(self._trace, self._structure)
        headed = {group.cta for group in groups}
        for place in range(self._structure.places):
            ring, _ = self._structure.at(place)
            if ring.cta not in headed:
                self._add_stage(place, self._above[ring.cta])
        for row, barrier in enumerate(self._trace.barriers):
            if barrier.cta not in headed:
                self._add_barrier(row, self._above[barrier.cta])
        for group in groups:
            self._add_group(group)
        return [lane for lanes in self._ctas.values() for lane in lanes]

    def _add_agents(self) -> None:
        """Warps of a group stand below its head, where the first of them was."""
        trace = self._trace
        group_of = {row: group for group in warp_groups(trace, self._structure) for row in group.rows}
        for row, agent in enumerate(trace.agents):
            lanes, above, group = self._ctas[agent.cta], self._above[agent.cta], group_of.get(row)
            if group is None and row not in self._engines:
                title = agent_name(trace, self._structure, row)
                lanes.append(Lane(agent.name, title, "agent", agent.cta, row, above))
            elif group is not None and row == group.rows[0]:
                lanes.append(Lane(group.key, group.title, "warps", agent.cta, row, above, len(group.rows)))
                for member in group.rows:
                    name = trace.agents[member].name  # without its role, which the group tells
                    lanes.append(Lane(name, without_cta(name), "agent", agent.cta, member, group.key))

    def _add_engines(self) -> None:
        for row in self._engines:
            agent = self._trace.agents[row]
            title, above = without_cta(agent.name), self._above[agent.cta]
            self._ctas[agent.cta].append(Lane(agent.name, title, "copy", agent.cta, row, above))

    def _add_group(self, group: Group) -> None:
        first = self._structure.first_place
        places = range(*first[group.ring : group.ring + 2].tolist()) if group.ring >= 0 else range(0)
        size, above = len(places) or len(group.rows), self._above[group.cta]
        self._ctas[group.cta].append(Lane(group.key, group.title, "ring", group.cta, group.ring, above, size))
        for place in places:
            self._add_stage(place, group.key)
        for row in group.rows:
            self._add_barrier(row, group.key)

    def _add_stage(self, place: int, above: str) -> None:
        ring, stage = self._structure.at(place)
        if ring.cta in self._recorded:
            name = ring.name if len(self._structure.names) > 1 else ""
            key, title = stage_key(self._trace, ring.cta, stage, name), stage_title(stage, name)
            self._ctas[ring.cta].append(Lane(key, title, "stage", ring.cta, place, above))

    def _add_barrier(self, row: int, above: str) -> None:
        barrier = self._trace.barriers[row]
        title = barrier_name(self._trace, self._structure, row)
        self._ctas[barrier.cta].append(Lane(barrier.name, title, "barrier", barrier.cta, row, above))


def copy_targets(history: History, spans: Spans) -> NDArray[np.int64]:
    """What each copy goes to, as a number: its place, or else behind all places its barrier's row. Shape (spans,)."""
    place = history.event_places.of(spans.first_step)
    return np.where(place >= 0, place, history.structure.places + 1 + spans.barrier)


def target_title(history: History, target: int) -> str:
    """Its name: "stage[1]", "K.stage[1]", or "full[1]" where no stage is known."""
    structure = history.structure
    if target < structure.places:
        ring, stage = structure.at(target)
        return stage_title(stage, ring.name if len(structure.names) > 1 else "")
    barrier = target - structure.places - 1
    return barrier_name(history.trace, structure, barrier) if barrier >= 0 else "shared memory"
