"""Every single-operation mutation of the lesson: is it harmful, is the harm diagnosed, or is it proved harmless?

Random schedules first; a mutation with a bad one has its witness diagnosed. What looks clean is searched exhaustively.

Run: python -m benchmarks.mutations [--tiles N --consumer-warps N --json FILE]
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from visualizer.diagnosis.diagnose import diagnose
from visualizer.programs.lesson import lesson
from visualizer.programs.operations import Arrive, ArriveExpectTx, Copy, Init, Operation, Wait
from visualizer.programs.parameters import LessonConfig
from visualizer.programs.program import Program, ProgramAgent
from visualizer.replay.history import History
from visualizer.sources.explorer import explore, explore_exhaustively, witness_trace

RESULTS = ("diagnosed", "proved harmless", "harmful, not diagnosed", "undecided")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tiles", type=int, default=8)
    parser.add_argument("--consumer-warps", type=int, default=3)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    args = parser.parse_args()
    program = lesson(LessonConfig(tiles=args.tiles, consumer_warps=args.consumer_warps))
    began = perf_counter()
    table: dict[str, Counter[str]] = {}
    for name, where, mutant in mutations(program):
        result = judge(mutant)
        table.setdefault(name, Counter())[result] += 1
        if result not in RESULTS[:2]:
            print(f"{result}: {name} {where}")
    print(f"{'mutation':28} {'number':>6} " + " ".join(f"{result:>22}" for result in RESULTS))
    for name, counts in sorted(table.items()):
        print(f"{name:28} {counts.total():6} " + " ".join(f"{counts[result]:22}" for result in RESULTS))
    print(f"{perf_counter() - began:.1f} s")
    if args.json is not None:
        args.json.write_text(json.dumps(table, indent=1) + "\n")


def judge(mutant: Program) -> str:
    """One of RESULTS."""
    found = explore(mutant, schedules=20)
    if found.is_clean:
        found = explore_exhaustively(mutant, limit_states=20_000)
        if found.is_clean:
            return "proved harmless" if found.is_complete else "undecided"
    traces = (witness_trace(found, witness) for witness in found.witnesses.values())
    return "diagnosed" if all(diagnose(History(trace)).findings for trace in traces) else "harmful, not diagnosed"


def mutations(program: Program) -> Iterator[tuple[str, str, Program]]:
    """What is changed, where, and the program with that change; operations that are equal twice are changed once."""
    for row, agent in enumerate(program.agents):
        for at, operation in enumerate(agent.operations):
            for change, operations in changes(agent.operations, at):
                agents = list(program.agents)
                agents[row] = ProgramAgent(agent.agent, operations)
                where = f"{agent.agent.name} operation {at}: {operation}"
                yield f"{change} {type(operation).__name__}", where, replace(program, agents=tuple(agents))


def changes(operations: tuple[Operation, ...], at: int) -> Iterator[tuple[str, tuple[Operation, ...]]]:
    before, operation, after = operations[:at], operations[at], operations[at + 1 :]
    yield "drop", before + after
    yield "double", (*before, operation, operation, *after)
    if after and after[0] != operation:
        yield "swap", (*before, after[0], operation, *after[1:])
    for value in other_values(operation):
        yield "change", (*before, value, *after)


def other_values(operation: Operation) -> Iterator[Operation]:
    """The same operation with another parity, count or number of bytes."""
    if isinstance(operation, Wait):
        yield replace(operation, parity=operation.parity ^ 1)
    elif isinstance(operation, Arrive | Init):
        yield replace(operation, count=operation.count + 1)
        if operation.count > 1:
            yield replace(operation, count=operation.count - 1)
    elif isinstance(operation, ArriveExpectTx | Copy):
        yield replace(operation, bytes=operation.bytes * 2)
        yield replace(operation, bytes=operation.bytes // 2)


if __name__ == "__main__":
    main()
