"""Every program that differs from another in one operation: what a diagnosis is held against, beside named faults."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from visualizer.programs.accesses import Read, ReadAsync
from visualizer.programs.mutations import is_on, stages_of
from visualizer.programs.operations import Advance, Arrive, ArriveExpectTx, Copy, Delay, Exit, Init, Operation, Wait
from visualizer.programs.program import Program

_WITHOUT_EFFECT = (Advance, Delay, Exit)
"""A straight list of operations has the cursor's values in it already, and time is the simulator's."""


@dataclass(frozen=True, slots=True)
class SingleChange:
    """A program in which one operation of one agent is another, is missing, or comes twice or in another place."""

    agent: str
    number: int  # the operation's place in the list of the program without the change
    operation: Operation
    what: str
    program: Program


def single_changes(program: Program) -> Iterator[SingleChange]:
    """All of them, agent by agent and operation by operation."""
    for row, agent in enumerate(program.agents):
        for number, operation in enumerate(agent.operations):
            if isinstance(operation, _WITHOUT_EFFECT):
                continue
            for what, operations in _variants(program, agent.operations, number):
                agents = list(program.agents)
                agents[row] = replace(agent, operations=operations)
                changed = replace(program, agents=tuple(agents))
                yield SingleChange(agent.agent.name, number, operation, what, changed)


def _variants(
    program: Program, operations: tuple[Operation, ...], number: int
) -> Iterator[tuple[str, tuple[Operation, ...]]]:
    operation, before, after = operations[number], operations[:number], operations[number + 1 :]
    yield "missing", before + after
    yield "twice", (*before, operation, operation, *after)
    ahead = next((n for n, other in enumerate(after) if not isinstance(other, _WITHOUT_EFFECT)), None)
    if ahead is not None and after[ahead] != operation:
        yield "after the next", (*before, *after[: ahead + 1], operation, *after[ahead + 1 :])
    for what, other in _others(program, operation):
        yield what, (*before, other, *after)


def _others(program: Program, operation: Operation) -> Iterator[tuple[str, Operation]]:
    if isinstance(operation, Wait):
        yield "other parity", replace(operation, parity=1 - operation.parity)
    if isinstance(operation, Init | Arrive):
        yield "one more in the count", replace(operation, count=operation.count + 1)
    if isinstance(operation, ArriveExpectTx | Copy):
        yield "half the bytes", replace(operation, bytes=operation.bytes // 2)
        yield "twice the bytes", replace(operation, bytes=operation.bytes * 2)
    if isinstance(operation, Wait | Arrive | ArriveExpectTx | Copy):
        row = operation.barrier
        told = program.barriers[row]
        alike = (told.kind, told.ring, told.cta)
        for other, barrier in enumerate(program.barriers):
            next_stage = (told.stage + 1) % stages_of(program) == barrier.stage
            if other != row and (barrier.kind, barrier.ring, barrier.cta) == alike and next_stage:
                yield "the next stage's barrier", replace(operation, barrier=other)
        if isinstance(operation, Arrive) and is_on(program, operation, "empty"):
            full = [n for n, b in enumerate(program.barriers) if (b.kind, *_place(b)) == ("full", *_place(told))]
            for other in full[:1]:
                yield "the full barrier", replace(operation, barrier=other)
    if isinstance(operation, Read | ReadAsync | Copy) and stages_of(program) > 1:
        yield "the next stage", replace(operation, stage=(operation.stage + 1) % stages_of(program))


def _place(barrier: object) -> tuple[object, ...]:
    return tuple(getattr(barrier, name) for name in ("cta", "ring", "stage"))
