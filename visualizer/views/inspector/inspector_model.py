"""All that is known about the focus, as plain data: what it is, what caused it and what it caused.

Where nothing is known it says why.

Of small look-ups alone, none of which goes through the recording; inspector_widget shows the sections.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from visualizer.diagnosis.arrived import arrived_of, cursor_text, landed_at, number_of, parity_of
from visualizer.diagnosis.explanations.explain import explain
from visualizer.diagnosis.report import Report, SourceLine
from visualizer.diagnosis.wording import duration, state_word
from visualizer.language import mark, tr
from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import home_lane, lane_steps, stage_of_lane
from visualizer.recording.schema import EventKind, kind_name
from visualizer.replay.barrier_columns import Counting
from visualizer.replay.causality import Causality
from visualizer.replay.history import AgentActivity, History
from visualizer.replay.phases import phase_of
from visualizer.replay.stage_columns import STAGE_STATES
from visualizer.views.diagnosis.details_model import Line
from visualizer.views.diagnosis.diagnosis_model import FindingRow, finding_rows
from visualizer.views.inspector.explanation_model import ending_text, heading_text, lost_text, probe_note, time_note
from visualizer.views.ring.ring_model import ACTIVITY_WORDS
from visualizer.views.words.context import agent_step, stage_lane, stage_name

_MOST = 6
"""Links of one kind that are listed; of more the first, and how many there are."""
_COUNTED_FROM = {
    Counting.BEGINNING: mark(
        "The recording begins in the middle of the run and counts phases from there: #?+3 has an even number of phases"
        " before it that is not known, and three."
    ),
    Counting.NOTHING: mark("Nothing in the recording tells how many arrivals a phase takes, nor which phase it is in."),
}
_WAITING = (AgentActivity.WAITING, AgentActivity.TIMED_OUT)


@dataclass(frozen=True, slots=True)
class Section:
    """One thing the focus is about. `alarm`: something is wrong with it."""

    title: str
    text: str = ""
    lines: tuple[Line, ...] = ()
    alarm: bool = False


def inspect(history: History, focus: Focus, report: Report | None, rows: Sequence[FindingRow]) -> tuple[Section, ...]:
    """What the inspector shows; `rows` are the report's findings."""
    about = _About(history, focus)
    findings = _findings(about, report, rows)
    sections = [_slice(about), _barrier(about), _buffer(about), _agent(about)]
    here = findings.alarm and any(line.focus is not None and line.focus.step == focus.step for line in findings.lines)
    sections.insert(0 if here else len(sections), findings)
    return tuple(sections)


def inspector_rows(history: History, report: Report | None) -> tuple[FindingRow, ...]:
    """The findings, to be made once a recording."""
    return finding_rows(history.trace, report) if report is not None else ()


def run_text(history: History, *, ending: bool = True) -> str:
    """How the run ended, if that is asked for, and what was lost, where there is something to say."""
    return "\n".join(filter(None, (ending_text(history.trace) if ending else "", lost_text(history.trace))))


class _About:
    """Who and what a focus is about: the selected lane says it, or else the event."""

    def __init__(self, history: History, focus: Focus) -> None:
        trace = history.trace
        self.history, self.trace, self.step = history, trace, focus.step
        self.causality = Causality(history)
        self.event = trace.events[focus.step]
        self.state = history.state_at(focus.step)
        self.lane = focus.lane if focus.lane is not None else home_lane(trace, focus.step)
        self.agent = trace.agent_index.get(self.lane, -1)
        self.barrier = trace.barrier_index.get(self.lane, -1)
        self.place = stage_of_lane(history, self.lane)
        of_event = self.agent in (-1, int(self.event["agent"]))
        if self.agent < 0:
            self.agent = int(self.event["agent"])
        if self.barrier < 0 and self.place < 0:
            waits_on = int(self.state.agent_barrier[self.agent])
            self.barrier = int(self.event["barrier"]) if of_event and self.event["barrier"] >= 0 else waits_on
        if self.place < 0:
            self.place = history.event_places.at(focus.step) if of_event else -1
        if self.place < 0 and self.barrier >= 0:
            self.place = int(history.structure.place_of[self.barrier])

    def link(self, step: int, lane: str | None = None) -> Focus:
        return Focus(step, lane if lane is not None else home_lane(self.trace, step))

    def name_of(self, step: int) -> str:
        """ "w1 arrive, step 27"."""
        event = self.trace.events[step]
        agent = self.history.agent_titles[int(event["agent"])]
        return tr("{agent} {kind}, step {step}", agent=agent, kind=kind_name(int(event["kind"])), step=step)

    def lines(self, label: str, steps: Sequence[int]) -> list[Line]:
        """A link to each step; of many the first few, and how many more there are."""
        shown = [Line("" if n else label, self.name_of(at), self.link(at)) for n, at in enumerate(steps[:_MOST])]
        if len(steps) > _MOST:
            shown.append(Line("", tr("and {n} more", n=len(steps) - _MOST)))
        return shown


def _slice(about: _About) -> Section:
    """What happens here: how long it takes, what caused it and what it caused."""
    step, causality = about.step, about.causality
    notes = filter(None, (time_note(about.trace, step), probe_note(about.trace, step)))
    text = "\n".join((explain(about.history, step), *notes))
    lines = [] if (took := _took(about)) is None else [took]
    pivot = step
    if about.event["kind"] == EventKind.WAIT_BEGIN:
        end = causality.wait_end(step)
        pivot = step if end is None else end
    links = causality.links(step)
    causes = sorted({link.from_step for link in links if link.to_step == pivot})
    behind = sorted({link.from_step for link in links if link.to_step in causes} - set(causes))
    effects = sorted({link.to_step for link in links if link.from_step == pivot and link.to_step > step})
    lines += about.lines(tr("caused by"), causes) if causes else [_no_cause(about, pivot)]
    lines += about.lines(tr("made up of"), behind)
    woken = causality.woken_by(step)
    effects += [at for at in woken if at not in effects]
    if effects:
        lines += about.lines(tr("caused"), effects)
    else:
        after = about.history.agents.acts.after(int(about.event["agent"]), step)
        nothing = tr("nothing else in this recording")
        lines.append(Line(tr("caused"), nothing))
        if after is not None:
            lines.append(Line(tr("then"), about.name_of(after), about.link(after)))
    return Section(heading_text(about.trace, step), text, tuple(lines))


def _waits_on(about: _About, end: int) -> bool:
    """Whether the event that ends a slice is the exit of a warp of which one lane waits on."""
    agent = int(about.trace.events["agent"][end])
    return about.history.kinds[end] == EventKind.EXIT and agent not in about.history.left


def _took(about: _About) -> Line | None:
    """How long the slice of the lane lasts that the focused event begins or ends in."""
    found = lane_steps(about.history, about.lane)
    if found is None:
        return None
    begin = found.before(about.step + 1)
    end = found.after(about.step)
    if about.event["kind"] in (EventKind.WAIT_END, EventKind.READ_END, EventKind.TIMEOUT) and begin == about.step:
        begin, end = found.before(about.step), about.step
    if begin is None:
        return Line(tr("lasts"), tr("nothing has happened in this lane yet"))
    times = about.trace.events["time"]
    if end is None or _waits_on(about, end):
        return Line(tr("lasts"), tr("to the end of the recording; it began at step {step}", step=begin))
    text = tr(
        "{duration}, steps {begin} to {end}", duration=duration(int(times[end] - times[begin])), begin=begin, end=end
    )
    other = begin if end == about.step else end
    return Line(tr("lasts"), text, about.link(other, about.lane))


def _no_cause(about: _About, pivot: int) -> Line:
    """Why no cause is told."""
    kind = int(about.history.kinds[pivot])
    label = tr("caused by")
    if kind == EventKind.WAIT_END:
        release = about.causality.release_of(pivot)
        if release is not None and release.fresh:
            counting = int(about.history.barriers.counting[about.trace.events["barrier"][pivot]])
            if counting == Counting.NOTHING:
                return Line(label, tr("not known: nothing in the recording tells the barrier's phases"))
            if counting == Counting.BEGINNING:
                return Line(label, tr("not known: the recording begins later, in the middle of the run"))
            return Line(label, tr("nothing: no phase of that parity had completed, and the wait passes at once"))
    if kind == EventKind.WAIT_BEGIN:
        return Line(label, tr("nothing: the wait does not end in this recording"))
    before = about.history.agents.acts.before(int(about.event["agent"]), about.step)
    if before is None:
        return Line(label, tr("nothing that was recorded: it is its agent's first event"))
    return Line(label, tr("its agent's own course: {event}", event=about.name_of(before)), about.link(before))


def _barrier(about: _About) -> Section:
    """The barrier's phase and what has come of it."""
    history, row, step = about.history, about.barrier, about.step
    if row < 0:
        return Section(tr("Barrier"), tr("What is focused is about no mbarrier."))
    lane, state = about.trace.barriers[row].name, history.barrier_at(row, step)
    title = tr("Barrier {name}", name=history.barrier_title(row))
    if not state.valid:
        init = history.barriers.index.after(row, step)
        following = [] if init is None else [Line(tr("next"), about.name_of(init), about.link(init, lane))]
        return Section(title, tr("Not initialised here, so it counts nothing."), tuple(following))
    lines = [Line(tr("phase"), tr("#{phase} (parity {parity})", phase=number_of(state), parity=parity_of(state)))]
    lines.append(Line(tr("arrived"), arrived_of(state)))
    told = state.counting != Counting.NOTHING  # else all arrivals are in one phase, and nothing flips
    if told:
        came = [at for at in phase_of(history.barriers, row, step + 1).arrivals if at <= step]
        lines += about.lines(tr("by"), came)
    if (landed := landed_at(history, row, step)).text:
        lines.append(Line(tr("landed"), landed.text))
    lines += _waiting(about, row)
    lines += _flips(about, row) if told else []
    return Section(title, tr(_COUNTED_FROM[state.counting]) if state.counting in _COUNTED_FROM else "", tuple(lines))


def _flips(about: _About, row: int) -> list[Line]:
    """The barrier's flips before and after the step."""
    history, lane, lines = about.history, about.trace.barriers[row].name, []
    for label, direction in ((tr("last flip"), -1), (tr("next flip"), 1)):
        flip = history.barriers.index.nearest(
            row, about.step + (direction < 0), direction, lambda at: history.kinds[at] == EventKind.PHASE_COMPLETE
        )
        none = tr("none in this recording") if direction > 0 else tr("none yet")
        lines.append(Line(label, none) if flip is None else Line(label, about.name_of(flip), about.link(flip, lane)))
    return lines


def _waiting(about: _About, row: int) -> list[Line]:
    state = about.state
    waits = (state.agent_barrier == row) & np.isin(state.agent_activity, _WAITING)
    lines = []
    for number, agent in enumerate(np.flatnonzero(waits).tolist()[:_MOST]):
        since = about.history.agents.acts.before(agent, about.step + 1)
        gave_up = state.agent_activity[agent] == AgentActivity.TIMED_OUT
        facts = {"agent": about.history.agent_titles[agent], "parity": int(state.agent_parity[agent])}
        text = tr("{agent}, parity {parity}, gave up", **facts) if gave_up else tr("{agent}, parity {parity}", **facts)
        focus = None if since is None else about.link(since, about.trace.agents[agent].name)
        lines.append(Line("" if number else tr("waits"), text, focus))
    if int(waits.sum()) > _MOST:
        lines.append(Line("", tr("and {n} more", n=int(waits.sum()) - _MOST)))
    return lines or [Line(tr("waits"), tr("nobody"))]


def _buffer(about: _About) -> Section:
    """The stage buffer that the focus concerns."""
    history, place = about.history, about.place
    if place < 0:
        why = tr("What is focused concerns no stage of a ring.")
        if not history.structure.places:
            why = tr("No ring is known in this recording, so no stage is. Say what the barriers are for in Structure.")
        return Section(tr("Buffer"), why)
    state, tile = history.stages.one(place, about.step)
    lane = stage_lane(history, place)
    holds = state_word(STAGE_STATES[state])
    lines = [Line(tr("holds"), tr("{state}, tile {tile}", state=holds, tile=tile) if tile >= 0 else holds)]
    before, after = history.stages.index.before(place, about.step + 1), history.stages.index.after(place, about.step)
    lines += [] if before is None else [Line(tr("since"), about.name_of(before), about.link(before, lane))]
    lines.append(
        Line(tr("until"), tr("the end of the recording"))
        if after is None
        else Line(tr("until"), about.name_of(after), about.link(after, lane))
    )
    ring, stage = history.structure.at(place)
    for number, barrier in enumerate([*ring.full[stage][:_MOST], *ring.empty[stage][:_MOST]]):
        text = tr(
            "{name}, arrived {arrived}",
            name=history.barrier_title(barrier),
            arrived=arrived_of(history.barrier_at(barrier, about.step)),
        )
        focus = about.link(about.step, about.trace.barriers[barrier].name)
        lines.append(Line("" if number else tr("guarded by"), text, focus))
    if left_out := sum(max(len(one[stage]) - _MOST, 0) for one in (ring.full, ring.empty)):
        lines.append(Line("", tr("and {n} more", n=left_out)))
    return Section(tr("Buffer {name}", name=stage_name(history, place)), "", tuple(lines))


def _agent(about: _About) -> Section:
    """Who acts, or whose lane is selected: where it stands."""
    history, row, state = about.history, about.agent, about.state
    agent, activity = about.trace.agents[row], AgentActivity(int(about.state.agent_activity[row]))
    lines = []
    doing = tr(ACTIVITY_WORDS[activity])
    waits_on = int(state.agent_barrier[row])
    if activity in _WAITING and waits_on >= 0:
        doing = tr("{doing} on {barrier}", doing=doing, barrier=history.barrier_title(waits_on))
    at = agent_step(history, row, about.step)
    lines.append(Line(tr("does"), doing, None if at is None else about.link(at, agent.name)))
    site = int(state.agent_site[row])
    if site >= 0:
        where = about.trace.sites[site]
        place = SourceLine(where.file, where.line, where.op)
        lines.append(Line(tr("line"), f"{where.file}:{where.line} {where.op}", place=place))
    for ring in history.structure.of_cta(agent.cta):
        index, phase, count = history.agents.cursors(about.trace, about.step, ring.cursor_ring)[row].tolist()
        if index >= 0:
            lines.append(Line(tr("cursor"), cursor_text(index, phase, count)))
    after = history.agents.acts.after(row, about.step)
    nothing = Line(tr("next"), tr("nothing more in this recording"))
    lines.append(nothing if after is None else Line(tr("next"), about.name_of(after), about.link(after, agent.name)))
    return Section(tr("Agent {name}", name=history.agent_titles[row]), "", tuple(lines))


def _sound(report: Report) -> str:
    """Of a recording without findings."""
    if report.not_judged or report.lost_events:
        return tr("Nothing is wrong in what was judged of this recording.")
    return tr("Nothing is wrong with this recording.")


def _findings(about: _About, report: Report | None, rows: Sequence[FindingRow]) -> Section:
    """What the diagnosis says of who and what is shown here."""
    if report is None:
        return Section(tr("Finding"), tr("This recording was not diagnosed."))
    agent = about.trace.agents[about.agent].name
    barrier = about.trace.barriers[about.barrier].name if about.barrier >= 0 else None
    own = [
        row
        for row, finding in zip(rows, report.every, strict=True)
        if finding.agent == agent or (finding.barrier is not None and finding.barrier == barrier)
    ]
    own.sort(key=lambda row: row.focus is None or row.focus.step != about.step)
    if not own:
        elsewhere = tr("No finding is about this.") if rows else _sound(report)
        first = next((row for row in rows if row.focus is not None), None)
        other = [] if first is None else [Line(tr("elsewhere"), first.text, first.focus)]
        return Section(tr("Finding"), elsewhere, tuple(other))
    first, *others = own
    lines = [*first.lines, *(Line(tr("also") if not n else "", row.text, row.focus) for n, row in enumerate(others))]
    return Section(first.text, first.cause, tuple(lines), first.severity == "error")
