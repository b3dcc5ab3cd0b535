"""The diagnosis as data: golden rows and details of mistakes, and the words for a sound run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from diagnosed_mistakes import diagnosed
from two_ctas_hang import two_ctas_hang

from visualizer.diagnosis.report import Finding, Report
from visualizer.diagnosis.report_text import count_text
from visualizer.playback.focus import Focus
from visualizer.views.diagnosis.details_model import MOST
from visualizer.views.diagnosis.diagnosis_model import finding_rows, folded_rows, headline


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
        ("arrived", "1 of 2 by the end"),
        ("owed by", "C1: blocked on full[0], never arrives"),
        ("released by", "nothing: it waits for ever"),
        ("arrivals by", "C0 1, step 31"),
        ("seen at", "step 27"),
    ]
    assert lines[6].focus == Focus(31, "C0")
    assert lines[7].focus == Focus(27, "P")


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


def test_many_things_not_judged_leave_room_for_the_findings() -> None:
    lines = tuple(f"Whether rule {number}: no ring is known." for number in range(6))
    assert headline(Report("completed", 0, (), not_judged=lines)) == (
        "Completed: no findings. Not judged: Whether rule 0: no ring is known. 5 more things were not judged."
    )
    assert all(line in headline(Report("completed", 0, (), not_judged=lines[:2])) for line in lines[:2])


def test_causes_and_findings_are_counted_as_the_rows_show_them() -> None:
    _, report = diagnosed("32")
    assert count_text(report) == "1 cause, 4 findings"
    assert headline(report) == "Deadlock: 1 cause, 4 findings (3 errors, 1 note)."


def test_what_is_the_same_in_other_ctas_is_no_further_cause() -> None:
    history, report = two_ctas_hang()
    rows = folded_rows(history.trace, report)
    assert count_text(report) == "1 cause, 4 findings"
    assert sum(not row.is_effect for row in rows) == 1
    assert sum(1 + len(row.elsewhere) for row in rows) == 4 - 1  # the effect in the other CTA is under its own cause


def test_a_number_that_says_it_all_stands_alone() -> None:
    one = Finding("STARVED", "error", "P waits.", agent="P")
    apart = replace(one, agent="C", severity="warning")
    assert headline(Report("timeout", 0, (one,))) == "Timeout: 1 finding."
    assert headline(Report("timeout", 0, (one, apart))) == "Timeout: 2 findings (1 error, 1 warning)."


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


def test_of_thousands_that_owe_some_are_named_and_the_others_counted() -> None:
    """A table of thousands of lines is laid out again with every change of the pane's look: it stood still for 2 s."""
    history, report = diagnosed("F21")
    finding = report.findings[0]
    (arrived,), (owed,) = finding.arrived, finding.owed
    many = replace(finding, arrived=(arrived,) * 2000, owed=(owed,) * 2000, released_by=("consumer",) * 2000)
    lines = finding_rows(history.trace, replace(report, findings=(many,)))[0].lines
    assert [line.text for line in lines].count("C0 1, step 31") == MOST
    assert [line.text for line in lines].count("C1: blocked on full[0], never arrives") == MOST
    assert [line.text for line in lines].count("and 1960 more") == 3
    assert sum(len(line.text) for line in lines) < 6000
