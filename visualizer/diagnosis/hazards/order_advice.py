"""The change that brings an order which is missing: a wait that an agent does not make, a release behind a read or at
all, a fence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from visualizer.diagnosis.advice import init_advice
from visualizer.diagnosis.report import Advice, Planned
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History


def acquire_first(history: History, full: int) -> Advice | None:
    """To wait for the release of a stage before it is filled again, where its producer first does not, and nobody else
    waits in its place, or fills it as well. `full`: a full barrier of the ring."""
    found = []
    ring = history.structure.rings[history.structure.ring_of[full]]
    for rows, guards in zip(ring.full, ring.empty, strict=False):
        if len(rows) == len(guards) == 1 and (one := _unacquired(history, rows[0], guards[0])) is not None:
            found.append((*one, guards[0]))
    if not found:
        return None
    step, phase, guard = min(found)
    return _wait(history, step, guard, (phase - 1) & 1)


def _unacquired(history: History, full: int, empty: int) -> tuple[int, int] | None:
    """The first step at which a stage is filled again with no wait since it was filled before, and the phase."""
    arrivals, copies, waits = history.arrivals, history.copies, history.waits
    steps = np.sort(
        np.concatenate((arrivals.step[arrivals.barrier == full], copies.issued[copies.barrier == full]))
    ).astype(np.int64)
    waited = waits.barrier == empty
    if len(np.unique(np.append(history.trace.events["agent"][steps], waits.agent[waited]))) != 1:
        return None
    phase = history.barriers.phase_at(np.full(len(steps), full), steps)
    again = np.flatnonzero(np.diff(phase) > 0) + 1
    begins = np.sort(waits.begin[waited])
    missing = again[np.searchsorted(begins, steps[again]) == np.searchsorted(begins, steps[again - 1])]
    return (int(steps[missing[0]]), int(phase[missing[0]])) if len(missing) else None


def wait_first(history: History, read: int, place: int) -> Advice | None:
    """To wait for the data before the read at step `read`, where its agent has not since it read the place before."""
    ring, stage = history.structure.at(place)
    agent, waits = history.trace.events["agent"][read], history.waits
    begins = np.flatnonzero((history.kinds == EventKind.READ_BEGIN) & (history.trace.events["agent"] == agent))
    begins = begins[(begins < read) & (history.event_places.of(begins) == place)]
    waited = (waits.agent == agent) & np.isin(waits.barrier, ring.full[stage])
    waited &= (waits.begin > begins.max(initial=-1)) & (waits.begin < read)
    if len(ring.full[stage]) != 1 or waited.any():
        return None
    return _wait(history, read, ring.full[stage][0], len(begins) & 1)


def _wait(history: History, step: int, row: int, parity: int) -> Advice:
    event = history.trace.events[step]
    wait = Planned("wait_begin", history.trace.barriers[row].name, None, -1, parity, -1, int(event["tile"]))
    return Advice(history.trace.agents[int(event["agent"])].name, (), (wait,), step)


def release_later(history: History, release: int, end: int) -> Advice | None:
    """To make the release at step `release` behind the read's end; None: its agent waits in between, perhaps for what
    only the release brings."""
    events = history.trace.events
    event = events[release]
    own = events["agent"] == event["agent"]
    between = np.flatnonzero(own[release:end]) + release
    later = np.flatnonzero(own[end + 1 :])
    if (history.kinds[between] == EventKind.WAIT_BEGIN).any() or not len(later):
        return None
    name = history.trace.barriers[int(event["barrier"])].name
    arrive = Planned("arrive", name, None, -1, -1, max(int(event["amount"]), 1), int(event["tile"]))
    agent = history.trace.agents[int(event["agent"])].name
    return Advice(agent, (release,), (arrive,), end + 1 + int(later[0]))


def retire_first(history: History, release: int, read: int) -> Advice:
    """To wait, before the release at step `release`, until the asynchronous read begun at step `read` is over."""
    events = history.trace.events
    place = int(history.event_places.of(np.array([read]))[0])
    ring, stage = history.structure.at(place)
    over = Planned("read_end", None, ring.name, stage, -1, -1, int(events["tile"][read]))
    return Advice(history.trace.agents[int(events["agent"][release])].name, (), (over,), release)


def release_and_count(history: History, agent: int, place: int) -> Advice | None:
    """To release the stage after each read of an agent that never does, and to initialise its barrier for that."""
    ring, stage = history.structure.at(place)
    if len(ring.empty[stage]) != 1:
        return None
    row, events = ring.empty[stage][0], history.trace.events
    init = init_advice(history.trace, row, history.last_barriers[row].needed + 1)
    ends = np.flatnonzero((history.kinds == EventKind.READ_END) & (events["agent"] == agent))
    ends = ends[history.event_places.of(ends) == place]
    if init is None or not len(ends):
        return None
    own = np.append(np.flatnonzero(events["agent"] == agent), -1)
    releases = []
    for end in ends.tolist():
        arrive = Planned("arrive", history.trace.barriers[row].name, None, -1, -1, 1, int(events["tile"][end]))
        before = int(own[np.searchsorted(own[:-1], end, side="right")])
        releases.append(Advice(history.trace.agents[agent].name, (), (arrive,), before if before >= 0 else None))
    return replace(releases[0], also=(*releases[1:], init))


def fence_behind(history: History, write: int) -> Advice:
    """To execute fence.proxy.async behind the write at this step."""
    events = history.trace.events
    following = np.flatnonzero(events["agent"][write + 1 :] == events["agent"][write])
    before = write + 1 + int(following[0]) if len(following) else None
    fence = Planned("proxy_fence", None, None, -1, -1, -1)
    return Advice(history.trace.agents[int(events["agent"][write])].name, (), (fence,), before)
