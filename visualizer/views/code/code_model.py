"""The code pane as plain data: which source lines the agents of one CTA are at, and where a line's next event is.

A site that was inlined has a line in every function of its stack. Of those the one shown is the user's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from visualizer.diagnosis.fix_line import fix_line
from visualizer.diagnosis.report import Report
from visualizer.diagnosis.source_lines import frames_of, users_frame
from visualizer.language import tr
from visualizer.recording.tables import Frame, Site
from visualizer.recording.trace import Trace
from visualizer.replay.history import AgentActivity, History
from visualizer.structure.stacks import function_path
from visualizer.views.words.context import cta_agents, cta_at, join_names, short_name

_GONE = (AgentActivity.NOT_STARTED, AgentActivity.EXITED)


@dataclass(frozen=True, slots=True)
class Chip:
    """A label in the margin of a line: the agents of one role that are there."""

    role: str  # "producer", "consumer", "tma"; "error" and "fix" for what a diagnosis says of the line
    text: str  # "P", "w1 w2"


@dataclass(frozen=True, slots=True)
class CodeMarks:
    """Where everybody is in one source file after one event. Lines count from 1."""

    file: str  # "": the recording has no source
    focused_line: int  # 0: the event has no site in this file
    chips: dict[int, tuple[Chip, ...]]


def frame_titles(frames: Sequence[Frame]) -> list[str]:
    """A line for each call: the function's own name, and where."""
    return [f"{_short(frame.function)}  {frame.file.rpartition('/')[2]}:{frame.line}".strip() for frame in frames]


def _short(function: str) -> str:
    """Without templates' and functions' arguments, and at most its class before it."""
    return "::".join(part.partition("<")[0] for part in function_path(function)[-2:])


def source_names(trace: Trace) -> list[str]:
    """The files that can be shown: those with sites first."""
    with_sites = {frames_of(site)[users_frame(trace, site)].file for site in trace.sites}
    return sorted(trace.source_files, key=lambda name: (name not in with_sites, name))


def code_marks(history: History, step: int, shown: str, frame: int | None = None) -> CodeMarks:
    """Marks at a step, in the focused event's file, or in file `shown` where the event has no site.

    `frame`: of the event's stack, the one to show; None: the user's own.
    """
    trace = history.trace
    place = _place(trace, int(trace.events["site"][step]), frame)
    known = place is not None and place.file in trace.source_files
    file = place.file if place is not None and known else shown
    state = history.state_at(step)
    lines: dict[int, dict[str, list[str]]] = {}
    for row in cta_agents(trace, cta_at(trace, step)):
        agent, role = trace.agents[row], history.structure.roles[row]
        at = _place(trace, int(state.agent_site[row]))
        if at is None or int(state.agent_activity[row]) in _GONE:
            continue
        if at.file == file and role != "copy_engine":
            lines.setdefault(at.line, {}).setdefault(role, []).append(short_name(agent))
    return CodeMarks(
        file=file,
        focused_line=place.line if place is not None and known else 0,
        chips={
            line: tuple(Chip(role, "P" if role == "producer" else join_names(names)) for role, names in roles.items())
            for line, roles in lines.items()
        },
    )


def with_findings(marks: CodeMarks, file: str, trace: Trace, report: Report | None) -> CodeMarks:
    """The marks in `file`, and where the errors that were found show, and where their remedies are."""
    chips = dict(marks.chips)
    for finding in report.findings if report is not None else ():
        if finding.severity != "error":
            continue
        for chip, place in ((Chip("error", "✖"), finding.site), (Chip("fix", "✔"), fix_line(trace, finding))):
            if place is not None and place.file == file and chip not in chips.get(place.line, ()):
                chips[place.line] = (chip, *chips.get(place.line, ()))
    return replace(marks, chips=chips)


def focused_site(trace: Trace, step: int) -> Site | None:
    """The site of an event; None if it has none."""
    row = int(trace.events["site"][step])
    return trace.sites[row] if row >= 0 else None


def _place(trace: Trace, site: int, frame: int | None = None) -> Frame | None:
    """Where a site is shown; None for none."""
    if site < 0:
        return None
    frames = frames_of(trace.sites[site])
    return frames[users_frame(trace, trace.sites[site]) if frame is None else frame]


def missing_text(trace: Trace, step: int) -> str:
    """Why there is nothing to show at `step` of a recording without source text, and what would give one."""
    site = focused_site(trace, step)
    place = _place(trace, int(trace.events["site"][step]))
    if site is None or place is None or place.line <= 0:
        return tr("This recording has no source text, and no line of one for what is in focus.")
    return tr(
        "{op} at {file}:{line}\n\nThis recording has the line, not the file's text: recording keeps it where the file"
        " lies on the computer that records.",
        op=site.op,
        file=place.file,
        line=place.line,
    )


def lines_with_sites(trace: Trace, file: str) -> frozenset[int]:
    """The lines of a file at which events can happen, or from which they are called."""
    return frozenset(frame.line for site in trace.sites for frame in frames_of(site) if frame.file == file)


def next_step_at_line(trace: Trace, file: str, line: int, step: int) -> int | None:
    """The first event after `step` made at a line, or in a function inlined there; after the last one, the first; None
    if there is none."""
    at_line = np.array(
        [any(frame.file == file and frame.line == line for frame in frames_of(site)) for site in trace.sites] + [False]
    )
    steps = np.flatnonzero(at_line[trace.events["site"]])
    if not len(steps):
        return None
    return int(steps[int(np.searchsorted(steps, step, side="right")) % len(steps)])
