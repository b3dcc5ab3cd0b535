"""What History is held against: every event in order through Mbarrier and a plain state machine, one at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import EVENT_DTYPE, EventKind
from visualizer.recording.tables import Agent, Barrier, Ending, Meta, Site
from visualizer.recording.trace import Trace
from visualizer.replay.agent_columns import AgentActivity
from visualizer.replay.history import StageState, State
from visualizer.semantics.mbarrier import Mbarrier
from visualizer.sources.simulator.simulate import simulate

_ACTIVITY = {
    EventKind.WAIT_BEGIN: AgentActivity.WAITING,
    EventKind.READ_BEGIN: AgentActivity.READING,
    EventKind.TIMEOUT: AgentActivity.TIMED_OUT,
}


def run(seed: int = 0, **config: Any) -> Trace:
    return simulate(lesson(LessonConfig(**config)), seed=seed)


def cut(trace: Trace, events: int) -> Trace:
    """The recording as if it had stopped after so many events."""
    return replace(trace, events=trace.events[:events].copy())


def with_watchdog(trace: Trace) -> Trace:
    """A deadlocked run as the GPU's watchdog ends it: every wait that is still open times out, and its agent leaves."""
    last: dict[int, np.void] = {}
    for event in trace.events:
        if event["kind"] not in (EventKind.PHASE_COMPLETE, EventKind.COMPLETE_TX, EventKind.COPY_DONE):
            last[int(event["agent"])] = event
    added = []
    for agent, event in last.items():
        if event["kind"] == EventKind.WAIT_BEGIN:
            timeout, leaving = event.copy(), np.zeros((), EVENT_DTYPE)[()]
            timeout["kind"] = EventKind.TIMEOUT
            leaving["kind"], leaving["agent"], leaving["barrier"] = EventKind.EXIT, agent, -1
            leaving["tile"], leaving["stage"], leaving["parity"], leaving["site"] = -1, -1, -1, -1
            added += [timeout, leaving]
    extra = np.array(added, EVENT_DTYPE)
    extra["time"] = trace.duration_ps + 1_000_000
    return replace(
        trace,
        events=np.concatenate([trace.events, extra]),
        meta=replace(trace.meta, ending=Ending("timeout", "the watchdog ended it")),
    )


def handmade(*events: dict[str, Any], barriers: int = 1, agents: int = 1) -> Trace:
    """A recording of the given events, 1 ns apart, on barriers b0.. of kind other and agents a0.. of one CTA."""
    rows = np.zeros(len(events), EVENT_DTYPE)
    for name in ("tile", "barrier", "site", "stage", "parity"):
        rows[name] = -1
    rows["time"] = np.arange(len(events)) * 1000
    for row, event in zip(rows, events, strict=True):
        for name, value in event.items():
            row[name] = value
    return Trace(
        Meta("handmade", {}, {"kind": "simulator"}, Ending("completed")),
        [Agent(f"a{row}", "other", 0, row) for row in range(agents)],
        [Barrier(f"b{row}", 0, "other", -1, 1, -1) for row in range(barriers)],
        [Site("kernels/async_pipeline.cu", 1, "init")],
        rows,
    )


@dataclass
class NaiveReplay:
    """Feed it a trace's events in order with `take`; `agrees` compares what it knows with a State."""

    trace: Trace
    barriers: list[Mbarrier] = field(default_factory=list)
    flip_due: set[int] = field(default_factory=set)  # barriers that completed a phase and whose event is still to come
    activity: list[AgentActivity] = field(default_factory=list)
    latest: dict[int, np.void] = field(default_factory=dict)
    waits: dict[int, tuple[int, int]] = field(default_factory=dict)
    cursors: list[tuple[int, int, int]] = field(default_factory=list)
    in_flight: Counter[int] = field(default_factory=Counter)
    stages: list[tuple[StageState, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        trace = self.trace
        self.barriers = [Mbarrier() for _ in trace.barriers]
        self.activity = [
            AgentActivity.IDLE if a.role == "copy_engine" else AgentActivity.NOT_STARTED for a in trace.agents
        ]
        self.cursors = [
            (a.start.index, a.start.phase, a.start.count) if a.start else (-1, -1, -1) for a in trace.agents
        ]
        self.stages = [(StageState.EMPTY, -1)] * (trace.ctas * trace.stages)
        for cta in range(trace.ctas):
            for stage in range(trace.stages):
                phases = {b.kind: b.first_phase for b in trace.barriers if (b.cta, b.stage) == (cta, stage)}
                if phases.get("full", 0) > phases.get("empty", 0):
                    tile = (phases["full"] - 1) * trace.stages + stage
                    self.stages[cta * trace.stages + stage] = (StageState.FULL, tile)

    def take(self, event: np.void) -> None:
        self._barrier(event)
        self._stage(event)
        if event["kind"] != EventKind.PHASE_COMPLETE:
            self._agent(event)

    def _barrier(self, event: np.void) -> None:
        kind, row, amount = EventKind(event["kind"]), int(event["barrier"]), int(event["amount"])
        if row < 0:
            return
        barrier = self.barriers[row]
        phase = barrier.phase
        match kind:
            case EventKind.PHASE_COMPLETE:
                self.flip_due.remove(row)
            case EventKind.INIT:
                barrier.init(amount)
                barrier.phase = self.trace.barriers[row].first_phase
                return
            case EventKind.INVAL:
                barrier.inval()
            case EventKind.ARRIVE:
                barrier.arrive(amount)
            case EventKind.ARRIVE_DROP:
                barrier.arrive_drop(amount)
            case EventKind.EXPECT_TX:
                barrier.expect_tx(amount)
            case EventKind.ARRIVE_EXPECT_TX:
                barrier.arrive_expect_tx(amount)
            case EventKind.COMPLETE_TX:
                barrier.complete_tx(amount)
        if barrier.phase != phase:
            self.flip_due.add(row)

    def _stage(self, event: np.void) -> None:
        kind, row = EventKind(event["kind"]), int(event["barrier"])
        cta, stage, tile = self.trace.agents[event["agent"]].cta, int(event["stage"]), int(event["tile"])
        if kind == EventKind.PHASE_COMPLETE and self.trace.barriers[row].kind == "full":
            state = (StageState.FULL, tile)
        elif kind == EventKind.PHASE_COMPLETE and self.trace.barriers[row].kind == "empty":
            state = (StageState.EMPTY, -1)
        elif kind == EventKind.COPY_ISSUE:
            state = (StageState.FILLING, tile)
        elif kind == EventKind.READ_BEGIN:
            state = (StageState.READING, tile)
        else:
            return
        if stage >= 0:
            self.stages[cta * self.trace.stages + stage] = state

    def _agent(self, event: np.void) -> None:
        kind, agent = EventKind(event["kind"]), int(event["agent"])
        if kind == EventKind.COPY_ISSUE:
            self.in_flight[self.trace.agents[agent].cta] += 1
        if kind == EventKind.COPY_DONE:
            self.in_flight[self.trace.agents[agent].cta] -= 1
        if kind == EventKind.ADVANCE:
            self.cursors[agent] = (int(event["stage"]), int(event["parity"]), int(event["amount"]))
        if kind == EventKind.EXIT and self.activity[agent] == AgentActivity.TIMED_OUT:
            return
        self.latest[agent] = event
        if self.trace.agents[agent].role == "copy_engine":
            return
        self.waits.pop(agent, None)
        if kind in (EventKind.WAIT_BEGIN, EventKind.TIMEOUT):
            self.waits[agent] = (int(event["barrier"]), int(event["parity"]))
        self.activity[agent] = (
            AgentActivity.EXITED if kind == EventKind.EXIT else _ACTIVITY.get(kind, AgentActivity.RUNNING)
        )

    def agrees(self, state: State) -> None:
        for row, barrier in enumerate(self.barriers):
            due = row in self.flip_due
            expected = (
                barrier.valid,
                barrier.phase - due,
                0 if due else barrier.pending,
                barrier.expected,
                barrier.tx,
            )
            columns = (
                state.barrier_valid,
                state.barrier_phase,
                state.barrier_pending,
                state.barrier_expected,
                state.barrier_tx,
            )
            assert tuple(column[row] for column in columns) == expected, self.trace.barriers[row].name
        for row, agent in enumerate(self.trace.agents):
            activity = self.activity[row]
            if agent.role == "copy_engine":
                activity = AgentActivity.RUNNING if self.in_flight[agent.cta] else AgentActivity.IDLE
            assert state.agent_activity[row] == activity, agent.name
            assert (state.agent_barrier[row], state.agent_parity[row]) == self.waits.get(row, (-1, -1)), agent.name
            event = self.latest.get(row)
            place = (-1, -1, -1) if event is None else (event["stage"], event["tile"], event["site"])
            assert (state.agent_stage[row], state.agent_tile[row], state.agent_site[row]) == place, agent.name
            cursor = (state.cursor_index[row], state.cursor_phase[row], state.cursor_count[row])
            assert cursor == self.cursors[row], agent.name
        assert list(zip(state.stage_state, state.stage_tile, strict=True)) == self.stages
