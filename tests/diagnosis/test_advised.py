"""The first finding is the cause: its change, made to the program, makes it sound or what is wrong later.

Held for a sample of all single-operation changes, which `python tests/diagnosis/advised.py` takes all, and for faults.
"""

from __future__ import annotations

from itertools import islice

import pytest
from advised import applied, bad_run, is_later, judged, programs
from single_changes import single_changes

from visualizer.programs.faults import FAULTS
from visualizer.programs.registry import find_program

EVERY = 23
"""So many changes apart are those of the sample: a prime, so that all kinds of changes and operations are met."""


@pytest.mark.parametrize("told", [True, False], ids=["with the program", "without"])
@pytest.mark.parametrize("name", programs())
def test_the_change_that_is_advised_helps(name: str, told: bool) -> None:
    program = programs()[name]
    verdicts = []
    for change in islice(single_changes(program), 3, None, EVERY):
        one = judged(change, program, told=told)
        verdicts.append(one.verdict)
        first = one.first.cause if one.first is not None else ""
        assert one.verdict != "wrong", f"{change.agent} {change.operation} {change.what}: {first}"
    harmful = [verdict for verdict in verdicts if verdict != "harmless"]
    assert harmful.count("right") >= (0.85 if told else 0.6) * len(harmful)


_OF_PROGRAMS = ("F24", "F48", "F50", "F53", "F54")
"""What is wrong shows in what agents were still to do, or in operations that leave no event."""
NOT_ADVISED = {"F27": "the producer has no tiles: what is missing is its loop, of which nothing was done"}
"""Faults that no change of a few operations moves on, with the reason."""


@pytest.mark.parametrize("told", [True, False], ids=["with the program", "without"])
@pytest.mark.parametrize("fault", sorted(set(FAULTS) - set(NOT_ADVISED)))
def test_the_change_advised_for_a_fault_helps(fault: str, told: bool) -> None:
    program = find_program(FAULTS[fault].base, fault=fault)
    if not told and fault in _OF_PROGRAMS:
        pytest.skip("only the program tells")
    run = bad_run(program, told=told)
    assert run is not None
    advice = run[1].findings[0].advice
    assert advice is not None
    again = bad_run(applied(program, run[0], advice), told=told)
    assert again is None or is_later(run, again), again[1].findings[0].cause


@pytest.mark.parametrize("fault", NOT_ADVISED)
def test_where_no_single_change_helps_none_is_advised(fault: str) -> None:
    run = bad_run(find_program(FAULTS[fault].base, fault=fault))
    assert run is not None
    assert run[1].findings[0].advice is None
