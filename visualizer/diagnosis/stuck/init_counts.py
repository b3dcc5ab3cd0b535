"""Why a phase that everybody has arrived in does not complete: its barrier is initialised for more."""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.advice import init_advice, init_line
from visualizer.diagnosis.cause import Cause
from visualizer.diagnosis.source_lines import line_and_caller
from visualizer.diagnosis.stuck.outlook import Outlook
from visualizer.diagnosis.wording import listed
from visualizer.language import tr, trn
from visualizer.recording.tables import HARDWARE_ROLES

_WARP = 32


def init_too_large(outlook: Outlook, wait: int) -> Cause | None:
    """Everybody who ever arrives has arrived, and the init count asks for more."""
    row = int(outlook.waits.barrier[wait])
    arrived = outlook.arrived(row)
    state, trace = outlook.barrier(row), outlook.trace
    owing = [a for a in outlook.candidates(row) if a not in arrived and outlook.next_arrival(a, row) is not None]
    if state.phase > trace.barriers[row].first_phase:
        return _each_use_too_few(outlook, row)
    if not arrived or owing:
        return None
    if not outlook.knows_arrivers(row):
        return _more_than_its_like(outlook, row)
    name, total = outlook.history.barrier_title(row), sum(count for count, _ in arrived.values())
    init, site = init_line(trace, row)
    if _others_unknown(outlook, row, set(arrived)):
        return Cause(
            trn(
                "{barrier} is initialised for {needed} per phase, and {n} came ({agents}); whether others were to"
                " arrive only the program tells. Either the init{site} is too large, or arrivals are missing.",
                "{barrier} is initialised for {needed} per phase, and {n} came ({agents}); whether others were to"
                " arrive only the program tells. Either the init{site} is too large, or arrivals are missing.",
                total,
                barrier=name,
                needed=trn("{n} arrival", "{n} arrivals", state.needed),
                agents=listed([trace.agents[a].name for a in sorted(arrived)]),
                site=line_and_caller(trace, init),
            ),
            init,
            site,
            certain=False,
        )
    why = ""
    if total * _WARP == state.needed:
        why = tr(": the init counts threads, and one elected lane arrives")
    elif outlook.meets_others(trace.barriers[row].cta) and all(
        trace.agents[a].cta == trace.barriers[row].cta for a in arrived
    ):
        why = tr(": the release reaches only the own CTA, and the arrivals of the other CTAs are missing")
    sentence = trn(
        "{barrier} is initialised for {needed} per phase, but only {n} comes ({agents}) and nobody else can{why}."
        " Initialise it with {n}{site}, or add the missing arrivals.",
        "{barrier} is initialised for {needed} per phase, but only {n} come ({agents}) and nobody else can{why}."
        " Initialise it with {n}{site}, or add the missing arrivals.",
        total,
        barrier=name,
        needed=trn("{n} arrival", "{n} arrivals", state.needed),
        agents=listed([trace.agents[a].name for a in sorted(arrived)]),
        why=why,
        site=line_and_caller(trace, init),
    )
    return Cause(sentence, init, site, advice=init_advice(trace, row, total))


def _more_than_its_like(outlook: Outlook, row: int) -> Cause | None:
    """Who else was to come is not known, but barriers beside it get as many by the same instruction and complete."""
    arrived, trace = outlook.arrived(row), outlook.trace
    total = sum(count for count, _ in arrived.values())
    alike = _complete_with(outlook, row, total)
    if not alike:
        return None
    init, site = init_line(trace, row)
    sentence = trn(
        "{barrier} is initialised for {needed} per phase, and {total} came ({agents}); by the same instruction as many"
        " come to {others}, and complete it. So the init{site} is likely too large: initialise it with {total}.",
        "{barrier} is initialised for {needed} per phase, and {total} came ({agents}); by the same instruction as many"
        " come to {others}, and complete them. So the init{site} is likely too large: initialise it with {total}.",
        len(alike),
        barrier=outlook.history.barrier_title(row),
        needed=trn("{n} arrival", "{n} arrivals", outlook.barrier(row).needed),
        total=total,
        agents=listed([trace.agents[a].name for a in sorted(arrived)]),
        others=listed([outlook.history.barrier_title(other) for other in alike]),
        site=line_and_caller(trace, init),
    )
    return Cause(sentence, init, site, certain=False, advice=init_advice(trace, row, total))


def _complete_with(outlook: Outlook, row: int, total: int) -> list[int]:
    """The CTA's other barriers that complete with `total` arrivals, made by the same instructions of the same agents as
    those on this one."""
    trace, arrivals = outlook.trace, outlook.history.arrivals
    site = trace.events["site"][arrivals.step]
    here = arrivals.barrier == row
    if (site[here] < 0).any():
        return []

    def by(barrier: int) -> set[tuple[int, int]]:
        own = arrivals.barrier == barrier
        return set(zip(arrivals.agent[own].tolist(), site[own].tolist(), strict=True))

    mine = by(row)
    cta, states = trace.barriers[row].cta, outlook.history.last_barriers
    return [
        other
        for other, barrier in enumerate(trace.barriers)
        if barrier.cta == cta
        and states[other].needed == total
        and states[other].phase > barrier.first_phase
        and by(other) == mine
    ]


def _each_use_too_few(outlook: Outlook, row: int) -> Cause | None:
    """Every use of the stage brings as many arrivals as the others, and fewer than a phase takes: it takes those of two
    uses."""
    uses, arrivals, trace = outlook.buffers.uses, outlook.history.arrivals, outlook.trace
    mine = arrivals.barrier == row
    use = uses.of_arrival[mine]
    if not len(use) or (use < 0).any():  # phases complete without arrivals where a recording says so
        return None
    number = uses.number[use]
    totals = np.bincount(number - number.min(), arrivals.count[mine]).astype(int)
    # The last use may not be over.
    over = totals[: len(totals) - (len(totals) > 1 and totals[-1] < totals[0])]
    total, needed = int(totals[0]), outlook.barrier(row).needed
    if (over != total).any() or total >= needed:
        return None
    init, site = init_line(trace, row)
    sentence = trn(
        "{barrier} is initialised for {needed} per phase, but each use of its stage brings only {n} ({agents}), so that"
        " a phase takes arrivals of two uses. Initialise it with {n}{site}.",
        "{barrier} is initialised for {needed} per phase, but each use of its stage brings only {n} ({agents}), so that"
        " a phase takes arrivals of two uses. Initialise it with {n}{site}.",
        total,
        barrier=outlook.history.barrier_title(row),
        needed=trn("{n} arrival", "{n} arrivals", needed),
        agents=listed([trace.agents[agent].name for agent in np.unique(arrivals.agent[mine]).tolist()]),
        site=line_and_caller(trace, init),
    )
    return Cause(sentence, init, site, advice=init_advice(trace, row, total))


def _others_unknown(outlook: Outlook, row: int, arrived: set[int]) -> bool:
    """Without a program: whether an agent of the CTA, other than those that wait on the barrier, may still arrive."""
    if outlook.program is not None:
        return False
    cta = outlook.trace.barriers[row].cta
    roles = outlook.history.structure.roles
    for agent, told in enumerate(outlook.trace.agents):
        if told.cta != cta:
            continue
        wait = outlook.blocked.get(agent)
        waits_here = wait is not None and int(outlook.waits.barrier[wait]) == row
        known = agent in arrived or agent in outlook.exited or waits_here or roles[agent] in HARDWARE_ROLES
        # Whoever takes the other side of the stage does not arrive on this one, nor who releases it elsewhere alone.
        other_side = roles[agent] in ("producer", "consumer") and agent not in outlook.candidates(row)
        if not known and not other_side and not _releases_elsewhere(outlook, agent, row):
            return True
    return False


def _releases_elsewhere(outlook: Outlook, agent: int, row: int) -> bool:
    """Whether the agent, which has not arrived here, arrives on the barrier of another CTA for this stage."""
    structure, arrivals = outlook.history.structure, outlook.history.arrivals
    if structure.place_of[row] < 0:
        return False
    ring, stage = structure.at(int(structure.place_of[row]))
    for other in set(arrivals.barrier[arrivals.agent == agent].tolist()) - {row}:
        if structure.place_of[other] < 0 or structure.kinds[other] != structure.kinds[row]:
            continue
        there, its_stage = structure.at(int(structure.place_of[other]))
        if (there.name, its_stage) == (ring.name, stage):
            return True
    return False
