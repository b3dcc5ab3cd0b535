"""What each agent is doing after each of its events, and where its cursor stands.

An agent's activity follows from its latest event alone, so nothing is stored per event but the index of its steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.event_columns import EventColumns
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.kinds import kind_mask
from visualizer.replay.spans import NO_SPANS, Spans, merge_spans
from visualizer.replay.step_index import ALL_ROWS, Rows, StepIndex, Steps, rows_where


class AgentActivity(IntEnum):
    """What an agent does. A copy engine is RUNNING while a copy is in flight, else IDLE."""

    NOT_STARTED = 0
    RUNNING = 1
    WAITING = 2
    READING = 3
    EXITED = 4
    TIMED_OUT = 5  # its wait gave up; stays so when it then leaves
    IDLE = 6
    IN_RANGE = 7  # within a stretch of work that its program names


_ACTIVITY = np.full(256, AgentActivity.RUNNING, np.uint8)
_ACTIVITY[
    [
        EventKind.WAIT_BEGIN,
        EventKind.SYNC_BEGIN,
        EventKind.CLUSTER_WAIT_BEGIN,
        EventKind.WGMMA_WAIT_BEGIN,
        EventKind.STORE_WAIT_BEGIN,
        EventKind.SETMAXNREG_INC_BEGIN,
    ]
] = AgentActivity.WAITING
_ACTIVITY[EventKind.READ_BEGIN] = AgentActivity.READING
_ACTIVITY[EventKind.RANGE_BEGIN] = AgentActivity.IN_RANGE
_ACTIVITY[EventKind.EXIT] = AgentActivity.EXITED
_ACTIVITY[EventKind.TIMEOUT] = AgentActivity.TIMED_OUT

# Who leaves right after such an act waits on: it gave up, or one lane waits and its warp's others left (History.left).
_HELD = (_ACTIVITY == AgentActivity.WAITING) | (_ACTIVITY == AgentActivity.TIMED_OUT)

# Observations, not acts: they say nothing about what the agent itself does next.
_ACTS = ~kind_mask(EventKind.PHASE_COMPLETE, EventKind.WORD_SAMPLE)
NAMES_ITS_BARRIER = kind_mask(EventKind.WAIT_BEGIN, EventKind.TIMEOUT)
"""At the kind of an agent's latest act: whether it waits for, or gave up on, the mbarrier that the event names."""


@dataclass(frozen=True, eq=False)
class AgentColumns:
    """Indices of every agent's acts (entity = agent row) and of its ADVANCE events, by ring of the trace as well."""

    acts: StepIndex
    advances: StepIndex  # entity = ring * agents + agent: agent row alone for the first ring
    start: NDArray[np.int32]  # (rings, agents, 3): index, phase, count of the cursor before any ADVANCE; -1: no cursor

    def deciding(self, kinds: NDArray[np.uint8], positions: Steps, agents: Rows = ALL_ROWS) -> Steps:
        """The step that decides the activity of each agent whose latest of `acts` is at a position, (n,); -1 if it has
        not started."""
        steps = self.acts.step_at(positions)
        left = np.flatnonzero((positions > self.acts.starts[:-1][agents]) & (kinds[steps] == EventKind.EXIT))
        before = self.acts.step_at(positions[left] - 1)
        steps[left] = np.where(_HELD[kinds[before]], before, steps[left])
        return steps

    def last_deciding(self, kinds: NDArray[np.uint8], row: int) -> int:
        """The step that decides an agent's activity at the end; -1 if it has not started."""
        end = int(self.acts.starts[row + 1])
        if end == self.acts.starts[row]:
            return -1
        return int(self.deciding(kinds, np.array([end - 1]), np.array([row]))[0])

    def ring_row(self, trace: Trace, ring: str | None) -> int:
        """The row of Trace.rings; that of the first for None, -1 for a ring that the trace does not name."""
        return 0 if ring is None else trace.rings.index(ring) if ring in trace.rings else -1

    def cursors(self, trace: Trace, step: int, ring: int = 0) -> NDArray[np.int32]:
        """(agents, 3): index, phase, count of each agent's PipelineState over a ring; all -1 for ring -1."""
        agents = self.start.shape[1]
        if ring < 0:
            return np.full((agents, 3), -1, np.int32)
        return self.advanced(trace, self.advances.last_at(step)[ring * agents : (ring + 1) * agents], ring)

    def advanced(self, trace: Trace, positions: Steps, ring: int, agents: Rows = ALL_ROWS) -> NDArray[np.int32]:
        """(n, 3): the same of each agent whose latest of `advances` is at a position; -1: it has not advanced."""
        cursors: NDArray[np.int32] = self.start[ring, agents].copy()
        moved = np.flatnonzero(positions >= 0)
        rows = trace.events[self.advances.step_at(positions[moved])]
        cursors[moved, 0] = rows["stage"]
        cursors[moved, 1] = rows["parity"]
        cursors[moved, 2] = rows["amount"]
        return cursors

    def spans(self, trace: Trace, row: int) -> Spans:
        """The agent's activity from its first event; the time after it left is no span."""
        steps = self.acts.steps(row)
        if not len(steps):  # of thousands of agents most may have done nothing
            return NO_SPANS
        events = trace.events[steps]
        state = _ACTIVITY[events["kind"]]
        keep = np.ones(len(steps), bool)
        keep[1:] = (state[1:] != AgentActivity.EXITED) | ~_HELD[events["kind"][:-1]]
        steps, events, state = steps[keep], events[keep], state[keep]
        barrier = np.where(NAMES_ITS_BARRIER[events["kind"]], events["barrier"], -1)
        # A range that follows another one is another stretch.
        apart = np.where(state == AgentActivity.IN_RANGE, -2 - steps, barrier)
        spans = merge_spans(trace, steps, state, events["tile"], apart)
        return spans.keep(spans.state != AgentActivity.EXITED)


def activity_of(kinds: NDArray[np.uint8], steps: Steps) -> NDArray[np.uint8]:
    """The activity that the event at each step puts its agent in; NOT_STARTED for step -1."""
    return np.where(steps < 0, np.uint8(AgentActivity.NOT_STARTED), _ACTIVITY[kinds[steps]])


def build_agent_columns(columns: EventColumns) -> AgentColumns:
    """All agents of the trace."""
    trace = columns.trace
    agents, rings = len(trace.agents), len(trace.rings)
    acts = StepIndex.of_kinds(columns.kind, _ACTS, columns.agent, agents)[0]
    steps, agent = rows_where(columns.kind == EventKind.ADVANCE, columns.agent)
    if rings > 1:
        agent = columns.ring[steps].astype(np.int64) * agents + agent
    advances = StepIndex.build(agent, steps, rings * agents, len(trace))[0]
    start = np.full((rings, agents, 3), -1, np.int32)
    for row, told in enumerate(trace.agents):
        for name, cursor in ((trace.rings[0], told.start), *told.more_starts):
            if cursor is not None:
                start[trace.rings.index(name), row] = cursor.index, cursor.phase, cursor.count
    return AgentColumns(acts, advances, start)
