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


ADVISED = (
    "F01", "F02", "F03", "F06", "F07", "F08", "F14", "F15", "F17", "F18", "F20", "F21", "F23", "F28", "F31", "F40",
    "F41", "F42", "F44", "F45", "F51", "F53",
)  # fmt: skip
"""Faults that a single operation, or one after the other, undoes. Of the others F12 takes a count and arrivals, F24 a
stage or another lag, F46 a cursor, F47 whole tiles, F49 bytes of all
tiles, F50 a wait for each stage, F52 waits and where to make them."""


@pytest.mark.parametrize("fault", ADVISED)
def test_the_change_advised_for_a_fault_helps(fault: str) -> None:
    program = find_program(FAULTS[fault].base, fault=fault)
    run = bad_run(program)
    assert run is not None
    advice = run[1].findings[0].advice
    assert advice is not None
    again = bad_run(applied(program, run[0], advice))
    assert again is None or is_later(run, again), again[1].findings[0].cause
