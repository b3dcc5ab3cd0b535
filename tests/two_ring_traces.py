"""A legal kernel with two rings in one CTA, as attention has: K and V, filled by one producer, read by two others."""

from __future__ import annotations

from dataclasses import replace

from visualizer.programs.agent_builder import AgentBuilder, BarrierHandle
from visualizer.programs.builder import Builder
from visualizer.programs.cursor import Cursor
from visualizer.programs.program import Program
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.told import told

STAGES = {"K": 3, "V": 2}
BYTES = {"K": 4096, "V": 2048}
CONSUMERS = 2
Side = dict[str, list[BarrierHandle]]


def two_rings(tiles: int = 8, *, seed: int = 0, ctas: int = 1, release_v: bool = True) -> Trace:
    """The recording. `release_v`: consumers arrive on V's empty barriers, and the producer waits for that."""
    return simulate(_program(tiles, ctas, release_v), seed=seed)


def untold(trace: Trace) -> Trace:
    """The recording as a stranger's log has it: nothing is told of rings, stages, kinds and roles."""
    events = trace.events.copy()
    events["stage"], events["ring"] = -1, 0
    keep = ("copy_engine", "tensor_core")
    agents = [replace(a, role=a.role if a.role in keep else "other", start=None, more_starts=()) for a in trace.agents]
    barriers = [replace(b, kind="other", stage=-1, ring="") for b in trace.barriers]
    meta = replace(trace.meta, config={})
    return replace(trace, meta=meta, events=events, agents=agents, barriers=barriers, rings=("",))


def unknowing(trace: Trace) -> History:
    """The same, where nothing can be inferred either."""
    stranger = untold(trace)
    return History(stranger, structure=told(stranger))


def _program(tiles: int, ctas: int, release_v: bool) -> Program:
    b = Builder("two-rings", ctas=ctas)
    for cta in range(ctas):
        full = {
            ring: b.barriers(f"{ring}.full", n, count=1, cta=cta, kind="full", ring=ring) for ring, n in STAGES.items()
        }
        empty = {
            ring: b.barriers(f"{ring}.empty", n, count=CONSUMERS, cta=cta, kind="empty", ring=ring)
            for ring, n in STAGES.items()
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
    v = agent.cursor("V", stages=STAGES["V"], phase=agent.phase)
    for _ in agent.tiles(tiles):
        cursors: dict[str, AgentBuilder | Cursor] = {"K": agent, "V": v}
        for ring, at in cursors.items():
            stage, releases = at.index, ring == "K" or release_v
            if agent.agent.role == "producer":
                if releases:
                    agent.wait(empty[ring][stage], at.phase)
                agent.arrive_expect_tx(full[ring][stage], BYTES[ring])
                agent.copy(full[ring][stage], stage, BYTES[ring])
            else:
                agent.wait(full[ring][stage], at.phase)
                agent.read(stage, BYTES[ring], ring=ring)
                if releases:
                    agent.arrive(empty[ring][stage])
        agent.advance()
        v.advance()
