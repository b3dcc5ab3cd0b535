"""The likely cause of a wait that nothing will ever release, in one sentence, with the first event that went wrong."""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.cause import Cause
from visualizer.diagnosis.missing_arrivals import missing_arrival_cause
from visualizer.diagnosis.order_advice import acquire_first
from visualizer.diagnosis.outlook import Outlook
from visualizer.diagnosis.passes import (
    first_wrong_parity,
    lapped_because,
    nobody_acquires,
    parity_advice,
    parity_cause,
    restarted,
)
from visualizer.diagnosis.places import line, site_at
from visualizer.diagnosis.report import Advice, Planned
from visualizer.diagnosis.wording import commas, listed, sentences
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
    tile = int(event["tile"])
    return tr(
        ", completed by {agent}{tile}{site},",
        agent=outlook.trace.agents[int(event["agent"])].name,
        tile=tr(" at tile {tile}", tile=tile) if tile >= 0 else "",
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
        return _bytes_cause(outlook, row)
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
        state = outlook.barrier(row)
        return Cause(
            tr(
                "{arrived} of {needed} arrivals came to {barrier} in phase #{phase}; who was to bring the others is not"
                " known.",
                arrived=state.arrived,
                needed=state.needed,
                barrier=name,
                phase=state.phase,
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
    begins = min(first, key=lambda wait: (int(waits.barrier[wait]), int(waits.begin[wait])))
    step, agent = int(waits.begin[begins]), trace.agents[int(waits.agent[begins])].name
    barrier = trace.barriers[int(waits.barrier[begins])].name
    planned = Planned("wait_begin", barrier, None, -1, 1, -1, int(trace.events["tile"][step]))
    return Cause(
        tr(
            "{agents} take turns and nobody has the first: each waits for another's arrival, with parity 0 on a barrier"
            " that is in its first phase. One of them must begin, as with parity 1.",
            agents=listed([trace.agents[agent].name for agent in sorted(cycle)]),
        ),
        step,
        site_at(trace, step),
        advice=Advice(agent, (step,), (planned,), step),
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
            phase=outlook.barrier(row).phase,
        ),
        certain=False,
    )


def _bytes_cause(outlook: Outlook, row: int) -> Cause:
    """All arrivals are in and the bytes do not come out even."""
    trace, events = outlook.trace, outlook.trace.events
    state, phase = outlook.barrier(row), outlook.open_phase(row)
    name = outlook.history.barrier_title(row)
    expects = [s for s in phase.arrivals if outlook.history.kinds[s] == EventKind.ARRIVE_EXPECT_TX]
    expects = sorted([*expects, *phase.bytes_expected])
    expected = int(events["amount"][expects].sum()) if expects else 0
    delivered = int(events["amount"][list(phase.bytes_landed)].sum()) if phase.bytes_landed else 0
    first = expects[0] if expects else None
    advice = _expecting(outlook, row, first, delivered) if first is not None and delivered else None
    armed_by = trace.agents[int(events["agent"][first])].name if first is not None else None
    site = site_at(trace, first) if first is not None else None
    if state.tx < 0 and not expected:
        issues = outlook.history.copies.issues.steps(row)
        issue = int(issues[0]) if len(issues) else None
        site = site_at(trace, issue) if issue is not None else None
        arrived = phase.arrivals[0] if phase.arrivals else None
        advice = _expecting(outlook, row, arrived, delivered) if arrived is not None else None
        since = min(step for step in (issue, _first_arrival(outlook, row)) if step is not None)
        return Cause(
            tr(
                "{delivered} bytes came to {barrier} that nobody ever expected: its arrivals carry no expect_tx, so a"
                " phase completes before its bytes are in, and the bytes spoil the next. Use arrive.expect_tx{site}.",
                delivered=delivered,
                barrier=name,
                site=line(site),
            ),
            since,
            site,
            advice=advice,
        )
    facts = {"barrier": name, "phase": state.phase, "expected": expected, "delivered": delivered, "tx": state.tx}
    if state.tx < 0:
        return Cause(
            tr(
                "The copies bring {delivered} bytes to phase #{phase} of {barrier}, which expects only {expected}: tx"
                " is {tx} and never exactly 0. Expect {delivered} bytes{site}.",
                site=line(site),
                **facts,
            ),
            first,
            site,
            advice=advice,
            blamed=armed_by,
        )
    if outlook.in_flight(row):
        return Cause(
            tr("A copy of {bytes} bytes to {barrier} is in flight.", bytes=state.tx, barrier=name),
            first,
            site,
            certain=False,
        )
    tile = int(events["tile"][first]) if first is not None else -1
    if not delivered:
        return Cause(
            tr(
                "{barrier} expects {expected} bytes for phase #{phase}, but the copy{of_tile} was never issued to"
                " it{astray}: no copy is in flight. Do not expect bytes for a tile that is not copied{site}.",
                of_tile=tr(" of tile {tile}", tile=tile) if tile >= 0 else "",
                astray=_astray(outlook, row),
                site=line(site),
                **facts,
            ),
            first,
            site,
            advice=advice,
            blamed=armed_by,
        )
    return Cause(
        tr(
            "{barrier} expects {expected} bytes for phase #{phase}, the copies delivered {delivered} and none is in"
            " flight: {tx} bytes will never come. Expect {delivered} bytes, or issue the missing copy{site}.",
            site=line(site),
            **facts,
        ),
        first,
        site,
        advice=advice,
        blamed=armed_by,
    )


def _first_arrival(outlook: Outlook, row: int) -> int | None:
    arrivals = outlook.history.arrivals
    steps = arrivals.step[arrivals.barrier == row]
    return int(steps.min()) if len(steps) else None


def _expecting(outlook: Outlook, row: int, step: int, bytes_: int) -> Advice:
    """To expect so many bytes with the arrival at `step`, whatever it expects now."""
    event = outlook.trace.events[step]
    kind = "expect_tx" if event["kind"] == EventKind.EXPECT_TX else "arrive_expect_tx"
    planned = Planned(kind, outlook.trace.barriers[row].name, None, -1, -1, bytes_, int(event["tile"]))
    return Advice(outlook.trace.agents[int(event["agent"])].name, (step,), (planned,), step)


def _astray(outlook: Outlook, row: int) -> str:
    """Another barrier of the CTA that got bytes nobody expected."""
    barriers = outlook.trace.barriers
    for other, barrier in enumerate(barriers):
        if other != row and barrier.cta == barriers[row].cta and outlook.barrier(other).tx < 0:
            return tr(
                "; {bytes} bytes that nobody expected came to {barrier}",
                bytes=-outlook.barrier(other).tx,
                barrier=outlook.history.barrier_title(other),
            )
    return ""
