"""The diagnosis as plain data: a row per finding, the details of each, and who waits for whom as a small graph.

Pure and small, so that golden tests need no window; diagnosis_widget shows the rows, chain_widget paints the graph.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from visualizer.diagnosis.alike import folded
from visualizer.diagnosis.fix_place import fix_place
from visualizer.diagnosis.report import Finding, Owed, Place, Report
from visualizer.diagnosis.report_text import BLOCKED, next_text, not_judged_lines, same_elsewhere, state_text
from visualizer.diagnosis.wording import commas, ending_word, sentence, sentences
from visualizer.language import current, tr, trn
from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import home_lane
from visualizer.playback.stories.teaching import Lesson, lesson_on
from visualizer.recording.trace import Trace
from visualizer.views.words.context import join_names, short_name

GLYPHS = {"error": "✖", "warning": "⚠", "note": "ℹ"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of details; a click on it, if it leads anywhere, asks for `focus`, for `place` in the source, or for a
    chapter's `lesson`."""

    label: str
    text: str
    focus: Focus | None = None
    place: Place | None = None
    lesson: Lesson | None = None

    @property
    def leads(self) -> bool:
        return any(target is not None for target in (self.focus, self.place, self.lesson))


@dataclass(frozen=True, slots=True)
class FindingRow:
    """One finding. `focus` is where a click on it leads; None if it names no event."""

    severity: str
    glyph: str
    verdict: str
    title: str
    cause: str
    lines: tuple[Line, ...]
    focus: Focus | None
    number: int  # in the order of `report.every`
    is_effect: bool = False  # of the finding above it that is none
    elsewhere: tuple[Focus | None, ...] = ()  # where the same in other CTAs leads

    @property
    def text(self) -> str:
        return f"{'      ' if self.is_effect else ''}{self.glyph} {self.verdict}  {self.title}"


@dataclass(frozen=True, slots=True)
class ChainNode:
    """One box of the graph: agents that stand at the same place, a barrier, or "nobody"."""

    kind: str  # "agent", "barrier", "nobody"
    title: str
    detail: str
    root: bool  # what is wrong is wrong here
    focus: Focus | None
    column: int
    row: int


@dataclass(frozen=True, slots=True)
class Chain:
    """Who waits for what, from left to right; `edges` are pairs of node numbers, a cycle's last one leads back."""

    nodes: tuple[ChainNode, ...] = ()
    edges: tuple[tuple[int, int], ...] = ()

    def summary(self) -> str:
        """The graph in words, for screen readers."""
        return tr("; ").join(
            tr("{agent} waits for {other}", agent=self.nodes[a].title, other=self.nodes[b].title) for a, b in self.edges
        )


def count_text(report: Report) -> str:
    """ "no findings", "1 finding", "3 findings"."""
    count = len(report.findings)
    return trn("{n} finding", "{n} findings", count) if count else tr("no findings")


def headline(report: Report) -> str:
    """What stands above the list."""
    lost = ""
    if report.lost_events:
        lost = tr("; {n:,} events lost, so that only blocked agents are judged", n=report.lost_events)
    if report.clean:
        how = tr("Completed")
        if report.ended != "completed":
            how = tr("Ended with {ending}", ending=ending_word(report.ended))
        clean = tr("{how}: no findings{lost}.", how=how, lost=lost)
        if lost:
            return clean
        if report.not_judged or report.note:
            note = [] if report.not_judged else [tr("{note}.", note=sentence(report.note))]
            return sentences(clean, *note, *not_judged_lines(report))
        return sentences(clean, tr("No agent waits for ever, the counts match, and every buffer is used in order."))
    counts = {
        "error": trn("{n} error", "{n} errors", _of_severity(report, "error")),
        "warning": trn("{n} warning", "{n} warnings", _of_severity(report, "warning")),
        "note": trn("{n} note", "{n} notes", _of_severity(report, "note")),
    }
    found = tr(
        "{ending}: {findings}{lost}.",
        ending=sentence(ending_word(report.ended)),
        findings=commas([counts[severity] for severity in GLYPHS if _of_severity(report, severity)]),
        lost=lost,
    )
    return found if lost else sentences(found, *not_judged_lines(report))


def finding_rows(trace: Trace, report: Report) -> tuple[FindingRow, ...]:
    """A row for every finding and, behind each, its effects: in the order of `report.every`."""
    stand = _last_steps(trace)
    effects = {id(effect) for finding in report.findings for effect in finding.effects}
    return tuple(
        FindingRow(
            finding.severity,
            GLYPHS[finding.severity],
            finding.verdict,
            _title(finding),
            finding.cause,
            _lines(trace, finding, stand, None if id(finding) in effects else lesson_on(trace, finding)),
            _focus(trace, finding.step, finding.agent or finding.barrier),
            number,
            id(finding) in effects,
        )
        for number, finding in enumerate(report.every)
    )


def folded_rows(trace: Trace, report: Report) -> tuple[FindingRow, ...]:
    """Of `finding_rows` those that a list needs: what is the same in other CTAs is a line each of the first."""
    rows = finding_rows(trace, report)
    number = {id(finding): row for row, finding in enumerate(report.every)}
    shown = []
    for root in folded(report):
        for told in (root.cause, *root.effects):
            row = rows[number[id(told.finding)]]
            if told.others:
                others = [rows[number[id(other)]] for other in told.others]
                label = same_elsewhere(told)
                lines = [Line("" if n else label, other.title, other.focus) for n, other in enumerate(others)]
                title = trn(
                    "{finding}, and in {n} other CTA", "{finding}, and in {n} other CTAs", told.ctas, finding=row.title
                )
                elsewhere = tuple(other.focus for other in others)
                row = replace(row, title=title, lines=(*row.lines, *lines), elsewhere=elsewhere)
            shown.append(row)
    return tuple(shown)


def chain(trace: Trace, report: Report, finding: Finding) -> Chain:
    """From the agent of a finding along barriers and those who owe them; empty if it is about no blocked agent."""
    blocked = {f.agent: f for f in report.every if f.verdict in BLOCKED and f.agent is not None}
    if finding.agent is None or blocked.get(finding.agent) is not finding:
        return Chain()
    return _ChainBuilder(trace, blocked).build(finding.agent)


class _ChainBuilder:
    """Breadth first; whoever is met again becomes an edge back, so that cycles end."""

    def __init__(self, trace: Trace, blocked: dict[str, Finding]) -> None:
        self._trace = trace
        self._blocked = blocked
        self._nodes: list[ChainNode] = []
        self._edges: list[tuple[int, int]] = []
        self._rows: dict[int, int] = {}
        self._stand = _last_steps(trace)

    def build(self, start: str) -> Chain:
        state = tr("blocked")
        of_agent = {start: self._agents((start,), state, 0)}
        of_barrier: dict[str, int] = {}
        queue = [start]
        while queue:
            agent = queue.pop(0)
            finding = self._blocked[agent]
            here, barrier = of_agent[agent], finding.barrier or ""
            if barrier in of_barrier:
                self._edges.append((here, of_barrier[barrier]))
                continue
            column = self._nodes[here].column
            at = of_barrier[barrier] = self._barrier(finding, column + 1)
            self._edges.append((here, at))
            if finding.verdict == "LAPPED":
                gone = self._add(
                    "nobody",
                    f"phase #{finding.phase_wanted}",
                    tr("has gone by"),
                    True,
                    None,
                    column + 2,
                )
                self._edges.append((at, gone))
                continue
            for members in _alike(finding.owed, of_agent):
                first = members[0]
                if first.agent not in of_agent:
                    words = tr("never arrives") if first.next == "none" else _stand(first)
                    node = self._agents(tuple(owed.agent for owed in members), words, column + 2)
                    of_agent |= dict.fromkeys((owed.agent for owed in members), node)
                    if first.agent in self._blocked:
                        queue.append(first.agent)
                self._edges.append((at, of_agent[first.agent]))
            if not finding.owed and finding.pending:
                self._edges.append(
                    (at, self._add("nobody", tr("nobody"), tr("is left to arrive"), True, None, column + 2))
                )
        return Chain(tuple(self._nodes), tuple(self._edges))

    def _agents(self, names: tuple[str, ...], state: str, column: int) -> int:
        finding = self._blocked.get(names[0])
        title = names[0] if len(names) == 1 else join_names(_short(self._trace, name) for name in names)
        root = finding is not None and finding.severity == "error"
        step = finding.step if finding is not None else self._stand.get(names[0])
        return self._add("agent", title, state, root, _focus(self._trace, step, names[0]), column)

    def _barrier(self, finding: Finding, column: int) -> int:
        pending, expected = finding.pending or 0, finding.expected or 0
        detail = tr("{arrived} of {expected} arrived", arrived=expected - pending, expected=expected)
        if finding.verdict in ("LAPPED", "EARLY PASS PENDING"):
            detail = tr(
                "wants #{phase_wanted}, is in #{phase_now}",
                phase_wanted=finding.phase_wanted,
                phase_now=finding.phase_now,
            )
        elif not pending and finding.tx:
            detail = tr("{tx} bytes to come", tx=finding.tx)
        step = max((arrived.step for arrived in finding.arrived), default=finding.step)
        focus = _focus(self._trace, step, finding.barrier)
        return self._add("barrier", finding.title or "", detail, False, focus, column)

    def _add(self, kind: str, title: str, detail: str, root: bool, focus: Focus | None, column: int) -> int:
        row = self._rows[column] = self._rows.get(column, -1) + 1
        self._nodes.append(ChainNode(kind, title, detail, root, focus, column, row))
        return len(self._nodes) - 1


def _alike(owed: tuple[Owed, ...], known: dict[str, int]) -> list[list[Owed]]:
    """Agents that owe an arrival, those in the same state together; whoever has a box already is a group of one."""
    groups: dict[object, list[Owed]] = {}
    for one in owed:
        key = known.get(one.agent, (one.state, one.next == "none"))
        groups.setdefault(key, []).append(one)
    return list(groups.values())


def _stand(owed: Owed) -> str:
    """Where an agent is, in a word: on what it is blocked is in the chain itself."""
    return state_text(owed) if owed.state in ("running", "exited") else tr("blocked")


def _title(finding: Finding) -> str:
    if finding.verdict in BLOCKED:
        title = tr("{agent} blocked on {barrier}", agent=finding.agent, barrier=finding.title)
        return title if finding.tile is None else f"{title}, tile {finding.tile}"
    words = [finding.agent, finding.title]
    if finding.stage is not None and finding.barrier is None:
        words.append(f"stage {finding.stage}" if finding.ring is None else f"{finding.ring}.stage[{finding.stage}]")
    if finding.tile is not None:
        words.append(f"tile {finding.tile}")
    return ", ".join(word for word in words if word)


def _lines(trace: Trace, finding: Finding, stand: dict[str, int], lesson: Lesson | None) -> tuple[Line, ...]:
    lines: list[Line] = []
    if finding.site is not None:
        lines.append(_place_line(tr("line"), finding.site))
    if (fix := fix_place(trace, finding)) is not None:
        lines.append(_place_line(tr("to change"), fix))
    if lesson is not None:
        lines.append(Line(tr("taught in"), lesson.title.spoken(current()), lesson=lesson))
    if finding.first_divergence is not None:
        since = finding.first_divergence
        lines.append(Line(tr("first divergence"), tr("step {step}", step=since), _focus(trace, since, None)))
    if finding.phase_wanted is not None:
        now = (
            tr("; the barrier is in #{phase_now}", phase_now=finding.phase_now) if finding.phase_now is not None else ""
        )
        lines.append(Line(tr("waits for"), f"phase #{finding.phase_wanted}, parity {finding.parity}{now}"))
    if finding.verdict in BLOCKED:
        came = (finding.expected or 0) - (finding.pending or 0)
        lines.append(Line(tr("arrived"), tr("{pending} of {expected}", pending=came, expected=finding.expected)))
        for arrived in finding.arrived:
            focus = _focus(trace, arrived.step, arrived.agent)
            lines.append(
                Line(
                    "",
                    tr(
                        "{agent} {arrivals}, step {step}",
                        agent=arrived.agent,
                        arrivals=arrived.arrivals,
                        step=arrived.step,
                    ),
                    focus,
                )
            )
        for number, owed in enumerate(finding.owed):
            then = tr("never arrives") if owed.next == "none" else tr("next {operation}", operation=next_text(owed))
            text = f"{owed.agent}: {commas([state_text(owed), then])}"
            lines.append(Line("" if number else tr("owed by"), text, _focus(trace, stand.get(owed.agent), owed.agent)))
        if not finding.owed and finding.pending:
            lines.append(Line(tr("owed by"), tr("nobody")))
        if finding.tx:
            lines.append(Line(tr("bytes"), tr("{tx} to come", tx=finding.tx)))
        nothing = tr("nothing: it waits for ever")
        lines.append(Line(tr("released by"), tr(" or ").join(finding.released_by) or nothing))
    if finding.step is not None:
        lines.append(
            Line(tr("seen at"), tr("step {step}", step=finding.step), _focus(trace, finding.step, finding.agent))
        )
    return tuple(lines)


def _place_line(label: str, place: Place) -> Line:
    return Line(label, f"{place.file}:{place.line} {place.op}", place=place)


def _focus(trace: Trace, step: int | None, lane: str | None) -> Focus | None:
    if step is None or not 0 <= step < len(trace):
        return None
    known = lane in trace.agent_index or lane in trace.barrier_index
    return Focus(step, lane if known else home_lane(trace, step))


def _last_steps(trace: Trace) -> dict[str, int]:
    """The last event of each agent: where it stands. One pass over the events."""
    last = np.full(len(trace.agents), -1, np.int64)
    last[trace.events["agent"]] = np.arange(len(trace))  # of equal indices the last one counts
    return {agent.name: step for agent, step in zip(trace.agents, last.tolist(), strict=True) if step >= 0}


def _short(trace: Trace, agent: str) -> str:
    row = trace.agent_index.get(agent)
    return short_name(trace.agents[row]) if row is not None else agent


def _of_severity(report: Report, severity: str) -> int:
    return sum(finding.severity == severity for finding in report.every)
