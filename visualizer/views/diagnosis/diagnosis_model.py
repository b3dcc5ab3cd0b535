"""The diagnosis as plain data: a row per finding, and the sentence above them.

Pure and small, so that golden tests need no window; diagnosis_widget shows the rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from visualizer.diagnosis.alike import folded
from visualizer.diagnosis.report import Finding, Report
from visualizer.diagnosis.report_text import BLOCKED, counts_text, not_judged_lines, same_elsewhere
from visualizer.diagnosis.wording import ending_word, sentence, sentences
from visualizer.language import tr, trn
from visualizer.playback.focus import Focus
from visualizer.playback.stories.teaching import lesson_on
from visualizer.recording.trace import Trace
from visualizer.views.diagnosis.details_model import Line, detail_lines, focus_at, last_steps

_LINES_SHOWN = 2
"""Of what was not judged, above the list; where there are more, the first one and how many."""

GLYPHS = {"error": "✖", "warning": "⚠", "note": "ℹ"}


@dataclass(frozen=True, slots=True)
class FindingRow:
    """One finding. `focus` is where a click on it leads; None if it names no event."""

    severity: str
    glyph: str
    verdict: str
    title: str
    cause: str
    lines: tuple[Line, ...]
    focus: Focus | None
    number: int  # in the order of `report.every`
    is_effect: bool = False  # of the finding above it that is none
    elsewhere: tuple[Focus | None, ...] = ()  # where the same in other CTAs leads

    @property
    def text(self) -> str:
        return f"{'      ' if self.is_effect else ''}{self.glyph} {self.verdict}  {self.title}"


def headline(report: Report) -> str:
    """What stands above the list."""
    lost = ""
    if report.lost_events:
        lost = tr("; {n:,} events lost, so that only blocked agents are judged", n=report.lost_events)
    if report.clean:
        how = tr("Completed")
        if report.ended != "completed":
            how = tr("Ended with {ending}", ending=ending_word(report.ended))
        clean = tr("{how}: no findings{lost}.", how=how, lost=lost)
        if lost:
            return clean
        if report.not_judged or report.note:
            note = [] if report.not_judged else [tr("{note}.", note=sentence(report.note))]
            return sentences(clean, *note, *_left_out(report))
        return sentences(clean, tr("No agent waits for ever, the counts match, and every buffer is used in order."))
    found = tr(
        "{ending}: {findings}{lost}.",
        ending=sentence(ending_word(report.ended)),
        findings=counts_text(report),
        lost=lost,
    )
    return found if lost else sentences(found, *_left_out(report))


def _left_out(report: Report) -> list[str]:
    """What was not judged, as far as it leaves room for the findings: of a kernel without a ring that is six rules for
    one reason."""
    lines = not_judged_lines(report)
    if len(lines) <= _LINES_SHOWN:
        return lines
    more = len(lines) - 1
    return [lines[0], trn("{n} more thing was not judged.", "{n} more things were not judged.", more)]


def finding_rows(trace: Trace, report: Report) -> tuple[FindingRow, ...]:
    """A row for every finding and, behind each, its effects: in the order of `report.every`."""
    stand = last_steps(trace)
    effects = {id(effect) for finding in report.findings for effect in finding.effects}
    return tuple(
        FindingRow(
            finding.severity,
            GLYPHS[finding.severity],
            finding.verdict,
            _title(finding),
            finding.cause,
            detail_lines(trace, finding, stand, None if id(finding) in effects else lesson_on(trace, finding)),
            focus_at(trace, finding.step, finding.agent or finding.barrier),
            number,
            id(finding) in effects,
        )
        for number, finding in enumerate(report.every)
    )


def folded_rows(trace: Trace, report: Report) -> tuple[FindingRow, ...]:
    """Of `finding_rows` those that a list needs: what is the same in other CTAs is a line each of the first."""
    rows = finding_rows(trace, report)
    number = {id(finding): row for row, finding in enumerate(report.every)}
    shown = []
    for root in folded(report):
        for told in (root.cause, *root.effects):
            row = rows[number[id(told.finding)]]
            if told.others:
                others = [rows[number[id(other)]] for other in told.others]
                label = same_elsewhere(told)
                lines = [Line("" if n else label, other.title, other.focus) for n, other in enumerate(others)]
                title = trn(
                    "{finding}, and in {n} other CTA", "{finding}, and in {n} other CTAs", told.ctas, finding=row.title
                )
                elsewhere = tuple(other.focus for other in others)
                row = replace(row, title=title, lines=(*row.lines, *lines), elsewhere=elsewhere)
            shown.append(row)
    return tuple(shown)


def _title(finding: Finding) -> str:
    if finding.verdict in BLOCKED:
        title = tr("{agent} blocked on {barrier}", agent=finding.agent, barrier=finding.title)
        return title if finding.tile is None else f"{title}, tile {finding.tile}"
    words = [finding.agent, finding.title]
    if finding.stage is not None and finding.barrier is None:
        words.append(f"stage {finding.stage}" if finding.ring is None else f"{finding.ring}.stage[{finding.stage}]")
    if finding.tile is not None:
        words.append(f"tile {finding.tile}")
    return ", ".join(word for word in words if word)
