"""What the focused event is about - its CTA, and what it touches - and the short names panes use for agents.

Every pane that shows one CTA shows the one this module names, so that they never disagree.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from visualizer.diagnosis.arrived import parity_of
from visualizer.language import mark, tr
from visualizer.recording.schema import EventKind
from visualizer.recording.tables import Agent
from visualizer.recording.trace import Trace
from visualizer.replay.history import BarrierState, History
from visualizer.replay.step_index import StepIndex
from visualizer.structure.model import TOLD
from visualizer.structure.titles import stage_key, stage_title

FEW_BARRIERS = 48
"""Up to so many barriers a pane may list those of all CTAs."""

MAX_LISTED = 3
"""Up to so many warps in a row are named one by one: the lesson's "w1 w2 w3"."""

ROLE_TITLES = {"producer": mark("producer"), "consumer": mark("consumers"), "other": mark("other warps")}
"""What statistics sum up: the agents of each of these roles."""


def cta_at(trace: Trace, step: int) -> int:
    """The CTA whose agent did event `step`; 0 in an empty recording."""
    if not len(trace):
        return 0
    return trace.agents[int(trace.events["agent"][step])].cta


def cta_barriers(trace: Trace, cta: int) -> list[int]:
    """Rows of the CTA's barriers, in table order."""
    return np.flatnonzero(trace.barrier_cta == cta).tolist()


def cta_agents(trace: Trace, cta: int) -> list[int]:
    """Rows of the CTA's agents, in table order."""
    return np.flatnonzero(trace.agent_cta == cta).tolist()


def short_name(agent: Agent) -> str:
    """The name without CTA and role: "producer", "w1", "tma"."""
    return agent.name.rsplit(".", 1)[-1]


def join_names(names: Iterable[str]) -> str:
    """Names in a row; four or more warps with consecutive numbers become a range: "w1 w4-w7"."""
    parts: list[str] = []
    run: list[str] = []
    for name in [*names, ""]:
        if run and _warp(name) != _warp(run[-1]) + 1:
            parts += [f"{run[0]}-{run[-1]}"] if len(run) > MAX_LISTED else run
            run = []
        run.append(name)
    return " ".join(parts)


def _warp(name: str) -> int:
    """The number of a warp's short name; -1 for other names, which are in no range."""
    return int(name[1:]) if name[:1] == "w" and name[1:].isdigit() else -1


def rings_at(history: History, step: int) -> list[str]:
    """The names of the rings of the focused event's CTA."""
    return [ring.name for ring in history.structure.of_cta(cta_at(history.trace, step))]


def ring_at(history: History, step: int, shown: str | None = None) -> str | None:
    """The name of the ring of the focused event's CTA that panes show: the one that the event is about; if it is about
    none, the one `shown` before, or the CTA's first. None: no ring is known there."""
    rings = rings_at(history, step)
    if len(rings) < 2:
        return rings[0] if rings else None
    event = history.trace.events[step]
    place = history.event_places.at(step)
    if place >= 0:
        about = history.structure.at(place)[0].name
    elif int(event["kind"]) == EventKind.ADVANCE:
        of_cta = history.structure.of_cta(cta_at(history.trace, step))
        about = next((ring.name for ring in of_cta if ring.cursor_ring == int(event["ring"])), shown or "")
    else:
        about = shown or ""
    return about if about in rings else rings[0]


def ring_title(history: History, step: int, ring: str | None) -> str:
    """What panes of one CTA's ring are headed with: the CTA if there are several, the ring if its CTA has several, and
    how sure it is that there is such a ring where nobody told so. "": nothing to say."""
    trace, structure = history.trace, history.structure
    cta = cta_at(trace, step)
    parts = [tr("CTA {cta} of {ctas}", cta=cta, ctas=trace.ctas)] if trace.ctas > 1 else []
    rings = structure.of_cta(cta)
    if ring is not None:
        if len(rings) > 1:
            # One that was found is called ring0, ring1, ...
            parts.append(ring if ring.startswith("ring") else tr("ring {name}", name=ring))
        confidence = structure.rings[structure.row(cta, ring)].confidence
        if confidence < TOLD:
            parts.append(tr("{percent:.0f} % sure", percent=100 * confidence))
    return " · ".join(parts)


def stage_place(history: History, cta: int, stage: int, ring: str | None = None) -> int:
    """The place of a stage of the CTA's ring of this name, None: of its first; -1: there is none."""
    if ring is None:
        rings = history.structure.of_cta(cta)
        ring = rings[0].name if rings else ""
    return history.structure.place(cta, ring, stage)


def stage_name(history: History, place: int) -> str:
    """What a stage buffer is called in its CTA: "stage[1]", "K.stage[1]" where there are several rings."""
    ring, stage = history.structure.at(place)
    return stage_title(stage, ring.name if len(history.structure.names) > 1 else "")


def stage_lane(history: History, place: int) -> str:
    """The key of a stage buffer's lane."""
    ring, stage = history.structure.at(place)
    return stage_key(history.trace, ring.cta, stage, ring.name if len(history.structure.names) > 1 else "")


def place_step(history: History, place: int, step: int) -> int | None:
    """The latest event that changed a stage buffer at or before `step`, else the next one, else None."""
    return _nearest(history.stages.index, place, step)


def barrier_step(history: History, row: int, step: int) -> int | None:
    """The latest event that changed a barrier at or before `step`, else the next one, else None."""
    return _nearest(history.barriers.index, row, step)


def agent_step(history: History, row: int, step: int) -> int | None:
    """The latest event by an agent at or before `step`, else the next one, else None."""
    return _nearest(history.agents.acts, row, step)


def _nearest(index: StepIndex, entity: int, step: int) -> int | None:
    before = index.before(entity, step + 1)
    return before if before is not None else index.after(entity, step)


def parity_paint(state: BarrierState) -> str:
    """What a theme calls the colours of the parity."""
    return {"0": "phase_even", "1": "phase_odd"}.get(parity_of(state), "empty")
