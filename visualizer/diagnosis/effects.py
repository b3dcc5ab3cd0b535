"""Which findings follow from which: the cause first, and under it what came after it where its agents meet others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from visualizer.diagnosis.hazards.hazards import HAZARDS
from visualizer.diagnosis.joined_ctas import joined_ctas
from visualizer.diagnosis.report import SEVERITIES, Finding
from visualizer.diagnosis.turns.acts import Act
from visualizer.diagnosis.turns.habits import Odd, find_odd
from visualizer.diagnosis.turns.irregular import advice_of, as_here, divergence, irregular_cause, irregular_finding
from visualizer.diagnosis.wording import sentences
from visualizer.programs.program import Program
from visualizer.replay.history import History

_AT_ONCE = ("EARLY PASS", "STALE PASS", "COUNT MISMATCH", "EARLY ARRIVAL", "WRONG TILE")
"""Findings of what went wrong at their step; the others are of what the run came to in the end."""
_ENDED_BY = ("OVER-ARRIVAL", "UNDEFINED")
"""Findings of an operation that ended the run, and so left no event."""
_OF_ITS_OWN = ("WRONG DATA", "PROBE DISAGREES")
"""Findings that tell of the recording or its data as a whole."""
_EXPLAINED = (*_OF_ITS_OWN, "MISSING FENCE")
"""Findings that nothing which is odd elsewhere can have led to."""


def causes_first(history: History, findings: Iterable[Finding], program: Program | None) -> tuple[Finding, ...]:
    """The findings, causes first, each with its effects. What an agent does otherwise than in its other turns is a
    cause if it concerns what is wrong; then what is certain comes before what is only likely."""
    roots = sorted(findings, key=_rank)
    if not roots:
        return ()
    groups = _groups(history)
    for odd in find_odd(history, program, concerned_ctas(history, roots), first_seen(roots, history)):
        roots = _with_odd(history, roots, odd, groups)
    return _grouped(history, roots, groups)


def concerned_ctas(history: History, findings: Iterable[Finding]) -> set[int]:
    """The CTAs that the findings are about, and those they meet; all if they name none."""
    groups = _groups(history)
    concerned = {groups[name] for found in findings for name in (found.agent, found.barrier) if name in groups}
    ctas = np.array(history.trace.recorded_ctas, np.int64)  # of a million in a grid, perhaps
    met = np.isin(joined_ctas(history)[ctas], list(concerned)) if concerned else slice(None)
    return set(ctas[met].tolist())


def first_seen(findings: Iterable[Finding], history: History) -> int:
    """The first step at which something was seen to be wrong."""
    return min((found.step for found in findings if found.step is not None), default=history.steps)


def _rank(finding: Finding) -> tuple[int, bool, bool, int, int]:
    """Worst first; of those the buffer hazards last, which follow from the others; then waits of which no mistake is
    seen; then what went wrong first."""
    seen = finding.step if finding.step is not None else 0
    is_hazard = finding.verdict in HAZARDS
    return SEVERITIES.index(finding.severity), is_hazard, _shows_no_mistake(finding), _since(finding), seen


def _shows_no_mistake(finding: Finding) -> bool:
    """Whether all that is known of a wait is that nothing is to release it: if a mistake is seen elsewhere, it is the
    likelier root."""
    return finding.verdict == "STARVED" and not finding.certain and not finding.rule


def _since(finding: Finding) -> int:
    since = finding.first_divergence if finding.first_divergence is not None else finding.step
    return since if since is not None else 0


def _with_odd(history: History, roots: list[Finding], odd: Odd, groups: dict[str, int]) -> list[Finding]:
    """The findings, with what is odd as the first of them if it concerns one that is not explained already."""
    trace = history.trace
    agent = trace.agents[odd.agent].name
    since = divergence(history, odd)
    # What is seen in the program alone, without a step, comes of nothing that was done in the run.
    seen = [f for f in roots if f.verdict not in _EXPLAINED and f.step is not None]
    concerned = [f for f in seen if _concerns(history, odd, f, groups)]
    # Where stages have not the same barriers, turns cannot be told of one another.
    unlike = any(as_here(history, odd, act).barrier < 0 <= act.barrier for act in odd.usual)
    if not concerned or unlike or any(_is_advised(found, odd) for found in roots):
        return roots
    first = concerned[0]
    for same in concerned:
        if same.severity != "note" and _same(same, odd, agent):
            # Which of two it is, which of several copies, or why an operation came where it is undefined.
            vague = same.verdict in ("WRONG TILE", *_ENDED_BY) or same.pending == 0
            cause = sentences(same.cause, irregular_cause(history, odd)) if vague else same.cause
            told = replace(same, cause=cause, advice=advice_of(history, odd), blamed=agent, severity=first.severity)
            return [told, *(f for f in roots if f is not same)]
    explained = first.certain and first.first_divergence is not None and first.first_divergence <= since
    if explained and not _direct(history, odd, first):
        return roots
    found = replace(irregular_finding(history, odd), severity=first.severity, effects=(first,))
    return [found, *(f for f in roots if f is not first)]


def _is_advised(finding: Finding, odd: Odd) -> bool:
    """Whether an odd turn has the operation, or the amount, that the finding advises for others: then those are wrong,
    and this one is not."""
    added = [(one.kind, one.amount) for one in finding.advice.add] if finding.advice is not None else []
    has = bool(added) and all((act.kind, act.amount) in added for act in odd.acts)
    other_amounts = [act.amount != due.amount for act, due in zip(odd.acts, odd.usual, strict=False)]
    return has and (odd.how == "extra" or (odd.how == "other" and all(other_amounts)))


def _same(finding: Finding, odd: Odd, agent: str) -> bool:
    """Whether the finding tells of the very thing that is odd."""
    since = finding.first_divergence
    if since is None or not (finding.certain or finding.verdict in _ENDED_BY):
        return False
    if finding.verdict == "WRONG TILE":
        return odd.how in ("skipped", "extra") and agent in f"{finding.agent} {finding.cause}"
    if finding.blamed != agent:
        return False
    if finding.verdict in _ENDED_BY:
        return any(act.step < 0 or act.step == since for act in odd.acts)
    if odd.how in ("missing", "skipped"):
        return since >= odd.before
    return since in [act.step for act in odd.acts]


def _concerns(history: History, odd: Odd, finding: Finding, groups: dict[str, int]) -> bool:
    """Whether what is odd can have led to the finding: before it, and where it is about."""
    trace = history.trace
    at_once = finding.verdict in (*HAZARDS, *_AT_ONCE) and finding.step is not None
    if at_once and divergence(history, odd) > (finding.step or 0):
        return False
    known = [name for name in (finding.agent, finding.barrier) if name is not None]
    if not any(groups.get(name) == groups[trace.agents[odd.agent].name] for name in known):
        return bool(not known)
    if odd.is_first or odd.is_last:
        return _direct(history, odd, finding)
    return True


def _direct(history: History, odd: Odd, finding: Finding) -> bool:
    """Whether the finding is about a barrier or a stage that what is odd is on."""
    names = {history.trace.barriers[act.barrier].name for act in _about(history, odd) if act.barrier >= 0}
    stages = {(act.ring, act.stage) for act in _about(history, odd) if act.stage >= 0}
    ring = finding.ring if finding.ring is not None else history.structure.names[0] if history.structure.names else None
    return finding.barrier in names or (ring, finding.stage) in stages


def _about(history: History, odd: Odd) -> list[Act]:
    """What is odd and what would be usual; a wait lets go all that comes after it in the turn."""
    # What is missing is told as another turn has it, on that turn's stage.
    done = odd.acts if odd.how != "missing" else ()
    about = [*done, *(as_here(history, odd, act) for act in odd.usual)]
    return [*about, *odd.turn.acts] if any(act.kind == "wait_begin" for act in about) else about


def _groups(history: History) -> dict[str, int]:
    """By the name of an agent or a barrier the CTAs it has to do with, as a number."""
    trace, group = history.trace, joined_ctas(history)
    named = [*((a.name, a.cta) for a in trace.agents), *((b.name, b.cta) for b in trace.barriers)]
    return {name: int(group[cta]) for name, cta in named}


def _grouped(history: History, roots: list[Finding], groups: dict[str, int]) -> tuple[Finding, ...]:
    """The first finding of each group of CTAs that meet, with the others of the group that came later as effects."""
    causes: list[tuple[Finding, list[Finding]]] = []
    for finding in roots:
        name = finding.agent or finding.barrier
        group = groups.get(name) if name is not None else None
        for cause, effects in causes:
            other = cause.agent or cause.barrier
            meets = other is not None and group is not None and groups.get(other) == group
            if meets and finding.verdict not in _OF_ITS_OWN and _follows(finding, cause):
                effects.append(finding)
                break
        else:
            causes.append((finding, list(finding.effects)))
    return tuple(replace(cause, effects=tuple(effects)) for cause, effects in causes)


def _follows(finding: Finding, cause: Finding) -> bool:
    """Whether the finding may be an effect: nothing of it was wrong before the cause was."""
    if finding.severity == "note" or _shows_no_mistake(finding):
        return True
    # Of two accesses in the wrong order the later one is wrong.
    since = finding.step if finding.verdict in HAZARDS and finding.step is not None else _since(finding)
    return SEVERITIES.index(finding.severity) >= SEVERITIES.index(cause.severity) and since >= min(
        map(_since, (cause, *cause.effects))
    )
