"""What the source says of a wait where nothing that happened shows what its barrier is for: a run that hangs at once.

The inline stack of a wait names the pipeline's method that it is in, as CUTLASS's are called (structure.stacks).
"""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.cause import Cause
from visualizer.diagnosis.places import site_at
from visualizer.diagnosis.stuck.outlook import Outlook
from visualizer.diagnosis.wording import listed
from visualizer.language import tr
from visualizer.structure.stacks import Call, calls_of
from visualizer.structure.uses import Action


def cause_by_source(outlook: Outlook, wait: int) -> Cause | None:
    """A producer, or agents that take turns, whose first wait on a fresh barrier has the parity that blocks there."""
    calls = calls_of(outlook.trace.sites)
    call = _call(outlook, calls, wait)
    if call is None or not _blocks_on_fresh(outlook, wait):
        return None
    kind = call.kind(Action.WAIT)
    if kind == "empty":
        return _producer_begins_wrong(outlook, wait)
    return _nobody_begins(outlook, calls, wait) if kind == "order" else None


def _producer_begins_wrong(outlook: Outlook, wait: int) -> Cause:
    begin = int(outlook.waits.begin[wait])
    agent = outlook.trace.agents[int(outlook.waits.agent[wait])].name
    return Cause(
        tr(
            "{agent} acquires a stage for the first time, by the name of the method that waits, and waits with parity 0"
            " for a release of {barrier}, which only follows its own copies. The producer must start inverted, with"
            " phase 1 (make_producer_start_state).",
            agent=agent,
            barrier=outlook.history.barrier_title(int(outlook.waits.barrier[wait])),
        ),
        begin,
        site_at(outlook.trace, begin),
        certain=False,
        blamed=agent,
        rule="wrong-start-phase",
    )


def _nobody_begins(outlook: Outlook, calls: dict[int, Call], wait: int) -> Cause | None:
    """All of the CTA that wait for their turn do so on fresh barriers, several of them."""
    trace, waits = outlook.trace, outlook.waits
    cta = trace.barriers[int(waits.barrier[wait])].cta
    others = {
        agent: other
        for agent, other in outlook.blocked.items()
        if (call := _call(outlook, calls, other)) is not None
        and call.kind(Action.WAIT) == "order"
        and trace.barriers[int(waits.barrier[other])].cta == cta
    }
    several = len({int(waits.barrier[other]) for other in others.values()}) > 1
    if not several or not all(_blocks_on_fresh(outlook, other) for other in others.values()):
        return None
    begin = int(waits.begin[wait])
    return Cause(
        tr(
            "{agents} take turns, by the name of the method that waits, and nobody has the first: each waits with"
            " parity 0 on a barrier that is in its first phase. Who begins must wait with parity 1 at first.",
            agents=listed([trace.agents[agent].name for agent in sorted(others)]),
        ),
        begin,
        site_at(trace, begin),
        certain=False,
        rule="nobody-begins",
    )


def _call(outlook: Outlook, calls: dict[int, Call], wait: int) -> Call | None:
    return calls.get(int(outlook.trace.events["site"][int(outlook.waits.begin[wait])]))


def _blocks_on_fresh(outlook: Outlook, wait: int) -> bool:
    """Whether the agent's first wait on this barrier has parity 0, and nobody ever arrived there."""
    waits, row = outlook.waits, int(outlook.waits.barrier[wait])
    own = np.flatnonzero((waits.barrier == row) & (waits.agent == waits.agent[wait]))
    fresh = outlook.barrier(row).phase == 0 and outlook.trace.barriers[row].first_phase == 0
    return bool(fresh and len(own) == 1 and waits.parity[wait] == 0 and not outlook.arrived(row))
