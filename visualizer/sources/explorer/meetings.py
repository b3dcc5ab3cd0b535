"""Whom a step waits for: at a sync whoever has not left the kernel, and a tensor core its warp."""

from __future__ import annotations

from collections import defaultdict

from visualizer.programs.operations import Operation
from visualizer.programs.program import Program
from visualizer.programs.tensor import MmaIssue, Take, TensorCommit
from visualizer.sources.explorer.steps import Code, Step
from visualizer.sources.simulator.syncs import meeting_place, meeting_places


def with_groups(program: Program, drafts: list[list[Step]]) -> list[tuple[Step, ...]]:
    """Tell every SYNC who else must have come: the n-th of each agent at a place are one, and who has fewer must have
    left. A tensor core's waits until its warp is past the steps before what it hands over."""
    places = [meeting_places(program, agent.agent) for agent in program.agents]
    members: defaultdict[object, list[int]] = defaultdict(list)
    for thread, own in enumerate(places):
        for waited_for in own:
            members[waited_for].append(thread)
    come: list[defaultdict[object, list[int]]] = []  # thread -> place -> its steps there
    for thread, steps in enumerate(drafts):
        come.append(defaultdict(list))
        for pc, step in enumerate(steps):
            if step.code == Code.SYNC and not isinstance(_operation(program, thread, step), Take):
                come[thread][_place(program, thread, step)].append(pc)
    result = []
    for thread, steps in enumerate(drafts):
        handed = iter(_handed(program, drafts, thread))
        seen: defaultdict[object, int] = defaultdict(int)
        full = []
        for step in steps:
            if step.code == Code.SYNC and isinstance(_operation(program, thread, step), Take):
                step = step._replace(group=(next(handed),))
            elif step.code == Code.SYNC:
                place = _place(program, thread, step)
                turn = seen[place]
                seen[place] += 1
                reached = ((other, come[other][place]) for other in members[place])
                group = tuple((other, at[turn] if turn < len(at) else len(drafts[other])) for other, at in reached)
                step = step._replace(group=group)
            full.append(step)
        result.append(tuple(full))
    return result


def _operation(program: Program, thread: int, step: Step) -> Operation:
    return program.agents[thread].operations[step.operation]


def _place(program: Program, thread: int, step: Step) -> object:
    return meeting_place(program, program.agents[thread].agent, _operation(program, thread, step))  # type: ignore[arg-type]


def _handed(program: Program, drafts: list[list[Step]], core: int) -> list[tuple[int, int]]:
    """For each thing that a tensor core takes, in order, its warp and how far that must have come."""
    takes = [operation for operation in program.agents[core].operations if isinstance(operation, Take)]
    if not takes:
        return []
    warp = next(row for row, agent in enumerate(program.agents) if agent.agent.name == takes[0].warp)
    numbers = [
        number
        for number, operation in enumerate(program.agents[warp].operations)
        if isinstance(operation, MmaIssue) or (isinstance(operation, TensorCommit) and not operation.is_further)
    ]
    steps, found, before = drafts[warp], [], 0
    for number in numbers:
        while before < len(steps) and steps[before].operation < number:
            before += 1
        found.append((warp, before))
    return found
