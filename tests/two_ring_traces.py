"""A legal kernel with two rings in one CTA, as attention has: K and V, filled by one producer, read by two consumers.

K has 3 stages and V has 2. The simulator knows one ring, so the rings are told to its recording afterwards.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from visualizer.programs.agent_builder import AgentBuilder, BarrierHandle
from visualizer.programs.builder import Builder
from visualizer.programs.operations import Advance
from visualizer.programs.program import Program
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.semantics.pipeline_state import PipelineState
from visualizer.sources.simulator.simulate import simulate

STAGES = {"K": 3, "V": 2}
BYTES = {"K": 4096, "V": 2048}
CONSUMERS = 2
Side = dict[str, list[BarrierHandle]]


def two_rings(tiles: int = 8, *, seed: int = 0, ctas: int = 1, release_v: bool = True) -> Trace:
    """The recording. `release_v`: consumers arrive on V's empty barriers, and the producer waits for that."""
    return told(simulate(_program(tiles, ctas, release_v), seed=seed))


def told(trace: Trace) -> Trace:
    """The recording, with every barrier and event in its ring."""
    barriers = [replace(b, ring=ring_of(b.name), name=b.name.replace("_", ".")) for b in trace.barriers]
    events = trace.events.copy()
    of_barrier = np.array([ring_of(b.name) == "V" for b in trace.barriers] + [False])
    events["ring"] = of_barrier[events["barrier"]]
    kind = events["kind"]
    for agent in range(len(trace.agents)):
        for alternating in (EventKind.READ_BEGIN, EventKind.READ_END, EventKind.ADVANCE):  # K, V, K, V ..
            events["ring"][np.flatnonzero((kind == alternating) & (events["agent"] == agent))[1::2]] = 1
    agents = [
        replace(agent, more_starts=(("V", PipelineState(STAGES["V"], phase=agent.start.phase)),))
        if agent.start
        else agent
        for agent in trace.agents
    ]
    return replace(trace, events=events, barriers=barriers, agents=agents, rings=tuple(STAGES))


def untold(trace: Trace) -> Trace:
    """The recording as a stranger's log has it: nothing is told of rings, stages, kinds and roles."""
    events = trace.events.copy()
    events["stage"], events["ring"] = -1, 0
    keep = ("copy_engine", "tensor_core")
    agents = [replace(a, role=a.role if a.role in keep else "other", start=None, more_starts=()) for a in trace.agents]
    barriers = [replace(b, kind="other", stage=-1, ring="") for b in trace.barriers]
    meta = replace(trace.meta, config={})
    return replace(trace, meta=meta, events=events, agents=agents, barriers=barriers, rings=("",))


def ring_of(barrier: str) -> str:
    return "V" if "V_" in barrier else "K"


def _program(tiles: int, ctas: int, release_v: bool) -> Program:
    b = Builder("two-rings", ctas=ctas)
    for cta in range(ctas):
        full = {ring: b.barriers(f"{ring}_full", n, count=1, cta=cta, kind="full") for ring, n in STAGES.items()}
        empty = {
            ring: b.barriers(f"{ring}_empty", n, count=CONSUMERS, cta=cta, kind="empty") for ring, n in STAGES.items()
        }
        producer = b.agent("producer", role="producer", cta=cta, stages=STAGES["K"], phase=1)
        producer.init_all()
        producer.sync()
        _go_round(producer, tiles, full, empty, release_v)
        for warp in range(CONSUMERS):
            consumer = b.agent(f"consumer{warp}", role="consumer", cta=cta, stages=STAGES["K"])
            consumer.sync()
            _go_round(consumer, tiles, full, empty, release_v)
    return b.build()


def _go_round(agent: AgentBuilder, tiles: int, full: Side, empty: Side, release_v: bool) -> None:
    v = PipelineState(STAGES["V"], phase=agent.phase)
    for tile in agent.tiles(tiles):
        for ring, state in (("K", agent.state), ("V", v)):
            stage, releases = state.index, ring == "K" or release_v
            if agent.agent.role == "producer":
                if releases:
                    agent.wait(empty[ring][stage], state.phase)
                agent.arrive_expect_tx(full[ring][stage], BYTES[ring])
                agent.copy(full[ring][stage], stage, BYTES[ring])
            else:
                agent.wait(full[ring][stage], state.phase)
                agent.read(stage, BYTES[ring])
                if releases:
                    agent.arrive(empty[ring][stage])
        agent.advance()
        v = v.increment()
        agent._add(Advance, v, tile, -1)
