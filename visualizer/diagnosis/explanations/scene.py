"""Scene: the facts about one event that an explanation may speak of, looked up when asked for."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from visualizer.diagnosis.barrier_facts import stage_words
from visualizer.language import tr
from visualizer.recording.schema import EventFlag
from visualizer.recording.tables import Agent, AgentRole, Barrier, BarrierKind
from visualizer.replay.causality import Causality
from visualizer.replay.history import BarrierState, History, StageState
from visualizer.replay.tile_table import Cursor


class Scene:
    """The event at `step`, who acts on what, and the state of it just before and after."""

    def __init__(self, history: History, step: int) -> None:
        if not 0 <= step < history.steps:
            raise IndexError(f"step {step} is outside 0..{history.steps - 1}")
        self.history = history
        self.causality = Causality(history)
        self.trace = history.trace
        self.step = step
        self.event: np.void = history.trace.events[step]
        self.kind = int(self.event["kind"])
        self.amount = int(self.event["amount"])
        self.parity = int(self.event["parity"])
        self.tile = int(self.event["tile"])
        self.stage = int(self.event["stage"])

    @property
    def agent(self) -> Agent:
        return self.trace.agents[int(self.event["agent"])]

    @property
    def barrier(self) -> Barrier | None:
        row = int(self.event["barrier"])
        return self.trace.barriers[row] if row >= 0 else None

    @property
    def barrier_kind(self) -> BarrierKind:
        """What the event's barrier is for; "other" too where it has none, or that is not known."""
        row = int(self.event["barrier"])
        return self.history.structure.kinds[row] if row >= 0 else "other"

    @property
    def guarded(self) -> str:
        """The stage that the event's barrier guards, as sentences have it; "": none is known."""
        row = int(self.event["barrier"])
        place = int(self.history.structure.place_of[row]) if row >= 0 else -1
        return stage_words(self.history, place) if place >= 0 else ""

    @property
    def stage_words(self) -> str:
        """The stage that the event concerns, as sentences have it; "?": none is known."""
        return stage_words(self.history, self.place)

    @property
    def role(self) -> AgentRole:
        """What the event's agent does; "other" too where that is not known."""
        return self.history.structure.roles[int(self.event["agent"])]

    @property
    def barrier_name(self) -> str:
        """What people call the event's barrier."""
        row = int(self.event["barrier"])
        return self.history.barrier_title(row) if row >= 0 else tr("no barrier")

    @property
    def operation(self) -> str:
        """CUTLASS's word for what the agent does; "" where no site is known."""
        return self.trace.op_of(int(self.event["site"]))

    @cached_property
    def before(self) -> BarrierState:
        """The event's barrier just before it."""
        row = int(self.event["barrier"])
        return self.history.barrier_at(row, self.step - 1) if row >= 0 else BarrierState()

    @cached_property
    def after(self) -> BarrierState:
        """The event's barrier just after it."""
        row = int(self.event["barrier"])
        return self.history.barrier_at(row, self.step) if row >= 0 else BarrierState()

    @property
    def blocked(self) -> bool:
        return bool(self.event["flags"] & EventFlag.BLOCKED)

    @property
    def estimated(self) -> bool:
        return bool(self.event["flags"] & EventFlag.ESTIMATED)

    @cached_property
    def place(self) -> int:
        """The stage buffer that the event concerns; -1: none."""
        return self.history.event_places.at(self.step)

    def stage_before(self) -> tuple[StageState, int]:
        """State and tile of the event's stage just before it; EMPTY, -1 if it has no stage."""
        if self.place < 0:
            return StageState.EMPTY, -1
        return self.history.stages.one(self.place, self.step - 1)

    def cursor_before(self) -> Cursor | None:
        """The agent's cursor over the event's ring just before the event."""
        row, ring = int(self.event["agent"]), int(self.event["ring"])
        advance = self.history.agents.advances.before(ring * len(self.trace.agents) + row, self.step)
        if advance is None:
            index, phase, count = self.history.agents.start[ring, row].tolist()
            return None if index < 0 else Cursor(index, phase, count)
        event = self.trace.events[advance]
        return Cursor(int(event["stage"]), int(event["parity"]), int(event["amount"]))

    def previous_act(self) -> int | None:
        """The agent's own event before this one."""
        return self.history.agents.acts.before(int(self.event["agent"]), self.step)

    def elapsed(self, since_step: int) -> int:
        """ps from an earlier event to this one."""
        return self.time(self.step) - self.time(since_step)

    def time(self, step: int) -> int:
        return int(self.trace.events["time"][step])

    def names(self, steps: list[int]) -> list[str]:
        """The agents of the events, each once, in order of appearance."""
        return list(dict.fromkeys(self.trace.agents[int(self.trace.events["agent"][step])].name for step in steps))
