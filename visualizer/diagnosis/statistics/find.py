"""Finds the facts of a recording: once, in passes over its columns."""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.statistics.copy_times import time_copies
from visualizer.diagnosis.statistics.facts import (
    Facts,
    Ints,
    Leads,
    Lives,
    RingFacts,
    StageTimes,
    Tiles,
    ring_of_places,
    role_codes,
)
from visualizer.diagnosis.statistics.wait_times import time_waits
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.replay.stage_columns import StageState


def find_facts(history: History) -> Facts:
    """The facts of a recording. Seconds for ten million events: off the window's thread."""
    copies = time_copies(history)
    stages, leads = _stages(history)
    tiles = _tiles(history)
    waits, rings = time_waits(history, copies), _rings(history, leads, tiles)
    return Facts(history, history.waits, waits, copies, stages, leads, tiles, _lives(history), rings)


def _rings(history: History, leads: Leads, tiles: Tiles) -> tuple[RingFacts, ...]:
    """By ring; where there is one only, `leads` and `tiles` are its own."""
    structure = history.structure
    found = []
    for row, name in enumerate(structure.names):
        stages = max((ring.stages for ring in structure.rings if ring.name == name), default=0)
        if len(structure.names) > 1:
            leads, tiles = _stages(history, row)[1], _tiles(history, row)
        found.append(RingFacts(name, stages, leads, tiles))
    return tuple(found)


def _stages(history: History, only: int | None = None) -> tuple[StageTimes, Leads]:
    """The stages of all rings, or of those of one name (row of Structure.names)."""
    trace, columns, structure = history.trace, history.stages, history.structure
    counts = np.diff(columns.index.starts)
    place = np.repeat(np.arange(len(counts)), counts)
    ring = ring_of_places(history)[place]
    own = np.flatnonzero(ring == only) if only is not None else np.arange(len(place))
    place, ring = place[own], ring[own]
    steps = columns.index.step_at(own).astype(np.int64)
    time = trace.events["time"][steps].astype(np.int64)
    state = columns.state[own].astype(np.int64)
    row = np.searchsorted(structure.first_place, place, side="right") - 1
    ctas = np.array([ring.cta for ring in structure.rings], np.int64)
    first_of_cta = structure.first_place[np.searchsorted(ctas, ctas)] if len(ctas) else ctas
    times = StageTimes(
        place - structure.first_place[row],
        ring,
        place - first_of_cta[row],
        state,
        time,
        _until(time, place, trace.duration_ps),
    )

    held = state != StageState.EMPTY
    before = np.zeros(len(held), bool)
    before[1:] = held[:-1] & (place[1:] == place[:-1])
    change = held.astype(np.int64) - before
    turns = np.flatnonzero(change)
    cta = ctas[row[turns]]
    order = np.lexsort((steps[turns], cta))
    turns, cta = turns[order], cta[order]
    # Every stage begins empty, so the changes of one CTA sum to its stages not empty.
    starts = np.flatnonzero(np.diff(cta, prepend=-1))
    sums = np.cumsum(change[turns])
    lead = sums - np.repeat((sums - change[turns])[starts], np.diff(np.append(starts, len(cta))))
    return times, Leads(lead, time[turns], _until(time[turns], cta, trace.duration_ps))


def _until(time: Ints, group: Ints, duration: int) -> Ints:
    """When each row's state ends: at the next row of its group, or the recording's end."""
    until = np.full(len(time), duration, np.int64)
    same = group[1:] == group[:-1]
    until[:-1][same] = time[1:][same]
    return until


def _tiles(history: History, only: int | None = None) -> Tiles:
    """The tiles of all rings, or of those of one name (row of Structure.names): the last of several ends a tile.

    A tile is done with when its stage is free again; without empty barriers, when its last reader is; else when it
    is full: as a pipeline that only fills has it."""
    events = history.trace.events
    flips = history.completion_steps
    kind_of_barrier = np.array([*history.structure.kinds, "other"])[events["barrier"][flips]]
    reads = np.flatnonzero(history.kinds == EventKind.READ_END)
    choices = (
        ("empty", flips[kind_of_barrier == "empty"]),
        ("read", reads),
        ("full", flips[kind_of_barrier == "full"]),
    )
    for name, steps in choices:
        steps = steps[events["tile"][steps] >= 0]
        if only is not None:
            steps = steps[ring_of_places(history)[history.event_places.of(steps)] == only]
        if len(steps):
            return _tiles_ending(history, steps, name)
    return _tiles_ending(history, np.empty(0, np.int64), "")


def _tiles_ending(history: History, steps: Ints, name: str) -> Tiles:
    rows = history.trace.events[steps]
    # The barrier's CTA, where there is one: in a cluster a warp of another CTA may complete its phase.
    trace = history.trace
    own = np.append(trace.barrier_cta, -1)[rows["barrier"]]
    cta = np.where(rows["barrier"] >= 0, own, trace.agent_cta[rows["agent"]]).astype(np.int64)
    tile = rows["tile"].astype(np.int64)
    # The last of a tile's events ends it: steps ascend, so it is the first one met from behind.
    _, last = np.unique(((cta << 32) + tile)[::-1], return_index=True)
    keep = np.sort(len(steps) - 1 - last)
    keep = keep[np.argsort(cta[keep], kind="stable")]
    cta, tile, steps, time = cta[keep], tile[keep], steps[keep], rows["time"][keep].astype(np.int64)
    gap = np.full(len(keep), -1, np.int64)
    same = cta[1:] == cta[:-1]
    gap[1:][same] = (time[1:] - time[:-1])[same]
    return Tiles(cta, tile, steps, time, gap, name)


def _lives(history: History) -> Lives:
    """Of a warp from its first event to its last act; one that never left is taken to be there to the end."""
    trace = history.trace
    agents = len(trace.agents)
    begin = np.full(agents, np.iinfo(np.int64).max)
    end = np.full(agents, -1, np.int64)
    agent, time = trace.events["agent"], trace.events["time"].astype(np.int64)
    # The last value assigned stays: from behind, an agent's first event.
    begin[agent[::-1]] = time[::-1]
    end[begin <= trace.duration_ps] = trace.duration_ps
    exits = np.flatnonzero(history.kinds == EventKind.EXIT)
    end[agent[exits]] = time[exits]
    # One lane waits, though its warp's others left: as long as its wait, to the end.
    end[history.waits.agent[history.waits.over < 0]] = trace.duration_ps
    return Lives(begin, end, role_codes(history), trace.agent_cta.astype(np.int64))
