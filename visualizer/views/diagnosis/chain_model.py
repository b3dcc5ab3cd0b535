"""Who waits for whom, from a blocked agent along barriers to those who owe them: a small graph as plain data."""

from __future__ import annotations

from dataclasses import dataclass

from visualizer.diagnosis.arrived import missing_bytes, numbered
from visualizer.diagnosis.report import Finding, Owed, Report
from visualizer.diagnosis.report_text import BLOCKED, came_of, state_text
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.recording.trace import Trace
from visualizer.views.diagnosis.details_model import focus_at, last_steps
from visualizer.views.words.context import join_names, short_name


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
        self._stand = last_steps(trace)

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
                    f"phase #{numbered(finding.phase_wanted or 0, finding.counting)}",
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
        return self._add("agent", title, state, root, focus_at(self._trace, step, names[0]), column)

    def _barrier(self, finding: Finding, column: int) -> int:
        came, needed = came_of(finding)
        detail = tr("{arrived} of {expected} arrived", arrived=came, expected=needed)
        if finding.verdict in ("LAPPED", "EARLY PASS PENDING"):
            detail = tr(
                "wants #{phase_wanted}, is in #{phase_now}",
                phase_wanted=numbered(finding.phase_wanted or 0, finding.counting),
                phase_now=numbered(finding.phase_now or 0, finding.counting),
            )
        elif not finding.pending and finding.tx:
            detail = missing_bytes(finding.tx)
        step = max((arrived.step for arrived in finding.arrived), default=finding.step)
        focus = focus_at(self._trace, step, finding.barrier)
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


def _short(trace: Trace, agent: str) -> str:
    row = trace.agent_index.get(agent)
    return short_name(trace.agents[row]) if row is not None else agent
