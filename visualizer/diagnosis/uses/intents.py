"""What the agents mean by their waits: for each the unbounded phase it intends, which the one it met is judged by.

One parity bit cannot tell phase #k from #k+2. So each agent's uses of each barrier are counted: its n-th use of a full
barrier means phase #n; of an empty barrier #n-1 if it starts inverted (the stages are free at first). Of a barrier that
is known to be neither, a wait means what the hardware makes of it when it begins: the open phase, or the one before it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import order_by
from visualizer.replay.history import History
from visualizer.replay.step_index import Steps
from visualizer.replay.waits import Waits


@dataclass(frozen=True, eq=False)
class Intents:
    """Of each wait on an mbarrier that the recording names what it means; every column has shape (waits,)."""

    waits: Waits
    wanted: NDArray[np.int64]  # the phase it means
    strict: NDArray[np.bool_]  # a stage's barrier, of known count: `wanted` counts uses, whatever the parities say

    @property
    def due(self) -> NDArray[np.int64]:
        """The parity of the phase it means."""
        return self.wanted & 1


def find_intents(history: History) -> Intents:
    """What the waits of a history mean, in passes over columns."""
    waits = history.waits.on_barriers
    agent, barrier, parity = waits.agent, waits.barrier, waits.parity
    order, first = waits.by_barrier, waits.use == 0
    previous = np.empty(len(order), np.int64)
    previous[order] = np.concatenate((order[:1], order[:-1]))
    same_parity = parity == parity[previous]

    structure = history.structure
    full, empty = (np.array([kind == one for kind in structure.kinds], bool)[barrier] for one in ("full", "empty"))
    produces = np.array([role == "producer" for role in structure.roles], bool)[agent]
    # Where no phase is known, none can be told from the one that is meant.
    strict = (full | empty) & ~history.barriers.uncounted[barrier]
    lap, laps = _laps(history, waits, previous)
    jumped = np.where((laps >= 2) & (laps % 2 != same_parity), laps, 1)
    step_on = np.where(_again(history, waits) | _by_others_of_the_warp(history, waits, full), 0, jumped)
    # The first use need not be in the first lap: consumers that take turns at tiles come to a stage later.
    full_start = np.where((lap >= 0) & ((lap & 1) == parity), lap, 0)
    empty_start = np.where(((lap - 1) & 1) == parity, lap - 1, np.where((lap & 1) == parity, lap, -parity))
    start = np.where(full & ~produces, full_start, -parity)
    start = np.where(empty, empty_start, start)
    wanted = _running(np.where(first, start, step_on), order, first)
    loose = np.flatnonzero(~strict)
    now = history.barriers.phase_at(barrier[loose], waits.begin[loose])
    wanted[loose] = now - ((now ^ parity[loose]) & 1)
    return Intents(waits, wanted, strict)


def _again(history: History, waits: Waits) -> NDArray[np.bool_]:
    """Whether each wait is right after one of the same agent on the same barrier and parity, with nothing done between:
    the agent looks at the same phase once more."""
    again = np.zeros(len(waits), bool)
    again[1:] = (waits.agent[1:] == waits.agent[:-1]) & (waits.barrier[1:] == waits.barrier[:-1])
    again[1:] &= waits.parity[1:] == waits.parity[:-1]
    rows = np.flatnonzero(again)
    acts = history.agents.acts
    act_before = acts.step_at(acts.latest(waits.agent[rows], waits.begin[rows] - 1))
    again[rows] = act_before == np.maximum(waits.begin, waits.over)[rows - 1]
    return again


def _by_others_of_the_warp(history: History, waits: Waits, full: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether each wait is for the tile of the agent's latest wait in the ring, which it has not released since: of a
    warp whose lanes have parted, as where one of them fills the ring as well, each part waits."""
    structure = history.structure
    again = np.zeros(len(waits), bool)
    ring = np.append(structure.ring_of, -1)[waits.barrier]
    released = np.array([any(ring.empty) for ring in structure.rings] + [False])
    rows = np.flatnonzero(full & released[ring])
    rows = rows[order_by(waits.agent[rows], ring[rows], waits.begin[rows])]
    same = np.append(False, np.ones(max(len(rows) - 1, 0), bool))[: len(rows)]
    for column in (waits.agent, waits.barrier, waits.parity, waits.met):
        same[1:] &= column[rows[1:]] == column[rows[:-1]]
    later = np.flatnonzero(same)
    if not len(later):
        return again
    arrivals = history.arrivals
    empty = np.array([kind == "empty" for kind in structure.kinds], bool)[arrivals.barrier]
    lane = (len(structure.rings) + 1) * arrivals.agent[empty] + structure.ring_of[arrivals.barrier[empty]]
    releases = np.sort(lane * history.steps + arrivals.step[empty])
    of = ((len(structure.rings) + 1) * waits.agent[rows[later]] + ring[rows[later]]) * history.steps
    before, now = (np.searchsorted(releases, of + waits.begin[rows[place]]) for place in (later - 1, later))
    again[rows[later[before == now]]] = True
    return again


def _laps(history: History, waits: Waits, previous: Steps) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How often each agent had gone round the ring of its wait's barrier, and how often since the wait `previous`.

    Its cursor says it; without one it is taken to begin with the phase in which the recording finds the barrier, and to
    leave out none but those that others take.
    """
    trace, structure = history.trace, history.structure
    agent, barrier = waits.agent, waits.barrier
    # A last entry for "in no ring", which index -1 finds: there the first ring's cursor counts.
    ring_of_barrier = np.append(structure.ring_of, -1)[barrier]
    ring = np.array([ring.cursor_ring for ring in structure.rings] + [0])[ring_of_barrier]
    stages = np.array([ring.stages for ring in structure.rings] + [max(trace.stages, 1)])[ring_of_barrier]
    depths = np.zeros((len(trace.rings) + 1, len(trace.agents) + 1), np.int64)
    names = {name: row for row, name in enumerate(trace.rings)}
    for row, told in enumerate(trace.agents):
        for name, cursor in ((trace.rings[0], told.start), *told.more_starts):
            if cursor is not None:
                depths[names[name], row] = cursor.stages
    depth = depths[ring, agent]
    moves = np.diff(history.agents.advances.starts)
    known = (ring >= 0) & ((depth > 0) | (moves[np.maximum(ring, 0) * len(trace.agents) + agent] > 0))
    count, rows = np.zeros(len(waits), np.int64), np.flatnonzero(known)
    count[rows] = _cursor_counts(history, agent[rows], ring[rows], waits.begin[rows])
    begun = np.array([b.first_phase for b in trace.barriers] + [0], np.int64)[barrier]
    depth = np.where(depth > 0, depth, np.maximum(stages, 1))
    lap = np.where((count == 0) & (begun > 0), begun, count // depth)
    seen, in_turns = _seen(waits)
    in_turns &= ~known
    laps = np.where(in_turns, seen - seen[previous], (count - count[previous]) // depth)
    return np.where(in_turns, seen, lap), laps


def _seen(waits: Waits) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The phase of its parity that had completed last when each wait passed, and whether agents take turns at those of
    its barrier: some wait was for the one before."""
    last = waits.met - 1
    seen = last - ((last ^ waits.parity) & 1)
    passed = waits.end >= 0
    wide = int(seen.max(initial=0)) + 4  # from phase -3 on
    place = waits.barrier * wide + seen + 3
    return seen, passed & (seen > 0) & np.isin(place - 1, place[passed])


def _cursor_counts(
    history: History, agent: NDArray[np.int64], ring: NDArray[np.int64], step: Steps
) -> NDArray[np.int64]:
    """The count of each agent's PipelineState over a ring of the trace before the step; 0 for an agent without one."""
    advances = history.agents.advances
    position = advances.latest(ring * len(history.trace.agents) + agent, step - 1)
    counts: NDArray[np.int64] = np.maximum(history.agents.start[ring, agent, 2], 0).astype(np.int64)
    moved = np.flatnonzero(position >= 0)
    counts[moved] = history.columns.amount.take(advances.step_at(position[moved]))
    return counts


def _running(change: NDArray[np.int64], order: Steps, first: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Running sum of `change` in `order`, begun anew at every row marked `first`."""
    ordered, starts = change[order], first[order]
    total = np.cumsum(ordered)
    base = np.where(starts, total - ordered, 0)
    group = np.maximum.accumulate(np.where(starts, np.arange(len(order)), 0))
    result = np.empty(len(order), np.int64)
    result[order] = total - base[group]
    return result
