"""Who could still complete a phase that an agent waits for, and whether all of them are held up by another barrier."""

from __future__ import annotations

import math

import numpy as np

from visualizer.diagnosis.stuck.outlook import Outlook
from visualizer.recording.schema import CP_ASYNC_ARRIVALS, EventKind
from visualizer.recording.tables import HARDWARE_ROLES
from visualizer.semantics.warp import WARP_THREADS


def helpers_of(outlook: Outlook, agent: int, row: int) -> tuple[int, ...]:
    """The agents whose arrival on the barrier, for which `agent` waits, is to come."""
    state, arrived = outlook.barrier(row), outlook.arrived(row)
    if state.counted and state.pending <= 0:
        return ()
    return tuple(
        candidate
        for candidate in outlook.candidates(row)
        if candidate != agent
        and (candidate not in arrived or outlook.arrived_in_part(candidate, row))
        and outlook.next_arrival(candidate, row) is not None
    )


def nobody_can_arrive(outlook: Outlook, row: int) -> bool:
    """Without the program: whether everybody who could arrive on the barrier in its open phase has left, or waits, be
    it by others, for that phase. False where somebody who is not recorded could, or where an arrival may be missing in
    the recording."""
    cta = outlook.trace.barriers[row].cta
    if outlook.program is not None or not _all_is_recorded(outlook, cta) or promised(outlook, row):
        return False
    people = set(people_of(outlook, cta)) - outlook.exited.keys()
    if not people <= outlook.blocked.keys():
        return False
    if not all(_waits_for_the_open_phase(outlook, agent) for agent in people):
        return False
    waits_on = {agent: int(outlook.waits.barrier[outlook.blocked[agent]]) for agent in people}
    held_up = {agent for agent, barrier in waits_on.items() if barrier == row}
    helpers = {agent: set(helpers_of(outlook, agent, waits_on[agent])) for agent in people - held_up}
    while more := {agent for agent, needed in helpers.items() if needed and needed <= held_up} - held_up:
        held_up |= more
    return held_up == people


def _waits_for_the_open_phase(outlook: Outlook, agent: int) -> bool:
    """Whether the agent will go on when its barrier's phase completes; else what keeps it is its own mistake."""
    wait = outlook.blocked[agent]
    return int(outlook.intents.wanted[wait]) == outlook.barrier(int(outlook.waits.barrier[wait])).phase


def people_of(outlook: Outlook, cta: int) -> list[int]:
    """The CTA's agents that are no hardware."""
    rows, roles = np.flatnonzero(outlook.trace.agent_cta == cta).tolist(), outlook.history.structure.roles
    return [agent for agent in rows if roles[agent] not in HARDWARE_ROLES]


def _all_is_recorded(outlook: Outlook, cta: int) -> bool:
    """Whether every warp that may arrive on the CTA's barriers is in the recording with all that it did there."""
    meta, trace = outlook.trace.meta, outlook.trace
    if meta.events_lost or meta.window or meta.source.get("dropped"):
        return False
    if outlook.meets_others(cta) or math.prod(meta.source.get("cluster", ())) > 1:
        return False
    warps = {trace.agents[agent].warp for agent in people_of(outlook, cta)}
    return len(warps) * WARP_THREADS >= math.prod(meta.source.get("block", ()))


def promised(outlook: Outlook, row: int) -> bool:
    """Whether hardware brings arrivals on the barrier as well, of which some may be to come."""
    promises = np.isin(outlook.history.kinds, (EventKind.TENSOR_COMMIT, *CP_ASYNC_ARRIVALS))
    return bool((promises & (outlook.trace.events["barrier"] == row)).any())
