"""What is the same in many CTAs is told once, with where else; scripts get all of it."""

from __future__ import annotations

import pytest
from alike_ctas import CTAS, gemm, tilelang

from visualizer.diagnosis.alike import folded
from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import Finding, Report, report_json
from visualizer.diagnosis.report_text import report_text
from visualizer.replay.history import History


@pytest.fixture(scope="module")
def report() -> Report:
    return diagnose(History(gemm(too_many=1)))


def test_each_cta_has_its_finding_and_the_text_tells_one(report: Report) -> None:
    assert len(report.findings) == len(report_json(report)["findings"]) == CTAS
    text = report_text(report)
    every = len(report.every)
    assert text.startswith(f"1 cause, {every} findings ({CTAS} errors, {every - CTAS} notes): ")
    assert text.count("STARVED (error)") == 1
    first, *others = (f"{found.agent} at step {found.step}" for found in report.findings)
    assert f"   The same in {CTAS - 1} other CTAs: {others[0]} and {others[1]}.\n" in text
    assert first not in text


def test_no_finding_is_lost(report: Report) -> None:
    for one in (report, diagnose(History(tilelang())), diagnose(History(gemm(too_many=1, multicast=True)))):
        (root,) = folded(one)
        assert root.cause.finding is one.findings[0]
        assert root.cause.ctas == CTAS - 1
        told = [found for kind in (root.cause, *root.effects) for found in (kind.finding, *kind.others)]
        own = [one.findings[0], *one.findings[0].effects]
        assert {id(found) for found in own} <= {id(found) for found in told}
        assert {id(found) for found in one.findings} <= {id(found) for found in told}
        assert len(told) == len({id(found) for found in told})


def test_effects_in_other_ctas_of_the_cluster_are_told_once() -> None:
    text = report_text(diagnose(History(gemm(too_many=1, multicast=True))))
    assert text.count("NOT YET (note)") == CTAS  # a line for each warp
    assert text.count("The same in 2 other CTAs: ") == 1 + CTAS


def test_those_that_differ_stay_apart() -> None:
    def finding(agent: str, **more: object) -> Finding:
        return Finding("STARVED", "error", f"{agent} waits.", agent=agent, **more)  # type: ignore[arg-type]

    alike = finding("CTA0.P", rule="gone", step=4), finding("CTA1.P", rule="gone", step=5)
    others = finding("CTA2.P", rule="gone", pending=3), finding("CTA3.P"), finding("P"), finding("P")
    roots = folded(Report("timeout", 0, (*alike, *others)))
    assert [root.cause.finding for root in roots] == [alike[0], *others]
    assert roots[0].cause.others == alike[1:]


def test_the_first_kinds_can_be_asked_for(report: Report) -> None:
    other = Finding("LAPPED", "error", "It went by.", agent="CTA1.C0")
    both = Report(report.ended, 0, (*report.findings, other))
    assert "2. LAPPED" in report_text(both)
    assert "LAPPED" not in report_text(both, 1)
