"""A diagnosis as text: the verdict template for a terminal."""

from __future__ import annotations

from visualizer.diagnosis.places import line
from visualizer.diagnosis.report import Finding, Report
from visualizer.diagnosis.wording import counted


def report_text(report: Report) -> str:
    """The whole report; one paragraph per finding."""
    lost = f", {counted(report.lost_events, 'event')} lost" if report.lost_events else ""
    if report.clean:
        note = f" ({report.note})" if report.note else ""
        return f"clean: the run {_ENDED.get(report.ended, report.ended)}{lost}, no findings{note}"
    head = f"{counted(len(report.findings), 'finding')}: the run {_ENDED.get(report.ended, report.ended)}{lost}"
    return "\n\n".join([head, *(finding_text(number, f) for number, f in enumerate(report.findings, 1))])


def finding_text(number: int, finding: Finding) -> str:
    """One finding: what and where, the numbers, who arrived and who owes, the cause."""
    lines = [f"{number}. {finding.verdict} ({finding.severity}){_where(finding)}"]
    if (numbers := _numbers(finding)) is not None:
        lines.append(f"   {numbers}")
    if finding.arrived or finding.owed:
        arrived = ", ".join(f"{a.agent} ({a.arrivals})" for a in finding.arrived) or "nobody"
        owed = "; ".join(f"{o.agent} -> {o.next} ({o.state})" for o in finding.owed) or "nobody"
        lines.append(f"   Arrived in this phase: {arrived}. Still owed: {owed}.")
    if finding.verdict in _BLOCKED:
        lines.append(f"   Released only by: {', '.join(finding.released_by) or 'nothing that can still happen'}.")
    if finding.first_divergence is not None:
        lines.append(f"   First divergence: step {finding.first_divergence}.")
    lines.append(f"   Cause: {finding.cause}")
    if finding.site is not None:
        lines.append(f"   Look at: {finding.site.op}{line(finding.site)}")
    return "\n".join(lines)


def _where(finding: Finding) -> str:
    at = [f"tile {finding.tile}"] if finding.tile is not None else []
    at += [f"step {finding.step}"] if finding.step is not None else []
    place = f" at {', '.join(at)}" if at else ""
    if finding.verdict in _BLOCKED and finding.agent:
        return (
            f": {finding.agent} is blocked{place} on {finding.barrier}, waiting for phase #{finding.phase_wanted}"
            f" (parity {finding.parity})"
        )
    subject = " on ".join(filter(None, (finding.agent, finding.barrier)))
    return f": {subject}{place}" if subject else place


def _numbers(finding: Finding) -> str | None:
    if finding.phase_now is None or finding.barrier is None:
        return None
    wanted = ""
    if finding.verdict not in _BLOCKED and finding.phase_wanted is not None:
        wanted = f" (the agent means #{finding.phase_wanted}, with parity {finding.parity})"
    return (
        f"{finding.barrier} is in phase #{finding.phase_now}{wanted}: pending {finding.pending}/{finding.expected}, tx"
        f" {finding.tx}."
    )


_BLOCKED = ("STARVED", "LAPPED", "NOT YET", "EARLY PASS PENDING")
_ENDED = {
    "completed": "completed",
    "deadlock": "ended in a deadlock",
    "timeout": "hung and was ended",
    "crash": "crashed",
    "cancelled": "was cancelled",
}
