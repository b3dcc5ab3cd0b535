"""Partial-order reduction: which of the possible steps need be tried in a state, so that no outcome is missed.

**Persistent sets.** A set T of possible steps is persistent in a state if nothing that can happen without performing a
member of T interferes with a member: whatever the others do first, T's steps stay possible, do the same, and earn the
same marks, and what the others did is unchanged by T going first. Exploring only a non-empty persistent set in every
state reaches every deadlock, and at least one schedule of every class of schedules that differ by swapping steps that
do not interfere (Godefroid, LNCS 1032, chapter 4). No state can recur, because every step advances an agent or lands a
copy, so nothing is put off for ever. The marks (races, undefined operations) are earned by a step from barriers and
buffers that only interfering steps change, so they are the same in every schedule of a class; and the marks of a
schedule are an unordered set. Hence: if the reduced search finds no deadlock and no mark, no schedule has one.

What can happen without T is over-approximated, and what interferes with a step decided, in reach.py.
"""

from __future__ import annotations

from visualizer.sources.explorer.machine import Machine
from visualizer.sources.explorer.reach import Reach
from visualizer.sources.progress import CancelCheck


def persistent_choices(machine: Machine, choices: list[int], enough: CancelCheck | None = None) -> list[int]:
    """A persistent set among `choices`, all that is possible: one step if there is such, else the smallest found until
    `enough` says that it has taken long."""
    best = choices
    possible = set(choices)
    for seed in choices:
        if enough is not None and enough():
            return best
        if machine.is_part(seed):
            continue
        group = {seed}
        while True:
            reach = Reach(machine, group)
            new = {other for choice in group for other in reach.interfering(choice)} - group
            if not new <= possible:
                break
            group |= new
            if len(group) >= len(best):
                break
            if not new:
                best = sorted(
                    group
                    | {choice for choice in choices if machine.is_part(choice) and _whole(machine, choice) in group}
                )
                if len(group) == 1:
                    return best
                break
    return best


def _whole(machine: Machine, part: int) -> int:
    return machine.count + machine.copy_of(part)
