"""What one moment shows: who is stuck and on what, who must still arrive, parities that cannot be right together - and
what it cannot show, since a word has one bit of its phase's number and says nobody's name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from visualizer.diagnosis.report import Finding, Owed
from visualizer.diagnosis.snapshot.model import SeenAgent, Snapshot
from visualizer.diagnosis.snapshot.words import word_sentences
from visualizer.diagnosis.wording import commas, sentences
from visualizer.language import mark, tr, trn

UNKNOWABLE = (
    mark("How many phases have completed: a word tells the parity alone, so whoever waits may also be lapped."),
    mark("Which agents have arrived: a word counts arrivals, and names nobody."),
    mark("Whether copies are under way, and whether anything moves: a second snapshot, some seconds on, tells."),
)
"""What no rule here judges."""


def judge(snapshot: Snapshot) -> list[Finding]:
    """What is wrong at that moment, the surest first. Nothing is asserted that other moments could undo."""
    stuck = stuck_agents(snapshot)
    cycle = _never_released(snapshot, stuck)
    found = [_stuck(snapshot, agent, stuck, cycle) for agent in stuck.values()]
    found.sort(key=lambda finding: finding.severity != "error")
    return [*found, *_apart(snapshot), *_overfull(snapshot)]


def stuck_agents(snapshot: Snapshot) -> dict[str, SeenAgent]:
    """Agents whose wait does not pass now, by name."""
    return {
        agent.name: agent
        for agent in snapshot.agents
        if agent.waits and snapshot.barrier(agent.waits).word.parity == agent.parity
    }


def _never_released(snapshot: Snapshot, stuck: dict[str, SeenAgent]) -> set[str]:
    """Agents whose barriers lack arrivals that only agents could make who are stuck the same way themselves."""
    held = {
        name
        for name, agent in stuck.items()
        if (barrier := snapshot.barrier(agent.waits)).arrivers and barrier.word.pending > 0
    }
    while True:
        free = {name for name in held if not set(snapshot.barrier(stuck[name].waits).arrivers) <= held}
        if not free:
            return held
        held -= free


def _stuck(snapshot: Snapshot, agent: SeenAgent, stuck: dict[str, SeenAgent], cycle: set[str]) -> Finding:
    barrier = snapshot.barrier(agent.waits)
    word = barrier.word
    if word.pending and word.tx > 0:
        lacks = trn(
            "{n} arrival is missing, and up to {most} bytes.",
            "{n} arrivals are missing, and up to {most} bytes.",
            word.pending,
            most=word.tx,
        )
    elif word.pending:
        lacks = trn("{n} arrival is missing.", "{n} arrivals are missing.", word.pending)
    elif word.tx > 0:
        lacks = tr(
            "All arrivals have come, and up to {most} bytes are missing: their copies are under way, were not issued,"
            " or bring less than is expected.",
            most=word.tx,
        )
    else:
        lacks = tr("Nothing is missing, so its phase should have completed: the word may be of another moment.")
    more = ""
    if agent.name in cycle:
        more = tr("All who are said to arrive there are stuck themselves, so nothing will release it.")
    elif barrier.count is not None and word.pending == barrier.count and word.tx <= 0:
        more = tr("Nobody has arrived in this phase: it has only begun, or this agent was lapped.")
    return Finding(
        "STUCK" if agent.name in cycle else "WAITING",
        "error" if agent.name in cycle else "warning",
        sentences(
            tr(
                "{agent} waits until {barrier} leaves the phase that it is in, of parity {parity}.",
                agent=agent.name,
                barrier=barrier.name,
                parity=agent.parity,
            ),
            lacks,
            more,
        ),
        agent=agent.name,
        barrier=barrier.name,
        parity=agent.parity,
        pending=word.pending,
        expected=barrier.count,
        tx=word.tx,
        owed=tuple(_owed(snapshot, name, stuck) for name in barrier.arrivers),
    )


def _owed(snapshot: Snapshot, name: str, stuck: dict[str, SeenAgent]) -> Owed:
    agent = next((agent for agent in snapshot.agents if agent.name == name), None)
    if agent is None:
        return Owed(name, "unknown", "unknown")
    if name in stuck:
        return Owed(name, f"blocked on {agent.waits}", "unknown")
    return Owed(name, agent.at or "running", "unknown")


def _apart(snapshot: Snapshot) -> Iterator[Finding]:
    """Agents that wait on one barrier with both parities: they are an odd number of phases apart."""
    by_barrier: dict[str, list[SeenAgent]] = defaultdict(list)
    for agent in snapshot.agents:
        if agent.waits:
            by_barrier[agent.waits].append(agent)
    for name, agents in by_barrier.items():
        word = snapshot.barrier(name).word
        passing = [agent.name for agent in agents if agent.parity != word.parity]
        waiting = [agent.name for agent in agents if agent.parity == word.parity]
        if not passing:
            continue
        opening = tr(
            "{agents} would pass on {barrier} now, since its open phase has the other parity: about to go on, if the"
            " words are of the same moment.",
            agents=commas(passing),
            barrier=name,
        )
        more = ""
        if waiting:
            more = tr(
                "{waiting} waits there with the other parity: one of them is a phase ahead, or its parity is stale.",
                waiting=commas(waiting),
            )
        yield Finding(
            "PARITIES APART" if waiting else "WOULD PASS",
            "warning" if waiting else "note",
            sentences(opening, more),
            agent=passing[0],
            barrier=name,
            parity=1 - word.parity,
        )


def _overfull(snapshot: Snapshot) -> Iterator[Finding]:
    for barrier in snapshot.barriers:
        word, count = barrier.word, barrier.count
        if word.odd or (count is not None and word.pending > count):
            cause = word_sentences(word, count)[-1 if word.odd else 1]
            yield Finding("NO LIVE WORD", "warning", cause, barrier=barrier.name, pending=word.pending, expected=count)
