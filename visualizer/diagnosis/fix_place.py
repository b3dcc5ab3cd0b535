"""The line that a finding's remedy changes, where the recording has its text: a wait that hangs is only a symptom."""

from __future__ import annotations

import re

from visualizer.diagnosis.report import Finding, Place
from visualizer.recording.trace import Trace

START_STATE = "make_producer_start_state"
"""CUTLASS's word, in every language, by which a finding says that the producer's cursor starts in the wrong phase."""
_ARGUMENT = re.compile(r"[(,]\s*([A-Za-z_]\w*)\s*(?=[,)])")


def fix_place(trace: Trace, finding: Finding) -> Place | None:
    """Where the cursor is made that the blocked wait is called with, if the finding is that it starts wrongly. None if
    the finding is another, or the source does not show it."""
    site = finding.site
    if site is None or START_STATE not in finding.cause:
        return None
    lines = trace.source_files.get(site.file, "").splitlines()
    if not 0 < site.line <= len(lines):
        return None
    for name in _ARGUMENT.findall(lines[site.line - 1]):
        # A declaration: a type before the name, what it is made of behind it.
        declared = re.compile(rf"[\w>&*]\s+{re.escape(name)}\s*(=[^=]|[({{])")
        for number in range(site.line - 1, 0, -1):
            if declared.search(lines[number - 1]):
                return Place(site.file, number, START_STATE)
    return None
