"""The likely cause of a wait that nothing will ever release, in one sentence, with the first event that went wrong."""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.arrived import number_of
from visualizer.diagnosis.cause import Cause
from visualizer.diagnosis.hazards.order_advice import acquire_first
from visualizer.diagnosis.phases.passes import (
    first_wrong_parity,
    lapped_because,
    nobody_acquires,
    parity_advice,
    parity_cause,
    restarted,
)
from visualizer.diagnosis.report import Advice, Planned
from visualizer.diagnosis.source_lines import line, site_at
from visualizer.diagnosis.stuck.byte_causes import bytes_cause
from visualizer.diagnosis.stuck.missing_arrivals import missing_arrival_cause
from visualizer.diagnosis.stuck.not_begun import not_begun_cause
from visualizer.diagnosis.stuck.outlook import Outlook
from visualizer.diagnosis.wording import at_tile, commas, listed, sentences
from visualizer.language import tr, trn
from visualizer.recording.schema import EventKind


def lapped_cause(outlook: Outlook, wait: int) -> Cause:
    """Why a wait blocks on a phase that has completed already, or that lies further ahead than the next."""
    trace, waits, intents = outlook.trace, outlook.waits, outlook.intents
    row, wanted = int(waits.barrier[wait]), int(intents.wanted[wait])
    name = outlook.history.barrier_title(row)
    agent = trace.agents[int(waits.agent[wait])].name
    now = outlook.barrier(row).phase
    begin = int(waits.begin[wait])
    if wrong := parity_cause(outlook.history, intents, wait):
        first = first_wrong_parity(outlook.history, intents, wait)
        advice = parity_advice(outlook.history, intents, wait)
        return Cause(wrong, first, site_at(trace, first), advice=advice, blamed=agent)
    if now < wanted:
        return Cause(
            tr(
                "{agent} means phase #{wanted} of {barrier}, but the barrier is still in #{now}: it would pass one"
                " phase early, because it has used the barrier more often than phases completed.",
                agent=agent,
                wanted=wanted,
                barrier=name,
                now=now,
            ),
            begin,
        )
    completions = np.flatnonzero(
        (outlook.history.kinds == EventKind.PHASE_COMPLETE)
        & (trace.events["barrier"] == row)
        & (trace.events["amount"] == wanted + 1)
    )
    lap = completed = int(completions[0]) if len(completions) else None
    why = restarted(outlook.history, waits, wait) or lapped_because(outlook.history, waits, row, agent)
    order = acquire_first(outlook.history, row) if outlook.history.structure.kinds[row] == "full" else None
    if nobody_acquires(outlook.history, waits, row):
        lap = _first_refill(outlook, row) or lap
    return Cause(
        sentences(
            tr(
                "Phase #{wanted} of {barrier} completed, and so did #{next}{by} before {agent} looked: with one parity"
                " bit it waits for ever.",
                wanted=wanted,
                barrier=name,
                next=wanted + 1,
                by=_by(outlook, completed),
                agent=agent,
            ),
            why,
        ),
        lap,
        site_at(trace, lap) if lap is not None else None,
        advice=order,
        blamed=order.agent if order is not None else None,
    )


def _by(outlook: Outlook, completion: int | None) -> str:
    """ ", completed by P at tile 3 (x.cu:7),": whose arrival or copy completed a phase."""
    if completion is None:
        return ""
    event = outlook.trace.events[completion]
    return tr(
        ", completed by {agent}{tile}{site},",
        agent=outlook.trace.agents[int(event["agent"])].name,
        tile=at_tile(event["tile"]),
        site=line(site_at(outlook.trace, completion)),
    )


def _first_refill(outlook: Outlook, row: int) -> int | None:
    """The first copy into a stage of the barrier's ring that was filled before."""
    fills, structure = outlook.buffers.fills, outlook.history.structure
    places = structure.ring_of[row]
    own = (fills.place >= structure.first_place[places]) & (fills.place < structure.first_place[places + 1])
    again = own & (np.diff(fills.place, prepend=-1) == 0) & (fills.phase != 0)
    return int(fills.issue[again].min()) if again.any() else None


def starved_cause(outlook: Outlook, wait: int, cycle: tuple[int, ...]) -> Cause:
    """Why the phase the wait means can not complete any more."""
    row = int(outlook.waits.barrier[wait])
    if not outlook.barrier(row).counted:
        return _uncounted_cause(outlook, row)
    if outlook.barrier(row).pending == 0:
        return bytes_cause(outlook, row)
    if (cause := missing_arrival_cause(outlook, wait)) is not None:
        return cause
    if cycle and (nobody := _nobody_begins(outlook, cycle)) is not None:
        return nobody
    names = [outlook.trace.agents[agent].name for agent in cycle]
    if cycle:
        pairs = zip(names, [*names[1:], names[0]], strict=True)
        around = commas([tr("{agent} for {other}", agent=a, other=b) for a, b in pairs])
        return Cause(tr("A cycle of waits: {around}; none of them can go on.", around=around), certain=False)
    name = outlook.history.barrier_title(row)
    if not outlook.knows_arrivers(row):
        if (cause := not_begun_cause(outlook, wait)) is not None:
            return cause
        state = outlook.barrier(row)
        return Cause(
            tr(
                "{arrived} of {needed} arrivals came to {barrier} in phase #{phase}; who was to bring the others is not"
                " known.",
                arrived=state.arrived,
                needed=state.needed,
                barrier=name,
                phase=number_of(state),
            ),
            certain=False,
        )
    if outlook.unseen:
        return Cause(
            tr(
                "Nobody is known to be on the way to an arrival on {barrier} for this phase; what {agents} would have"
                " done next is not in the recording.",
                barrier=name,
                agents=listed([outlook.trace.agents[agent].name for agent in outlook.unseen]),
            ),
            certain=False,
        )
    return Cause(tr("Nobody that is left will arrive on {barrier} for this phase.", barrier=name), certain=False)


def _nobody_begins(outlook: Outlook, cycle: tuple[int, ...]) -> Cause | None:
    """Agents that take turns and each wait for their first: all with the parity that blocks on a fresh barrier."""
    trace, waits = outlook.trace, outlook.waits
    first = [outlook.blocked[agent] for agent in cycle]
    rows = [int(waits.barrier[wait]) for wait in first]
    turns = all(outlook.history.structure.kinds[row] in ("order", "other") for row in rows)
    fresh = all(outlook.barrier(row).phase == 0 and not outlook.arrived(row) for row in rows)
    if not turns or not fresh or len(cycle) < 2:
        return None
    begins = min(range(len(cycle)), key=lambda n: (int(waits.barrier[first[n]]), int(waits.begin[first[n]])))
    row, step = int(waits.barrier[first[begins]]), int(waits.begin[first[begins]])
    # Who is waited for says once at its start that the other may begin.
    gives = (begins + 1) % len(cycle)
    planned = Planned("arrive", trace.barriers[row].name, None, -1, -1, outlook.barrier(row).pending)
    giver = trace.agents[cycle[gives]].name
    return Cause(
        tr(
            "{agents} take turns and nobody has the first: each waits for another's arrival, with parity 0 on a barrier"
            " that is in its first phase. One of them must begin: with the other parity in each of its waits, or by an"
            " arrival of {giver} on {barrier} before the first.",
            agents=listed([trace.agents[agent].name for agent in sorted(cycle)]),
            giver=giver,
            barrier=outlook.history.barrier_title(row),
        ),
        step,
        site_at(trace, step),
        advice=Advice(giver, (), (planned,), int(waits.begin[first[gives]])),
        rule="nobody-begins",
    )


def _uncounted_cause(outlook: Outlook, row: int) -> Cause:
    """Its init is not in the recording, and nobody tells its count."""
    arrived = sum(count for count, _ in outlook.arrived(row).values())
    return Cause(
        trn(
            "{n} arrival came to {barrier} in phase #{phase}; how many it takes is not known, for the recording has no"
            " init of it.",
            "{n} arrivals came to {barrier} in phase #{phase}; how many it takes is not known, for the recording has no"
            " init of it.",
            arrived,
            barrier=outlook.history.barrier_title(row),
            phase=number_of(outlook.barrier(row)),
        ),
        certain=False,
    )
