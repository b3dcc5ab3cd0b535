"""The first finding is the cause, and what follows from it is listed under it."""

from __future__ import annotations

import json

import pytest
from ring_programs import BYTES, Barriers, by_all_lanes, only_arrive, only_read, ring, simulated, witnessed

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import Finding, Report, report_json
from visualizer.diagnosis.report_text import report_text
from visualizer.diagnosis.turns import habits
from visualizer.diagnosis.turns.habits import find_odd
from visualizer.programs.agent_builder import AgentBuilder
from visualizer.programs.registry import find_program
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.views.diagnosis.diagnosis_model import headline


def late_wait(c: AgentBuilder, tile: int, full: Barriers, empty: Barriers) -> None:
    c.read(c.index, BYTES)
    c.wait(full[c.index], c.phase)
    c.arrive(empty[c.index])
    c.advance()


def early_release(c: AgentBuilder, tile: int, full: Barriers, empty: Barriers) -> None:
    c.wait(full[c.index], c.phase)
    c.arrive(empty[c.index])
    c.read(c.index, BYTES)
    c.advance()


def no_acquire(p: AgentBuilder, tile: int, full: Barriers, empty: Barriers) -> None:
    p.arrive_expect_tx(full[p.index], BYTES)
    p.copy(full[p.index], p.index, BYTES)
    p.advance()


def short(p: AgentBuilder, tile: int, full: Barriers, empty: Barriers) -> None:
    p.wait(empty[p.index], p.phase)
    p.arrive_expect_tx(full[p.index], BYTES)
    p.copy(full[p.index], p.index, BYTES // 2)
    p.advance()


ODD = {
    "reads before it waits": ("C0", late_wait, "in this order"),
    "releases before it reads": ("C0", early_release, "in this order"),
    "does not acquire": ("P", no_acquire, "leaves out wait empty"),
    "copies half": ("P", short, "does copy 2048 B"),
    "all lanes arrive": ("C0", by_all_lanes, "x 32"),
}


@pytest.mark.parametrize("what", ODD)
@pytest.mark.parametrize("tile", [2, 3, 5])
def test_what_one_turn_does_otherwise_is_the_cause(what: str, tile: int) -> None:
    agent, change, words = ODD[what]
    program = ring(2, tiles=8, change={(agent, tile): change})
    found = [report for report in [*simulated(program), *witnessed(program)] if report.findings]
    assert found
    for report in found:
        first = report.findings[0]
        assert first.blamed == agent
        if first.verdict != "OVER-ARRIVAL" or first.site is not None:  # an operation without event needs the program
            assert f"tile {tile}" in first.cause
            assert words in first.cause
        assert len(report.findings) == 1, "what follows is under it"


@pytest.mark.parametrize("what", ODD)
def test_done_otherwise_is_no_finding_by_itself(what: str) -> None:
    """An agent that takes a tile in its own way, and soundly."""

    def plain_skip(p: AgentBuilder, tile: int, full: Barriers, empty: Barriers) -> None:
        p.wait(empty[p.index], p.phase)
        p.arrive(full[p.index])
        p.advance()

    program = ring(1, tiles=8, change={("P", 3): plain_skip, ("C0", 3): only_arrive})
    history = History(simulate(program))
    assert find_odd(history, program, {0}, history.steps)
    assert diagnose(history, program).findings == ()


def test_effects_are_in_json_and_indented_in_text() -> None:
    report = diagnose(History(simulate(find_program("baseline", fault="F20"))))
    document = json.loads(json.dumps(report_json(report)))
    assert [effect["verdict"] for effect in document["findings"][0]["effects"]] == ["NOT YET"]
    lines = report_text(report).splitlines()
    at = lines.index("   What came of it, or after it:")
    assert lines[at + 1].startswith("      NOT YET (note): C0 is blocked")


def test_ctas_that_never_meet_have_causes_of_their_own() -> None:
    """What is wrong in one is no effect of what is wrong in the other."""
    first, second = (
        Finding("X", "error", "", agent=name, first_divergence=step) for name, step in (("a", 1), ("b", 2))
    )
    report = Report("completed", 0, (first, second))
    assert report.every == (first, second)


def test_turns_that_were_not_compared_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a long run turns are compared around what is wrong, and the report says where: in text, JSON and window."""
    program = ring(2, tiles=60, change={("C1", 50): only_read})
    said = "Whether an agent does otherwise than in its other turns"
    history = History(simulate(program))
    for given in (program, None):
        monkeypatch.setattr(habits, "MOST_EVENTS", 10**6)
        whole = diagnose(history, given)
        assert not any(said in reason for reason in whole.not_judged)
        monkeypatch.setattr(habits, "MOST_EVENTS", 300)
        report = diagnose(history, given)
        (reason,) = [reason for reason in report.not_judged if said in reason]
        assert [(f.verdict, f.step) for f in report.every] == [(f.verdict, f.step) for f in whole.every]
        assert f"Not judged: {reason}" in report_text(report)
        assert reason in report_json(report)["not_judged"]
        assert reason in headline(report)


@pytest.mark.parametrize("told", [True, False])
def test_an_odd_turn_is_found_in_a_long_run_too(told: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for agent, tile, what in (("C0", 44, early_release), ("C0", 45, late_wait)):
        program = ring(tiles=60, change={(agent, tile): what})
        history = History(simulate(program))
        monkeypatch.setattr(habits, "MOST_EVENTS", 10**6)
        whole = diagnose(history, program if told else None)
        monkeypatch.setattr(habits, "MOST_EVENTS", 250)
        part = diagnose(history, program if told else None)
        assert [(f.verdict, f.agent, f.step) for f in part.every] == [(f.verdict, f.agent, f.step) for f in whole.every]
        assert "IRREGULAR" in {f.verdict for f in whole.findings}
