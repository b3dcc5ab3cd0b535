"""Agents out of step with their own uses of a stage, as findings and causes: arrivals too many, missing, elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from visualizer.diagnosis.barrier_facts import barrier_facts
from visualizer.diagnosis.cause import Cause
from visualizer.diagnosis.report import Advice, Finding, Planned
from visualizer.diagnosis.source_lines import line, line_and_caller, own_lines, site_at
from visualizer.diagnosis.uses.deviations import Deviation
from visualizer.diagnosis.wording import at_tile, listed, sentences
from visualizer.language import tr, trn
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History


def surplus_findings(history: History, deviations: list[Deviation]) -> list[Finding]:
    """COUNT MISMATCH: for each agent and kind of barrier the first arrival that its use of the stage does not owe."""
    found: dict[tuple[int, str], Finding] = {}
    for deviation in deviations:
        key = deviation.agent, history.structure.kinds[deviation.barrier]
        if deviation.arrivals > deviation.usual and key not in found:
            found[key] = _surplus(history, deviation)
    return list(found.values())


def missed_cause(history: History, deviations: list[Deviation], row: int) -> Cause | None:
    """Why a barrier lacks an arrival: the first use that an agent went past without the arrival it makes for others."""
    for lack in deviations:
        if lack.barrier != row or lack.arrivals >= lack.usual:
            continue
        trace = history.trace
        facts: dict[str, Any] = {
            "agent": trace.agents[lack.agent].name,
            "barrier": history.barrier_title(row),
            "use": lack.use + 1,
        }
        step = lack.step if lack.began < 0 else lack.began
        tile, site = at_tile(history.trace.events["tile"][step]), site_at(trace, step)
        if lack.elsewhere >= 0:
            site = site_at(trace, lack.step)
            sentence = _misplaced(history, lack.agent, lack.elsewhere, row, lack.step)
            due = Planned(
                "arrive", trace.barriers[row].name, None, -1, -1, lack.usual, int(trace.events["tile"][lack.step])
            )
            there = Advice(facts["agent"], (lack.step,), (due,), lack.step)
            return Cause(sentence, lack.step, site, advice=there, blamed=facts["agent"])
        if lack.began < 0:
            return Cause(
                tr(
                    "{agent} leaves out use {use} of this stage: it neither waits for it nor arrives on {barrier},"
                    " which counts it, and goes on with a later one{tile}{site}. Who skips a tile must still arrive.",
                    tile=tile,
                    site=line(site),
                    **facts,
                ),
                step,
                site,
                blamed=facts["agent"],
            )
        return _makes_too_few(history, [one for one in deviations if _lacks_as(history, one, lack)])
    return None


def _lacks_as(history: History, one: Deviation, lack: Deviation) -> bool:
    """Whether another agent, or the same, lacks as many arrivals for the same use, and has done the same since."""
    here = (one.barrier, one.use, one.arrivals, one.usual) == (lack.barrier, lack.use, lack.arrivals, lack.usual)
    alike = here and one.began >= 0 and one.elsewhere < 0
    return alike and history.kinds[one.step] == history.kinds[lack.step]


def _makes_too_few(history: History, lacks: list[Deviation]) -> Cause:
    """Why a use lacks arrivals: agents went past it without as many as they make for others. The first is blamed."""
    trace, lack = history.trace, lacks[0]
    agents = [trace.agents[agent].name for agent in sorted({one.agent for one in lacks})]
    since = tr("has gone on to a later use")
    if history.kinds[lack.step] == EventKind.EXIT:
        since = tr("has left since")
    facts: dict[str, Any] = {
        "arrivals": lack.arrivals,
        "barrier": history.barrier_title(lack.barrier),
        "use": lack.use + 1,
        "tile": at_tile(trace.events["tile"][lack.began]),
        "site": line_and_caller(trace, lack.began),
        "since": since,
    }
    if len(agents) == 1:
        sentence = trn(
            "{agent} makes {arrivals} of {n} arrival on {barrier} for its use {use} of the stage{tile}{site}, and"
            " {since}: what is missing will not come.",
            "{agent} makes {arrivals} of {n} arrivals on {barrier} for its use {use} of the stage{tile}{site}, and"
            " {since}: what is missing will not come.",
            lack.usual,
            agent=agents[0],
            **facts,
        )
    else:
        sentence = trn(
            "Each of {agents} makes {arrivals} of {n} arrival on {barrier} for use {use} of the stage{tile}{site}, and"
            " {since}: what is missing will not come.",
            "Each of {agents} makes {arrivals} of {n} arrivals on {barrier} for use {use} of the stage{tile}{site}, and"
            " {since}: what is missing will not come.",
            lack.usual,
            agents=listed(agents),
            **facts,
        )
    first, *others = [_arrive_before(history, one) for one in lacks]
    return Cause(
        sentences(sentence, _made_otherwise(history, lack)),
        lack.began,
        site_at(trace, lack.began),
        advice=replace(first, also=tuple(others)),
        blamed=trace.agents[lack.agent].name,
    )


def _made_otherwise(history: History, lack: Deviation) -> str:
    """Where the agent makes the arrivals of its other uses, in the user's own lines; "": that is not known."""
    arrivals, structure = history.arrivals, history.structure
    kind, ring = structure.kinds[lack.barrier], structure.ring_of[lack.barrier]
    alike = [row for row, own in enumerate(structure.kinds) if own == kind and structure.ring_of[row] == ring]
    made = arrivals.step[(arrivals.agent == lack.agent) & np.isin(arrivals.barrier, alike)]
    lines = own_lines(history.trace, made)
    return tr("For other uses it makes them at {lines}.", lines=listed(lines)) if lines else ""


def _arrive_before(history: History, lack: Deviation) -> Advice:
    """To make the arrivals that are missing before the agent begins its next use."""
    trace = history.trace
    tile = int(trace.events["tile"][lack.began])
    missing = Planned("arrive", trace.barriers[lack.barrier].name, None, -1, -1, lack.usual - lack.arrivals, tile)
    return Advice(trace.agents[lack.agent].name, (), (missing,), lack.step)


def _surplus(history: History, extra: Deviation) -> Finding:
    trace = history.trace
    agent = trace.agents[extra.agent].name
    site, state = site_at(trace, extra.step), history.barrier_at(extra.barrier, extra.step)
    if extra.elsewhere >= 0:
        cause = _misplaced(history, extra.agent, extra.barrier, extra.elsewhere, extra.step)
    else:
        cause = trn(
            "{agent} arrives {arrivals} times on {barrier} for its use {use} of the stage{tile}, and {n} time for"
            " others: the arrival counts for the next use, whose phase completes too early. Leave it out{site}.",
            "{agent} arrives {arrivals} times on {barrier} for its use {use} of the stage{tile}, and {n} times for"
            " others: the arrival counts for the next use, whose phase completes too early. Leave it out{site}.",
            extra.usual,
            agent=agent,
            arrivals=extra.arrivals,
            barrier=history.barrier_title(extra.barrier),
            use=extra.use + 1,
            tile=at_tile(history.trace.events["tile"][extra.step]),
            site=line(site),
        )
    tile = int(trace.events["tile"][extra.step])
    return Finding(
        "COUNT MISMATCH",
        "error",
        cause,
        agent=agent,
        **barrier_facts(history, extra.barrier, state),
        tile=tile if tile >= 0 else None,
        first_divergence=extra.step,
        site=site,
        step=extra.step,
        blamed=agent,
        advice=_without(history, extra),
    )


def _without(history: History, extra: Deviation) -> Advice:
    """To leave out the arrival that is too many, or to make it where it is due."""
    trace = history.trace
    due: tuple[Planned, ...] = ()
    if extra.elsewhere >= 0:
        tile = int(trace.events["tile"][extra.step])
        due = (Planned("arrive", trace.barriers[extra.elsewhere].name, None, -1, -1, extra.usual, tile),)
    return Advice(trace.agents[extra.agent].name, (extra.step,), due, extra.step)


def _misplaced(history: History, agent: int, came_on: int, due_on: int, step: int) -> str:
    trace = history.trace
    return tr(
        "{agent} arrives on {barrier}{tile} where it owes an arrival on {due}: its use of that stage gets none, and"
        " the barrier that takes it gets one too many. Arrive on the barrier of the stage that was used{site}.",
        agent=trace.agents[agent].name,
        barrier=history.barrier_title(came_on),
        tile=at_tile(history.trace.events["tile"][step]),
        due=history.barrier_title(due_on),
        site=line(site_at(trace, step)),
    )
