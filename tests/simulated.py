"""What the simulator's tests look at a Trace with: rows by kind, and a replay through the executable specification."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.trace import Trace
from visualizer.semantics.mbarrier import Mbarrier
from visualizer.sources.simulator.latency import Latencies
from visualizer.sources.simulator.simulate import simulate

EXACT = Latencies(jitter=0)


def run(seed: int = 0, latencies: Latencies | None = None, **config: Any) -> Trace:
    return simulate(lesson(LessonConfig(**config)), seed=seed, latencies=latencies)


def rows(trace: Trace, kind: EventKind, *, agent: str = "", barrier: str = "", tile: int | None = None) -> list[Any]:
    """The events of one kind in order, of one agent, barrier or tile where given."""
    return [
        event
        for event in trace.events
        if event["kind"] == kind
        and (not agent or trace.agents[event["agent"]].name == agent)
        and (not barrier or (event["barrier"] >= 0 and trace.barriers[event["barrier"]].name == barrier))
        and (tile is None or event["tile"] == tile)
    ]


def kinds_of(trace: Trace, agent: str) -> list[EventKind]:
    row = trace.agent_index[agent]
    return [EventKind(event["kind"]) for event in trace.events if event["agent"] == row]


def replay(trace: Trace) -> list[Mbarrier]:
    """Every event through Mbarrier. Fails where the trace says something that the barriers cannot have done."""
    barriers = [Mbarrier() for _ in trace.barriers]
    completions: dict[int, int] = defaultdict(int)  # barrier -> phases logged as complete
    waits: dict[int, Any] = {}  # agent -> its open wait, and the completions of that barrier when it began
    in_flight: dict[int, list[Any]] = defaultdict(list)  # barrier -> copies issued and not done
    due: tuple[int, int] | None = None  # the phase that the event before completed: barrier, phase
    time = 0
    for event in trace.events:
        assert event["time"] >= time
        assert event["measured"] == event["time"]
        time = event["time"]
        kind, index, amount = EventKind(event["kind"]), int(event["barrier"]), int(event["amount"])
        if kind == EventKind.PHASE_COMPLETE:
            assert due == (index, amount), "a phase is logged as complete that is not"
            assert event["parity"] == amount & 1
            completions[index] += 1
            due = None
            continue
        assert due is None, "a phase completed and the next event does not say so"
        if index < 0:
            assert kind not in (EventKind.WAIT_BEGIN, EventKind.ARRIVE)
            continue
        barrier = barriers[index]
        phase = barrier.phase
        if kind == EventKind.INIT:
            barrier.init(amount)
        elif kind == EventKind.ARRIVE:
            barrier.arrive(amount)
        elif kind == EventKind.EXPECT_TX:
            barrier.expect_tx(amount)
        elif kind == EventKind.ARRIVE_EXPECT_TX:
            barrier.arrive_expect_tx(amount)
        elif kind == EventKind.COPY_ISSUE:
            in_flight[index].append([int(event["stage"]), int(event["tile"]), amount])
        elif kind == EventKind.COMPLETE_TX:
            copy = in_flight[index][0]
            assert copy[:2] == [event["stage"], event["tile"]]
            copy[2] -= amount
            barrier.complete_tx(amount)
        elif kind == EventKind.COPY_DONE:
            assert in_flight[index].pop(0) == [event["stage"], event["tile"], 0], "done before all its bytes are"
        elif kind == EventKind.WAIT_BEGIN:
            waits[int(event["agent"])] = (index, int(event["parity"]), completions[index])
        elif kind == EventKind.WAIT_END:
            waited, parity, completed = waits.pop(int(event["agent"]))
            assert (waited, parity) == (index, event["parity"])
            assert barrier.test_wait_parity(parity), "a wait passed that should not"
            if event["flags"] & EventFlag.BLOCKED:
                assert completions[index] > completed, "a wait was blocked, and nothing released it"
        elif kind == EventKind.TEST_FAILED:
            assert not barrier.test_wait_parity(int(event["parity"])), "a test failed that should not"
        else:
            raise AssertionError(f"a run of the lesson has no {kind.name}")
        if barrier.phase != phase:
            due = (index, phase)
    assert due is None
    return barriers
