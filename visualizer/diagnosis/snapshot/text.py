"""A snapshot and what was found in it as text, and as the JSON that scripts know from `diagnose`."""

from __future__ import annotations

from typing import Any

from visualizer.diagnosis.report import Finding, Report, report_json
from visualizer.diagnosis.report_text import state_text
from visualizer.diagnosis.snapshot.judge import UNKNOWABLE, judge
from visualizer.diagnosis.snapshot.model import SeenBarrier, Snapshot
from visualizer.diagnosis.snapshot.words import word_sentences
from visualizer.language import mark, tr

_PASSES = mark("{agent} waits{where} on {barrier} with parity {parity}: passes")
_WAITS = mark("{agent} waits{where} on {barrier} with parity {parity}: does not pass")


def snapshot_text(snapshot: Snapshot) -> str:
    """Every barrier in plain words, and where every agent stands."""
    lines = [line for barrier in snapshot.barriers for line in _barrier_lines(barrier)]
    for agent in snapshot.agents:
        where = tr(" at {place}", place=agent.at) if agent.at else ""
        if agent.waits:
            passes = snapshot.barrier(agent.waits).word.parity != agent.parity
            text = _PASSES if passes else _WAITS
            facts = {"agent": agent.name, "where": where, "barrier": agent.waits, "parity": agent.parity}
            lines.append(tr(text, **facts))
        else:
            lines.append(f"{agent.name}{where}")
    return "\n".join(lines)


def judged_text(snapshot: Snapshot) -> str:
    """What was found, and what one moment does not tell."""
    found = [_finding_text(number, finding) for number, finding in enumerate(judge(snapshot), 1)]
    head = [] if found else [tr("nothing is wrong that one moment shows")]
    unknown = [tr("Not known: {what}", what=tr(what)) for what in UNKNOWABLE]
    return "\n".join([*head, *found, *unknown])


def snapshot_json(snapshot: Snapshot) -> dict[str, Any]:
    """The barriers and agents, and the document of `diagnose --json` of what was found."""
    barriers = [
        {
            "name": barrier.name,
            "word": f"{barrier.word.value:#018x}",
            "parity": barrier.word.parity,
            "pending": barrier.word.pending,
            "expected": barrier.count,
            "tx": barrier.word.tx,
        }
        for barrier in snapshot.barriers
    ]
    agents = [
        {"name": agent.name, "at": agent.at, "waits": agent.waits or None,
         "parity": agent.parity if agent.waits else None,
         "passes": snapshot.barrier(agent.waits).word.parity != agent.parity if agent.waits else None}
        for agent in snapshot.agents
    ]  # fmt: skip
    report = Report("snapshot", 0, tuple(judge(snapshot)), not_judged=tuple(tr(what) for what in UNKNOWABLE))
    return {"barriers": barriers, "agents": agents, **report_json(report)}


def _barrier_lines(barrier: SeenBarrier) -> list[str]:
    told = word_sentences(barrier.word, barrier.count)
    return [f"{barrier.name}  {barrier.word.value:#018x}", *(f"  {sentence}" for sentence in told)]


def _finding_text(number: int, finding: Finding) -> str:
    lines = [f"{number}. {finding.verdict}: {finding.cause}"]
    if finding.owed:
        where = tr("; ").join(f"{owed.agent} ({state_text(owed)})" for owed in finding.owed)
        lines.append(tr("Arrivals come from: {where}.", where=where))
    return "\n   ".join(lines)
