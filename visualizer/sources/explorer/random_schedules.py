"""Random schedules: at every turn one of the possible steps, each as likely as the others."""

from __future__ import annotations

from random import Random
from time import perf_counter

from visualizer.programs.program import Program
from visualizer.sources.errors import Cancelled
from visualizer.sources.explorer.compiled import compile_program
from visualizer.sources.explorer.machine import Machine
from visualizer.sources.explorer.outcome import Exploration, Witness, not_judged
from visualizer.sources.explorer.shorten import shortened
from visualizer.sources.progress import CancelCheck, Progress

DEFAULT_SCHEDULES = 500
_CHECK_EVERY = 1 << 8  # steps


def explore(
    program: Program,
    *,
    schedules: int = DEFAULT_SCHEDULES,
    seed: int = 0,
    progress: Progress | None = None,
    cancelled: CancelCheck | None = None,
    enough: CancelCheck | None = None,
) -> Exploration:
    """Run schedules with seeds `seed`, `seed` + 1, ... and count their endings; the shortest bad ones are witnesses.

    With `enough` only until it says so, also within a schedule, which is not counted then, or until one ends badly.
    """
    began = perf_counter()
    start = Machine(compile_program(program))
    found = Exploration(program, exhaustive=False, seed=seed, not_judged=not_judged(start.compiled))
    shortest: dict[str, tuple[list[int], int]] = {}
    for number in range(schedules):
        if cancelled is not None and cancelled():
            raise Cancelled
        if progress is not None:
            progress(number / schedules, "exploring")
        machine = start.copy()
        choices = _run(machine, Random(seed + number), enough)
        if choices is None:
            break
        for outcome in found.count_ending(machine):
            if outcome not in shortest or len(choices) < len(shortest[outcome][0]):
                shortest[outcome] = choices, seed + number
        if enough is not None and not found.is_clean:
            break
    found.add_witnesses(
        shortened(start.compiled, outcome, choices, of_seed, enough=enough)
        for outcome, (choices, of_seed) in shortest.items()
    )
    found.seconds = perf_counter() - began
    return found


def some_schedule(program: Program, seed: int = 0) -> Witness:
    """A random schedule from start to end, of the outcome "clean": for programs of which nothing bad was found."""
    choices = _run(Machine(compile_program(program)), Random(seed), None)
    assert choices is not None
    return Witness("clean", tuple(choices), seed)


def _run(machine: Machine, random: Random, enough: CancelCheck | None) -> list[int] | None:
    """Perform possible steps until there are none; the choices made. None if that was enough before.

    Drawing among all and rejecting what is not possible is the same as drawing among the possible, and cheaper.
    """
    draw, possible, perform = random.random, machine.possible, machine.perform
    count = machine.count
    live = machine.unfinished
    made: list[int] = []
    while True:
        if enough is not None and len(made) % _CHECK_EVERY == 0 and enough():
            return None
        candidates = live + machine.landings()
        while candidates:
            position = int(draw() * len(candidates))
            choice = candidates[position]
            if choice >= count or possible(choice):
                break
            candidates[position] = candidates[-1]
            candidates.pop()
        else:
            return made
        if choice >= count and (part := machine.part_of(choice)) and (machine.is_in_pieces(choice) or draw() < 0.5):
            choice = part
        perform(choice)
        made.append(choice)
        if choice < count and machine.pcs[choice] >= len(machine.threads[choice]):
            live.remove(choice)
