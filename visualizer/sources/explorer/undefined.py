"""Says what PTX leaves undefined in a step, in the words in which the simulator ends a run."""

from __future__ import annotations

from visualizer.language import endings
from visualizer.semantics.mbarrier import Mbarrier, UndefinedBehaviour
from visualizer.sources.explorer.machine import Machine
from visualizer.sources.explorer.marks import EXITED_CTA
from visualizer.sources.explorer.operate import operate, parts
from visualizer.sources.explorer.steps import REMOTE, Code


def why_undefined(machine: Machine, choice: int) -> tuple[int, str]:
    """The barrier and the sentence of the choice, which was performed last and is undefined: its barrier is as before.

    Of a warp's arrivals that go on into the next phase the sentence tells of those that break the rule.
    """
    code, target, amount = _operation(machine, choice)
    if machine.rule == EXITED_CTA:
        return target, endings.CTA_LEFT.format(cta=machine.compiled.barrier_ctas[target])
    phase, pending, expected, tx, valid = machine.barriers[target]
    barrier = Mbarrier(valid, phase, expected, pending, tx)
    try:
        if code in (Code.WAIT, Code.TEST):
            barrier.test_wait_parity(amount & 1, remote=amount >= REMOTE)
        for part in parts(barrier, code, amount):
            operate(barrier, code, part)
    except UndefinedBehaviour as error:
        return target, str(error)
    raise AssertionError("the choice is defined")


def _operation(machine: Machine, choice: int) -> tuple[int, int, int]:
    """What the choice does to which barrier, and its amount."""
    copies = machine.compiled.copies
    if choice >= machine.count:
        part = copies[machine.copy_of(choice)]
        return (
            (Code.ARRIVE, part.barrier, part.arrivals)
            if part.arrivals
            else (Code.COMPLETE_TX, part.barrier, part.bytes)
        )
    step = machine.threads[choice][machine.pcs[choice] - 1]
    if step.code != Code.COPY:
        return step.code, step.target, step.amount
    raising = next(part for part in copies[step.target : step.target + step.amount] if part.increments)
    return Code.INCREASE_PENDING, raising.barrier, raising.increments
