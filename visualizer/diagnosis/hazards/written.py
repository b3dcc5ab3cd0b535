"""What agents themselves write into stage buffers (st.shared): who else may touch it, and through which proxy.

Copies (TMA), stores and wgmma go through the asynchronous proxy. What a thread wrote is there for them only if a
fence.proxy.async lies between, on the way by which the reader knows of the write; the writer's own is the usual one. A
clock has for that a second half of components, by agent: up to where its writes are behind such a fence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from visualizer.diagnosis.hazards.vector_clock import Clock
from visualizer.diagnosis.uses.accesses import Reads
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.replay.step_index import Steps

WriteRace = Literal["WRITE AFTER READ", "READ BEFORE DATA", "MISSING FENCE"]


def own_writes(history: History) -> Steps:
    """Steps of the writes by threads into known places. Those of a tensor core are part of what it multiplies."""
    steps = np.flatnonzero(history.kinds == EventKind.WRITE)
    core = np.array([role == "tensor_core" for role in history.structure.roles], bool)
    steps = steps[~core[history.trace.events["agent"][steps]]]
    known: Steps = steps[history.event_places.of(steps) >= 0]
    return known


def asynchronous_reads(history: History) -> Steps:
    """READ_BEGINs of wgmma and of TMA stores: by a tensor core, or ended at another line, that of a wait for them."""
    events, kinds = history.trace.events, history.kinds
    steps = np.flatnonzero((kinds == EventKind.READ_BEGIN) | (kinds == EventKind.READ_END))
    agent, place = events["agent"][steps], history.event_places.of(steps)
    order = np.lexsort((steps, place, agent))
    steps, agent, place, site = steps[order], agent[order], place[order], events["site"][steps[order]]
    begins = kinds[steps] == EventKind.READ_BEGIN
    # Readers of one place by one agent end in the order they began, and those under way at once are of one sort.
    ends = np.flatnonzero(~begins)
    end = np.append(ends, -1)[np.searchsorted(ends, np.arange(len(steps)))]
    elsewhere = (end >= 0) & (agent[end] == agent) & (place[end] == place)
    elsewhere &= (site >= 0) & (site[end] >= 0) & (site[end] != site)
    core = np.array([role == "tensor_core" for role in history.structure.roles], bool)[agent]
    return np.sort(steps[begins & (core | elsewhere)])


def suspect_writes(history: History, writes: Steps, reads: Reads) -> NDArray[np.bool_]:
    """Writes without the short proof that all is well: nobody else touches the buffer, none of its reads goes on, and
    the agent's next operation is a fence.proxy.async, or nobody reads the buffer asynchronously."""
    if not len(writes):
        return np.zeros(0, bool)
    agent = history.trace.events["agent"]
    place = history.event_places.of(writes)
    pairs = np.unique(np.concatenate((place, reads.place)) << 32 | np.concatenate((agent[writes], reads.agent)))
    several = np.bincount(pairs >> 32, minlength=history.structure.places) > 1
    now = place * history.steps + writes
    begun, over = (
        np.sort(reads.place * history.steps + np.minimum(at, history.steps)) for at in (reads.begin, reads.end)
    )
    reading = np.searchsorted(begun, now) > np.searchsorted(over, now)
    asynchronous = np.isin(place, history.event_places.of(asynchronous_reads(history)))
    others = np.flatnonzero(history.kinds != EventKind.WRITE)
    others = others[np.argsort(agent[others], kind="stable")]
    keys = agent[others].astype(np.int64) * history.steps + others
    following = np.append(others, -1)[np.searchsorted(keys, agent[writes].astype(np.int64) * history.steps + writes)]
    fenced = (following >= 0) & (agent[following] == agent[writes])
    fenced &= history.kinds[following] == EventKind.PROXY_FENCE
    suspect: NDArray[np.bool_] = several[place] | reading | (asynchronous & ~fenced)
    return suspect


class Written:
    """What is in each place of what agents wrote themselves, as a run goes on. Agents and places are those of the
    clocks, and `fences_at` the component from where a clock's second half goes."""

    def __init__(
        self, fences_at: int, parts: set[int], asynchronous: Collection[int], tiles: NDArray[np.integer]
    ) -> None:
        self._fences_at, self._parts, self._asynchronous, self._tiles = fences_at, parts, asynchronous, tiles
        self._writes: defaultdict[int, dict[int, tuple[int, int]]] = defaultdict(dict)  # place -> agent: clock, step
        self._fill: dict[int, int] = {}  # place -> the tile that was written
        self._was_read: set[int] = set()  # places that were read since

    def holds(self, place: int) -> bool:
        """Whether anybody has ever written there."""
        return place in self._fill

    def copied(self, place: int) -> None:
        """A copy is over what was written."""
        self._writes[place].clear()

    def fence(self, clock: Clock, agent: int) -> None:
        """fence.proxy.async: of all writes that the agent knows of."""
        first = self._fences_at
        clock[first:] = map(max, clock[first:], clock)
        clock[agent] += 1

    def write(
        self, place: int, step: int, agent: int, clock: Clock, began: dict[int, list[int]], ended: dict[int, int]
    ) -> Iterator[tuple[WriteRace, int]]:
        """A write, and the reads that it races with: of those that go on (`began`, steps by agent), and of those that
        `ended` and the writer does not know of. Where it may be so, others only read their own part of the buffer."""
        tile = int(self._tiles[step])
        if place in self._was_read or self._fill.get(place) != tile:
            self._writes[place].clear()
            self._was_read.discard(place)
        self._fill[place] = tile
        self._writes[place][agent] = clock[agent], step
        reads = ended | {reader: steps[0] for reader, steps in began.items() if steps}
        for reader, other in reads.items():
            if min(tile, self._tiles[other]) < 0 or (place in self._parts and reader != agent):
                continue
            if tile != self._tiles[other]:
                yield "WRITE AFTER READ", other
            elif reader != agent:
                yield "READ BEFORE DATA", other

    def read(self, place: int, step: int, agent: int, clock: Clock) -> Iterator[tuple[WriteRace, int]]:
        """A read of the place, and the writes that it does not know of, or that no fence lets it see."""
        writes = self._writes[place]
        self._was_read.add(place)
        unknown = [other for writer, (when, other) in writes.items() if clock[writer] < when]
        if unknown and (place not in self._parts or len(unknown) == len(writes)):
            yield "READ BEFORE DATA", unknown[0]
        if step not in self._asynchronous:
            return
        for writer, (when, other) in writes.items():
            if clock[writer] >= when > clock[self._fences_at + writer]:
                yield "MISSING FENCE", other
