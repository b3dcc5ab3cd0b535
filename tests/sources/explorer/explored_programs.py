"""Small pipelines by hand, and single changes of their operations, for the explorer's tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from visualizer.programs.accesses import ProxyFence, Read, ReadAsync, RetireReads, Write
from visualizer.programs.meetings import Sync
from visualizer.programs.operations import Arrive, ArriveExpectTx, Copy, Init, Operation, Wait
from visualizer.programs.program import Program, ProgramAgent
from visualizer.recording.tables import Agent, Barrier

BYTES = 4096


def program_of(lists: Sequence[Sequence[Operation]], *, stages: int = 2, ctas: Sequence[int] | None = None) -> Program:
    """Agents P, C0, C1, ... with these operations; barriers full[0..S-1], empty[0..S-1] of each CTA."""
    places = ctas or [0] * len(lists)
    names = ["P", *(f"C{number}" for number in range(len(lists) - 1))]
    agents = [Agent(name, "other", cta, warp) for warp, (name, cta) in enumerate(zip(names, places, strict=True))]
    return Program(
        name="by hand",
        config={},
        agents=tuple(ProgramAgent(agent, tuple(own)) for agent, own in zip(agents, lists, strict=True)),
        copy_engines=tuple(Agent(f"tma{cta}", "copy_engine", cta, -1) for cta in sorted(set(places))),
        barriers=tuple(
            Barrier(f"{kind}{cta}[{stage}]", cta, kind, stage, 1, -1)  # type: ignore[arg-type]
            for cta in sorted(set(places))
            for kind in ("full", "empty")
            for stage in range(stages)
        ),
        sites=(),
    )


def pipeline(
    *,
    stages: int = 2,
    tiles: int = 3,
    consumers: int = 1,
    full_init: int = 1,
    empty_init: int = 0,
    expected: int = BYTES,
    producer_parity: int = 1,
    consumer_parity: int = 0,
) -> list[list[Operation]]:
    """The baseline as operation lists: the producer's first, then each consumer's."""
    producer: list[Operation] = [Init(stage, full_init) for stage in range(stages)]
    producer += [Init(stages + stage, empty_init or consumers) for stage in range(stages)]
    producer.append(Sync())
    for tile in range(tiles):
        stage, lap = tile % stages, tile // stages
        producer.append(Wait(stages + stage, (producer_parity + lap) & 1, tile))
        producer.append(ArriveExpectTx(stage, expected, tile))
        producer.append(Copy(stage, stage, BYTES, tile))
    consumer: list[Operation] = [Sync()]
    for tile in range(tiles):
        stage, lap = tile % stages, tile // stages
        consumer.append(Wait(stage, (consumer_parity + lap) & 1, tile))
        consumer.append(Read(stage, BYTES, tile))
        consumer.append(Arrive(stages + stage, 1, tile))
    return [producer, *(list(consumer) for _ in range(consumers))]


def early_release(lists: list[list[Operation]]) -> list[list[Operation]]:
    """Consumers release before their asynchronous reader is done (F23)."""
    changed = []
    for own in lists[1:]:
        after: list[Operation] = []
        for operation in own:
            if isinstance(operation, Read):
                after.append(ReadAsync(operation.stage, operation.bytes, operation.tile))
            elif isinstance(operation, Arrive):
                after += [operation, RetireReads(0)]
            else:
                after.append(operation)
        changed.append(after)
    return [lists[0], *changed]


def written(lists: list[list[Operation]], fences: Sequence[int]) -> list[list[Operation]]:
    """The producer writes the tiles itself, for wgmma; of `fences` 0 is its own, n the n-th consumer's."""
    changed: list[list[Operation]] = []
    for number, own in enumerate(lists):
        after: list[Operation] = []
        for operation in own:
            if isinstance(operation, Copy):
                continue
            if isinstance(operation, ArriveExpectTx):
                after.append(Write(operation.barrier, BYTES, operation.tile))  # full[s] is of stage s
                after += [ProxyFence()] * (number in fences)
                after.append(Arrive(operation.barrier, 1, operation.tile))
            elif isinstance(operation, Read):
                after += [ProxyFence()] * (number in fences)
                after += [ReadAsync(operation.stage, operation.bytes, operation.tile), RetireReads()]
            else:
                after.append(operation)
        changed.append(after)
    return changed


def mutated(lists: list[list[Operation]], random: Random) -> list[list[Operation]]:
    """One operation after the sync dropped, doubled, swapped with the next, or with another count, bytes or parity."""
    lists = [list(own) for own in lists]
    own = random.choice(lists)
    at = random.randrange(own.index(Sync()) + 1, len(own))
    operation = own[at]
    what = random.choice(("drop", "double", "swap", "value", "value"))
    if what == "drop":
        del own[at]
    elif what == "double":
        own.insert(at, operation)
    elif what == "swap" and at + 1 < len(own):
        own[at], own[at + 1] = own[at + 1], operation
    elif isinstance(operation, Wait):
        own[at] = replace(operation, parity=operation.parity ^ 1)
    elif isinstance(operation, Arrive):
        own[at] = replace(operation, count=2)
    elif isinstance(operation, ArriveExpectTx | Copy):
        own[at] = replace(operation, bytes=random.choice((BYTES // 2, 2 * BYTES)))
    return lists
