"""Tools that change a finished program, operation by operation: what the named faults are made with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from visualizer.language import tr
from visualizer.programs.errors import ProgramError
from visualizer.programs.operations import Advance, Arrive, Init, Operation, TryWait, Wait
from visualizer.programs.program import Program, ProgramAgent
from visualizer.recording.tables import BarrierKind
from visualizer.semantics.pipeline_state import PipelineState

_Kind = TypeVar("_Kind", bound=Operation)
Change = Callable[[Operation], Iterable[Operation]]
"""What becomes of one operation: nothing, itself, another, or several."""


def with_operations(program: Program, chosen: Iterable[str], change: Callable[[ProgramAgent], Change]) -> Program:
    """`program` with the operations of the agents named in `chosen` changed; `change` is asked anew for each agent."""
    names = set(chosen)
    agents = []
    for agent in program.agents:
        if agent.agent.name in names:
            one = change(agent)
            agent = replace(agent, operations=tuple(new for old in agent.operations for new in one(old)))
        agents.append(agent)
    return replace(program, agents=tuple(agents))


def each(program: Program, chosen: Iterable[str], change: Change) -> Program:
    """`with_operations` for a change that needs to know nothing of the agent."""
    return with_operations(program, chosen, lambda agent: change)


def each_of(
    program: Program, chosen: Iterable[str], kind: type[_Kind], change: Callable[[_Kind], Iterable[Operation]]
) -> Program:
    """`each` for the operations of this kind; the others stay."""
    return each(program, chosen, lambda operation: change(operation) if isinstance(operation, kind) else [operation])


def without(program: Program, chosen: Iterable[str], unwanted: Callable[[Operation], bool]) -> Program:
    """`program` without the operations of the agents named in `chosen` that are `unwanted`."""
    return each(program, chosen, lambda operation: [] if unwanted(operation) else [operation])


def with_count(program: Program, kind: BarrierKind, count: Callable[[int], int]) -> Program:
    """`program` with other init counts for all barriers of `kind`."""
    rows = {row for row, barrier in enumerate(program.barriers) if barrier.kind == kind}
    barriers = tuple(
        replace(barrier, init_count=count(barrier.init_count)) if row in rows else barrier
        for row, barrier in enumerate(program.barriers)
    )

    def change(operation: Operation) -> Iterable[Operation]:
        if isinstance(operation, Init) and operation.barrier in rows:
            operation = replace(operation, count=count(operation.count))
        yield operation

    return replace(each(program, everyone(program), change), barriers=barriers)


def with_other_phase(program: Program, chosen: list[str]) -> Program:
    """`program` with the agents' cursors starting in the other phase, so that each of their waits has the other
    parity."""
    return _with_phases(program, chosen, lambda phase: phase ^ 1)


def with_start_phase(program: Program, chosen: list[str], phase: int) -> Program:
    """`program` with the agents' cursors starting in this phase, whatever they start in, and their waits to suit."""
    return _with_phases(program, chosen, lambda before: phase)


def _with_phases(program: Program, chosen: list[str], change: Callable[[int], int]) -> Program:
    """`change` is asked for each cursor's start phase; where it is another, the waits on the ring's barriers follow."""
    agents = []
    for agent in program.agents:
        table = agent.agent
        if table.name in chosen:
            starts = dict(table.more_starts)
            if table.start is not None:
                starts[program.rings[0]] = table.start
            flipped = {ring for ring, start in starts.items() if change(start.phase) != start.phase}
            more = tuple((ring, _flip(start) if ring in flipped else start) for ring, start in table.more_starts)
            start = _flip(table.start) if table.start and program.rings[0] in flipped else table.start
            operations = tuple(_with_other_phase(program, operation, flipped) for operation in agent.operations)
            agent = replace(agent, agent=replace(table, start=start, more_starts=more), operations=operations)
        agents.append(agent)
    return replace(program, agents=tuple(agents))


def with_parity(program: Program, parity: Callable[[Wait, PipelineState], int]) -> Program:
    """`program` with other parities for the consumers' waits on full barriers; `parity` is asked for each, with the
    state that the consumer's cursor starts in."""

    def changing(agent: ProgramAgent) -> Change:
        start = agent.agent.start or PipelineState(1)

        def change(operation: Operation) -> Iterable[Operation]:
            if isinstance(operation, Wait) and is_on(program, operation, "full"):
                operation = replace(operation, parity=parity(operation, start))
            yield operation

        return change

    return with_operations(program, consumers(program), changing)


def everyone(program: Program) -> list[str]:
    return [agent.agent.name for agent in program.agents]


def producers(program: Program) -> list[str]:
    return [agent.agent.name for agent in program.agents if agent.agent.role == "producer"]


def consumers(program: Program) -> list[str]:
    return [agent.agent.name for agent in program.agents if agent.agent.role == "consumer"]


def second_consumer(program: Program) -> list[str]:
    """The second consumer of CTA 0; ProgramError if it has only one."""
    names = [a.agent.name for a in program.agents if a.agent.role == "consumer" and a.agent.cta == 0]
    if len(names) < 2:
        raise ProgramError(tr("--fault: this fault is made by the second consumer, and the program has only one"))
    return names[1:2]


def is_on(program: Program, operation: Operation, kind: BarrierKind) -> bool:
    """Whether the operation is on a barrier of this kind."""
    row = getattr(operation, "barrier", -1)
    return row >= 0 and program.barriers[row].kind == kind


def is_release(program: Program, operation: Operation) -> bool:
    return isinstance(operation, Arrive) and is_on(program, operation, "empty")


def tile_of(operation: Operation) -> int:
    return int(getattr(operation, "tile", -1))


def stages_of(program: Program) -> int:
    return max(barrier.stage for barrier in program.barriers) + 1


def barrier_row(program: Program, cta: int, kind: BarrierKind, stage: int) -> int:
    """The row of a CTA's barrier of this kind and stage."""
    places = [(barrier.cta, barrier.kind, barrier.stage) for barrier in program.barriers]
    return places.index((cta, kind, stage))


def _with_other_phase(program: Program, operation: Operation, rings: set[str]) -> Operation:
    """The operation with the other parity, if it goes round one of these rings."""
    if isinstance(operation, Wait | TryWait) and program.barriers[operation.barrier].ring in rings:
        return replace(operation, parity=operation.parity ^ 1)
    if isinstance(operation, Advance) and program.rings[operation.ring] in rings:
        return replace(operation, state=_flip(operation.state))
    return operation


def _flip(state: PipelineState) -> PipelineState:
    return replace(state, phase=state.phase ^ 1)
