"""What only the program can tell: orders that leave no event, such as the sync that publishes the barriers.

A recording has no event for the __syncthreads after a fence, so these checks look at the operation lists.
"""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.places import line, place
from visualizer.diagnosis.report import Advice, Finding, Planned
from visualizer.language import tr
from visualizer.programs.meetings import BarArrive, BarSync, Sync
from visualizer.programs.operations import Arrive, ArriveDrop, CpAsync, Init, Operation, Wait
from visualizer.programs.program import Program, ProgramAgent
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace

_SYNCS = (Sync, BarSync)
_COMES = (*_SYNCS, BarArrive)


def program_findings(trace: Trace, program: Program) -> list[Finding]:
    """Barriers used without a sync after their init; CTAs that may leave before a peer's last arrival."""
    return [*_not_published(trace, program), *_leaves_early(trace, program)]


def _not_published(trace: Trace, program: Program) -> list[Finding]:
    init_by: dict[int, str] = {}
    synced: dict[str, int] = {}
    for agent in program.agents:
        inits = [n for n, operation in enumerate(agent.operations) if isinstance(operation, Init)]
        first_of = {agent.operations[n].barrier: n for n in reversed(inits)}  # type: ignore[union-attr]
        init_by |= dict.fromkeys(first_of, agent.agent.name)
        published = max(first_of.values(), default=0)
        synced[agent.agent.name] = any(isinstance(o, _COMES) for o in agent.operations[published:])
    for agent in program.agents:
        first = _first_use(agent) if agent.threads else None  # a tensor core acts for its warp
        if first is None or init_by.get(first[1], agent.agent.name) == agent.agent.name:
            continue
        owner = init_by[first[1]]
        if synced[owner] and any(isinstance(o, _SYNCS) for o in agent.operations[: first[0]]):
            continue
        barrier = trace.barriers[first[1]]
        spot = place(trace, getattr(agent.operations[first[0]], "site", -1))
        lacking = agent.agent.name if synced[owner] else owner
        sync = Planned("sync", None, None, -1, -1, -1)
        return [
            Finding(
                "UNDEFINED",
                "warning",
                tr(
                    "Nothing orders {agent}'s first use of {barrier}{site} after {owner}'s init of it: publish the"
                    " initialised barriers (fence.mbarrier_init, then __syncthreads) before any use. {lacking} has no"
                    " sync between.",
                    agent=agent.agent.name,
                    barrier=barrier.name,
                    site=line(spot),
                    owner=owner,
                    lacking=lacking,
                ),
                agent=agent.agent.name,
                barrier=barrier.name,
                stage=barrier.stage if barrier.stage >= 0 else None,
                site=spot,
                blamed=lacking,
                advice=Advice(lacking, (), (sync,), _first_step_after_init(trace, lacking)),
            )
        ]
    return []


def _first_step_after_init(trace: Trace, agent: str) -> int | None:
    """The agent's first event that is no init or fence; None: there is none."""
    early = (EventKind.INIT, EventKind.FENCE)
    own = np.flatnonzero((trace.events["agent"] == trace.agent_index[agent]) & ~np.isin(trace.events["kind"], early))
    return int(own[0]) if len(own) else None


def _first_use(agent: ProgramAgent) -> tuple[int, int] | None:
    for number, operation in enumerate(agent.operations):
        if hasattr(operation, "barrier") and not isinstance(operation, Init | CpAsync):
            return number, int(operation.barrier)
    return None


def _leaves_early(trace: Trace, program: Program) -> list[Finding]:
    """In a cluster a CTA must wait for the last arrival a peer makes on its barriers, or sync with the cluster."""
    for agent in program.agents:
        for number in range(len(agent.operations) - 1, -1, -1):
            operation = agent.operations[number]
            if not isinstance(operation, Arrive | ArriveDrop):
                continue
            row, barrier = operation.barrier, trace.barriers[operation.barrier]
            if barrier.cta == agent.agent.cta:
                continue
            if any(isinstance(o, Sync) and o.cluster for o in agent.operations[number:]):
                break
            arrivals = sum(isinstance(o, Arrive) and o.barrier == row for o in agent.operations)
            there = [other for other in program.agents if other.agent.cta == barrier.cta]
            waited = max((_waits(other, row) for other in there), default=0)
            if waited < arrivals:
                return [_early_leave(trace, agent, operation)]
    return []


def _waits(agent: ProgramAgent, row: int) -> int:
    """How many completions of the barrier the agent waits for; the first wait of an inverted start is for none."""
    waits = [operation for operation in agent.operations if isinstance(operation, Wait) and operation.barrier == row]
    return len(waits) - (1 if waits and waits[0].parity == 1 else 0)


def _early_leave(trace: Trace, agent: ProgramAgent, operation: Operation) -> Finding:
    barrier = trace.barriers[operation.barrier]  # type: ignore[union-attr]
    spot = place(trace, getattr(operation, "site", -1))
    return Finding(
        "UNDEFINED",
        "warning",
        tr(
            "CTA {cta} does not wait for {agent}'s last arrivals on {barrier}{site}: it may have left by then. A CTA of"
            " a cluster waits for every stage before it leaves (producer_tail).",
            cta=barrier.cta,
            agent=agent.agent.name,
            barrier=barrier.name,
            site=line(spot),
        ),
        agent=agent.agent.name,
        barrier=barrier.name,
        stage=barrier.stage if barrier.stage >= 0 else None,
        site=spot,
    )
