"""The operation that ended a run because PTX leaves it undefined. It left no event: who did what, where, comes from the
ending, and its line from the program."""

from __future__ import annotations

import re

import numpy as np

from visualizer.diagnosis.advice import init_step
from visualizer.diagnosis.arrived import number_of
from visualizer.diagnosis.barrier_facts import barrier_facts
from visualizer.diagnosis.program_steps import next_operation
from visualizer.diagnosis.report import Advice, Arrived, Finding, Planned
from visualizer.diagnosis.source_lines import site_at, source_line
from visualizer.language import recorded, tr
from visualizer.programs.operations import Init, Operation
from visualizer.programs.program import Program
from visualizer.recording.schema import EventKind
from visualizer.replay.arrivals import counts_for
from visualizer.replay.history import History
from visualizer.replay.phases import phase_of

_UNDEFINED = re.compile(r"undefined behaviour: (?P<agent>\S+) on (?P<barrier>\S+): (?P<what>.*)", re.DOTALL)
"""How endings tell it."""


def crash_findings(history: History, program: Program | None) -> list[Finding]:
    """OVER-ARRIVAL, UNDEFINED, or CRASH where the ending does not tell who did what; none if the run did not crash."""
    ending = history.trace.meta.ending
    if ending.kind != "crash":
        return []
    step = history.steps - 1 if history.steps else None
    told = _UNDEFINED.fullmatch(ending.detail)
    agent = history.trace.agent_index.get(told["agent"]) if told else None
    if told is None or agent is None or step is None:
        return [Finding("CRASH", "error", recorded(ending.detail) or tr("The run crashed."), step=step)]
    operation = next_operation(history, program, agent) if program is not None else None
    row = history.trace.barrier_index.get(told["barrier"], -1)
    last = history.agents.acts.before(agent, history.steps)
    # A wait says that it begins before it looks.
    waits = (
        last is not None
        and history.kinds[last] == EventKind.WAIT_BEGIN
        and history.trace.events["barrier"][last] == row
    )
    if waits:
        operation = None
    site = site_at(history.trace, last) if waits and last is not None else None
    site = site or source_line(history.trace, getattr(operation, "site", -1))
    over = told["what"].startswith("arrive(") and "while only" in told["what"]
    what = recorded(told["what"].strip().rstrip("."))
    cause = f"{what}."
    blamed = told["agent"]
    if row < 0:
        verdict = "OVER-ARRIVAL" if over else "UNDEFINED"
        return [Finding(verdict, "error", cause, agent=blamed, first_divergence=last, step=step, blamed=blamed)]
    state, name = history.barrier_at(row, step), history.barrier_title(row)
    if over:
        cause = tr(
            "{agent} would {operation} in phase #{phase} of {barrier}: it is a phase ahead of the barrier, or arrives"
            " more often than the init counts.",
            agent=told["agent"],
            operation=what,
            phase=number_of(state),
            barrier=name,
        )
    return [
        Finding(
            "OVER-ARRIVAL" if over else "UNDEFINED",
            "error",
            cause,
            agent=told["agent"],
            **barrier_facts(history, row, state),
            arrived=_arrived(history, row),
            first_divergence=last,
            site=site or (None if over else site_at(history.trace, last) if last is not None else None),
            step=step,
            blamed=told["agent"],
            advice=_one_too_many(history, row, agent, operation) if over else _advice(history, row, agent, operation),
            certain=not over,
        )
    ]


_NEXT_TURN = (EventKind.WAIT_BEGIN, EventKind.ADVANCE)
"""After such an event of an agent an arrival is for another tile."""


def _one_too_many(history: History, row: int, agent: int, operation: Operation | None) -> Advice | None:
    """To leave out an arrival that comes a second time for the same tile, which without the program is one with no wait
    since; None: it may be the one before."""
    events = history.trace.events
    arrived = phase_of(history.barriers, row, history.steps).arrivals
    own = [step for step in arrived if events["agent"][step] == agent]
    if not own:
        return None
    if operation is None:
        since = (events["agent"][own[0] :] == agent) & np.isin(history.kinds[own[0] :], _NEXT_TURN)
        if since.any():
            return None
    elif any(events["tile"][step] != getattr(operation, "tile", None) for step in own):
        return None
    return Advice(history.trace.agents[agent].name, (history.steps,))


def _advice(history: History, row: int, agent: int, operation: Operation | None) -> Advice | None:
    """An init too many is left out, and a missing one made by who makes the others; None: it is something else."""
    if isinstance(operation, Init):
        return Advice(history.trace.agents[agent].name, (history.steps,), (), history.steps)
    if init_step(history.trace, row) is not None:
        return None
    barrier = history.trace.barriers[row]
    agent = _who_inits(history, barrier.cta)
    own = history.trace.events["agent"] == agent
    later = np.flatnonzero(own & ~np.isin(history.kinds, (EventKind.INIT, EventKind.FENCE)))
    init = Planned("init", barrier.name, None, -1, -1, barrier.init_count)
    return Advice(history.trace.agents[agent].name, (), (init,), int(later[0]) if len(later) else history.steps)


def _who_inits(history: History, cta: int) -> int:
    """The agent of the CTA's latest init; 0 if there is none."""
    agents = history.trace.agent_cta[history.trace.events["agent"]]
    inits = np.flatnonzero((history.kinds == EventKind.INIT) & (agents == cta))
    return int(history.trace.events["agent"][inits[-1]]) if len(inits) else 0


def _arrived(history: History, row: int) -> tuple[Arrived, ...]:
    """Who had arrived in the phase that was open."""
    events = history.trace.events
    found: dict[str, Arrived] = {}
    for step in phase_of(history.barriers, row, history.steps).arrivals:
        name = history.trace.agents[int(events["agent"][step])].name
        before = found[name].arrivals if name in found else 0
        count = int(counts_for(events["kind"][step], events["amount"][step]))
        found[name] = Arrived(name, before + count, step)
    return tuple(found.values())
