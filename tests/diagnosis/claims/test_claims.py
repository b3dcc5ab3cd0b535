"""Every sentence of a finding says no more than the events do: its numbers and its "nobody" are counted again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice

import claims_of_arrivals
import claims_of_buffers
import claims_of_waits
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
from visualizer.recording.schema import EventKind as K
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.explorer import explore, witness_trace
from visualizer.sources.simulator.simulate import simulate

PARTS = {
    "Whether accesses of buffers are ordered, of {n:,} events: the short proof does not hold there, and of more than"
    " {most:,} events together it is not looked at one by one.": "of what is not judged; test_diagnose_hazards.py",
    "There are {n} such pairs or more: not all were looked for.": "a bound; test_diagnose_hazards.py",
    "{n} time": "how often, in sentences that are checked",
    "{n} arrival": "how many, in sentences that are checked",
    "(parity {parity})": "the operand of a wait in a turn, whose sentence is checked",
    "the copy issued at step {step}": "in `released_by`, not in a cause: _fields_are_so",
}
"""Messages that are parts of others, with where they are held."""
CHECKERS = (claims_of_arrivals, claims_of_buffers, claims_of_waits)
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
        yield from WRONG[name]()
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
    if finding.phase_wanted is not None and finding.agent in recount.open_waits:
        _fields_are_so(recount, finding)
    return said


def _fields_are_so(recount: Recount, finding: Finding) -> None:
    """The numbers of an agent that is blocked when the recording ends."""
    barrier, parity, begin = recount.open_waits[finding.agent or ""]
    if (finding.barrier, finding.step) != (barrier, begin):
        return  # it passed this wait, and is blocked at another
    now = recount.now(barrier)
    assert (finding.parity, finding.phase_now) == (parity, recount.number(barrier))
    assert finding.tx == recount.tx(barrier)
    assert {one.agent: one.arrivals for one in finding.arrived} == {
        agent: sum(count for who, count, _ in now.arrivals if who == agent) for agent in now.who
    }
    if barrier in recount.init and not recount.of_kind(K.ARRIVE_DROP, K.CP_ASYNC_ARRIVE, barrier=barrier):
        assert (finding.expected, finding.pending) == (recount.init[barrier], recount.init[barrier] - now.arrived)
    assert not {owed.agent for owed in finding.owed} & now.who
    for step in (
        int(found[1]) for one in finding.released_by if (found := re.search(r"copy issued at step (\d+)", one))
    ):
        assert recount.events[step]["kind"] == K.COPY_ISSUE
        assert recount.in_flight[barrier] > 0


NAMES = (*FAULTS, *programs(), *WRONG)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_said_is_so(name: str) -> None:
    checked(name)


def test_every_sentence_was_said() -> None:
    """So that each checker has something to check."""
    said = frozenset().union(*map(checked, NAMES))
    assert set(CHECKS) - said == set()
