"""Cuts a schedule down to what its bad outcome needs, so that a person reads as few steps as possible."""

from __future__ import annotations

from collections.abc import Sequence

from visualizer.language import endings
from visualizer.sources.explorer.machine import Machine
from visualizer.sources.explorer.marks import Mark
from visualizer.sources.explorer.outcome import AT_A_SYNC, FOR_REGISTERS, RACE_NAMES, Witness, blocked_agents
from visualizer.sources.explorer.steps import Compiled
from visualizer.sources.progress import CancelCheck

_WAITS = {AT_A_SYNC: "at a sync", FOR_REGISTERS: "for registers"}
_MAX_STEPS = 500_000  # performed in trying; what is not tried by then is kept


def shortened(
    compiled: Compiled,
    outcome: str,
    choices: Sequence[int],
    seed: int | None = None,
    enough: CancelCheck | None = None,
) -> Witness:
    """The schedule without the steps that can be left out one by one, as far as one gets until `enough` says so; a
    deadlock needs all of its steps.

    An outcome that a step shows is shown by the last choice.
    """
    kept = list(choices)
    if outcome != "deadlock":
        kept = kept[: _first_showing(compiled, outcome, kept)]
        for position in range(len(kept) - 2, -1, -1)[: _MAX_STEPS // len(kept)]:
            if enough is not None and enough():
                break
            fewer = kept[:position] + kept[position + 1 :]
            if _first_showing(compiled, outcome, fewer) == len(fewer):
                kept = fewer
    return Witness(outcome, tuple(kept), seed, _detail(compiled, outcome, kept))


def _first_showing(compiled: Compiled, outcome: str, choices: Sequence[int]) -> int:
    """How many of the choices it takes to show the outcome; 0 if they are impossible or do not show it."""
    machine = Machine(compiled)
    for number, choice in enumerate(choices, start=1):
        if not machine.possible(choice):
            return 0
        machine.perform(choice)
        if machine.latest and _shows(machine, outcome):
            return number
    return 0


def _shows(machine: Machine, outcome: str) -> bool:
    if machine.latest & Mark.UNDEFINED and machine.rule == outcome:
        return True
    return any(machine.latest & mark and name == outcome for mark, name in RACE_NAMES.items())


def _detail(compiled: Compiled, outcome: str, choices: Sequence[int]) -> str:
    """One sentence: who is blocked, or which operation of whom did it."""
    machine = Machine(compiled)
    for choice in choices[:-1]:
        machine.perform(choice)
    if outcome == "deadlock":
        for choice in choices[-1:]:
            machine.perform(choice)
        waits = (
            f"{agent} on {barrier} (parity {parity})" if barrier else f"{agent} {_WAITS[parity]}"
            for agent, barrier, parity in blocked_agents(machine)
        )
        return endings.BLOCKED_FOR_EVER.format(agents=", ".join(waits))
    program, last = compiled.program, choices[-1]
    if last >= machine.count:
        part = compiled.copies[machine.copy_of(last)]
        thread, number, what = part.thread, part.operation, "when this lands: "
    else:
        thread, number, what = last, machine.threads[last][machine.pcs[last]].operation, ""
    agent = program.agents[thread]
    operation = agent.operations[number]
    tile = getattr(operation, "tile", -1)
    at = f" of tile {tile}" if tile >= 0 else ""
    return f"{agent.agent.name}, {what}{type(operation).__name__}{at}"
