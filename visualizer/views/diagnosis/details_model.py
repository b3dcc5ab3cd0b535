"""The details of a finding, line by line, each with where a click on it leads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from visualizer.diagnosis.arrived import missing_bytes, numbered
from visualizer.diagnosis.fix_line import fix_line
from visualizer.diagnosis.report import Finding, SourceLine
from visualizer.diagnosis.report_text import BLOCKED, came_of, next_text, state_text
from visualizer.diagnosis.wording import commas
from visualizer.language import current, tr
from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import home_lane
from visualizer.playback.stories.teaching import Lesson
from visualizer.recording.trace import Trace

MOST = 40
"""Arrivals that the details of a finding name, and agents that owe some; `phasescope diagnose` names all."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of details; a click on it, if it leads anywhere, asks for `focus`, for `place` in the source, or for a
    chapter's `lesson`."""

    label: str
    text: str
    focus: Focus | None = None
    place: SourceLine | None = None
    lesson: Lesson | None = None

    @property
    def leads(self) -> bool:
        return any(target is not None for target in (self.focus, self.place, self.lesson))


def detail_lines(trace: Trace, finding: Finding, stand: dict[str, int], lesson: Lesson | None) -> tuple[Line, ...]:
    """What is known of a finding; `stand` are the `last_steps` of the trace, `lesson` the chapter that teaches it."""
    lines: list[Line] = []
    if finding.site is not None:
        lines.append(_place_line(tr("line"), finding.site))
    if (fix := fix_line(trace, finding)) is not None:
        lines.append(_place_line(tr("to change"), fix))
    if lesson is not None:
        lines.append(Line(tr("taught in"), lesson.title.spoken(current()), lesson=lesson))
    if finding.first_divergence is not None:
        since = finding.first_divergence
        lines.append(Line(tr("first divergence"), tr("step {step}", step=since), focus_at(trace, since, None)))
    if finding.phase_wanted is not None:
        now = ""
        if finding.phase_now is not None:
            now = tr("; the barrier is in #{phase_now}", phase_now=numbered(finding.phase_now, finding.counting))
        wanted = numbered(finding.phase_wanted, finding.counting)
        lines.append(Line(tr("waits for"), f"phase #{wanted}, parity {finding.parity}{now}"))
    if finding.verdict in BLOCKED:
        lines += [_count_line(finding), *_owed_lines(trace, finding, stand), *_arrived_lines(trace, finding)]
    if finding.step is not None:
        seen = tr("step {step}", step=finding.step)
        lines.append(Line(tr("seen at"), seen, focus_at(trace, finding.step, finding.agent)))
    return tuple(lines)


def _count_line(finding: Finding) -> Line:
    """How many arrivals the barrier that an agent is blocked on has: where the wait begins it may have fewer."""
    came, needed = came_of(finding)
    return Line(tr("arrived"), tr("{arrived} of {expected} by the end", arrived=came, expected=needed))


def _arrived_lines(trace: Trace, finding: Finding) -> list[Line]:
    """Whose these are: behind those that are owed, of which the run hangs."""
    lines = []
    for number, one in enumerate(finding.arrived[:MOST]):
        text = tr("{agent} {arrivals}, step {step}", agent=one.agent, arrivals=one.arrivals, step=one.step)
        lines.append(Line("" if number else tr("arrivals by"), text, focus_at(trace, one.step, one.agent)))
    return lines + _rest(len(finding.arrived) - MOST)


def _owed_lines(trace: Trace, finding: Finding, stand: dict[str, int]) -> list[Line]:
    """Who owes arrivals or bytes to it, and what would release the agent."""
    lines: list[Line] = []
    for number, owed in enumerate(finding.owed[:MOST]):
        then = tr("never arrives") if owed.next == "none" else tr("next {operation}", operation=next_text(owed))
        text = f"{owed.agent}: {commas([state_text(owed), then])}"
        focus = focus_at(trace, stand.get(owed.agent), owed.agent)
        lines.append(Line("" if number else tr("owed by"), text, focus))
    lines += _rest(len(finding.owed) - MOST)
    if not finding.owed and finding.pending:
        lines.append(Line(tr("owed by"), tr("nobody")))
    if finding.tx:
        lines.append(Line(tr("bytes"), missing_bytes(finding.tx)))
    nothing = tr("nothing: it waits for ever")
    lines.append(Line(tr("released by"), tr(" or ").join(finding.released_by[:MOST]) or nothing))
    return lines + _rest(len(finding.released_by) - MOST)


def _rest(count: int) -> list[Line]:
    """That there are so many more, if there are."""
    return [Line("", tr("and {n} more", n=count))] if count > 0 else []


def _place_line(label: str, place: SourceLine) -> Line:
    return Line(label, f"{place.file}:{place.line} {place.op}", place=place)


def focus_at(trace: Trace, step: int | None, lane: str | None) -> Focus | None:
    """The event `step` on `lane`, or on the event's own where the recording has no such; None if there is no event."""
    if step is None or not 0 <= step < len(trace):
        return None
    known = lane in trace.agent_index or lane in trace.barrier_index
    return Focus(step, lane if known else home_lane(trace, step))


def last_steps(trace: Trace) -> dict[str, int]:
    """The last event of each agent: where it stands. One pass over the events."""
    last = np.full(len(trace.agents), -1, np.int64)
    last[trace.events["agent"]] = np.arange(len(trace))  # of equal indices the last one counts
    return {agent.name: step for agent, step in zip(trace.agents, last.tolist(), strict=True) if step >= 0}
