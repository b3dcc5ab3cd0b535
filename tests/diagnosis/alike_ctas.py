"""Kernels of several CTAs that all do the same, with a mistake in each or in one: as strangers' recordings show them,
by addresses, without tiles, rings and roles."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from visualizer.programs.agent_builder import AgentBuilder, BarrierHandle
from visualizer.programs.builder import Builder
from visualizer.recording.trace import Trace
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.forget import forget

BYTES, STAGES, TILES, CTAS = 4096, 4, 12, 3

Then = Literal["arrives", "consumes", ""]


def as_recorded(b: Builder) -> Trace:
    trace = forget(simulate(b.build()))
    events = np.array(trace.events)
    events["tile"] = -1
    return replace(trace, events=events)


def gemm(
    *,
    too_many: int = 0,
    skips: tuple[int, int] | None = None,
    then: Then = "arrives",
    only: int = -1,
    multicast: bool = False,
) -> Trace:
    """Its loop is software-pipelined: who consumes releases a stage one tile later.

    `too_many`: of the empty barriers' count. `skips`: the CTA whose first consumer does not release that tile. `then`:
    what the producer does after the copy of its fourth tile, beside; in this CTA `only`. `multicast`: the CTAs are a
    cluster, and each consumer releases to one of them.
    """
    b = Builder("alike", ctas=CTAS, cluster=CTAS if multicast else 1)
    consumers = CTAS if multicast else 2
    count = consumers + (then == "consumes") + too_many
    full = [b.barriers("full", STAGES, count=1, cta=cta) for cta in range(CTAS)]
    empty = [b.barriers("empty", STAGES, count=count, cta=cta) for cta in range(CTAS)]
    order = [b.barrier("order", count=32, cta=cta) for cta in range(CTAS)]
    for cta in range(CTAS):
        producer = b.agent("P", role="producer", stages=STAGES, phase=1, cta=cta)
        _produce(producer, full[cta], empty[cta], order[cta], then if only in (-1, cta) else "")
        for number in range(consumers):
            consumer = b.agent(f"C{number}", role="consumer", stages=STAGES, cta=cta)
            skipped = skips[1] if skips is not None and (cta, number) == (skips[0], 0) else -1
            _consume(consumer, full[cta], empty[number if multicast else cta], skipped)
    return as_recorded(b)


def _produce(
    p: AgentBuilder, full: list[BarrierHandle], empty: list[BarrierHandle], order: BarrierHandle, then: Then
) -> None:
    p.init_all()
    p.sync()
    for tile in p.tiles(TILES):
        p.wait(empty[p.index], p.phase)
        p.arrive_expect_tx(full[p.index], BYTES)
        p.copy(full[p.index], p.index, BYTES)
        if tile == STAGES - 1 and then == "arrives":
            p.arrive(order, 31)
        if tile == STAGES - 1 and then == "consumes":
            p.wait(full[0], 0)
            p.wait(full[1], 0)
            p.arrive(empty[0])
            p.wait(full[2], 0)
        p.advance()


def _consume(c: AgentBuilder, full: list[BarrierHandle], empty: list[BarrierHandle], skipped: int) -> None:
    c.sync()
    for tile in c.tiles(TILES):
        c.wait(full[c.index], c.phase)
        if tile and tile - 1 != skipped:
            c.arrive(empty[(tile - 1) % STAGES])
        c.advance()
    c.arrive(empty[(TILES - 1) % STAGES])


def tilelang(*, counts: tuple[int, int, int] = (64, 65, 64)) -> Trace:
    """All lanes of the consumers' warps arrive, and on the second lap nobody gets further: no ring shows."""
    b = Builder("alike", ctas=CTAS)
    for cta in range(CTAS):
        full = b.barriers("full", len(counts), count=1, cta=cta)
        empty = [b.barriers(f"empty{n}", 1, count=count, cta=cta, kind="empty")[0] for n, count in enumerate(counts)]
        p = b.agent("P", role="producer", stages=len(counts), phase=1, cta=cta)
        p.init_all()
        p.sync()
        for _ in p.tiles(TILES):
            p.wait(empty[p.index], p.phase)
            p.arrive_expect_tx(full[p.index], BYTES)
            p.copy(full[p.index], p.index, BYTES)
            p.advance()
        for number in range(2):
            c = b.agent(f"C{number}", role="consumer", stages=len(counts), cta=cta)
            c.sync()
            for _ in c.tiles(TILES):
                c.wait(full[c.index], c.phase)
                c.arrive(empty[c.index], 32)
                c.advance()
    return as_recorded(b)
