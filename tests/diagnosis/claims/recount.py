"""What happened on barriers, counted event by event: what the sentences of a diagnosis are held against.

Nothing of replay or diagnosis is used, so that both cannot be wrong in the same way.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from visualizer.programs.program import Program
from visualizer.recording.schema import EventKind as K
from visualizer.recording.trace import Trace

_ARRIVING = (K.ARRIVE, K.ARRIVE_DROP, K.ARRIVE_EXPECT_TX)


@dataclass
class Phase:
    """A phase of a barrier: the steps of what counts for it."""

    arrivals: list[tuple[str, int, int]] = field(default_factory=list)  # agent, count, step
    expects: list[int] = field(default_factory=list)
    bytes_expected: int = 0
    landed: int = 0
    completed: int | None = None  # the step of its completion

    @property
    def arrived(self) -> int:
        return sum(count for _, count, _ in self.arrivals)

    @property
    def who(self) -> set[str]:
        return {agent for agent, _, _ in self.arrivals}


class Recount:
    """A trace gone through once."""

    def __init__(self, trace: Trace, program: Program | None = None) -> None:
        self.trace, self.program = trace, program
        self.agents = [agent.name for agent in trace.agents]
        self.barriers = [barrier.name for barrier in trace.barriers]
        self.phases: dict[str, list[Phase]] = {name: [Phase()] for name in self.barriers}
        self.init: dict[str, int] = {}
        self.open_waits: dict[str, tuple[str, int, int]] = {}  # agent -> barrier, parity, step
        self.waits: list[tuple[str, str, int, int, int]] = []  # agent, barrier, parity, begin, how often completed then
        self.exited: dict[str, int] = {}
        self.issued: list[tuple[int, str, str, int, int, int]] = []  # step, agent, barrier, stage, bytes, tile
        self.in_flight: Counter[str] = Counter()
        self.steps = trace.events.tolist()
        names = trace.events.dtype.names or ()
        self.events = [dict(zip(names, row, strict=True)) for row in self.steps]
        for step, event in enumerate(self.events):
            self._see(step, event)

    def _see(self, step: int, event: dict[str, int]) -> None:
        kind, agent = event["kind"], self.agents[event["agent"]]
        barrier = self.barriers[event["barrier"]] if event["barrier"] >= 0 else ""
        now = self.phases[barrier][-1] if barrier else Phase()
        if kind == K.INIT:
            self.init[barrier] = event["amount"]
        elif kind in _ARRIVING:
            now.arrivals.append((agent, 1 if kind == K.ARRIVE_EXPECT_TX else event["amount"], step))
        if kind in (K.ARRIVE_EXPECT_TX, K.EXPECT_TX):
            now.expects.append(step)
            now.bytes_expected += event["amount"]
        elif kind == K.COMPLETE_TX:
            now.landed += event["amount"]
        elif kind == K.PHASE_COMPLETE:
            now.completed = step
            self.phases[barrier].append(Phase())
        elif kind == K.WAIT_BEGIN:
            self.open_waits[agent] = (barrier, event["parity"], step)
            self.waits.append((agent, barrier, event["parity"], step, len(self.phases[barrier]) - 1))
        elif kind in (K.WAIT_END, K.TEST_FAILED):
            self.open_waits.pop(agent, None)
        elif kind == K.EXIT and agent not in self.open_waits:
            self.exited[agent] = step
        elif kind == K.COPY_ISSUE:
            self.issued.append((step, agent, barrier, event["stage"], event["amount"], event["tile"]))
            self.in_flight[barrier] += 1
        elif kind == K.COPY_DONE:
            self.in_flight[barrier] -= 1

    def tx(self, barrier: str) -> int:
        """Bytes outstanding at the end: what a phase leaves over counts in the next."""
        return sum(phase.bytes_expected - phase.landed for phase in self.phases[barrier])

    def now(self, barrier: str) -> Phase:
        """The phase that is open at the end."""
        return self.phases[barrier][-1]

    def number(self, barrier: str) -> int:
        """Its number."""
        return len(self.phases[barrier]) - 1

    def number_at(self, barrier: str, step: int) -> int:
        """The phase that was open before the event at `step`."""
        return sum(phase.completed is not None and phase.completed < step for phase in self.phases[barrier])

    def of_kind(self, *kinds: K, agent: str = "", barrier: str = "", tile: int | None = None) -> list[int]:
        """Steps of the events of these kinds."""
        return [
            step
            for step, event in enumerate(self.events)
            if event["kind"] in kinds
            and (not agent or self.agents[event["agent"]] == agent)
            and (not barrier or (event["barrier"] >= 0 and self.barriers[event["barrier"]] == barrier))
            and (tile is None or event["tile"] == tile)
        ]

    def table(self, barrier: str) -> tuple[str, int, int, str]:
        """Kind, CTA, stage and ring of a barrier."""
        told = self.trace.barriers[self.barriers.index(barrier)]
        return str(told.kind), told.cta, told.stage, told.ring

    def warps(self, barrier: str) -> set[str]:
        """The agents of its CTA that are no hardware."""
        cta = self.table(barrier)[1]
        return {a.name for a in self.trace.agents if a.cta == cta and a.role not in ("copy_engine", "tensor_core")}

    def like(self, barrier: str) -> list[str]:
        """The barriers of its kind and ring in its CTA."""
        kind, cta, _, ring = self.table(barrier)
        tables = ((name, self.table(name)) for name in self.barriers)
        return [name for name, told in tables if (told[0], told[1], told[3]) == (kind, cta, ring)]

    def partner(self, barrier: str) -> str:
        """The full barrier of an empty one's stage, or the other way round."""
        kind, cta, stage, ring = self.table(barrier)
        wanted = ({"full": "empty", "empty": "full"}[kind], cta, stage, ring)
        return next(name for name in self.barriers if self.table(name) == wanted)
