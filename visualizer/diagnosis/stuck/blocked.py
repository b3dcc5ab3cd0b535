"""Every blocked agent with its verdict, who owes what, and the chain of who waits for whom down to the root."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from visualizer.diagnosis.barrier_facts import barrier_facts
from visualizer.diagnosis.cause import Cause
from visualizer.diagnosis.report import Arrived, Finding, Owed
from visualizer.diagnosis.source_lines import line, site_at, source_line
from visualizer.diagnosis.stuck.causes import lapped_cause, starved_cause
from visualizer.diagnosis.stuck.helpers import helpers_of, nobody_can_arrive
from visualizer.diagnosis.stuck.outlook import Outlook
from visualizer.language import tr


@dataclass(frozen=True, slots=True)
class _Blocked:
    agent: int
    wait: int
    barrier: int
    helpers: tuple[int, ...]  # who could still complete the phase: agents with an arrival to come
    copies: tuple[int, ...]  # ... and copies in flight


def blocked_findings(outlook: Outlook) -> list[Finding]:
    """A finding per blocked agent: root causes first, then those that only wait for them (notes)."""
    blocked = {agent: _look(outlook, agent, wait) for agent, wait in outlook.blocked.items()}
    verdicts = {agent: _verdict(outlook, item) for agent, item in blocked.items()}
    # Only who waits for the others can be part of a cycle.
    waiting = {agent: item for agent, item in blocked.items() if verdicts[agent] == "NOT YET"}
    verdicts |= dict.fromkeys(_primaries(outlook, waiting), "STARVED")
    roots: list[Finding] = []
    victims: list[Finding] = []
    for agent, item in blocked.items():
        verdict = verdicts[agent]
        if verdict == "STARVED":
            cycle = _cycle(waiting, agent) if agent in waiting else ()
            roots.append(_finding(outlook, item, verdict, starved_cause(outlook, item.wait, cycle)))
        elif verdict != "NOT YET":
            roots.append(_finding(outlook, item, verdict, lapped_cause(outlook, item.wait)))
        else:
            finding = _finding(outlook, item, verdict, Cause(_chain(outlook, blocked, verdicts, agent)))
            victims.append(replace(finding, severity="note"))
    return roots + victims


def _look(outlook: Outlook, agent: int, wait: int) -> _Blocked:
    row = int(outlook.waits.barrier[wait])
    state = outlook.barrier(row)
    helpers = helpers_of(outlook, agent, row)
    # Bytes alone complete no phase that arrivals are missing in.
    may_complete = state.pending == 0 or not state.counted or helpers
    return _Blocked(agent, wait, row, helpers, tuple(outlook.in_flight(row)) if may_complete else ())


def _verdict(outlook: Outlook, item: _Blocked) -> str:
    """The verdict table for a wait that blocks: the phase it means against the phase the barrier is in."""
    wanted, now = int(outlook.intents.wanted[item.wait]), outlook.barrier(item.barrier).phase
    if now > wanted:
        return "LAPPED"
    if now < wanted:
        return "EARLY PASS PENDING"
    return "NOT YET" if item.helpers or item.copies else "STARVED"


def _primaries(outlook: Outlook, blocked: dict[int, _Blocked]) -> set[int]:
    """Of every cycle of waits the agent to blame first: one with a cause of its own, else the longest waiting."""
    chosen: set[int] = set()
    seen: set[int] = set()
    for agent in blocked:
        cycle = _cycle(blocked, agent)
        if not cycle or seen & set(cycle):
            continue
        seen |= set(cycle)
        telling = [a for a in cycle if starved_cause(outlook, blocked[a].wait, ()).certain]
        chosen |= set(telling[:1]) or set(cycle)
    return chosen


def _cycle(blocked: dict[int, _Blocked], start: int) -> tuple[int, ...]:
    """The agents of a cycle of waits through `start`, in order; empty if there is none. All of them wait for ever."""
    path = {start: -1}
    queue = [start]
    while queue:
        agent = queue.pop(0)
        for helper in blocked[agent].helpers:
            if helper == start:
                cycle = []
                while agent >= 0:
                    cycle.append(agent)
                    agent = path[agent]
                return tuple(reversed(cycle))
            if helper in blocked and helper not in path:
                path[helper] = agent
                queue.append(helper)
    return ()


def _chain(outlook: Outlook, blocked: dict[int, _Blocked], verdicts: dict[int, str], start: int) -> str:
    """Who waits for whom, from the agent to the nearest root: "a waits for b, blocked on full[0]; b waits for ..."."""
    names = outlook.trace.agents
    if not blocked[start].helpers:
        return tr("{agent} waits for a copy in flight.", agent=names[start].name)
    came_from = {start: -1}
    queue = [start]
    while queue:
        agent = queue.pop(0)
        for helper in blocked[agent].helpers:
            if helper in came_from:
                continue
            came_from[helper] = agent
            if helper not in blocked:
                return tr(
                    "{agent} waits for {other}, which had not got there when it ended.",
                    agent=names[start].name,
                    other=names[helper].name,
                )
            if verdicts[helper] != "NOT YET":
                return _told(outlook, blocked, verdicts, came_from, helper)
            queue.append(helper)
    return tr("{agent} waits for {other}.", agent=names[start].name, other=names[blocked[start].helpers[0]].name)


def _told(
    outlook: Outlook, blocked: dict[int, _Blocked], verdicts: dict[int, str], came_from: dict[int, int], root: int
) -> str:
    path = [root]
    while came_from[path[0]] >= 0:
        path.insert(0, came_from[path[0]])
    names = [outlook.trace.agents[agent].name for agent in path]
    barrier = outlook.history.barrier_title(blocked[root].barrier)
    links = tr("; ").join(tr("{agent} waits for {other}", agent=a, other=b) for a, b in pairwise(names))
    return tr(
        "{links}; {agent} is {verdict} on {barrier}, which is the root.",
        links=links,
        agent=names[-1],
        verdict=verdicts[root],
        barrier=barrier,
    )


def _finding(outlook: Outlook, item: _Blocked, verdict: str, cause: Cause) -> Finding:
    trace, waits = outlook.trace, outlook.waits
    state = outlook.barrier(item.barrier)
    arrived = outlook.arrived(item.barrier)
    step = int(waits.begin[item.wait])
    tile = int(waits.tile[item.wait])
    owed = tuple(
        _owed(outlook, agent, item.barrier)
        for agent in outlook.candidates(item.barrier)
        if agent != item.agent and (agent not in arrived or outlook.arrived_in_part(agent, item.barrier))
    )
    released_by = [tr("an arrival of {agent}", agent=trace.agents[agent].name) for agent in item.helpers]
    unknown = state.pending > 0 and not item.helpers and not outlook.knows_arrivers(item.barrier)
    if unknown and not nobody_can_arrive(outlook, item.barrier):
        released_by.append(tr("arrivals of whom it is not known"))
    released_by += [tr("the copy issued at step {step}", step=issue) for issue in item.copies]
    return Finding(
        verdict,
        "error",
        cause.sentence,
        agent=trace.agents[item.agent].name,
        **barrier_facts(outlook.history, item.barrier, state),
        tile=tile if tile >= 0 else None,
        phase_wanted=int(outlook.intents.wanted[item.wait]),
        parity=int(waits.parity[item.wait]),
        arrived=tuple(Arrived(trace.agents[a].name, count, at) for a, (count, at) in sorted(arrived.items())),
        owed=owed if state.pending > 0 else (),
        released_by=tuple(released_by),
        first_divergence=cause.divergence,
        site=cause.site or site_at(trace, step),
        step=step,
        certain=cause.certain,
        advice=cause.advice,
        blamed=cause.blamed,
        rule=cause.rule,
    )


def _owed(outlook: Outlook, agent: int, barrier: int) -> Owed:
    trace = outlook.trace
    state = "running"
    if agent in outlook.exited:
        state = "exited"
    elif agent in outlook.blocked:
        wait = outlook.blocked[agent]
        state = tr("blocked on {barrier}", barrier=outlook.history.barrier_title(int(outlook.waits.barrier[wait])))
    coming = outlook.next_arrival(agent, barrier)
    if coming is None:
        return Owed(trace.agents[agent].name, state, "none")
    if not coming.certain:
        return Owed(trace.agents[agent].name, state, "unknown")
    site = line(source_line(trace, coming.site))
    if coming.tile < 0:
        return Owed(trace.agents[agent].name, state, f"arrive{site}")
    return Owed(trace.agents[agent].name, state, tr("arrive at tile {tile}{site}", tile=coming.tile, site=site))
