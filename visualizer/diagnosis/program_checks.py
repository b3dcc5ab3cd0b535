"""What only the program can tell: orders that leave no event, such as the sync that publishes the barriers.

A recording has no event for the __syncthreads after a fence, so these checks look at the operation lists.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from visualizer.diagnosis.report import Advice, Finding, Planned
from visualizer.diagnosis.source_lines import line, source_line
from visualizer.diagnosis.wording import listed
from visualizer.language import tr, trn
from visualizer.programs.meetings import BarArrive, BarSync, Sync
from visualizer.programs.operations import Arrive, ArriveDrop, CpAsync, Init, Wait
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
    late: list[tuple[ProgramAgent, int, int]] = []  # agent, its first use of a barrier, and which
    for agent in program.agents:
        first = _first_use(agent) if agent.threads else None  # a tensor core acts for its warp
        if first is None or init_by.get(first[1], agent.agent.name) == agent.agent.name:
            continue
        if synced[init_by[first[1]]] and any(isinstance(o, _SYNCS) for o in agent.operations[: first[0]]):
            continue
        late.append((agent, *first))
    if not late:
        return []
    agent, number, row = late[0]
    owner, barrier = init_by[row], trace.barriers[row]
    spot = source_line(trace, getattr(agent.operations[number], "site", -1))
    without = [one.agent.name for one, at, _ in late if not any(isinstance(o, _SYNCS) for o in one.operations[:at])]
    lacking = [*([] if synced[owner] else [owner]), *without]
    sync = Planned("sync", None, None, -1, -1, -1)
    parts = [Advice(name, (), (sync,), _first_step_after_init(trace, name)) for name in lacking]
    return [
        Finding(
            "UNDEFINED",
            "warning",
            trn(
                "Nothing orders {agent}'s first use of {barrier}{site} after {owner}'s init of it: publish the"
                " initialised barriers (fence.mbarrier_init, then __syncthreads) before any use. {lacking} has no"
                " sync between.",
                "Nothing orders {agent}'s first use of {barrier}{site} after {owner}'s init of it: publish the"
                " initialised barriers (fence.mbarrier_init, then __syncthreads) before any use. {lacking} have no"
                " sync between.",
                len(lacking),
                agent=agent.agent.name,
                barrier=barrier.name,
                site=line(spot),
                owner=owner,
                lacking=listed(lacking),
            ),
            agent=agent.agent.name,
            barrier=barrier.name,
            stage=barrier.stage if barrier.stage >= 0 else None,
            site=spot,
            blamed=lacking[0],
            advice=replace(parts[0], also=tuple(parts[1:])),
        )
    ]


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
    missing: list[tuple[ProgramAgent, Arrive | ArriveDrop, int]] = []  # who arrives last, with what; phases by then
    for agent in program.agents:
        looked: set[int] = set()
        for number in range(len(agent.operations) - 1, -1, -1):
            operation = agent.operations[number]
            if isinstance(operation, Sync) and operation.cluster:
                break
            if not isinstance(operation, Arrive | ArriveDrop) or operation.barrier in looked:
                continue
            row = operation.barrier
            looked.add(row)
            if trace.barriers[row].cta == agent.agent.cta:
                continue
            arrivals = sum(isinstance(o, Arrive) and o.barrier == row for o in agent.operations)
            if (
                max((_waits(other, row) for other in _agents_of(program, trace.barriers[row].cta)), default=0)
                < arrivals
            ):
                missing.append((agent, operation, arrivals))
    return [_early_leave(trace, *missing[0][:2], _tails(trace, program, missing))] if missing else []


def _agents_of(program: Program, cta: int) -> list[ProgramAgent]:
    return [agent for agent in program.agents if agent.agent.cta == cta]


def _tails(
    trace: Trace, program: Program, missing: list[tuple[ProgramAgent, Arrive | ArriveDrop, int]]
) -> Advice | None:
    """To wait for all these at the end, each CTA's by the agent that waits most often on the barrier."""
    waits: dict[str, list[Planned]] = {}
    for row, phases in sorted({operation.barrier: phases for _, operation, phases in missing}.items()):
        barrier = trace.barriers[row]
        if not (there := _agents_of(program, barrier.cta)):
            continue
        waiter = max(there, key=lambda agent: _waits(agent, row))
        last = Planned("wait_begin", barrier.name, None, -1, (phases - 1) & 1, -1)
        waits.setdefault(waiter.agent.name, []).append(last)
    parts = [Advice(name, (), tuple(planned)) for name, planned in waits.items()]
    return replace(parts[0], also=tuple(parts[1:])) if parts else None


def _waits(agent: ProgramAgent, row: int) -> int:
    """How many completions of the barrier the agent waits for; the first wait of an inverted start is for none."""
    waits = [operation for operation in agent.operations if isinstance(operation, Wait) and operation.barrier == row]
    return len(waits) - (1 if waits and waits[0].parity == 1 else 0)


def _early_leave(trace: Trace, agent: ProgramAgent, operation: Arrive | ArriveDrop, advice: Advice | None) -> Finding:
    barrier = trace.barriers[operation.barrier]
    spot = source_line(trace, operation.site)
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
        advice=advice,
    )
