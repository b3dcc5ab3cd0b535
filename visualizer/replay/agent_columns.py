"""What each agent is doing after each of its events, and where its cursor stands.

An agent's activity follows from its latest event alone, so nothing is stored per event but the index of its steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.event_columns import EventColumns
from visualizer.replay.spans import Spans, merge_spans
from visualizer.replay.step_index import StepIndex, Steps, kind_mask, of_kinds, rows_where


class AgentActivity(IntEnum):
    """What an agent does. A copy engine is RUNNING while a copy is in flight, else IDLE."""

    NOT_STARTED = 0
    RUNNING = 1
    WAITING = 2
    READING = 3
    EXITED = 4
    TIMED_OUT = 5  # its wait gave up; stays so when it then leaves
    IDLE = 6


_ACTIVITY = np.full(256, AgentActivity.RUNNING, np.uint8)
_ACTIVITY[EventKind.WAIT_BEGIN] = AgentActivity.WAITING
_ACTIVITY[EventKind.READ_BEGIN] = AgentActivity.READING
_ACTIVITY[EventKind.EXIT] = AgentActivity.EXITED
_ACTIVITY[EventKind.TIMEOUT] = AgentActivity.TIMED_OUT

# Observations, not acts: they say nothing about what the agent itself does next.
_ACTS = ~kind_mask(EventKind.PHASE_COMPLETE, EventKind.WORD_SAMPLE)
ON_A_BARRIER = kind_mask(AgentActivity.WAITING, AgentActivity.TIMED_OUT)
"""At an AgentActivity: whether it has to do with one barrier."""


@dataclass(frozen=True, eq=False)
class AgentColumns:
    """Indices of every agent's acts and of its ADVANCE events (entity = agent row)."""

    acts: StepIndex
    advances: StepIndex
    start: NDArray[np.int32]  # (agents, 3): index, phase, count of the cursor before any ADVANCE; -1: no cursor

    def latest_act(self, kinds: NDArray[np.uint8], step: int) -> Steps:
        """For each agent the step that decides its activity at `step`; -1 if it has not started."""
        positions = self.acts.last_at(step)
        steps = self.acts.step_at(positions)
        left = np.flatnonzero((positions > self.acts.starts[:-1]) & (kinds[steps] == EventKind.EXIT))
        before = self.acts.step_at(positions[left] - 1)
        steps[left] = np.where(kinds[before] == EventKind.TIMEOUT, before, steps[left])
        return steps

    def cursors(self, trace: Trace, step: int) -> NDArray[np.int32]:
        """(agents, 3): index, phase, count of each agent's PipelineState."""
        positions = self.advances.last_at(step)
        cursors = self.start.copy()
        moved = np.flatnonzero(positions >= 0)
        rows = trace.events[self.advances.step_at(positions[moved])]
        cursors[moved, 0] = rows["stage"]
        cursors[moved, 1] = rows["parity"]
        cursors[moved, 2] = rows["amount"]
        return cursors

    def spans(self, trace: Trace, row: int) -> Spans:
        """The agent's activity from its first event; the time after it left is no span."""
        steps = self.acts.steps(row)
        events = trace.events[steps]
        state = _ACTIVITY[events["kind"]]
        after_timeout = np.flatnonzero((state[1:] == AgentActivity.EXITED) & (state[:-1] == AgentActivity.TIMED_OUT))
        keep = np.ones(len(steps), bool)
        keep[after_timeout + 1] = False
        steps, events, state = steps[keep], events[keep], state[keep]
        barrier = np.where(ON_A_BARRIER[state], events["barrier"], -1)
        spans = merge_spans(trace, steps, state, events["tile"], barrier)
        return spans.keep(spans.state != AgentActivity.EXITED)


def activity_of(kinds: NDArray[np.uint8], steps: Steps) -> NDArray[np.uint8]:
    """The activity that the event at each step puts its agent in; NOT_STARTED for step -1."""
    return np.where(steps < 0, np.uint8(AgentActivity.NOT_STARTED), _ACTIVITY[kinds[steps]])


def build_agent_columns(columns: EventColumns) -> AgentColumns:
    """All agents of the trace."""
    trace = columns.trace
    acts = _index(columns, of_kinds(columns.kind, _ACTS))
    advances = _index(columns, columns.kind == EventKind.ADVANCE)
    start = [(a.start.index, a.start.phase, a.start.count) if a.start else (-1, -1, -1) for a in trace.agents]
    return AgentColumns(acts, advances, np.array(start, np.int32).reshape(len(start), 3))


def _index(columns: EventColumns, chosen: NDArray[np.bool_]) -> StepIndex:
    """The chosen events by agent."""
    steps, agent = rows_where(chosen, columns.agent)
    return StepIndex.build(agent, steps, len(columns.trace.agents), len(columns.trace))[0]
