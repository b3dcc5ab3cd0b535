"""Which events a lane is made of, by the lane's key: what Left and Right go through."""

from __future__ import annotations

import re

from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.replay.step_index import StepIndex

_STAGE = re.compile(r"(?:CTA(\d{1,9})\.)?(?:(.+)\.)?stage\[(\d{1,9})\]")


def lane_steps(history: History, lane: str) -> tuple[StepIndex, int] | None:
    """The index and entity that hold the lane's transitions; None if the recording has no such lane.

    An agent's transitions are its own events, a copy engine's the issue and landing of its copies, a barrier's its
    changes, a stage's the changes of what it holds.
    """
    trace = history.trace
    row = trace.barrier_index.get(lane)
    if row is not None:
        return history.barriers.index, row
    row = trace.agent_index.get(lane)
    if row is not None:
        is_engine = history.structure.roles[row] == "copy_engine"
        return (history.copies.traffic, trace.agents[row].cta) if is_engine else (history.agents.acts, row)
    match = _STAGE.fullmatch(lane)
    if match is None:
        return None
    cta, structure = int(match[1] or 0), history.structure
    rings = structure.of_cta(cta)
    ring = match[2] or (rings[0].name if rings else "")
    place = structure.place(cta, ring, int(match[3]))
    return (history.stages.index, place) if place >= 0 and cta < trace.ctas else None


def home_lane(trace: Trace, step: int) -> str:
    """The lane an event belongs to: its barrier for a phase completion, else the agent that did it."""
    event = trace.events[step]
    if event["kind"] == EventKind.PHASE_COMPLETE and event["barrier"] >= 0:
        return trace.barriers[int(event["barrier"])].name
    return trace.agents[int(event["agent"])].name
