"""All that is known about the focus, as plain data: what it is, what caused it and what it caused.

Where nothing is known it says why.

Of small look-ups alone, none of which goes through the recording; inspector_widget shows the sections.
"""

from __future__ import annotations

from collections.abc import Sequence

from visualizer.diagnosis.arrived import cursor_text
from visualizer.diagnosis.explanations.explain import explain
from visualizer.diagnosis.report import Report, SourceLine
from visualizer.diagnosis.wording import duration
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import lane_steps
from visualizer.recording.schema import EventKind
from visualizer.replay.barrier_columns import Counting
from visualizer.replay.history import AgentActivity, History
from visualizer.views.diagnosis.details_model import Line
from visualizer.views.diagnosis.diagnosis_model import FindingRow, finding_rows
from visualizer.views.inspector.about import WAITING, About, Section
from visualizer.views.inspector.barrier_sections import barrier_section, buffer_section
from visualizer.views.inspector.explanation_model import ending_text, heading_text, lost_text, probe_note, time_note
from visualizer.views.ring.ring_picture import ACTIVITY_WORDS
from visualizer.views.words.context import agent_step


def inspect(history: History, focus: Focus, report: Report | None, rows: Sequence[FindingRow]) -> tuple[Section, ...]:
    """What the inspector shows; `rows` are the report's findings."""
    about = About(history, focus)
    findings = _findings(about, report, rows)
    sections = [_slice(about), barrier_section(about), buffer_section(about), _agent(about)]
    here = findings.alarm and any(line.focus is not None and line.focus.step == focus.step for line in findings.lines)
    sections.insert(0 if here else len(sections), findings)
    return tuple(sections)


def inspector_rows(history: History, report: Report | None) -> tuple[FindingRow, ...]:
    """The findings, to be made once a recording."""
    return finding_rows(history.trace, report) if report is not None else ()


def run_text(history: History, *, ending: bool = True) -> str:
    """How the run ended, if that is asked for, and what was lost, where there is something to say."""
    return "\n".join(filter(None, (ending_text(history.trace) if ending else "", lost_text(history.trace))))


def _slice(about: About) -> Section:
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


def _waits_on(about: About, end: int) -> bool:
    """Whether the event that ends a slice is the exit of a warp of which one lane waits on."""
    agent = int(about.trace.events["agent"][end])
    return about.history.kinds[end] == EventKind.EXIT and agent not in about.history.left


def _took(about: About) -> Line | None:
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


def _no_cause(about: About, pivot: int) -> Line:
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


def _agent(about: About) -> Section:
    """Who acts, or whose lane is selected: where it stands."""
    history, row, state = about.history, about.agent, about.state
    agent, activity = about.trace.agents[row], AgentActivity(int(about.state.agent_activity[row]))
    lines = []
    doing = tr(ACTIVITY_WORDS[activity])
    waits_on = int(state.agent_barrier[row])
    if activity in WAITING and waits_on >= 0:
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


def _findings(about: About, report: Report | None, rows: Sequence[FindingRow]) -> Section:
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
