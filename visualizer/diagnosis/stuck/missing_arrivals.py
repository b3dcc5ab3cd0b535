"""Why arrivals that a phase still needs will never come: who owes them, and what was done instead."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from visualizer.diagnosis.arrived import number_of
from visualizer.diagnosis.barrier_facts import family
from visualizer.diagnosis.cause import Cause
from visualizer.diagnosis.phases.use_findings import missed_cause
from visualizer.diagnosis.report import Advice, Planned
from visualizer.diagnosis.source_lines import line, site_at
from visualizer.diagnosis.stuck.first_phases import init_or_arrivals, peers_without_arrival
from visualizer.diagnosis.stuck.init_counts import init_too_large
from visualizer.diagnosis.stuck.missing_releases import missing_release
from visualizer.diagnosis.stuck.outlook import Outlook
from visualizer.diagnosis.turns.turn_advice import next_turn
from visualizer.diagnosis.wording import listed
from visualizer.language import tr, trn
from visualizer.recording.schema import EventKind


def missing_arrival_cause(outlook: Outlook, wait: int) -> Cause | None:
    """The first of the known mistakes that leaves the phase the wait means short of arrivals; None: none is seen."""
    for rule, look in (
        ("expect-without-arrive", _expect_without_arrive),
        ("cp-async-without-noinc", _cp_async_without_noinc),
        ("wrong-start-phase", _starts_with_wrong_phase),
        ("misplaced", _misplaced),
        ("missing-release", missing_release),
        ("missed-use", _missed_use),
        ("init-too-large", init_too_large),
        ("missing-arrival", peers_without_arrival),
        ("init-or-arrivals", init_or_arrivals),
        ("gone", _gone),
    ):
        if (cause := look(outlook, wait)) is not None:
            return replace(cause, rule=rule)
    return None


def _expect_without_arrive(outlook: Outlook, wait: int) -> Cause | None:
    row = int(outlook.waits.barrier[wait])
    phase, arrived = outlook.open_phase(row), outlook.arrived(row)
    events = outlook.trace.events
    alone = [step for step in phase.bytes_expected if int(events["agent"][step]) not in arrived]
    if not alone:
        return None
    agent = outlook.trace.agents[int(events["agent"][alone[0]])].name
    name, state = outlook.history.barrier_title(row), outlook.barrier(row)
    site = site_at(outlook.trace, alone[0])
    return Cause(
        tr(
            "{agent} did expect_tx on {barrier} and never arrived: arrived stays {arrived} of {needed}, whatever bytes"
            " come, because expect_tx does not arrive. Use arrive.expect_tx{site}.",
            agent=agent,
            barrier=name,
            arrived=state.arrived,
            needed=state.needed,
            site=line(site),
        ),
        alone[0],
        site,
        advice=Advice(
            agent,
            (alone[0],),
            (
                Planned(
                    "arrive_expect_tx",
                    outlook.trace.barriers[row].name,
                    None,
                    -1,
                    -1,
                    int(events["amount"][alone[0]]),
                    int(events["tile"][alone[0]]),
                ),
            ),
            alone[0],
        ),
        blamed=agent,
    )


def _cp_async_without_noinc(outlook: Outlook, wait: int) -> Cause | None:
    """All arrivals so far are the hardware's, for which the pending count went up first, and no other follows."""
    row = int(outlook.waits.barrier[wait])
    barriers = outlook.history.barriers
    own = barriers.index.rows(row)
    kinds = barriers.kind[own]
    begun = int(np.flatnonzero(np.isin(kinds, (EventKind.INIT, EventKind.PHASE_COMPLETE))).max(initial=-1)) + 1
    raised = barriers.index.step_at(own.start + begun + np.flatnonzero(kinds[begun:] == EventKind.CP_ASYNC_ARRIVE))
    undone = sum(count for count, _ in outlook.arrived(row).values())
    if not len(raised) or undone != int(outlook.trace.events["amount"][raised].sum()):
        return None
    warps = [agent for agent in outlook.candidates(row) if outlook.trace.agents[agent].warp >= 0]
    if any(outlook.next_arrival(agent, row) is not None for agent in warps):
        return None
    issue = int(raised[-1])
    name, site = outlook.history.barrier_title(row), site_at(outlook.trace, issue)
    event, pending = outlook.trace.events[issue], outlook.barrier(row).pending
    agent = outlook.trace.agents[int(event["agent"])].name
    arrive = Planned("arrive", outlook.trace.barriers[row].name, None, -1, -1, pending, int(event["tile"]))
    later = np.flatnonzero(outlook.trace.events["agent"][issue + 1 :] == event["agent"])
    return Cause(
        tr(
            "The cp.async copies into {barrier}'s stage are done, but their arrivals count for nothing: without .noinc,"
            " cp.async.mbarrier.arrive first raises the pending count by as much as it then arrives. Use .noinc, or let"
            " the threads arrive{site}.",
            barrier=name,
            site=line(site),
        ),
        issue,
        site,
        advice=Advice(agent, (), (arrive,), issue + 1 + int(later[0]) if len(later) else None),
        blamed=agent,
    )


def _starts_with_wrong_phase(outlook: Outlook, wait: int) -> Cause | None:
    """A producer's first wait, on stages nobody has filled, with the parity that blocks on a fresh barrier."""
    trace, waits = outlook.trace, outlook.waits
    row, agent = int(waits.barrier[wait]), int(waits.agent[wait])
    if outlook.kind(row) != "empty" or not outlook.is_first(wait):
        return None
    if row not in outlook.unused and (_has_copied(outlook, agent, row) or outlook.ever_used(row)):
        return None
    begin, name = int(waits.begin[wait]), trace.agents[agent].name
    told = row not in outlook.unused or outlook.unused[row].sure
    sentence = (
        tr(
            "No event ever on {barriers}: every stage is free at first, and {agent} waits with parity 0 for a release"
            " that only follows its own copies. The producer must start inverted, with phase 1"
            " (make_producer_start_state).",
            barriers=family(outlook.history, row),
            agent=name,
        )
        if told
        else tr(
            "{agent} alone waits for {barrier}, which takes {needed} arrivals and has had none; others wait for a"
            " barrier's only arrival, which has not come either. So it looks like the producer of a ring, whose stages"
            " are all free at first: it must start inverted, with phase 1 (make_producer_start_state).",
            agent=name,
            barrier=outlook.history.barrier_title(row),
            needed=outlook.barrier(row).needed,
        )
    )
    tile = int(trace.events["tile"][begin])
    must = Planned("wait_begin", trace.barriers[row].name, None, -1, 1, -1, tile)
    return Cause(
        sentence,
        begin,
        site_at(trace, begin),
        certain=told,
        advice=Advice(name, (begin,), (must,), begin),
        blamed=name,
    )


def _has_copied(outlook: Outlook, agent: int, row: int) -> bool:
    """Whether the agent has copied to the barrier's ring."""
    copies, ring_of = outlook.history.copies, outlook.history.structure.ring_of
    here = (copies.barrier < 0) | (ring_of[copies.barrier] == ring_of[row])
    return bool((here & (copies.agent == agent)).any())


def _misplaced(outlook: Outlook, wait: int) -> Cause | None:
    """The arrival was made, on another stage's barrier."""
    row = int(outlook.waits.barrier[wait])
    return missed_cause(outlook.history, [d for d in outlook.buffers.deviations if d.elsewhere >= 0], row)


def _missed_use(outlook: Outlook, wait: int) -> Cause | None:
    """An agent that went past one of its uses of the stage without the arrival it makes for the others."""
    return missed_cause(outlook.history, outlook.buffers.deviations, int(outlook.waits.barrier[wait]))


def _gone(outlook: Outlook, wait: int) -> Cause | None:
    """The roles that owe the arrival have left."""
    row = int(outlook.waits.barrier[wait])
    trace, name = outlook.trace, outlook.history.barrier_title(row)
    owing = [a for a in outlook.candidates(row) if a not in outlook.arrived(row) and a != outlook.waits.agent[wait]]
    left = [a for a in owing if a in outlook.exited]
    if not left or len(left) < len(owing):
        return None
    first = min(left, key=lambda a: outlook.exited[a])
    step = outlook.exited[first]
    who = listed([trace.agents[a].name for a in left])
    tiles = trace.events["tile"][trace.events["agent"] == first]
    having = tr(" after tile {tile}", tile=int(tiles.max())) if len(tiles) and tiles.max() >= 0 else ""
    if not (outlook.history.copies.agent == first).any() and outlook.history.structure.roles[first] == "producer":
        having = tr(" having issued nothing")
    return Cause(
        trn(
            "{agents} exited{having}, and {barrier} still needs {n} arrival for phase #{phase}: the roles disagree on"
            " how many tiles there are.",
            "{agents} exited{having}, and {barrier} still needs {n} arrivals for phase #{phase}: the roles disagree on"
            " how many tiles there are.",
            outlook.barrier(row).pending,
            agents=who,
            having=having,
            barrier=name,
            phase=number_of(outlook.barrier(row)),
        ),
        step,
        site_at(trace, step),
        advice=next_turn(outlook.history, first),
        blamed=trace.agents[first].name,
    )
