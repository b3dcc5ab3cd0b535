"""Why a barrier's first phase does not complete, where no ring and no earlier phase shows who arrives on it.

If nobody can arrive on it any more, either an agent that did the same as those that arrived left its arrivals out, or
the init counts more than come: which arrivals the program means is not told by a recording that hangs so early. Of an
agent that only waits for the same things nothing is claimed: it may have gone wrong before it came to its arrival.
"""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.advice import init_advice, init_line
from visualizer.diagnosis.arrived import number_of
from visualizer.diagnosis.cause import Cause
from visualizer.diagnosis.source_lines import line_and_caller, site_at
from visualizer.diagnosis.stuck.helpers import nobody_can_arrive, people_of
from visualizer.diagnosis.stuck.outlook import Outlook
from visualizer.diagnosis.wording import listed
from visualizer.language import tr


def peers_without_arrival(outlook: Outlook, wait: int) -> Cause | None:
    """Agents that passed the same waits as those that arrived; as many arrivals from each would complete the phase."""
    row = int(outlook.waits.barrier[wait])
    arrived = outlook.arrived(row)
    counts = {count for count, _ in arrived.values()}
    if not _is_unknown(outlook, row) or len(counts) != 1 or not nobody_can_arrive(outlook, row):
        return None
    peers, state = _peers(outlook, row), outlook.barrier(row)
    passed = [_waited(outlook, agent, passed=True) for agent in arrived]
    if not peers or any(_waited(outlook, peer, passed=True) not in passed for peer in peers):
        return None
    if state.pending != len(peers) * counts.pop():
        return None
    names = [agent.name for agent in outlook.trace.agents]
    step = max(step for _, step in arrived.values())
    site = site_at(outlook.trace, step)
    return Cause(
        tr(
            "{arrived} of {needed} arrivals came to {barrier} in phase #{phase}, as many from each of {agents};"
            " {others} passed the same waits and brought none, and with as many from each the phase would complete. So"
            " an arrival is missing where the others make theirs{site}.",
            arrived=state.arrived,
            needed=state.needed,
            barrier=outlook.history.barrier_title(row),
            phase=number_of(state),
            agents=listed([names[agent] for agent in sorted(arrived)]),
            others=listed([names[agent] for agent in peers]),
            site=line_and_caller(outlook.trace, step),
        ),
        None,
        site,
        certain=False,
        blamed=names[peers[0]] if len(peers) == 1 else None,
    )


def init_or_arrivals(outlook: Outlook, wait: int) -> Cause | None:
    """Nobody can bring what is missing: the init counts too many, or arrivals were left out."""
    row = int(outlook.waits.barrier[wait])
    if not _is_unknown(outlook, row) or _peers(outlook, row) or not nobody_can_arrive(outlook, row):
        return None
    trace, state, arrived = outlook.trace, outlook.barrier(row), outlook.arrived(row)
    init, site = init_line(trace, row)
    if init is None:
        return None
    return Cause(
        tr(
            "{barrier} is initialised for {needed} arrivals per phase, and {n} came ({agents}). Nobody can bring the"
            " other {missing}: everybody in the CTA has left, or waits for this phase or for what it holds up."
            " Initialise it with {n}{site}, or add the missing arrivals.",
            barrier=outlook.history.barrier_title(row),
            needed=state.needed,
            n=state.arrived,
            agents=listed([trace.agents[agent].name for agent in sorted(arrived)]),
            missing=state.pending,
            site=line_and_caller(trace, init),
        ),
        init,
        site,
        certain=False,
        advice=init_advice(trace, row, state.arrived),
    )


def _is_unknown(outlook: Outlook, row: int) -> bool:
    """Whether some arrived in the barrier's first phase, and who else was to is not known."""
    first = outlook.barrier(row).phase == outlook.trace.barriers[row].first_phase
    return first and bool(outlook.arrived(row)) and not outlook.knows_arrivers(row)


def _peers(outlook: Outlook, row: int) -> list[int]:
    """The agents of the CTA that did not arrive on the barrier, though they wait for what those wait for that did: of
    such agents the program may mean arrivals."""
    arrived = outlook.arrived(row)
    theirs = {barrier for agent in arrived for barrier in _waited(outlook, agent)}
    people = people_of(outlook, outlook.trace.barriers[row].cta)
    return [agent for agent in people if agent not in arrived and not theirs.isdisjoint(_waited(outlook, agent))]


def _waited(outlook: Outlook, agent: int, *, passed: bool = False) -> list[int]:
    """The barriers of the agent's waits in order, or of those that it passed."""
    waits = outlook.waits  # by agent
    own = slice(*np.searchsorted(waits.agent, (agent, agent + 1)))
    found: list[int] = waits.barrier[own][(waits.end[own] >= 0) | (not passed)].tolist()
    return found
