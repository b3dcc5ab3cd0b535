"""Lanes: the rows of the timeline, one for each agent, copy engine, stage buffer and barrier, and those that fold.

A lane that folds heads others, and stands for them where they are folded: a CTA, warps of one role in one warpgroup, a
ring. A lane's key, which Focus uses, is the name people already know ("producer", "full[0]", "CTA1.stage[2]"), so it
can stand in an address.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.replay.spans import Spans
from visualizer.structure.find import structure_of
from visualizer.structure.groups import Group, barrier_groups, warp_groups
from visualizer.structure.model import Structure
from visualizer.structure.names import agent_name, barrier_name, without_cta

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
    size: int = 0  # of one that folds: how many CTAs' agents, warps, stages or barriers it stands for

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
    structure = structure or structure_of(trace)
    ctas: list[list[Lane]] = [[] for _ in range(max(trace.ctas, 1))]

    def add(lane: Lane) -> None:
        while lane.cta >= len(ctas):  # barriers of a CTA that has no agents
            ctas.append([])
        ctas[lane.cta].append(lane)

    def add_agents(kind: LaneKind, engines: bool) -> None:
        for row, agent in enumerate(trace.agents):
            if (agent.role == "copy_engine") is engines:
                add(Lane(agent.name, agent_name(trace, structure, row), kind, agent.cta, row))

    add_agents("agent", engines=False)
    add_agents("copy", engines=True)
    recorded = {agent.cta for agent in trace.agents}  # every k-th may be all that was recorded
    for place in range(structure.places):
        ring, stage = structure.at(place)
        if ring.cta in recorded:
            name = ring.name if len(structure.names) > 1 else ""
            key = stage_key(trace, ring.cta, stage, name)
            add(Lane(key, stage_title(stage, name), "stage", ring.cta, place))
    for row, barrier in enumerate(trace.barriers):
        add(Lane(barrier.name, barrier_name(trace, structure, row), "barrier", barrier.cta, row))
    warps, rings = _by_cta(warp_groups(trace, structure)), _by_cta(barrier_groups(trace, structure))
    lanes: list[Lane] = []
    for cta, members in enumerate(ctas):
        above = f"CTA{cta}" if len(ctas) > 1 else ""
        if above:
            lanes.append(Lane(above, above, "cta", cta, cta))
        grouped = _by_ring(structure, _by_warps(members, warps.get(cta, [])), rings.get(cta, []))
        lanes += [lane if lane.parent else replace(lane, parent=above) for lane in grouped]
    return lanes


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


def _by_cta(groups: Sequence[Group]) -> dict[int, list[Group]]:
    found: dict[int, list[Group]] = {}
    for group in groups:
        found.setdefault(group.cta, []).append(group)
    return found


def _by_warps(lanes: list[Lane], groups: list[Group]) -> list[Lane]:
    """A CTA's lanes, with the warps of each group below a lane that folds them, where the first of them was."""
    agents = {lane.row: lane for lane in lanes if lane.kind == "agent"}
    of = {row: group for group in groups for row in group.rows}
    result: list[Lane] = []
    for lane in lanes:
        group = of.get(lane.row) if lane.kind == "agent" else None
        if group is None:
            result.append(lane)
        elif lane.row == group.rows[0]:
            result.append(Lane(group.key, group.title, "warps", lane.cta, lane.row, size=len(group.rows)))
            # The group tells their role.
            result += [replace(agents[row], title=without_cta(agents[row].key), parent=group.key) for row in group.rows]
    return result


def _by_ring(structure: Structure, lanes: list[Lane], groups: list[Group]) -> list[Lane]:
    """The same with the stage buffers and barriers of each ring below a lane that folds them."""
    if not groups:
        return lanes
    barriers = {lane.row: lane for lane in lanes if lane.kind == "barrier"}
    result = [lane for lane in lanes if lane.kind not in ("stage", "barrier")]
    stages = {lane.row: lane for lane in lanes if lane.kind == "stage"}
    for group in groups:
        places = range(0)
        if group.ring >= 0:
            places = range(*structure.first_place[group.ring : group.ring + 2].tolist())
        size = len(places) or len(group.rows)
        members = [*(stages[place] for place in places if place in stages), *(barriers[row] for row in group.rows)]
        result.append(Lane(group.key, group.title, "ring", group.cta, group.ring, size=size))
        result += [replace(lane, parent=group.key) for lane in members]
    return result


def stage_key(trace: Trace, cta: int, stage: int, ring: str = "") -> str:
    """The key of a stage buffer's lane: "stage[1]", or "CTA2.stage[1]" when there are several CTAs, and
    "CTA2.K.stage[1]" when they have several rings."""
    title = stage_title(stage, ring)
    return f"CTA{cta}.{title}" if trace.ctas > 1 else title


def stage_title(stage: int, ring: str = "") -> str:
    """The same without the CTA."""
    return f"{ring}.stage[{stage}]" if ring else f"stage[{stage}]"


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
