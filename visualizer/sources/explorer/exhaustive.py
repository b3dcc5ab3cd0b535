"""Exhaustive search: every schedule of a program up to the order of steps that do not interfere (reduction.py).

Breadth first over distinct states, so that the first schedule that reaches an outcome is a short one.
"""

from __future__ import annotations

from collections import deque
from time import perf_counter

from visualizer.language import tr
from visualizer.programs.program import Program
from visualizer.sources.errors import Cancelled
from visualizer.sources.explorer.compiled import compile_program
from visualizer.sources.explorer.machine import Machine, StateKey
from visualizer.sources.explorer.marks import Mark
from visualizer.sources.explorer.outcome import RACE_NAMES, Exploration, not_judged
from visualizer.sources.explorer.reduction import persistent_choices
from visualizer.sources.explorer.shorten import shortened
from visualizer.sources.progress import CancelCheck, Progress

DEFAULT_LIMIT = 200_000
_CHECK_EVERY = 1 << 8

Origin = tuple[StateKey, int] | None


def explore_exhaustively(
    program: Program,
    *,
    limit_states: int = DEFAULT_LIMIT,
    reduce: bool = True,
    progress: Progress | None = None,
    cancelled: CancelCheck | None = None,
    enough: CancelCheck | None = None,
) -> Exploration:
    """Try every schedule; counts are of distinct final states. Not complete if there are over `limit_states` states,
    or if `enough` says so before.

    `reduce=False` tries every possible step in every state, to check the reduction against.
    """
    began = perf_counter()
    start = Machine(compile_program(program))
    found = Exploration(program, exhaustive=True, not_judged=not_judged(start.compiled))
    origins: dict[StateKey, Origin] = {start.key(): None}
    open_states = deque([start])
    witnesses: dict[str, tuple[StateKey, int | None]] = {}  # outcome -> state and the choice made in it
    while open_states and len(origins) <= limit_states and not (enough is not None and enough()):
        machine = open_states.popleft()
        key = machine.key()
        found.states += 1
        if found.states % _CHECK_EVERY == 0:
            if cancelled is not None and cancelled():
                raise Cancelled
            if progress is not None:
                progress(min(1.0, found.states / limit_states), tr("exploring, {origins} states", origins=len(origins)))
        choices = machine.choices()
        if not choices:
            if "deadlock" in found.count_ending(machine):
                witnesses.setdefault("deadlock", (key, None))
            continue
        chosen = persistent_choices(machine, choices, enough) if reduce and len(choices) > 1 else choices
        for number, choice in enumerate(chosen):
            after = machine.copy() if number + 1 < len(chosen) else machine
            after.perform(choice)
            if after.latest:
                for outcome in _outcomes(after):
                    witnesses.setdefault(outcome, (key, choice))
            reached = after.key()
            if reached not in origins:
                origins[reached] = (key, choice)
                open_states.append(after)
    found.is_complete = not open_states
    found.add_witnesses(
        shortened(start.compiled, outcome, _path(origins, key) + ([] if last is None else [last]), enough=enough)
        for outcome, (key, last) in witnesses.items()
    )
    found.seconds = perf_counter() - began
    return found


def _outcomes(machine: Machine) -> list[str]:
    """What the step performed last has shown."""
    names = [name for mark, name in RACE_NAMES.items() if machine.latest & mark]
    return names + ([machine.rule] if machine.latest & Mark.UNDEFINED else [])


def _path(origins: dict[StateKey, Origin], key: StateKey) -> list[int]:
    choices: list[int] = []
    while (origin := origins[key]) is not None:
        key, choice = origin
        choices.append(choice)
    return choices[::-1]
