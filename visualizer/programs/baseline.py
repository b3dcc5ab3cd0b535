"""The baseline of the faults: the smallest pipelines in which a pipeline's mistakes can be made, each clean by itself.

One producer, a few consumers, and options for what only some kernels have: several CTAs, asynchronous readers, stores,
turns, cp.async, work tiles of a persistent kernel.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from visualizer.programs.agent_builder import AgentBuilder, BarrierHandle
from visualizer.programs.builder import Builder
from visualizer.programs.program import Program

NAME = "baseline"


@dataclass(frozen=True, slots=True)
class BaselineConfig:
    """S stages, T tiles per role, C consumers that each arrive once, X = D = `bytes`."""

    stages: int = 2
    tiles: int = 6
    consumers: int = 2
    bytes: int = 4096
    copies: int = 1  # copies that fill one stage, `bytes` together
    ctas: int = 1  # 2: a cluster, in which CTA 0 multicasts half of every tile and consumers release to both
    readers: str = "read"  # "read", "wgmma" (retires one tile later) or "store" (a TMA store reads the stage)
    turns: bool = False  # consumers take turns, as ping-pong warpgroups do
    cp_async: bool = False  # the producer fills stages with cp.async in place of TMA
    work_tiles: int = 1  # > 1: a persistent kernel does `tiles` tiles so many times


def baseline(config: BaselineConfig | None = None) -> Program:
    """The program with these options; agents P, C0, C1.. and tma, with a prefix `CTA1.` in a cluster."""
    c = config or BaselineConfig()
    b = Builder(NAME, ctas=c.ctas, config=asdict(c))
    consumers = c.consumers * c.ctas
    full = [b.barriers("full", c.stages, count=1, cta=cta) for cta in range(c.ctas)]
    empty = [b.barriers("empty", c.stages, count=consumers, cta=cta) for cta in range(c.ctas)]
    turns = [b.barrier(f"turn[{n}]", count=1) for n in range(c.consumers)] if c.turns else []
    for cta in range(c.ctas):
        producer = b.agent("P", role="producer", cta=cta, stages=c.stages, phase=1)
        _produce(producer, c, full, empty[cta])
        for n in range(c.consumers):
            name = "C" if c.ctas > 1 and c.consumers == 1 else f"C{n}"
            consumer = b.agent(name, role="consumer", cta=cta, stages=c.stages)
            _consume(consumer, c, n, full[cta], empty, turns)
    return b.build()


def _produce(p: AgentBuilder, c: BaselineConfig, full: list[list[BarrierHandle]], empty: list[BarrierHandle]) -> None:
    cta = p.agent.cta
    own = full[cta]
    p.init_all()
    _publish(p, c)
    for _ in p.tiles(c.tiles * c.work_tiles):
        p.wait(empty[p.index], p.phase)
        if c.cp_async:
            p.cp_async_arrive(own[p.index], p.index, c.bytes)
        else:
            p.arrive_expect_tx(own[p.index], c.bytes)
            if c.ctas > 1:
                p.copy(own[p.index], p.index, c.bytes // 2)
                if cta == 0:
                    p.copy(own[p.index], p.index, c.bytes // 2, multicast=[peer[p.index] for peer in full])
            else:
                for _ in range(c.copies):
                    p.copy(own[p.index], p.index, c.bytes // c.copies)
        p.advance()
    if c.ctas > 1:  # producer_tail: no CTA leaves while a peer may still arrive at its barriers
        for _ in range(c.stages):
            p.wait(empty[p.index], p.phase)
            p.advance()
    p.exit()


def _consume(
    c: AgentBuilder,
    config: BaselineConfig,
    number: int,
    full: list[BarrierHandle],
    empty: list[list[BarrierHandle]],
    turns: list[BarrierHandle],
) -> None:
    _publish(c, config)
    share = config.bytes // config.consumers
    unreleased: list[int] = []
    first_turn = int(number == 0)  # a wait with parity 1 passes on a fresh barrier: the first consumer has the turn
    for tile in c.tiles(config.tiles * config.work_tiles):
        c.wait(full[c.index], c.phase)
        if turns:
            c.wait(turns[number], (tile + first_turn) & 1)
        if config.readers == "wgmma":
            c.read_async(c.index, share)
            unreleased.append(c.index)
            c.retire_reads(keep=1)
            if len(unreleased) > 1:
                _release(c, empty, unreleased.pop(0))
        elif config.readers == "store":
            c.store(c.index, share)
            c.wait_stores()
            _release(c, empty, c.index)
        else:
            c.read(c.index, share)
            _release(c, empty, c.index)
        if turns:
            c.arrive(turns[(number + 1) % config.consumers])
        c.advance()
    if unreleased:
        c.retire_reads()
        _release(c, empty, unreleased.pop())
    c.exit()


def _release(c: AgentBuilder, empty: list[list[BarrierHandle]], stage: int) -> None:
    """Arrive at the stage's empty barrier in every CTA that may write the stage here."""
    for barriers in empty:
        c.arrive(barriers[stage])


def _publish(agent: AgentBuilder, c: BaselineConfig) -> None:
    if c.ctas > 1:
        agent.cluster_sync()
    else:
        agent.sync()
