"""Every single-operation mutation of a small lesson is diagnosed, or exhaustive exploration finds nothing wrong in it.

A mutation counts as diagnosed if some schedule's recording has a finding. The table is in docs/diagnosis.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from visualizer.diagnosis.diagnose import diagnose
from visualizer.programs.lesson import lesson
from visualizer.programs.operations import Arrive, ArriveExpectTx, Copy, Exit, Init, Operation, Wait
from visualizer.programs.parameters import LessonConfig
from visualizer.programs.program import Program
from visualizer.replay.history import History
from visualizer.sources.explorer import explore_exhaustively
from visualizer.sources.simulator.simulate import simulate

CLEAN = lesson(LessonConfig(stages=2, tiles=4, consumer_warps=2, arrive_per_warp=True, tile_rows=64))
FIRST_SEEDS, MORE_SEEDS = range(2), range(2, 25)
"""Most that is harmful shows in the first; what does not is explored before more are tried."""


def mutations(agent: int) -> Iterator[tuple[str, str, Program]]:
    """Kind of operation, what was done to it, and the program that results; for the operations of one agent."""
    operations = CLEAN.agents[agent].operations
    for index, operation in enumerate(operations):
        for what, several in variants(operations, index):
            agents = list(CLEAN.agents)
            agents[agent] = replace(agents[agent], operations=several)
            yield type(operation).__name__, what, replace(CLEAN, agents=tuple(agents))


def variants(operations: tuple[Operation, ...], index: int) -> Iterator[tuple[str, tuple[Operation, ...]]]:
    operation, before, after = operations[index], operations[:index], operations[index + 1 :]
    yield "drop", before + after
    if not isinstance(operation, Exit):
        yield "duplicate", (*before, operation, operation, *after)
    if after and after[0] != operation and not isinstance(after[0], Exit):
        yield "swap with the next", (*before, after[0], operation, *after[1:])
    if isinstance(operation, Init | Arrive):
        yield "one more in the count", (*before, replace(operation, count=operation.count + 1), *after)
    if isinstance(operation, ArriveExpectTx | Copy):
        yield "half the bytes", (*before, replace(operation, bytes=operation.bytes // 2), *after)
    if isinstance(operation, Wait):
        yield "other parity", (*before, replace(operation, parity=1 - operation.parity), *after)


def is_diagnosed(program: Program, seeds: range) -> bool:
    return any(diagnose(History(simulate(program, seed=seed)), program).findings for seed in seeds)


def is_harmless(program: Program) -> bool:
    found = explore_exhaustively(program)
    return (found.deadlock, found.race, found.other) == (0, 0, 0)


@pytest.mark.parametrize("agent", [0, 1], ids=["producer", "consumer"])
def test_every_mutation_is_diagnosed_or_harmless(agent: int) -> None:
    outcomes: Counter[tuple[str, str, str]] = Counter()
    for kind, what, program in mutations(agent):
        at_once = is_diagnosed(program, FIRST_SEEDS)
        if not at_once and is_harmless(program):
            outcomes[kind, what, "equivalent"] += 1
            continue
        assert at_once or is_diagnosed(program, MORE_SEEDS), f"{kind}: {what} is harmful and not diagnosed"
        outcomes[kind, what, "diagnosed"] += 1
    for kind in ("Wait", "Arrive") if agent else ("Wait", "ArriveExpectTx", "Copy", "Init", "Sync"):
        assert any(row[0] == kind and row[2] == "diagnosed" for row in outcomes), f"no mutation of {kind} is noticed"
