"""Why a stage is not released that was read, or waited for: nobody ever releases, or an agent does not, holds every
stage, or left this one out."""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.barrier_facts import family, stage_words
from visualizer.diagnosis.cause import Cause
from visualizer.diagnosis.report import Advice, Planned
from visualizer.diagnosis.source_lines import line, line_and_caller, site_at
from visualizer.diagnosis.stuck.helpers import promised
from visualizer.diagnosis.stuck.outlook import Outlook
from visualizer.diagnosis.wording import listed, named_tile
from visualizer.language import tr, trn


def missing_release(outlook: Outlook, wait: int) -> Cause | None:
    """A consumer that read the stage and did not release it: never does, holds too many, or missed this one."""
    row = int(outlook.waits.barrier[wait])
    barrier, structure = outlook.trace.barriers[row], outlook.history.structure
    if structure.kinds[row] != "empty" or structure.ring_of[row] < 0:
        return None
    if (cause := _nobody_releases(outlook, row)) is not None:
        return cause
    arrived = outlook.arrived(row)
    for agent in outlook.candidates(row):
        read = outlook.stages.last_read(agent, row) if outlook.trace.agents[agent].cta == barrier.cta else None
        if agent in arrived or read is None or (agent in outlook.exited and outlook.ever_arrived(agent, row)):
            continue
        for look in (_never_releases, _holds_all_stages, _one_release_missing):
            if (cause := look(outlook, row, agent, read)) is not None:
                return cause
    return None


def _nobody_releases(outlook: Outlook, row: int) -> Cause | None:
    """Nobody has released any stage, though all that wait for the ring's tiles went past every stage: by waits that
    passed, where reads are not recorded. Which of them are to arrive is not told: one may do so for others."""
    trace, structure = outlook.trace, outlook.history.structure
    ring = structure.rings[structure.ring_of[row]]
    fulls = [full for stage in ring.full for full in stage]
    agents = [agent for agent in outlook.candidates(row) if trace.agents[agent].cta == trace.barriers[row].cta]
    if not agents or outlook.ever_used(row) or promised(outlook, row):
        return None
    passed = {agent: outlook.stages.passed(agent, fulls) for agent in agents}
    if any(len(set(outlook.waits.barrier[waits].tolist())) < len(fulls) for waits in passed.values()):
        return None
    if any(_may_release(outlook, agent, row, fulls) for agent in agents):
        return None
    steps = outlook.waits.begin[np.concatenate(list(passed.values()))]
    sites = trace.events["site"][steps]
    step = int(steps[sites == np.bincount(sites + 1).argmax() - 1].min())
    left, blocked = outlook.exited.keys() & agents, outlook.blocked.keys() & agents
    since = [*([tr("waited for the next lap")] if blocked else []), *([tr("exited")] if left else [])]
    return Cause(
        trn(
            "{agents} passed waits for the {n} stage of the ring ({fulls}) and then {since}; nobody has arrived on"
            " {barriers} at all, where a phase takes {needed}. So a release is missing between the wait{site} and the"
            " next for the same stage; one agent may make it for several.",
            "{agents} passed waits for all {n} stages of the ring ({fulls}) and then {since}; nobody has arrived on"
            " {barriers} at all, where a phase takes {needed}. So a release is missing between the wait{site} and the"
            " next for the same stage; one agent may make it for several.",
            ring.stages,
            agents=listed([trace.agents[agent].name for agent in agents]),
            fulls=family(outlook.history, fulls[0]),
            since=listed(since),
            barriers=family(outlook.history, row),
            needed=trn("{n} arrival", "{n} arrivals", outlook.barrier(row).needed),
            site=line_and_caller(trace, step),
        ),
        step,
        site_at(trace, step),
        certain=False,
    )


def _may_release(outlook: Outlook, agent: int, row: int, fulls: list[int]) -> bool:
    """Whether the agent has not shown that it releases nothing: it reads, so that more is known of it; it arrives
    on other CTAs' barriers, or may do so yet; or something else than the next lap keeps it from its release."""
    structure, arrivals = outlook.history.structure, outlook.history.arrivals
    if outlook.stages.last_read(agent, row) is not None or outlook.next_arrival(agent, row) is not None:
        return True
    elsewhere = set(structure.ring_of[arrivals.barrier[arrivals.agent == agent]].tolist()) - {-1}
    ring = structure.rings[structure.ring_of[row]]
    if any((other := structure.rings[one]).name == ring.name and other is not ring for one in elsewhere):
        return True
    wait = outlook.blocked.get(agent)
    return agent not in outlook.exited if wait is None else int(outlook.waits.barrier[wait]) not in fulls


def _never_releases(outlook: Outlook, row: int, agent: int, read: int) -> Cause | None:
    """The agent, whose last read of the stage ended at `read`, has no arrival on such barriers at all."""
    if outlook.ever_arrived(agent, row) or outlook.next_arrival(agent, row) is not None:
        return None
    name = outlook.trace.agents[agent].name
    return Cause(
        trn(
            "{agent} has no arrival on {barriers} at all, though it reads every stage and {barrier} counts {n}"
            " arrival: it must release each tile, or not be counted.",
            "{agent} has no arrival on {barriers} at all, though it reads every stage and {barrier} counts {n}"
            " arrivals: it must release each tile, or not be counted.",
            outlook.barrier(row).needed,
            agent=name,
            barriers=family(outlook.history, row),
            barrier=outlook.history.barrier_title(row),
        ),
        read,
        site_at(outlook.trace, read),
        certain=outlook.program is not None or agent in outlook.exited,
        advice=_release(outlook, agent, row, read),
        blamed=name,
    )


def _holds_all_stages(outlook: Outlook, row: int, agent: int, read: int) -> Cause | None:
    """Its release lags so far behind its reads that it holds every stage."""
    structure = outlook.history.structure
    ring = structure.rings[structure.ring_of[row]]
    name, tile = outlook.trace.agents[agent].name, int(outlook.trace.events["tile"][read])
    held, coming = outlook.stages.held(agent, ring), outlook.next_arrival(agent, row)
    late = coming is not None and coming.certain and 0 <= coming.tile <= tile
    if not late and (len(held) < ring.stages or (coming is not None and coming.tile >= 0)):
        return None
    return Cause(
        tr(
            "{agent} holds {stages}, all that there are, and needs one more before it releases{tile}: its"
            " release must lag fewer than {count} tiles.",
            agent=name,
            stages=listed([f"stage {s}" for s in held]),
            tile=named_tile(tile) or tr(" one"),
            count=ring.stages,
        ),
        read,
        site_at(outlook.trace, read),
        advice=_release(outlook, agent, row, read, outlook.arrivals_to_come(agent, row)[:1]),
        blamed=name,
    )


def _one_release_missing(outlook: Outlook, row: int, agent: int, read: int) -> Cause | None:
    """It releases the stage otherwise, and did not after this read."""
    structure = outlook.history.structure
    if int(structure.stage_of[row]) not in outlook.stages.held(agent, structure.rings[structure.ring_of[row]]):
        return None
    name, spot = outlook.trace.agents[agent].name, site_at(outlook.trace, read)
    return Cause(
        tr(
            "{agent} read{tile} from stage {stage} and never arrived on {barrier}: one release is missing"
            " after the read{site}.",
            agent=name,
            tile=named_tile(int(outlook.trace.events["tile"][read])),
            stage=stage_words(outlook.history, int(structure.place_of[row])),
            barrier=outlook.history.barrier_title(row),
            site=line(spot),
        ),
        read,
        spot,
        advice=_release(outlook, agent, row, read),
        blamed=name,
    )


def _release(outlook: Outlook, agent: int, row: int, read: int, in_place_of: tuple[int, ...] = ()) -> Advice:
    """To arrive on the stage's barrier once right after the read that ended at `read`."""
    events = outlook.trace.events
    later = np.flatnonzero(events["agent"] == agent)
    later = later[later > read]
    planned = Planned("arrive", outlook.trace.barriers[row].name, None, -1, -1, 1, int(events["tile"][read]))
    name = outlook.trace.agents[agent].name
    return Advice(name, in_place_of, (planned,), int(later[0]) if len(later) else None)
