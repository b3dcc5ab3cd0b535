"""What findings say of the picture: where a run first departed from a sound one, and which barriers lack arrivals."""

from __future__ import annotations

from functools import cache

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import Report
from visualizer.programs.registry import find_program
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.views.words.findings import first_divergence, owing_findings


@cache
def _report(fault: str) -> Report:
    program = find_program("baseline", None, fault)
    return diagnose(History(simulate(program)), program)


def test_the_first_divergence_is_the_earliest_of_the_errors() -> None:
    report = _report("F28")
    known = [f.first_divergence for f in report.findings if f.severity == "error" and f.first_divergence is not None]
    assert first_divergence(report) == min(known) == 22
    assert first_divergence(Report("completed", 0, ())) is None


def test_only_phases_still_to_come_are_owed() -> None:
    assert set(owing_findings(_report("F20"))) == {"empty[1]", "full[1]"}
    assert owing_findings(_report("F28")) == {}  # lapped: an arrival would not help
    assert owing_findings(None) == {}
