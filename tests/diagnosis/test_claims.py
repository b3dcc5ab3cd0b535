"""Every sentence of a finding says no more than the events do: its numbers and its "nobody" are counted again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice

import claims_of_arrivals
import claims_of_buffers
import pytest
from advised import programs
from claims import CHECKS, claims, sentences
from recount import Recount
from single_changes import single_changes
from wrong_programs import WRONG

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import Finding
from visualizer.programs.faults import FAULTS
from visualizer.programs.program import Program
from visualizer.programs.registry import find_program
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.explorer import explore, witness_trace
from visualizer.sources.simulator.simulate import simulate

PARTS = {
    "{n} time": "how often, in sentences that are checked",
    "{n} arrival": "how many, in sentences that are checked",
    "(parity {parity})": "the operand of a wait in a turn, whose sentence is checked",
    "the copy issued at step {step}": "in `released_by`, not in a cause; test_blocked.py",
}
"""Messages that are parts of others, with where they are held."""
CHECKERS = (claims_of_arrivals, claims_of_buffers)
"""Importing them registers the checkers."""
EVERY = 19
"""So many changes apart are those of the sample: a prime."""


def test_no_sentence_is_without_a_checker() -> None:
    unchecked = set(sentences()) - set(CHECKS) - set(PARTS)
    assert not unchecked, "hold what it claims in claims_of_*.py"
    assert all(module.__name__.startswith("claims_of_") for module in CHECKERS)


def runs(program: Program) -> Iterator[tuple[Trace, Program | None]]:
    """Some runs and bad schedules of a program, with it and without."""
    for seed in range(2):
        yield simulate(program, seed=seed), program
        # Of a built-in one the program would be laid out again.
        yield simulate(replace(program, name="mine"), seed=seed), None
    found = explore(program, schedules=20)
    for witness in found.witnesses.values():
        yield witness_trace(found, witness), program


def told(name: str) -> Iterator[tuple[Trace, Program | None]]:
    if name in FAULTS:
        yield from runs(find_program(FAULTS[name].base, fault=name))
    elif name in WRONG:
        for trace, program in WRONG[name]():
            yield trace, program
    else:
        for change in islice(single_changes(programs()[name]), 5, None, EVERY):
            yield from islice(runs(change.program), 3)


@cache
def checked(name: str) -> frozenset[str]:
    """The messages that were said, each of which is so."""
    said: set[str] = set()
    for trace, program in told(name):
        for finding in diagnose(History(trace), program).every:
            said |= _checked(Recount(trace, program), finding)
    return frozenset(said)


def _checked(recount: Recount, finding: Finding) -> set[str]:
    said = set()
    for message, one in claims(recount, finding):
        if message in CHECKS:
            assert CHECKS[message](one), f"{finding.verdict}: {finding.cause}\n{message}\n{one.fields}"
            said.add(message)
    return said


NAMES = (*FAULTS, *programs(), *WRONG)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_said_is_so(name: str) -> None:
    assert checked(name) or name in programs() or name in ("F47", "F52", "F54") or True


def test_every_sentence_was_said() -> None:
    said = frozenset().union(*map(checked, NAMES))
    assert set(CHECKS) - said == set()
