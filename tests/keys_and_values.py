"""A kernel that sends K and V through one ring, as CUTLASS's FMHA does, and leaves releases out: as a stranger's
recording shows it. Releases follow behind the waits, and the producer waits for one barrier from one line in its first
lap and from another in the next, for the ring has an odd number of stages."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import cycle
from typing import Literal

import numpy as np

from visualizer.programs.agent_builder import AgentBuilder, BarrierHandle
from visualizer.programs.builder import Builder
from visualizer.recording.trace import Trace
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.forget import forget

LANES, BYTES, STAGES, TILES = 32, 4096, 5, 8
CONSUMERS = range(4, 12)
GROUPS = 2
"""Warpgroups of consumers."""

Release = Literal["before", "first", "second"]
"""The one in front of the loop, and the two in it."""


def keys_and_values(
    left_out: Collection[Release] = ("second",),
    *,
    elected: bool = False,
    only: Collection[int] = CONSUMERS,
    seed: int = 0,
) -> Trace:
    """`left_out`: the releases that are missing, of the warps in `only`. `elected`: one warp of each warpgroup arrives
    for all; else all lanes of each."""
    b = Builder("keys and values")
    full = b.barriers("full", STAGES, count=1)
    empty = b.barriers("empty", STAGES, count=GROUPS if elected else LANES * len(CONSUMERS))
    producer = b.agent("warp1", role="producer", stages=STAGES, phase=1)
    warps = {warp: b.agent(f"warp{warp}", role="consumer", stages=STAGES) for warp in CONSUMERS}
    producer.init_all()
    for agent in (producer, *warps.values()):
        agent.sync()
    _load(producer, full, empty)
    for warp, agent in warps.items():
        arrives = not elected or warp % 4 == 0
        count = (1 if elected else LANES) if arrives else 0
        _attend(agent, full, empty, count, left_out if warp in only else ())
    trace = forget(simulate(b.build(), seed=seed))
    events = np.array(trace.events)
    events["tile"] = -1
    return replace(trace, events=events)


def _load(p: AgentBuilder, full: list[BarrierHandle], empty: list[BarrierHandle]) -> None:
    def copy() -> None:
        p.arrive_expect_tx(full[p.index], BYTES)
        p.copy(full[p.index], p.index, BYTES)
        p.advance()

    p.wait(empty[p.index], p.phase)  # K
    copy()
    p.wait(empty[p.index], p.phase)  # the next K
    copy()
    for _ in range(TILES):
        p.wait(empty[p.index], p.phase)  # V
        copy()
        p.wait(empty[p.index], p.phase)  # K
        copy()


def _attend(
    c: AgentBuilder, full: list[BarrierHandle], empty: list[BarrierHandle], count: int, left_out: Collection[Release]
) -> None:
    stages = cycle(empty)

    def release(which: Release) -> BarrierHandle | None:
        at = next(stages)
        return at if count and which not in left_out else None

    c.wait(full[c.index], c.phase)
    c.advance()
    c.wait(full[c.index], c.phase)
    c.advance()
    if stage := release("before"):
        c.arrive(stage, count)
    for _ in range(TILES):
        c.wait(full[c.index], c.phase)
        c.advance()
        c.wait(full[c.index], c.phase)
        c.advance()
        if stage := release("first"):
            c.arrive(stage, count)
        if stage := release("second"):
            c.arrive(stage, count)
    if stage := release("before"):
        c.arrive(stage, count)
