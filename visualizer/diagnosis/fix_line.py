"""The line that a finding's remedy changes, where the recording has its text: a wait that hangs is only a symptom."""

from __future__ import annotations

import re

from visualizer.diagnosis.report import Finding, SourceLine
from visualizer.recording.tables import without_cta
from visualizer.recording.trace import Trace

START_STATE = "make_producer_start_state"
"""CUTLASS's word, in every language, by which a finding says that the producer's cursor starts in the wrong phase."""
_ARGUMENT = re.compile(r"[(,]\s*([A-Za-z_]\w*)\s*(?=[,)])")
_AGENT = re.compile(r"\bagent\(((?:[^()]|\([^()]*\))*)\)")
_PRODUCER = re.compile(r"""\brole\s*=\s*["']producer["']""")


def fix_line(trace: Trace, finding: Finding) -> SourceLine | None:
    """Where the cursor is made that the blocked wait is called with, if the finding is that it starts wrongly. None if
    the finding is another, or the source does not show it."""
    site = finding.site
    if site is None or finding.rule != "wrong-start-phase":
        return None
    text = trace.source_files.get(site.file, "")
    if site.file.endswith(".py"):
        return _made_by_builder(text, site, finding.agent or "")
    lines = text.splitlines()
    if not 0 < site.line <= len(lines):
        return None
    for name in _ARGUMENT.findall(lines[site.line - 1]):
        # A declaration: a type before the name, what it is made of behind it.
        declared = re.compile(rf"[\w>&*]\s+{re.escape(name)}\s*(=[^=]|[({{])")
        for number in range(site.line - 1, 0, -1):
            if declared.search(lines[number - 1]):
                return SourceLine(site.file, number, START_STATE)
    return None


def _made_by_builder(text: str, site: SourceLine, agent: str) -> SourceLine | None:
    """In a program file, the call of `Builder.agent` that makes the agent: its cursor begins in the `phase` given
    there. By the agent's name or, if that is put together, as the only producer."""
    name = re.compile(rf"""\s*["']{re.escape(without_cta(agent))}["']""")
    calls = list(_AGENT.finditer(text))
    made = [call for call in calls if name.match(call[1])] or [call for call in calls if _PRODUCER.search(call[1])]
    if len(made) != 1:
        return None
    phase = re.search(r"\bphase\s*=", made[0][1])
    at = made[0].start(1) + phase.start() if phase else made[0].start()
    return SourceLine(site.file, text.count("\n", 0, at) + 1, "agent")
