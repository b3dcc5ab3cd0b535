"""A diagnosis and explanations say the same of a run whether its barriers have names or addresses alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ring_programs import left_out, not_armed, only_arrive, ring, twice, wrong_stage

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.explanations.explain import explain
from visualizer.diagnosis.report import report_json
from visualizer.diagnosis.report_text import report_text
from visualizer.programs.faults import FAULTS
from visualizer.programs.program import Program
from visualizer.programs.registry import find_program
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate

CHANGES = {
    "twice": {("C0", 1): twice},
    "wrong stage": {("C0", 2): wrong_stage},
    "left out": {("C0", 1): left_out},
    "only arrive": {("C0", 1): only_arrive},
    "not armed": {("P", 2): not_armed},
}


def by_address(trace: Trace) -> Trace:
    """The same run, its barriers known by address; an ending that names one names its address."""
    barriers, ending = list(trace.barriers), trace.meta.ending
    for row, barrier in enumerate(barriers):
        cta, _, _ = barrier.name.rpartition(".")
        barriers[row] = replace(barrier, name=f"{cta}.0x{row * 8:x}" if cta else f"0x{row * 8:x}")
        ending = replace(ending, detail=ending.detail.replace(f" {barrier.name}:", f" {barriers[row].name}:"))
    return replace(trace, barriers=barriers, meta=replace(trace.meta, ending=ending))


def _by_name(tree: Any, names: dict[str, str]) -> Any:
    """A part of a report with the barriers' own names, which are addresses in it; KeyError if one is not."""
    if isinstance(tree, dict):
        known = {"barrier": names[tree["barrier"]]} if tree.get("barrier") is not None else {}
        return {**{key: _by_name(value, names) for key, value in tree.items()}, **known}
    return type(tree)(_by_name(part, names) for part in tree) if isinstance(tree, list | tuple) else tree


def assert_told_alike(program: Program) -> None:
    trace = simulate(program)
    # Nobody knows the program of a stranger's recording.
    trace = replace(trace, meta=replace(trace.meta, program="stranger", config={}))
    named, unnamed = History(trace), History(by_address(trace))
    reports = [diagnose(history) for history in (named, unnamed)]
    assert report_text(reports[1]) == report_text(reports[0])
    told, untold = (report_json(report)["findings"] for report in reports)
    names = {b.name: a.name for a, b in zip(named.trace.barriers, unnamed.trace.barriers, strict=True)}
    assert _by_name(untold, names) == told
    for finding in told:
        assert finding["title"] == finding["barrier"]
    steps = range(0, named.steps, 3)
    assert [explain(unnamed, step) for step in steps] == [explain(named, step) for step in steps]


# Nobody gets a turn in F48, so that whose turn its barriers tell is not known.
@pytest.mark.parametrize("fault", sorted(FAULTS.keys() - {"F48"}))
def test_faults_are_told_alike(fault: str) -> None:
    assert_told_alike(find_program(fault=fault))


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_deviations_are_told_alike(change: dict) -> None:
    assert_told_alike(ring(2, tiles=8, change=change))
