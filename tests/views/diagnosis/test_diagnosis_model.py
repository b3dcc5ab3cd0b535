"""The diagnosis as data: golden rows, details and chains of three mistakes, and the words for a sound run."""

from __future__ import annotations

from functools import cache

import pytest
from two_ctas_hang import two_ctas_hang

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import Report
from visualizer.playback.focus import Focus
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.programs.registry import find_program
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.views.diagnosis.diagnosis_model import (
    Chain,
    chain,
    count_text,
    finding_rows,
    folded_rows,
    headline,
)


@cache
def diagnosed(fault: str) -> tuple[History, Report]:
    """A mistake of the two-consumer baseline, or "32": the lesson whose full barriers count 32 arrivals."""
    program = lesson(LessonConfig(producer_arrivals=32)) if fault == "32" else find_program("baseline", None, fault)
    history = History(simulate(program))
    return history, diagnose(history, program)


def _chain(fault: str, number: int = 0) -> Chain:
    history, report = diagnosed(fault)
    return chain(history.trace, report, report.every[number])


def _nodes(shown: Chain) -> list[tuple[str, str, bool, int]]:
    return [(node.title, node.detail, node.root, node.column) for node in shown.nodes]


def test_a_row_says_what_is_wrong_and_leads_there() -> None:
    history, report = diagnosed("F20")
    rows = finding_rows(history.trace, report)
    assert [row.text for row in rows] == [
        "✖ STARVED  P blocked on empty[1], tile 3",
        "      ℹ NOT YET  C0 blocked on full[1], tile 3",
    ]
    assert rows[0].focus == Focus(40, "P")
    assert rows[0].cause.startswith("C0 read tile 1 from stage 1 and never arrived on empty[1]")


def test_the_details_of_a_blocked_agent() -> None:
    history, report = diagnosed("F21")
    lines = finding_rows(history.trace, report)[0].lines
    assert [(line.label, line.text) for line in lines] == [
        ("line", "baseline.py:105 read"),
        ("first divergence", "step 28"),
        ("waits for", "phase #0, parity 0; the barrier is in #0"),
        ("arrived", "1 of 2"),
        ("", "C0 1, step 31"),
        ("owed by", "C1: blocked on full[0], never arrives"),
        ("released by", "nothing: it waits for ever"),
        ("seen at", "step 27"),
    ]
    assert lines[4].focus == Focus(31, "C0")
    assert lines[7].focus == Focus(27, "P")


def test_a_cycle_leads_back_to_its_first_agent() -> None:
    shown = _chain("F20")
    assert _nodes(shown) == [
        ("P", "blocked", True, 0),
        ("empty[1]", "0 of 1 arrived", False, 1),
        ("C0", "blocked", False, 2),
        ("full[1]", "0 of 1 arrived", False, 3),
    ]
    assert shown.edges == ((0, 1), (1, 2), (2, 3), (3, 0))
    assert shown.summary().endswith("full[1] waits for P")


def test_agents_at_the_same_place_share_a_box_and_a_dead_end_is_nobody() -> None:
    shown = _chain("32", number=3)
    assert _nodes(shown) == [
        ("producer", "blocked", False, 0),
        ("empty[0]", "0 of 96 arrived", False, 1),
        ("w1 w2 w3", "blocked", True, 2),
        ("full[0]", "1 of 32 arrived", False, 3),
        ("nobody", "is left to arrive", True, 4),
    ]
    assert shown.edges == ((0, 1), (1, 2), (2, 3), (3, 4))
    assert shown.nodes[3].focus == Focus(12, "full[0]")


def test_a_lapped_phase_has_gone_by() -> None:
    assert _nodes(_chain("F28"))[1:] == [
        ("full[0]", "wants #1, is in #3", False, 1),
        ("phase #1", "has gone by", True, 2),
    ]


def test_a_finding_about_no_blocked_agent_has_no_chain() -> None:
    _, report = diagnosed("F28")
    number = [finding.verdict for finding in report.every].index("WRITE AFTER READ")
    assert _chain("F28", number) == Chain()


@pytest.mark.parametrize(
    ("report", "count", "words"),
    [
        (
            Report("completed", 0, ()),
            "no findings",
            "Completed: no findings. No agent waits for ever, the counts match, and every buffer is used in order.",
        ),
        (
            Report("completed", 7, ()),
            "no findings",
            "Completed: no findings; 7 events lost, so that only blocked agents are judged.",
        ),
    ],
)
def test_a_clean_run_says_so(report: Report, count: str, words: str) -> None:
    assert count_text(report) == count
    assert headline(report) == words


def test_the_headline_says_what_was_not_judged() -> None:
    report = Report("completed", 0, (), not_judged=("Whether a buffer is read too early: nobody knows.",))
    assert headline(report) == ("Completed: no findings. Not judged: Whether a buffer is read too early: nobody knows.")
    assert headline(Report("completed", 0, (), "it has no mbarrier")) == "Completed: no findings. It has no mbarrier."


def test_findings_are_counted_by_severity() -> None:
    _, report = diagnosed("32")
    assert count_text(report) == "1 finding"
    assert headline(report) == "Deadlock: 3 errors, 1 note."


def test_what_is_the_same_in_other_ctas_is_a_line_that_leads_there() -> None:
    history, report = two_ctas_hang()
    (first, effect), every = folded_rows(history.trace, report), finding_rows(history.trace, report)
    assert len(every) == 4
    assert first.title == f"{every[0].title}, and in 1 other CTA"
    assert (first.cause, first.lines[:-1]) == (every[0].cause, every[0].lines)
    line = first.lines[-1]
    assert (line.label, line.text, line.focus) == ("The same in 1 other CTA", every[2].title, every[2].focus)
    assert first.elsewhere == (every[2].focus,)
    assert effect == every[1]
    assert [report.every[row.number].cause for row in (first, effect)] == [first.cause, effect.cause]


def test_where_nothing_is_the_same_elsewhere_all_are_shown() -> None:
    history, report = diagnosed("F20")
    assert folded_rows(history.trace, report) == finding_rows(history.trace, report)
