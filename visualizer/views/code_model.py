"""The code pane as plain data: which source lines the agents of one CTA are at, and where a line's next event is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from visualizer.recording.trace import Trace
from visualizer.replay.history import AgentActivity, History
from visualizer.views.context import cta_agents, cta_at, join_names, short_name

_GONE = (AgentActivity.NOT_STARTED, AgentActivity.EXITED)


@dataclass(frozen=True, slots=True)
class Chip:
    """A label in the margin of a line: the agents of one role that are there."""

    role: str  # "producer", "consumer", "tma"
    text: str  # "P", "w1 w2"


@dataclass(frozen=True, slots=True)
class CodeMarks:
    """Where everybody is in one source file after one event. Lines count from 1."""

    file: str  # "": the recording has no source
    focused_line: int  # 0: the event has no site in this file
    chips: dict[int, tuple[Chip, ...]]


def source_names(trace: Trace) -> list[str]:
    """The files that can be shown: those with sites first."""
    with_sites = {site.file for site in trace.sites}
    return sorted(trace.source_files, key=lambda name: (name not in with_sites, name))


def code_marks(history: History, step: int, shown: str) -> CodeMarks:
    """Marks at a step, in the focused event's file, or in file `shown` where the event has no site."""
    trace = history.trace
    site = int(trace.events["site"][step])
    known = site >= 0 and trace.sites[site].file in trace.source_files
    file = trace.sites[site].file if known else shown
    state = history.state_at(step)
    lines: dict[int, dict[str, list[str]]] = {}
    for row in cta_agents(trace, cta_at(trace, step)):
        agent, role = trace.agents[row], history.structure.roles[row]
        place = int(state.agent_site[row])
        if place < 0 or int(state.agent_activity[row]) in _GONE:
            continue
        if trace.sites[place].file == file and role != "copy_engine":
            lines.setdefault(trace.sites[place].line, {}).setdefault(role, []).append(short_name(agent))
    return CodeMarks(
        file=file,
        focused_line=trace.sites[site].line if known else 0,
        chips={
            line: tuple(Chip(role, "P" if role == "producer" else join_names(names)) for role, names in roles.items())
            for line, roles in lines.items()
        },
    )


def lines_with_sites(trace: Trace, file: str) -> frozenset[int]:
    """The lines of a file at which events can happen."""
    return frozenset(site.line for site in trace.sites if site.file == file)


def next_step_at_line(trace: Trace, file: str, line: int, step: int) -> int | None:
    """The first event after `step` made at a line; after the last one, the first; None if there is none."""
    at_line = np.array([site.file == file and site.line == line for site in trace.sites] + [False])
    steps = np.flatnonzero(at_line[trace.events["site"]])
    if not len(steps):
        return None
    return int(steps[int(np.searchsorted(steps, step, side="right")) % len(steps)])
