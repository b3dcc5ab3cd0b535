"""History: the state of every barrier, agent, cursor and stage at any step, in both directions alike.

Built once per trace, in passes over columns; every look-up is a binary search. Nothing is replayed from the start.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.parallel import each
from visualizer.recording.event_columns import EventColumns, event_columns
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.agent_columns import (
    NAMES_ITS_BARRIER,
    AgentActivity,
    AgentColumns,
    activity_of,
    build_agent_columns,
)
from visualizer.replay.arrivals import Arrivals, build_arrivals
from visualizer.replay.barrier_columns import BarrierColumns, BarrierCurve, BarrierState, build_barrier_columns
from visualizer.replay.copies import Copies, build_copies
from visualizer.replay.event_places import EventPlaces
from visualizer.replay.kinds import kind_mask
from visualizer.replay.spans import Spans
from visualizer.replay.stage_columns import StageColumns, StageState, build_stage_columns
from visualizer.replay.state import State
from visualizer.replay.step_index import StepIndex, Steps
from visualizer.replay.waits import Waits, build_waits, waits_of
from visualizer.structure.engines import copy_engines
from visualizer.structure.find import structure_of
from visualizer.structure.model import Structure
from visualizer.structure.titles import agent_titles, barrier_titles

__all__ = ["AgentActivity", "BarrierCurve", "BarrierState", "History", "Spans", "StageState", "State"]


class History:
    """Everything a view asks about a trace. The columns are built when first asked for.

    The spans and curves of a lane are built on each call, in time proportional to the lane: keep what you paint.
    """

    def __init__(self, trace: Trace, structure: Structure | None = None) -> None:
        """`structure`: if it is known already; otherwise it is asked for."""
        self.trace = trace
        self._structure = structure
        self._latest: State | None = None

    def with_structure(self, structure: Structure) -> History:
        """The same recording with another structure. What does not follow from structure is not built again."""
        other = History(self.trace, structure)
        for name in ("columns", "barriers", "agents", "completion_steps", "wait_ends"):
            if name in self.__dict__:
                other.__dict__[name] = self.__dict__[name]
        return other

    def build(self) -> None:
        """Build all columns now, several at a time; otherwise each is when it is first asked for."""
        _ = self.event_places  # the others are built from it
        # Those first that need more memory on the way than they keep.
        names = ("stages", "copies", "wait_ends", "completion_steps", "barriers", "agents")
        each(lambda name: getattr(self, name), names)

    @property
    def steps(self) -> int:
        """Number of events; steps are 0..steps-1."""
        return len(self.trace)

    @cached_property
    def columns(self) -> EventColumns:
        """The columns that the others are built from."""
        return event_columns(self.trace)

    @cached_property
    def barrier_titles(self) -> tuple[str, ...]:
        """What people call each barrier: as the recording does, or, of an address alone, by what it is for."""
        return barrier_titles(self.trace, self.structure)

    @cached_property
    def agent_titles(self) -> tuple[str, ...]:
        """What people call each agent: as the recording does, or, of a number alone, with its role."""
        return agent_titles(self.trace, self.structure)

    def barrier_title(self, row: int) -> str:
        """That of one barrier."""
        return self.barrier_titles[row]

    @cached_property
    def structure(self) -> Structure:
        """What the barriers are for."""
        return structure_of(self.trace, columns=lambda: self.columns) if self._structure is None else self._structure

    @cached_property
    def event_places(self) -> EventPlaces:
        """Which stage buffer and CTA each event concerns."""
        return EventPlaces(self.columns, self.structure)

    @property
    def kinds(self) -> NDArray[np.uint8]:
        """The kind of every event."""
        return self.columns.kind

    @cached_property
    def barriers(self) -> BarrierColumns:
        return build_barrier_columns(self.columns)

    @cached_property
    def agents(self) -> AgentColumns:
        return build_agent_columns(self.columns)

    @cached_property
    def stages(self) -> StageColumns:
        return build_stage_columns(self.columns, self.structure, self.event_places)

    @cached_property
    def copies(self) -> Copies:
        return build_copies(self.columns, self.event_places)

    @cached_property
    def waits(self) -> Waits:
        """Every wait, with what let it pass."""
        return build_waits(self.columns, self.barriers)

    @cached_property
    def arrivals(self) -> Arrivals:
        """Every arrival, with its phase."""
        return build_arrivals(self.columns, self.barriers)

    @cached_property
    def copy_phases(self) -> Steps:
        """At each of `copies`: the phase of its barrier when its last bytes came; -1: they did not."""
        return self.copies.phases(self.barriers)

    @cached_property
    def completion_steps(self) -> Steps:
        """Steps of every PHASE_COMPLETE of a barrier, ascending."""
        steps = np.flatnonzero(self.kinds == EventKind.PHASE_COMPLETE)
        return steps[self.columns.barrier[steps] >= 0]

    @cached_property
    def wait_ends(self) -> StepIndex:
        """WAIT_END events by barrier."""
        mask = kind_mask(EventKind.WAIT_END)
        return StepIndex.of_kinds(self.kinds, mask, self.columns.barrier, len(self.trace.barriers))[0]

    @cached_property
    def left(self) -> dict[int, int]:
        """Agents that left the kernel -> the step of their EXIT. Who did not pass the wait it began last has not left:
        it gave up, or one lane waits and its warp's others left."""
        waits = self.waits
        last = np.flatnonzero(np.append(waits.agent[1:] != waits.agent[:-1], True)[: len(waits)])
        still_here = set(waits.agent[last[waits.end[last] < 0]].tolist())
        steps = np.flatnonzero(self.kinds == EventKind.EXIT)
        left = zip(self.trace.events["agent"][steps].tolist(), steps.tolist(), strict=True)
        return {agent: step for agent, step in left if agent not in still_here}

    @cached_property
    def last_barriers(self) -> tuple[BarrierState, ...]:
        """Every barrier after the last event, by row."""
        return tuple(self.barrier_at(row, self.steps - 1) for row in range(len(self.trace.barriers)))

    @cached_property
    def engine_rows(self) -> NDArray[np.int64]:
        """Rows of the agents that are their CTA's copy engine, ascending."""
        return np.array(copy_engines(self.trace, self.structure), np.int64)

    @cached_property
    def _engine_ctas(self) -> NDArray[np.int64]:
        return self.trace.agent_cta[self.engine_rows].astype(np.int64)

    def state_at(self, step: int) -> State:
        """The state after event `step`; IndexError outside 0..steps-1. The latest is kept: every pane asks for it."""
        if not 0 <= step < self.steps:
            raise IndexError(f"step {step} is outside 0..{self.steps - 1}")
        if self._latest is None or self._latest.step != step:
            self._latest = self._state_at(step)
        return self._latest

    def _state_at(self, step: int) -> State:
        barriers = self.barriers
        change = barriers.index.last_at(step)
        barrier = barriers.values(change)
        acts = self.agents.deciding(self.kinds, self.agents.acts.last_at(step))
        started = acts >= 0
        events = self.trace.events[np.maximum(acts, 0)]
        activity = activity_of(self.kinds, acts)
        on_a_barrier = started & NAMES_ITS_BARRIER[events["kind"]]
        activity[self.engine_rows] = self.copies.activity(self.copies.traffic.last_of(self._engine_ctas, step))
        cursors = self.agents.cursors(self.trace, step)
        stage_state, stage_tile = self.stages.values(self.stages.index.last_at(step))
        return State(
            step=step,
            barrier_phase=barrier.phase,
            barrier_pending=barrier.pending,
            barrier_expected=barrier.expected,
            barrier_tx=barrier.tx,
            barrier_valid=barrier.valid,
            barrier_change=change,
            agent_activity=activity,
            agent_barrier=np.where(on_a_barrier, events["barrier"], np.int32(-1)),
            agent_parity=np.where(on_a_barrier, events["parity"], np.int32(-1)).astype(np.int32),
            agent_stage=np.where(started, events["stage"], np.int32(-1)).astype(np.int32),
            agent_tile=np.where(started, events["tile"], np.int32(-1)),
            agent_site=np.where(started, events["site"], np.int32(-1)).astype(np.int32),
            cursor_index=cursors[:, 0],
            cursor_phase=cursors[:, 1],
            cursor_count=cursors[:, 2],
            stage_state=stage_state,
            stage_tile=stage_tile,
        )

    def barrier_at(self, barrier_row: int, step: int) -> BarrierState:
        """One barrier after event `step`, without the rest of the State; step -1 is before the first event."""
        return self.barriers.at(barrier_row, step)

    def agent_spans(self, agent_row: int) -> Spans:
        """What the agent (a warp) did when; state is an AgentActivity. Nothing before its first event or after EXIT."""
        return self.agents.spans(self.trace, agent_row)

    def cursors_at(self, step: int, ring: str | None = None) -> NDArray[np.int32]:
        """(agents, 3): index, phase, count of each agent's cursor over a ring after event `step`, -1 where it has none.

        None: over the recording's first ring. A ring that the recording does not name has no cursors.
        """
        return self.agents.cursors(self.trace, step, self.agents.ring_row(self.trace, ring))

    def waits_of(self, agent_row: int) -> Waits:
        """The waits of one agent alone, in time proportional to its lane."""
        return waits_of(self.columns, self.barriers, self.agents.acts, agent_row)

    def stage_spans(self, place: int) -> Spans:
        """What a stage buffer held when, by its place; state is a StageState, EMPTY included."""
        return self.stages.spans(self.trace, place)

    def copy_spans(self, cta: int) -> Spans:
        """The copies of a CTA, issued to landed, in order of issue; they overlap when several are in flight."""
        return self.copies.spans(self.trace, cta)

    def barrier_curve(self, barrier_row: int) -> BarrierCurve:
        """The barrier's state after each of its changes."""
        return self.barriers.curve(self.trace, barrier_row)
