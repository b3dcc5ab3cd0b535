"""A diagnosis as text: the verdict template for a terminal."""

from __future__ import annotations

from collections import Counter

from visualizer.diagnosis.alike import Root, Told, folded
from visualizer.diagnosis.arrived import missing_bytes, numbered
from visualizer.diagnosis.report import SEVERITIES, Finding, Owed, Report
from visualizer.diagnosis.source_lines import line
from visualizer.diagnosis.wording import commas, listed
from visualizer.language import mark, tr, trn
from visualizer.replay.barrier_columns import Counting

BLOCKED = ("STARVED", "LAPPED", "NOT YET", "EARLY PASS PENDING")
"""Verdicts about an agent that was still blocked when the recording ended."""


def report_text(report: Report, most: int | None = None) -> str:
    """The whole report, or its first `most` paragraphs: one per finding, those of other CTAs that say the same with the
    first of them."""
    lost = trn(", {n} event lost", ", {n} events lost", report.lost_events) if report.lost_events else ""
    ended = tr(_ENDED[report.ended]) if report.ended in _ENDED else report.ended
    if report.clean:
        note = tr(" ({note})", note=report.note) if report.note else ""
        head = tr("clean: the run {ended}{lost}, no findings{note}", ended=ended, lost=lost, note=note)
        if report.not_judged:
            head = tr("the run {ended}{lost}; no findings in what was judged{note}", ended=ended, lost=lost, note=note)
        return "\n".join([head, *not_judged_lines(report), *schedules_lines(report)])
    head = tr("{findings}: the run {ended}{lost}", findings=counts_text(report), ended=ended, lost=lost)
    if report.schedules is not None and report.note:
        head = tr("{head} ({note})", head=head, note=report.note)
    found = [_root_text(number, root) for number, root in enumerate(folded(report)[:most], 1)]
    rest = "\n".join([*not_judged_lines(report), *schedules_lines(report)])
    return "\n\n".join([head, *found, rest] if rest else [head, *found])


def count_text(report: Report) -> str:
    """ "no findings", "3 findings"; where some are effects or the same in other CTAs, "1 cause, 120 findings": as
    many causes as paragraphs and rows are shown, and every finding there is."""
    if report.clean:
        return tr("no findings")
    every = len(report.every)
    findings = trn("{n:,} finding", "{n:,} findings", every)
    causes = len(folded(report))
    return findings if causes == every else commas([trn("{n:,} cause", "{n:,} causes", causes), findings])


def counts_text(report: Report) -> str:
    """The same and how bad they are, "1 cause, 1,080 findings (120 errors, 960 notes)"; a single one's row says so."""
    count = count_text(report)
    return count if len(report.every) < 2 else tr("{head} ({note})", head=count, note=severities_text(report))


def severities_text(report: Report) -> str:
    """ "120 errors, 960 notes", of all findings; "" where there are none."""
    of = Counter(finding.severity for finding in report.every)
    counts = {
        "error": trn("{n:,} error", "{n:,} errors", of["error"]),
        "warning": trn("{n:,} warning", "{n:,} warnings", of["warning"]),
        "note": trn("{n:,} note", "{n:,} notes", of["note"]),
    }
    return commas([counts[severity] for severity in SEVERITIES if of[severity]])


def schedules_lines(report: Report) -> list[str]:
    """How many schedules of the program were explored, and what came of it."""
    if (tried := report.schedules) is None:
        return []
    if tried.all:
        how = tr("all of the program's schedules")
    else:
        how = trn("{n} schedule of the program", "{n} schedules of the program", tried.explored)
    if tried.bad:
        return [tr("Explored: {how}; there are some that end badly.", how=how)]
    if tried.all:
        return [tr("Explored: {how}; none deadlocks or races.", how=how)]
    return [tr("Explored: {how}; none of these deadlocks or races, which proves nothing of the others.", how=how)]


def not_judged_lines(report: Report) -> list[str]:
    """What was not judged and why, a line each."""
    return [tr("Not judged: {what}", what=what) for what in report.not_judged]


def finding_text(number: int, finding: Finding) -> str:
    """One finding: what and where, the numbers, who arrived and who owes, the cause, and what came of it."""
    return _root_text(number, Root(Told(finding, ()), tuple(Told(effect, ()) for effect in finding.effects)))


def same_elsewhere(told: Told) -> str:
    """In how many other CTAs it is the same."""
    return trn("The same in {n} other CTA", "The same in {n} other CTAs", told.ctas)


def _root_text(number: int, root: Root) -> str:
    finding = root.cause.finding
    lines = [f"{number}. {finding.verdict} ({tr(_SEVERITY[finding.severity])}){_where(finding)}"]
    if (numbers := _numbers(finding)) is not None:
        lines.append(numbers)
    if finding.arrived or finding.owed:
        arrived = commas([f"{a.agent} ({a.arrivals})" for a in finding.arrived]) or tr("nobody")
        owed = tr("; ").join(f"{o.agent} -> {next_text(o)} ({state_text(o)})" for o in finding.owed) or tr("nobody")
        lines.append(tr("Arrived in this phase: {arrived}. Still owed: {owed}.", arrived=arrived, owed=owed))
    if finding.verdict in BLOCKED:
        released_by = commas(finding.released_by) or tr("nothing that can still happen")
        lines.append(tr("Released only by: {released_by}.", released_by=released_by))
    if finding.first_divergence is not None:
        lines.append(tr("First divergence: step {step}.", step=finding.first_divergence))
    if finding.certain:
        lines.append(tr("Cause: {cause}", cause=finding.cause))
    else:
        lines.append(tr("Likely cause: {cause}", cause=finding.cause))
    if finding.site is not None:
        lines.append(tr("Look at: {place}", place=f"{finding.site.op}{line(finding.site)}"))
    if root.cause.others:
        lines.append(_others_text(root.cause))
    if root.effects:
        lines.append(tr("What came of it, or after it:"))
    for told in root.effects:
        effect = told.finding
        lines.append(f"   {effect.verdict} ({tr(_SEVERITY[effect.severity])}){_where(effect)}")
        lines.append(f"      {effect.cause}")
        if told.others:
            lines.append(f"      {_others_text(told)}")
    return "\n   ".join(lines)


def _others_text(told: Told) -> str:
    names = [
        tr("{agent} at step {step}", agent=other.agent or other.title, step=other.step)
        if other.step is not None
        else other.agent or other.title or ""
        for other in told.others
    ]
    return tr("{how_many}: {agents}.", how_many=same_elsewhere(told), agents=listed(names))


def next_text(owed: Owed) -> str:
    """The agent's next arriving operation for people; the field keeps one word for scripts in every language."""
    return tr(_OWED[owed.next]) if owed.next in _OWED else owed.next


def state_text(owed: Owed) -> str:
    """Where the agent is, for people."""
    return tr(_OWED[owed.state]) if owed.state in _OWED else owed.state


def _where(finding: Finding) -> str:
    at = [f"tile {finding.tile}"] if finding.tile is not None else []
    at += [tr("step {step}", step=finding.step)] if finding.step is not None else []
    place = tr(" at {place}", place=commas(at)) if at else ""
    if finding.verdict in BLOCKED and finding.agent:
        return tr(
            ": {agent} is blocked{place} on {barrier}, waiting for phase #{wanted} (parity {parity})",
            agent=finding.agent,
            place=place,
            barrier=finding.title,
            wanted=numbered(finding.phase_wanted or 0, finding.counting),
            parity=finding.parity,
        )
    subject = finding.agent or finding.title
    if finding.agent and finding.title:
        subject = tr("{agent} on {barrier}", agent=finding.agent, barrier=finding.title)
    return tr(": {subject}{place}", subject=subject, place=place) if subject else place


def _numbers(finding: Finding) -> str | None:
    if finding.phase_now is None or finding.barrier is None:
        return None
    wanted = ""
    if finding.verdict not in BLOCKED and finding.phase_wanted is not None:
        wanted = tr(
            " (the agent means #{wanted}, with parity {parity})",
            wanted=numbered(finding.phase_wanted, finding.counting),
            parity=finding.parity,
        )
    return tr(
        "{barrier} is in phase #{phase}{wanted}: {counts}.",
        barrier=finding.title,
        phase=numbered(finding.phase_now, finding.counting),
        wanted=wanted,
        counts=commas(counts_texts(finding)),
    )


def came_of(finding: Finding) -> tuple[str, str]:
    """Arrivals of the barrier's phase that are in, and those it takes; "?" where they are not known."""
    if finding.counting == Counting.NOTHING:
        return "?", "?"
    return str((finding.expected or 0) - (finding.pending or 0)), str(finding.expected or "?")


def counts_texts(finding: Finding) -> list[str]:
    """How far the barrier's phase has come: "arrived 1/2" and, where bytes are not even, "4096 bytes to come"."""
    arrived = tr("arrived {arrived}", arrived="/".join(came_of(finding)))
    return list(filter(None, (arrived, missing_bytes(finding.tx or 0))))


_ENDED = {
    "completed": mark("completed"),
    "deadlock": mark("ended in a deadlock"),
    "timeout": mark("hung and was ended"),
    "crash": mark("crashed"),
    "cancelled": mark("was cancelled"),
}
_SEVERITY = {"error": mark("error"), "warning": mark("warning"), "note": mark("note")}
_OWED = {"running": mark("running"), "exited": mark("exited"), "none": mark("none"), "unknown": mark("unknown")}
