"""A kernel that hangs in its first turn, as FlashInfer's prefill with too high a count: nothing shows a ring, and no
phase of the barrier has told who arrives on it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from visualizer.programs.agent_builder import AgentBuilder, BarrierHandle
from visualizer.programs.builder import Builder
from visualizer.recording.tables import Ending, Frame
from visualizer.recording.trace import Trace
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.forget import forget

WARPS, CONSUMERS, LANES, BYTES = 12, range(4, 12), 32, 4096
EACH = len(CONSUMERS) * LANES
"""Arrivals that come in a turn."""
INLINED = Frame("/opt/include/cutlass/arch/barrier.h", 400, "init")
OWN = Frame("/opt/include/prefill.cuh", 100, "prefill")

Barriers = Mapping[str, BarrierHandle]


def first_turn(
    *,
    ctas: int = 1,
    count: int = EACH + 128,
    leave_out: Collection[int] = (),
    late: Collection[int] = (),
    waits_elsewhere: Collection[int] = (),
    remote: bool = False,
    lapped: bool = False,
    source: Mapping[str, Any] | None = None,
) -> Trace:
    """12 warps a CTA: warp 0 copies Q, two tiles of K and one of V; 1 to 3 leave at once; of the others each lane
    releases what was read.

    `count`: of the barriers by which they do. `leave_out`: warps that do not release the first tile. `late`: those
    that wait for the third before they do. `waits_elsewhere`: those that wait before the first for a barrier on which
    nobody arrives. `remote`: the consumers of the first CTA release to the next as well. `lapped`: warp 3 waits for a
    stage that is told of, when that has been filled twice. `source`: what the recording says of itself, beside a block
    of 12 warps.
    """
    b = Builder("first turn", ctas=ctas, cluster=ctas if remote else 1)
    counts = {"q": 1, "k_full0": 1, "k_full1": 1, "v_full": 1} | dict.fromkeys(
        ("k_empty0", "k_empty1", "v_empty"), count
    )
    barriers = [{name: b.barrier(name, count=n, cta=cta) for name, n in counts.items()} for cta in range(ctas)]
    for cta, own in enumerate(barriers):
        (own["beside"],) = b.barriers("full", 1, count=1, cta=cta)
    for cta, own in enumerate(barriers):
        agents = [b.agent(f"warp{warp}", cta=cta) for warp in range(WARPS)]
        agents[0].init_all()
        for agent in agents:
            agent.sync()
        if lapped:
            agents[0].arrive(own["beside"])
            agents[0].arrive(own["beside"])
            agents[3].delay(10_000)
            agents[3].wait(own["beside"], 0)
        _produce(agents[0], own)
        for warp in CONSUMERS:
            released = [] if warp in leave_out else [own["k_empty0"]]
            released += [barriers[1]["k_empty0"]] if remote and cta == 0 else []
            before = (["beside"] if warp in waits_elsewhere else [], ["k_full0"] if warp in late else [])
            _consume(agents[warp], own, released, *before)
    run = simulate(b.build())
    trace = run if lapped else forget(run)
    sites = [replace(site, file=INLINED.file, line=INLINED.line, stack=(INLINED, OWN)) for site in trace.sites]
    told = {**trace.meta.source, "block": [WARPS * LANES, 1, 1], **(source or {})}
    ending = Ending("timeout", "it hung: no event for 2 s")
    return replace(trace, sites=sites, meta=replace(trace.meta, source=told, ending=ending))


def _produce(producer: AgentBuilder, own: Barriers) -> None:
    def copy(full: str) -> None:
        producer.arrive_expect_tx(own[full], BYTES)
        producer.copy(own[full], 0, BYTES)

    producer.wait(own["k_empty0"], 1)
    copy("k_full0")
    copy("q")
    producer.wait(own["k_empty1"], 1)
    copy("k_full1")
    producer.wait(own["v_empty"], 1)
    copy("v_full")
    producer.wait(own["k_empty0"], 0)
    copy("k_full0")


def _consume(
    consumer: AgentBuilder, own: Barriers, released: list[BarrierHandle], first: list[str], second: list[str]
) -> None:
    """`first`, `second`: what it waits for before it reads, and before it releases."""
    consumer.wait(own["q"], 0)
    for name in first:
        consumer.wait(own[name], 0)
    consumer.wait(own["k_full0"], 0)
    for name in second:
        consumer.wait(own[name], 1)
    for barrier in released:
        consumer.arrive(barrier, LANES)
    consumer.wait(own["k_full1"], 0)
    consumer.wait(own["v_full"], 0)
    consumer.arrive(own["k_empty1"], LANES)
    consumer.arrive(own["v_empty"], LANES)
    consumer.wait(own["k_full0"], 1)
