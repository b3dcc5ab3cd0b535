"""What findings say of the picture: where the run first departed from a sound one, and which barriers lack arrivals."""

from __future__ import annotations

from visualizer.diagnosis.report import SEVERITIES, Finding, Report
from visualizer.diagnosis.report_text import BLOCKED


def first_divergence(report: Report) -> int | None:
    """The first step that departed from a sound run; of errors if there are any."""
    for severity in SEVERITIES:
        steps = [f.first_divergence for f in report.findings if f.severity == severity]
        known = [step for step in steps if step is not None]
        if known:
            return min(known)
    return None


def owing_findings(report: Report | None) -> dict[str, Finding]:
    """By barrier, the first finding about an agent blocked on it for arrivals that its present phase still lacks."""
    found: dict[str, Finding] = {}
    for finding in report.every if report is not None else ():
        waits_for_this = finding.pending and finding.phase_wanted == finding.phase_now
        if finding.verdict in BLOCKED and finding.barrier is not None and waits_for_this:
            found.setdefault(finding.barrier, finding)
    return found
