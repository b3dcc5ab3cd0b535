"""Rows become a Trace by the way of all sources: sorted by agent, and what hardware did derived from what they did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from visualizer.language import tr
from visualizer.reconstruction.assemble import assemble
from visualizer.reconstruction.engine_arrivals import KEPT_BY
from visualizer.reconstruction.told_bytes import told_by_barriers
from visualizer.recording.schema import ARRIVAL_KINDS, EVENT_DTYPE, EventKind
from visualizer.recording.tables import Agent, AgentRole, Barrier, Ending, Meta, Site
from visualizer.recording.trace import ONE_RING, Trace
from visualizer.sources.errors import SourceError
from visualizer.sources.imports.names import agent_of, as_told, barrier_of
from visualizer.sources.imports.reader import Imported
from visualizer.sources.imports.rows import Rows

Ints = NDArray[np.int64]
_ENGINES: dict[EventKind, AgentRole] = {EventKind.COPY_ISSUE: "copy_engine", **KEPT_BY}
"""The engine of its CTA that such an event asks something of."""
_ENGINE_NAMES: dict[AgentRole, str] = {"copy_engine": "tma", "tensor_core": "tensor_core"}
_COUNTED_OTHERWISE = (EventKind.ARRIVE_DROP, EventKind.CP_ASYNC_ARRIVE, EventKind.TENSOR_COMMIT)
_WAITS = {
    EventKind.WAIT_BEGIN: EventKind.WAIT_END,
    EventKind.SYNC_BEGIN: EventKind.SYNC_END,
    EventKind.CLUSTER_WAIT_BEGIN: EventKind.CLUSTER_WAIT_END,
    EventKind.WGMMA_WAIT_BEGIN: EventKind.WGMMA_WAIT_END,
    EventKind.STORE_WAIT_BEGIN: EventKind.STORE_WAIT_END,
}


@dataclass(frozen=True, eq=False)
class _Tables:
    """The tables, sorted by CTA, and where the rows of `Rows` went."""

    agents: tuple[Agent, ...]
    agent_row: Ints
    barriers: tuple[Barrier, ...]
    barrier_row: Ints  # the last one is -1, for none
    rings: Sequence[str]


def trace_of(imported: Imported, meta: Meta) -> Trace:
    """The Trace of what a reader found. SourceError if there are no events; TraceError if they cannot be."""
    rows = imported.rows
    if not len(rows):
        raise SourceError(tr("it holds no event that phasescope knows"))
    tables = _tables(rows)
    events = _events(rows, tables)
    notes = list(imported.notes)
    events, lacking = _without_counts(events, len(tables.barriers))
    if lacking:
        notes.append(
            f"the arrivals on {lacking} barriers are not all in the file, so that their phases are not derived"
        )
    copies, shares = told_by_barriers(events["kind"], events["amount"], events["barrier"], events["time"])
    events["amount"][copies] = shares
    source = meta.source
    if notes:
        source["notes"] = notes
    if len(copies):
        source["copies_by_expectation"] = len(copies)
    if imported.tries_taken_as_passed:
        source["tries_taken_as_passed"] = imported.tries_taken_as_passed
    ending = imported.ending or _ending(events)
    lost = np.zeros(len(tables.agents), np.int64)
    sites = [Site(*site) for site in rows.sites]
    return assemble(
        events,
        lost,
        tables.agents,
        tables.barriers,
        sites,
        replace(meta, ending=ending, source=source),
        {},
        rings=tables.rings,
    )


def _tables(rows: Rows) -> _Tables:
    agents = [agent_of(name) for name in rows.agents]
    barriers = [barrier_of(name) for name in rows.barriers if name]
    told, rings = as_told(agents, barriers)
    barriers = list(told)
    known = {agent.name for agent in agents}
    several = len({agent.cta for agent in agents} | {barrier.cta for barrier in barriers}) > 1
    kind, agent = np.array(rows.kind, np.uint8), np.array(rows.agent, np.int64)
    asked = {
        (agents[row].cta, role) for asks, role in _ENGINES.items() for row in np.unique(agent[kind == asks]).tolist()
    }
    count = len(agents)
    for cta, role in sorted(asked):
        name = f"CTA{cta}.{_ENGINE_NAMES[role]}" if several else _ENGINE_NAMES[role]
        while name in known:
            name += "'"
        agents.append(Agent(name, role, cta, -1))
    order = sorted(range(len(agents)), key=lambda row: (agents[row].cta, row >= count, row))
    place = sorted(range(len(barriers)), key=lambda row: (barriers[row].cta, row))
    return _Tables(
        tuple(agents[row] for row in order),
        np.argsort(order)[:count],
        tuple(barriers[row] for row in place),
        np.append(np.argsort(place), -1).astype(np.int64),
        rings or ONE_RING,
    )


def _events(rows: Rows, tables: _Tables) -> NDArray[np.void]:
    """By agent, and each agent's by time; those of one time in the order of the rows."""
    time = np.array(rows.time, np.int64)
    agent = tables.agent_row[np.array(rows.agent, np.int64)]
    order = np.lexsort((time, agent))
    events = np.zeros(len(order), EVENT_DTYPE)
    events["measured"] = events["time"] = (time - time.min())[order]
    events["agent"] = agent[order]
    barrier = tables.barrier_row[np.array(rows.barrier, np.int64)][order]
    events["barrier"] = barrier
    for name in ("kind", "amount", "parity", "flags", "site", "stage", "tile"):
        events[name] = np.array(getattr(rows, name), EVENT_DTYPE[name])[order]
    of_barrier = np.array([one.stage for one in tables.barriers] + [-1], np.int16)[barrier]
    ring = np.array([tables.rings.index(one.ring) for one in tables.barriers] + [0], np.uint8)[barrier]
    untold = (events["stage"] < 0) & (of_barrier >= 0)
    events["stage"][untold], events["ring"][untold] = of_barrier[untold], ring[untold]
    return events


def _without_counts(events: NDArray[np.void], barriers: int) -> tuple[NDArray[np.void], int]:
    """The events without the `init` of barriers on which waits passed more often than the arrivals in the file allow,
    so that nobody counts with what is not there; and how many these are."""
    kind, barrier = events["kind"], events["barrier"].astype(np.int64)
    inits = np.flatnonzero((kind == EventKind.INIT) & (barrier >= 0))
    count = np.zeros(barriers, np.int64)
    count[barrier[inits]] = events["amount"][inits]
    count[np.bincount(barrier[inits], minlength=barriers) > 1] = 0  # each begins anew
    count[barrier[np.isin(kind, _COUNTED_OTHERWISE) & (barrier >= 0)]] = 0
    arrives = np.isin(kind, (*ARRIVAL_KINDS, EventKind.CP_ASYNC_ARRIVE_NOINC)) & (barrier >= 0)
    each = np.where(kind == EventKind.ARRIVE_EXPECT_TX, 1, events["amount"])
    arrived = np.bincount(barrier[arrives], each[arrives], barriers)
    lacking = (count > 0) & (arrived < count * _proven(events, barriers))
    dropped = (kind == EventKind.INIT) & np.append(lacking, False)[barrier]
    return events[~dropped], int(lacking.sum())


def _proven(events: NDArray[np.void], barriers: int) -> Ints:
    """How many phases of each barrier completed at least, by the parities with which one agent's waits passed."""
    proven = np.zeros(barriers, np.int64)
    passed = np.flatnonzero((events["kind"] == EventKind.WAIT_END) & (events["barrier"] >= 0))
    barrier, agent = (events[name][passed].astype(np.int64) for name in ("barrier", "agent"))
    order = np.lexsort((passed, agent, barrier))
    barrier, agent, parity = barrier[order], agent[order], events["parity"][passed[order]]
    if len(passed):
        fresh = np.append(True, (barrier[1:] != barrier[:-1]) | (agent[1:] != agent[:-1]))
        steps = np.where(fresh, parity == 0, np.append(0, parity[1:] != parity[:-1])).astype(np.int64)
        begins = np.flatnonzero(fresh)
        np.maximum.at(proven, barrier[begins], np.add.reduceat(steps, begins))
    return proven


def _ending(events: NDArray[np.void]) -> Ending:
    """A file that says nothing of the end: complete, unless an agent stands in a wait."""
    last = np.flatnonzero(np.diff(events["agent"], append=-1))
    waiting = int(np.isin(events["kind"][last], list(_WAITS)).sum())
    if not waiting:
        return Ending("completed")
    return Ending("cancelled", f"the file ends while {waiting} agents wait")
