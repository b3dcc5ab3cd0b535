"""The lesson as data: a PipelineTmaAsync per CTA, one producer warp, consumer warps, and what each does in order.

The order of operations is that of kernels/async_pipeline.cu, so that a simulated and a recorded run can be compared
event by event.
"""

from __future__ import annotations

from collections.abc import Iterator

from visualizer.language import tr
from visualizer.programs.accesses import Read
from visualizer.programs.errors import ProgramError
from visualizer.programs.kernel_source import KERNEL_FILE, SITE_CALLS, find_sites, kernel_text
from visualizer.programs.length import most_operations
from visualizer.programs.meetings import Sync
from visualizer.programs.operations import (
    Advance,
    Arrive,
    ArriveExpectTx,
    Copy,
    Delay,
    Exit,
    Fence,
    Init,
    Operation,
    Wait,
)
from visualizer.programs.parameters import LESSON, LessonConfig
from visualizer.programs.program import Program, ProgramAgent
from visualizer.recording.tables import Agent, Barrier
from visualizer.semantics.pipeline_state import PipelineState

NAME = LESSON


def lesson(config: LessonConfig) -> Program:
    """The lesson with these parameters. ProgramError if it is too long to lay out operation by operation."""
    operations = config.ctas * config.tiles * (4 + config.copies_per_tile + 4 * config.consumer_warps)
    if operations > most_operations():
        raise ProgramError(
            tr(
                "--ctas {ctas} with --tiles {tiles} makes about {operations} operations; the simulator"
                " takes {max_operations}: use fewer tiles or CTAs, or --source gpu",
                ctas=config.ctas,
                tiles=config.tiles,
                operations=operations,
                max_operations=most_operations(),
            )
        )
    text = kernel_text()
    return Program(
        name=NAME,
        config=config.as_dict(),
        agents=tuple(
            ProgramAgent(agent, tuple(_operations(config, agent)))
            for agent in agents_of(config)
            if agent.role != "copy_engine"
        ),
        copy_engines=tuple(agent for agent in agents_of(config) if agent.role == "copy_engine"),
        barriers=barriers_of(config),
        sites=find_sites(text),
        source_files={KERNEL_FILE: text},
    )


def agents_of(config: LessonConfig) -> tuple[Agent, ...]:
    """The agents table: per CTA the producer (warp 0), the consumer warps from 1, and the copy engine."""
    producer_start = PipelineState(config.stages, phase=config.producer_phase)
    consumer_start = PipelineState(config.stages, phase=config.consumer_phase)
    agents: list[Agent] = []
    for cta in range(config.ctas):
        prefix = _prefix(config, cta)
        agents.append(Agent(f"{prefix}producer", "producer", cta, 0, producer_start))
        agents += [
            Agent(f"{prefix}consumer.w{warp}", "consumer", cta, warp, consumer_start)
            for warp in range(1, config.consumer_warps + 1)
        ]
        agents.append(Agent(f"{prefix}tma", "copy_engine", cta, -1))
    return tuple(agents)


def barriers_of(config: LessonConfig) -> tuple[Barrier, ...]:
    """The barriers table: per CTA full[0..S-1], then empty[0..S-1]."""
    storage = config.storage
    barriers: list[Barrier] = []
    for cta in range(config.ctas):
        prefix = _prefix(config, cta)
        barriers += [
            Barrier(f"{prefix}full[{s}]", cta, "full", s, config.full_init, storage.full_offset(s))
            for s in range(config.stages)
        ]
        barriers += [
            Barrier(f"{prefix}empty[{s}]", cta, "empty", s, config.empty_init, storage.empty_offset(s))
            for s in range(config.stages)
        ]
    return tuple(barriers)


_SITE = {op: row for row, op in enumerate(SITE_CALLS)}


def _prefix(config: LessonConfig, cta: int) -> str:
    return f"CTA{cta}." if config.ctas > 1 else ""


def _operations(config: LessonConfig, agent: Agent) -> Iterator[Operation]:
    first_barrier = agent.cta * 2 * config.stages
    return _producer(config, first_barrier) if agent.role == "producer" else _consumer(config, first_barrier, agent)


def _producer(config: LessonConfig, first_barrier: int) -> Iterator[Operation]:
    """Init and publish the barriers; acquire, copy, ++ per tile; wait for every stage; leave."""
    full, empty = first_barrier, first_barrier + config.stages
    for stage in range(config.stages):
        yield Init(full + stage, config.full_init, _SITE["init"])
    for stage in range(config.stages):
        yield Init(empty + stage, config.empty_init, _SITE["init"])
    yield Fence(_SITE["fence"])
    yield Sync()
    state = PipelineState(config.stages, phase=config.producer_phase)
    copies = config.copies_per_tile
    for tile in range(config.tiles):
        if config.producer_delay:
            yield Delay(config.producer_delay)
        yield Wait(empty + state.index, state.phase, tile, _SITE["producer_acquire"])
        yield ArriveExpectTx(full + state.index, config.expected_bytes, tile, _SITE["producer_acquire"])
        for box in range(copies):
            source = tile % config.source_tiles * copies + box
            yield Copy(full + state.index, state.index, config.tile_bytes // copies, tile, _SITE["copy"], source)
        state = state.increment()
        yield Advance(state, tile, _SITE["advance write"])
    for _ in range(config.stages):
        yield Wait(empty + state.index, state.phase, site=_SITE["producer_tail"])
        state = state.increment()
        yield Advance(state, site=_SITE["producer_tail"])
    yield Exit(_SITE["producer exit"])


def _consumer(config: LessonConfig, first_barrier: int, agent: Agent) -> Iterator[Operation]:
    """Wait, read, release, ++ per tile; leave."""
    full, empty = first_barrier, first_barrier + config.stages
    yield Sync()
    state = PipelineState(config.stages, phase=config.consumer_phase)
    share = _share(config.tile_bytes, config.consumer_warps, agent.warp - 1)
    for tile in range(config.tiles):
        yield Wait(full + state.index, state.phase, tile, _SITE["consumer_wait"])
        yield Read(state.index, share, tile, _SITE["read"], config.consumer_delay)
        yield Arrive(empty + state.index, config.arrivals_per_warp, tile, _SITE["consumer_release"])
        state = state.increment()
        yield Advance(state, tile, _SITE["advance read"])
    yield Exit(_SITE["consumer exit"])


def _share(total: int, parts: int, part: int) -> int:
    """The `part`-th of `parts` shares of `total`, which differ by one at most."""
    return total // parts + (part < total % parts)
