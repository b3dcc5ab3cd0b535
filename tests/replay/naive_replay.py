"""What History is held against: every event in order through Mbarrier and a plain state machine, one at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import BARRIER_STATE_KINDS, EVENT_DTYPE, EventKind
from visualizer.recording.tables import Agent, Barrier, Ending, Meta, Site
from visualizer.recording.trace import Trace
from visualizer.replay.agent_columns import AgentActivity
from visualizer.replay.history import History, StageState
from visualizer.semantics.mbarrier import Mbarrier
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.find import structure_of
from visualizer.structure.model import Structure

_ACTIVITY = {
    EventKind.WAIT_BEGIN: AgentActivity.WAITING,
    EventKind.SYNC_BEGIN: AgentActivity.WAITING,
    EventKind.CLUSTER_WAIT_BEGIN: AgentActivity.WAITING,
    EventKind.WGMMA_WAIT_BEGIN: AgentActivity.WAITING,
    EventKind.STORE_WAIT_BEGIN: AgentActivity.WAITING,
    EventKind.READ_BEGIN: AgentActivity.READING,
    EventKind.RANGE_BEGIN: AgentActivity.IN_RANGE,
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
    """Feed it a trace's events in order with `take`; `agrees` compares what it knows with a History at that step."""

    trace: Trace
    barriers: list[Mbarrier] = field(default_factory=list)
    flip_due: set[int] = field(default_factory=set)  # barriers that completed a phase and whose event is still to come
    activity: list[AgentActivity] = field(default_factory=list)
    latest: dict[int, np.void] = field(default_factory=dict)
    waits: dict[int, tuple[int, int]] = field(default_factory=dict)
    cursors: dict[tuple[str, int], tuple[int, int, int]] = field(default_factory=dict)  # by ring and agent
    uncounted: set[int] = field(default_factory=set)  # barriers whose count the recording does not tell
    in_flight: Counter[int] = field(default_factory=Counter)
    completed: Counter[tuple[int, int]] = field(default_factory=Counter)  # by barrier and phase
    stages: list[tuple[StageState, int]] = field(default_factory=list)
    told: Structure | None = None  # None: what structure_of finds

    def __post_init__(self) -> None:
        trace = self.trace
        self.structure = self.told or structure_of(trace)
        self.barriers = [Mbarrier() for _ in trace.barriers]
        changes = trace.events[np.isin(trace.events["kind"], BARRIER_STATE_KINDS)]
        initialised = set(changes["barrier"][changes["kind"] == EventKind.INIT].tolist())
        for row in set(changes["barrier"].tolist()) - initialised - {-1}:
            # It was initialised before the recording began.
            told = trace.barriers[row]
            self.barriers[row] = Mbarrier(True, told.first_phase, told.init_count, told.init_count)
            if not told.init_count:
                self.uncounted.add(row)
        self.activity = [
            AgentActivity.IDLE if a.role == "copy_engine" else AgentActivity.NOT_STARTED for a in trace.agents
        ]
        for row, agent in enumerate(trace.agents):
            starts = {trace.rings[0]: agent.start, **dict(agent.more_starts)}
            for ring in trace.rings:
                start = starts.get(ring)
                self.cursors[ring, row] = (start.index, start.phase, start.count) if start else (-1, -1, -1)
        self.stages = [(StageState.EMPTY, -1)] * self.structure.places
        for place in range(self.structure.places):
            ring, stage = self.structure.at(place)
            where = (ring.cta, ring.name, stage)
            phases: dict[str, int] = {}
            for b in trace.barriers:
                if (b.cta, b.ring, b.stage) == where:
                    phases[b.kind] = min(phases.get(b.kind, b.first_phase), b.first_phase)
            if phases.get("full", 0) > phases.get("empty", 0):
                self.stages[place] = (StageState.FULL, (phases["full"] - 1) * ring.stages + stage)

    def take(self, event: np.void) -> None:
        self._barrier(event)
        self._stage(event)
        if event["kind"] not in (EventKind.PHASE_COMPLETE, EventKind.WORD_SAMPLE):
            self._agent(event)

    def _barrier(self, event: np.void) -> None:
        kind, row, amount = EventKind(event["kind"]), int(event["barrier"]), int(event["amount"])
        if row < 0:
            return
        barrier = self.barriers[row]
        if row in self.uncounted:
            self._uncounted(barrier, kind, amount)
            return
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
            case EventKind.CP_ASYNC_ARRIVE:
                barrier.increase_pending(amount)
        if barrier.phase != phase:
            self.flip_due.add(row)

    def _uncounted(self, barrier: Mbarrier, kind: EventKind, amount: int) -> None:
        """Phases as their completions tell them, and bytes; arrivals are counted towards nothing."""
        match kind:
            case EventKind.PHASE_COMPLETE:
                barrier.phase, barrier.tx = amount + 1, 0
            case EventKind.INVAL:
                barrier.valid = False
            case EventKind.EXPECT_TX | EventKind.ARRIVE_EXPECT_TX:
                barrier.tx += amount
            case EventKind.COMPLETE_TX:
                barrier.tx -= amount

    def _place(self, event: np.void) -> int:
        barrier, stage, ring = int(event["barrier"]), int(event["stage"]), self.trace.rings[event["ring"]]
        if barrier < 0:
            return self.structure.place(self.trace.agents[event["agent"]].cta, ring, stage)
        told = self.trace.barriers[barrier]
        return self.structure.place(told.cta, *((ring, stage) if stage >= 0 else (told.ring, told.stage)))

    def _stage(self, event: np.void) -> None:
        kind, row, tile = EventKind(event["kind"]), int(event["barrier"]), int(event["tile"])
        if kind == EventKind.PHASE_COMPLETE and self.trace.barriers[row].kind == "full":
            state = (StageState.FULL, tile)
        elif kind == EventKind.PHASE_COMPLETE and self.trace.barriers[row].kind == "empty":
            state = (StageState.EMPTY, -1)
        elif kind in (EventKind.COPY_ISSUE, EventKind.WRITE):
            state = (StageState.FILLING, tile)
        elif kind == EventKind.READ_BEGIN:
            state = (StageState.READING, tile)
        else:
            return
        place = self._place(event)
        if place < 0 or (kind == EventKind.PHASE_COMPLETE and not self._is_last(place, row, int(event["amount"]))):
            return
        self.stages[place] = state

    def _is_last(self, place: int, row: int, phase: int) -> bool:
        """Whether the stage has no other barrier of this kind that is still to complete the phase."""
        ring, stage = self.structure.at(place)
        rows = (ring.full if self.trace.barriers[row].kind == "full" else ring.empty)[stage]
        self.completed[row, phase] += 1
        return all(self.completed[other, phase] or self.trace.barriers[other].first_phase > phase for other in rows)

    def _agent(self, event: np.void) -> None:
        kind, agent, barrier = EventKind(event["kind"]), int(event["agent"]), int(event["barrier"])
        # A copy may go to another CTA, and then is that CTA's.
        target = self.trace.agents[agent].cta if barrier < 0 else self.trace.barriers[barrier].cta
        if kind == EventKind.COPY_ISSUE:
            self.in_flight[target] += 1
        if kind == EventKind.COPY_DONE:
            self.in_flight[target] -= 1
        if kind == EventKind.ADVANCE:
            moved = (int(event["stage"]), int(event["parity"]), int(event["amount"]))
            self.cursors[self.trace.rings[event["ring"]], agent] = moved
        if kind == EventKind.EXIT and self.activity[agent] in (
            AgentActivity.TIMED_OUT,
            AgentActivity.WAITING,
        ):
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

    def agrees(self, history: History, step: int) -> None:
        state = history.state_at(step)
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
            assert cursor == self.cursors[self.trace.rings[0], row], agent.name
            for ring in self.trace.rings:
                assert tuple(history.cursors_at(step, ring)[row].tolist()) == self.cursors[ring, row], (
                    agent.name,
                    ring,
                )
        assert list(zip(state.stage_state, state.stage_tile, strict=True)) == self.stages
