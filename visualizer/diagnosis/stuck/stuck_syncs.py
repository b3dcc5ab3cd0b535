"""Agents that wait for others at a __syncthreads, a named barrier or the cluster's: who has come, who has not, and why.

Such a wait has a root like any other. Those that are recorded leave a begin without an end; the sync behind a fence
leaves none, and is known from the program.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace

import numpy as np

from visualizer.diagnosis.program_steps import first_event, operations_to_come, steps_of_operations
from visualizer.diagnosis.report import Advice, Finding, Planned, SourceLine
from visualizer.diagnosis.source_lines import line, site_at, source_line
from visualizer.diagnosis.stuck.outlook import Outlook
from visualizer.diagnosis.wording import listed, sentences
from visualizer.language import tr, trn
from visualizer.programs.meetings import BarArrive, BarSync, Sync
from visualizer.programs.operations import Operation
from visualizer.programs.program import Program
from visualizer.recording.schema import EventKind
from visualizer.recording.tables import HARDWARE_ROLES
from visualizer.replay.history import History

STUCK = "STUCK SYNC"

Key = tuple[object, ...]
"""("cluster",), ("bar", CTA, id), or ("sync", CTA): the __syncthreads that leaves no event."""

_BEGINS = (EventKind.SYNC_BEGIN, EventKind.CLUSTER_WAIT_BEGIN)
_ENDS = (EventKind.SYNC_END, EventKind.CLUSTER_WAIT_END)


@dataclass(frozen=True, slots=True)
class _At:
    """An agent that waits at a sync. `step` is its begin, or the agent's last event."""

    agent: int
    key: Key
    step: int
    site: int
    threads: int  # that the barrier takes; 0: all


def sync_findings(outlook: Outlook) -> list[Finding]:
    """STUCK SYNC: for each place at which agents wait for others what keeps them."""
    waiting: defaultdict[Key, list[_At]] = defaultdict(list)
    for at in [*_recorded(outlook.history), *_unseen(outlook)]:
        if not outlook.ends_here(at.agent):
            continue
        waiting[at.key].append(at)
    return [_finding(outlook, key, here, waiting) for key, here in waiting.items()]


def _recorded(history: History) -> list[_At]:
    trace, found = history.trace, []
    steps = np.flatnonzero(np.isin(history.kinds, [*_BEGINS, *_ENDS]))
    last = dict(zip(trace.events["agent"][steps].tolist(), steps.tolist(), strict=True))
    for agent, step in last.items():
        event = trace.events[step]
        if event["kind"] in _BEGINS:
            key = _key(trace.agents[agent].cta, int(event["kind"]), int(event["token"]))
            found.append(_At(agent, key, step, int(event["site"]), int(event["amount"])))
    return found


def _key(cta: int, kind: int, token: int) -> Key:
    return ("cluster",) if kind == EventKind.CLUSTER_WAIT_BEGIN else ("bar", cta, token)


def _unseen(outlook: Outlook) -> list[_At]:
    """Agents that have come to a Sync that leaves no event: it is what their list has next."""
    program, trace = outlook.program, outlook.trace
    if program is None:
        return []
    syncs: dict[int, list[int]] = {}
    performed: dict[int, dict[int, int]] = {}
    over: Counter[int] = Counter()  # by CTA, how often all have met
    for warp in program.agents:
        row = trace.agent_index[warp.agent.name]
        syncs[row] = [n for n, o in enumerate(warp.operations) if isinstance(o, Sync) and not o.cluster]
        performed[row] = steps_of_operations(outlook.history, program, row)
        done = max(performed[row], default=-1)
        over[warp.agent.cta] = max(over[warp.agent.cta], sum(number < done for number in syncs[row]))
    found = []
    for warp in program.agents:
        row = trace.agent_index[warp.agent.name]
        done, turn = max(performed[row], default=-1), over[warp.agent.cta]
        if row in outlook.exited or row in outlook.blocked or turn >= len(syncs[row]):
            continue
        at = syncs[row][turn]
        if at > done and not any(first_event(o) for o in warp.operations[done + 1 : at]):
            step, site = performed[row].get(done, 0), getattr(warp.operations[at], "site", -1)
            found.append(_At(row, ("sync", warp.agent.cta), step, site, 0))
    return found


@dataclass(frozen=True, slots=True)
class _Why:
    """What keeps a sync, as far as that is known."""

    cause: str = ""
    blamed: int | None = None  # the agent whose doing it is
    advice: Advice | None = None
    divergence: int | None = None
    site: SourceLine | None = None


def _finding(outlook: Outlook, key: Key, here: list[_At], waiting: dict[Key, list[_At]]) -> Finding:
    trace = outlook.trace
    first = min(here, key=lambda at: at.step)
    came = {at.agent for at in here}
    site = source_line(trace, first.site)
    names = [trace.agents[agent].name for agent in sorted(came)]
    opening = trn(
        "{agents} waits at {sync}{site}{count}.",
        "{agents} wait at {sync}{site}{count}.",
        len(names),
        agents=listed(names),
        sync=_word(key),
        site=line(site),
        count=_threads(outlook, first, came),
    )
    times = _times(outlook, key)
    members = _members(outlook, key, times)
    missing = [agent for agent in members if agent not in came]
    odd = _odd_one({agent: times[agent] for agent in members})
    why = replace(_Why() if odd is None else _comes_otherwise(outlook, key, here, times, odd), site=site)
    if not missing and first.threads and outlook.program is not None:
        too_many = tr("Nobody else comes to it: its count of threads is too large, or an agent is missing.")
        why = replace(why, cause=too_many)
    elsewhere = [agent for agent in missing if agent in outlook.blocked]
    if why.blamed is None and len(elsewhere) == 1:
        why = _waits_elsewhere(outlook, key, elsewhere[0], why)
    states = listed([f"{trace.agents[a].name} ({_state(outlook, a, waiting)})" for a in missing]) if missing else ""
    if states:
        states = tr("Not there: {states}.", states=states)
    gone = [agent for agent in missing if agent in outlook.exited]
    divergence = why.divergence
    if divergence is None:
        divergence = outlook.exited[gone[0]] if gone else first.step
    return Finding(
        STUCK,
        "error",
        sentences(opening, states, why.cause),
        agent=trace.agents[why.blamed if why.blamed is not None else first.agent].name,
        first_divergence=divergence,
        site=why.site,
        step=first.step,
        certain=bool(gone) or (odd is not None and outlook.program is not None),
        advice=why.advice,
    )


def _comes_otherwise(outlook: Outlook, key: Key, here: list[_At], times: Counter[int], odd: tuple[int, int]) -> _Why:
    """One agent comes to it more or less often than the others."""
    agent, usual = odd
    name = outlook.trace.agents[agent].name
    facts = {"agent": name, "usual": trn("{n} time", "{n} times", usual)}
    facts["times"] = trn("{n} time", "{n} times", times[agent])
    if outlook.program is not None:
        cause = tr("{agent} comes to it {times} in all, the others {usual}.", **facts)
    else:
        cause = tr("{agent} came to it {times} in the recording, the others {usual}.", **facts)
    at = next((at for at in here if at.agent == agent), None)
    if at is None:
        return _Why(cause, agent, _sync_before(outlook, key, agent))
    if times[agent] <= usual:
        return _Why(cause, agent)
    step = at.step if key[0] != "sync" else outlook.history.steps
    return _Why(cause, agent, Advice(name, (step,)), at.step)


def _waits_elsewhere(outlook: Outlook, key: Key, agent: int, why: _Why) -> _Why:
    """The only one missing that is blocked, and so keeps the sync: at a wait that it may come to it after."""
    site = site_at(outlook.trace, int(outlook.waits.begin[outlook.blocked[agent]]))
    why = replace(why, blamed=agent, site=site)
    if coming := _to_come(outlook, key, agent):
        cause = tr("{agent} comes to it only after that wait.", agent=outlook.trace.agents[agent].name)
        why = replace(why, cause=cause, advice=_sync_before(outlook, key, agent, coming[:1]))
    return why


def _sync_before(outlook: Outlook, key: Key, agent: int, in_place_of: tuple[int, ...] = ()) -> Advice | None:
    """To come to the sync before the wait at which the agent is blocked, or before it leaves; None: of a named barrier
    that takes threads it is not known who is to come."""
    if key[0] == "bar" and key[2] != 0:
        return None
    kind = {"cluster": "cluster_wait_begin", "bar": "sync_begin"}.get(str(key[0]), "sync")
    step = outlook.exited.get(agent)
    if agent in outlook.blocked:
        step = int(outlook.waits.begin[outlook.blocked[agent]])
    sync = Planned(kind, None, None, -1, -1, -1)
    return Advice(outlook.trace.agents[agent].name, in_place_of, (sync,), step)


def _to_come(outlook: Outlook, key: Key, agent: int) -> tuple[int, ...]:
    """The steps by which an advice names the agent's operations to come that are at this sync; () without a program."""
    if outlook.program is None:
        return ()
    cta, name = outlook.trace.agents[agent].cta, outlook.trace.agents[agent].name
    operations = next((a.operations for a in outlook.program.agents if a.agent.name == name), ())
    coming = operations_to_come(outlook.history, outlook.program, agent)
    return tuple(outlook.history.steps + n for n, at in enumerate(coming) if _key_of(operations[at], cta) == key)


def _word(key: Key) -> str:
    if key[0] == "bar":
        return "__syncthreads" if key[2] == 0 else f"bar.sync {key[2]}"
    return "barrier.cluster" if key[0] == "cluster" else "__syncthreads"


def _threads(outlook: Outlook, first: _At, came: set[int]) -> str:
    """ ": 64 of 96 threads have come", where the barrier counts threads."""
    if not first.threads or outlook.program is None:
        return ""
    sizes = {warp.agent.name: warp.threads for warp in outlook.program.agents}
    here = sum(sizes.get(outlook.trace.agents[agent].name, 0) for agent in came)
    return tr(": {here} of {threads} threads wait there", here=here, threads=first.threads)


def _times(outlook: Outlook, key: Key) -> Counter[int]:
    """Agent -> how often it comes to the sync in all: by the program, or else in the recording."""
    if outlook.program is not None:
        return _in_program(outlook, outlook.program, key)
    times: Counter[int] = Counter()
    trace = outlook.trace
    steps = np.flatnonzero(np.isin(outlook.history.kinds, [*_BEGINS, EventKind.SYNC_ARRIVE]))
    for event in trace.events[steps]:
        agent = int(event["agent"])
        times[agent] += _key(trace.agents[agent].cta, int(event["kind"]), int(event["token"])) == key
    return +times


def _in_program(outlook: Outlook, program: Program, key: Key) -> Counter[int]:
    times: Counter[int] = Counter()
    for warp in program.agents:
        for operation in warp.operations:
            times[outlook.trace.agent_index[warp.agent.name]] += _key_of(operation, warp.agent.cta) == key
    return +times


def _key_of(operation: Operation, cta: int) -> Key:
    """The sync that an operation of a CTA's agent is at; () for others."""
    if isinstance(operation, BarSync | BarArrive):
        return ("bar", cta, operation.id)
    if isinstance(operation, Sync):
        return ("cluster",) if operation.cluster else ("sync", cta)
    return ()


def _odd_one(times: dict[int, int]) -> tuple[int, int] | None:
    """The one agent that comes to a sync more or less often than all others, and how often those do."""
    counts = Counter(times.values())
    usual, many = counts.most_common(1)[0] if counts else (0, 0)
    others = [agent for agent, count in times.items() if count != usual]
    return (others[0], usual) if len(others) == 1 and many >= 2 else None


def _members(outlook: Outlook, key: Key, times: Counter[int]) -> list[int]:
    """Who meets there: by what they do; of a __syncthreads or the cluster's barrier everybody."""
    if key[0] == "bar" and key[2] != 0:
        return sorted(times)
    roles = outlook.history.structure.roles
    return [
        row
        for row, agent in enumerate(outlook.trace.agents)
        if roles[row] not in HARDWARE_ROLES and (key[0] == "cluster" or agent.cta == key[1])
    ]


def _state(outlook: Outlook, agent: int, waiting: dict[Key, list[_At]]) -> str:
    if agent in outlook.exited:
        return tr("has exited")
    if agent in outlook.blocked:
        row = int(outlook.waits.barrier[outlook.blocked[agent]])
        return tr("blocked on {barrier}", barrier=outlook.history.barrier_title(row))
    for key, there in waiting.items():
        if any(at.agent == agent for at in there):
            return tr("waits at {sync}", sync=_word(key))
    return tr("not there yet")
