"""The reduced search against the full one, on randomly broken programs: no outcome may be missed or made up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

from explored_programs import early_release, mutated, pipeline, program_of, written

from visualizer.programs.baseline import BaselineConfig, baseline
from visualizer.programs.operations import Arrive, ArriveDrop, ArriveExpectTx, CpAsyncArrive, ExpectTx, Init, Operation
from visualizer.programs.program import Program, ProgramAgent
from visualizer.sources.explorer import Exploration, explore_exhaustively


def outcomes(found: Exploration) -> tuple[object, ...]:
    return bool(found.clean), set(found.races), set(found.rules), set(found.blocked)


def compare(programs: Iterator[Program]) -> tuple[int, int, int, int]:
    """Programs compared, those of them with something bad, and states of the reduced and of the full searches."""
    compared = bad = reduced_states = full_states = 0
    for number, program in enumerate(programs):
        full = explore_exhaustively(program, reduce=False, limit_states=3000)
        if full.is_complete:
            reduced = explore_exhaustively(program)
            assert reduced.is_complete
            assert outcomes(reduced) == outcomes(full), f"program {number}"
            compared += 1
            bad += not full.is_clean
            reduced_states += reduced.states
            full_states += full.states
    return compared, bad, reduced_states, full_states


def broken_pipelines(count: int) -> Iterator[Program]:
    for seed in range(count):
        random = Random(seed)
        consumers, stages = random.choice((1, 1, 2)), random.choice((1, 2))
        tiles = random.choice((2, 3, 4)) if consumers == 1 else 2
        lists = pipeline(stages=stages, tiles=tiles, consumers=consumers, empty_init=random.choice((0, 0, 1)))
        if random.random() < 0.3:
            lists = early_release(lists)
        for _ in range(random.choice((1, 1, 2, 3))):
            lists = mutated(lists, random)
        yield program_of(lists, stages=stages)


def broken_writers(count: int) -> Iterator[Program]:
    for seed in range(count):
        random = Random(seed)
        consumers, stages = random.choice((1, 1, 2)), random.choice((1, 2))
        lists = pipeline(stages=stages, tiles=random.choice((1, 2)), consumers=consumers)
        lists = written(lists, [n for n in range(1 + consumers) if random.random() < 0.5])
        for _ in range(random.choice((0, 1, 2))):
            lists = mutated(lists, random)
        yield program_of(lists, stages=stages)


KINDS = (
    BaselineConfig(ctas=2, consumers=1, tiles=2, stages=1),
    BaselineConfig(cp_async=True, tiles=2, consumers=1),
    BaselineConfig(turns=True, tiles=2, stages=1),
    BaselineConfig(readers="wgmma", tiles=3, consumers=1),
    BaselineConfig(readers="store", tiles=3, consumers=1),
    BaselineConfig(copies=2, tiles=2, consumers=1),
)


def broken_baselines(count: int) -> Iterator[Program]:
    for seed in range(count):
        random = Random(seed)
        program = baseline(KINDS[seed % len(KINDS)])
        for _ in range(random.choice((1, 1, 2))):
            program = with_a_rarer_operation(program, random)
        yield program


def with_a_rarer_operation(program: Program, random: Random) -> Program:
    """One operation dropped, doubled, or replaced by what only some kernels have."""
    agents = list(program.agents)
    at = random.randrange(len(agents))
    operations = list(agents[at].operations)
    where = random.randrange(len(operations))
    operations[where : where + 1] = random.choice(CHANGES)(operations[where])
    agents[at] = ProgramAgent(agents[at].agent, tuple(operations))
    return replace(program, agents=tuple(agents))


def rarer(operation: Operation) -> list[Operation]:
    if isinstance(operation, ArriveExpectTx):
        return [
            Arrive(operation.barrier, 1, operation.tile),
            ExpectTx(operation.barrier, operation.bytes, operation.tile),
        ]
    if isinstance(operation, Arrive):
        return [ArriveDrop(operation.barrier, operation.count, operation.tile)]
    if isinstance(operation, Init):
        return [replace(operation, count=operation.count + 1)]
    if isinstance(operation, CpAsyncArrive):
        return [replace(operation, no_inc=not operation.no_inc)]
    return [operation]


def expected_first(operation: Operation) -> list[Operation]:
    if not isinstance(operation, ArriveExpectTx):
        return [operation]
    half = operation.bytes // 2
    return [ExpectTx(operation.barrier, half, operation.tile), replace(operation, bytes=operation.bytes - half)]


CHANGES: tuple[Callable[[Operation], list[Operation]], ...] = (
    lambda operation: [],
    lambda operation: [operation, operation],
    rarer,
    rarer,
    expected_first,
)


def test_on_broken_pipelines() -> None:
    compared, bad, reduced, full = compare(broken_pipelines(200))
    assert compared > 180
    assert 40 < bad < compared
    assert reduced < full


def test_on_writers_and_their_fences() -> None:
    compared, bad, reduced, full = compare(broken_writers(150))
    assert compared > 130
    assert 40 < bad < compared
    assert reduced < full


def test_on_clusters_cp_async_turns_and_asynchronous_readers() -> None:
    compared, bad, reduced, full = compare(broken_baselines(120))
    assert compared > 80
    assert 20 < bad < compared
    assert reduced < full / 2
