"""Lanes: the rows of the timeline, one for each agent, copy engine, stage buffer and barrier, and one for each CTA.

A lane's key, which Focus uses, is the name people already know ("producer", "full[0]", "CTA1.stage[2]"), so it can
stand in an address.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.replay.spans import Spans
from visualizer.structure.find import structure_of
from visualizer.structure.model import Structure

LaneKind = Literal["cta", "agent", "copy", "stage", "barrier"]


@dataclass(frozen=True, slots=True)
class Lane:
    """One row. `row` is the agent's or barrier's row in its table; for a stage, its place; for a CTA, cta.

    A CTA's lane sums it up and heads its others; there is none where there is one CTA only.
    """

    key: str
    title: str  # the key without the CTA, which the header shows once for all its lanes
    kind: LaneKind
    cta: int
    row: int


def build_lanes(trace: Trace, structure: Structure | None = None) -> list[Lane]:
    """All lanes in drawing order: for each CTA its summary, agents, copy engine, stage buffers, then barriers.

    `structure`: if it is known already; otherwise it is asked for.
    """
    structure = structure or structure_of(trace)
    groups: dict[int, list[Lane]] = {cta: [] for cta in trace.recorded_ctas}

    def add(lane: Lane) -> None:
        groups[lane.cta].append(lane)

    for row, agent in enumerate(trace.agents):
        if agent.role != "copy_engine":
            add(Lane(agent.name, _title(agent.name), "agent", agent.cta, row))
    for row, agent in enumerate(trace.agents):
        if agent.role == "copy_engine":
            add(Lane(agent.name, _title(agent.name), "copy", agent.cta, row))
    for place in range(structure.places):
        ring, stage = structure.at(place)
        name = ring.name if len(structure.names) > 1 else ""
        key = stage_key(trace, ring.cta, stage, name)
        add(Lane(key, stage_title(stage, name), "stage", ring.cta, place))
    for row, barrier in enumerate(trace.barriers):
        add(Lane(barrier.name, _title(barrier.name), "barrier", barrier.cta, row))
    if len(groups) > 1:
        for cta, group in groups.items():
            group.insert(0, Lane(f"CTA{cta}", f"CTA{cta}", "cta", cta, cta))
    return [lane for group in groups.values() for lane in group]


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
    return _title(history.trace.barriers[barrier].name) if barrier >= 0 else "shared memory"


def _title(name: str) -> str:
    return name.partition(".")[2] if name.startswith("CTA") and "." in name else name
