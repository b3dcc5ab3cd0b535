"""Which events a lane is made of, by the lane's key: what Left and Right go through."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.playback.focus import Focus
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.replay.step_index import StepIndex, Steps
from visualizer.structure.groups import barrier_groups, find_group, warp_groups

_STAGE = re.compile(r"(?:CTA(\d{1,9})\.)?(?:(.+)\.)?stage\[(\d{1,9})\]")
_CTA = re.compile(r"CTA(\d{1,9})")
_PHASE_COMPLETE = int(EventKind.PHASE_COMPLETE)  # asked for each end of each arrow, and an enumeration answers slowly


@dataclass(frozen=True, slots=True)
class LaneSteps:
    """The transitions of a lane: those that an index has of some of its entities."""

    index: StepIndex
    rows: tuple[int, ...]

    def steps(self) -> Steps:
        """All of them, ascending."""
        if len(self.rows) == 1:
            return self.index.steps(self.rows[0])
        return np.sort(np.concatenate([np.empty(0, np.int64), *(self.index.steps(row) for row in self.rows)]))

    def before(self, step: int) -> int | None:
        """The last one before `step`."""
        return max((at for row in self.rows if (at := self.index.before(row, step)) is not None), default=None)

    def after(self, step: int) -> int | None:
        """The first one after `step`."""
        return min((at for row in self.rows if (at := self.index.after(row, step)) is not None), default=None)

    def nearest(self, step: int, direction: int, accept: Callable[[Steps], NDArray[np.bool_]]) -> int | None:
        """The nearest one after (+1) or before (-1) `step` that `accept` marks."""
        found = (self.index.nearest(row, step, direction, accept) for row in self.rows)
        return (min if direction > 0 else max)((at for at in found if at is not None), default=None)


def lane_steps(history: History, lane: str) -> LaneSteps | None:
    """The lane's transitions; None if the recording has no such lane.

    An agent's transitions are its own events, a copy engine's the issue and landing of its copies, a barrier's its
    changes, a stage's the changes of what it holds; those of a CTA or of a group of warps are its agents', those of a
    group of barriers theirs.
    """
    trace = history.trace
    row = trace.barrier_index.get(lane)
    if row is not None:
        return LaneSteps(history.barriers.index, (row,))
    row = trace.agent_index.get(lane)
    if row is not None:
        if row in history.engine_rows:
            return LaneSteps(history.copies.traffic, (trace.agents[row].cta,))
        return LaneSteps(history.agents.acts, (row,))
    return _of_stage(history, lane) or _of_group(history, lane)


def stage_of_lane(history: History, lane: str) -> int:
    """The place of the stage buffer whose lane has this key; -1: no stage's has."""
    match = _STAGE.fullmatch(lane)
    if match is None:
        return -1
    cta, structure = int(match[1] or 0), history.structure
    if cta >= history.trace.ctas:
        return -1
    rings = structure.of_cta(cta)
    ring = match[2] or (rings[0].name if rings else "")
    return structure.place(cta, ring, int(match[3]))


def _of_stage(history: History, lane: str) -> LaneSteps | None:
    place = stage_of_lane(history, lane)
    return LaneSteps(history.stages.index, (place,)) if place >= 0 else None


def _of_group(history: History, lane: str) -> LaneSteps | None:
    trace, structure = history.trace, history.structure
    cta = _CTA.fullmatch(lane)
    if cta is not None and trace.ctas > 1:
        rows = np.flatnonzero(trace.agent_cta == int(cta[1])).tolist()
        return LaneSteps(history.agents.acts, tuple(rows)) if rows else None
    warps = find_group(warp_groups(trace, structure), lane)
    if warps is not None:
        return LaneSteps(history.agents.acts, warps.rows)
    barriers = find_group(barrier_groups(trace, structure), lane)
    return LaneSteps(history.barriers.index, barriers.rows) if barriers is not None else None


def lane_key(history: History, name: str) -> str:
    """The key of the lane that somebody calls so: what people call a barrier or a warp leads to its recorded name."""
    trace = history.trace
    if name in trace.barrier_index or name in trace.agent_index:
        return name
    if name in history.barrier_titles:
        return trace.barriers[history.barrier_titles.index(name)].name
    return trace.agents[history.agent_titles.index(name)].name if name in history.agent_titles else name


def lane_title(history: History, key: str) -> str:
    """What people call the lane with this key."""
    row = history.trace.barrier_index.get(key)
    if row is not None:
        return history.barrier_title(row)
    row = history.trace.agent_index.get(key)
    return history.agent_titles[row] if row is not None else key


def home_lane(trace: Trace, step: int) -> str:
    """The lane an event belongs to: its barrier for a phase completion, else the agent that did it."""
    event = trace.events[step]
    if event["kind"] == _PHASE_COMPLETE and event["barrier"] >= 0:
        return trace.barriers[int(event["barrier"])].name
    return trace.agents[int(event["agent"])].name


def home_focus(trace: Trace, step: int) -> Focus:
    """The focus on an event, with the lane that it belongs to."""
    return Focus(step, home_lane(trace, step))
