"""Every wait of a recording with the unbounded phase it means and the one it met: the columns behind the verdicts.

One parity bit cannot tell phase #k from #k+2. So each agent's uses of each barrier are counted: its n-th use of a full
barrier means phase #n; of an empty barrier #n-1 if it starts inverted (the stages are free at first). Of a barrier that
is known to be neither, a wait means what the hardware makes of it when it begins: the open phase, or the one before it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.replay.step_index import Steps, kind_mask

_WAITS = kind_mask(EventKind.WAIT_BEGIN, EventKind.WAIT_END, EventKind.TIMEOUT)


@dataclass(frozen=True, eq=False)
class Waits:
    """All waits on known barriers, by agent, then step; every column has shape (waits,)."""

    begin: Steps  # the WAIT_BEGIN
    end: Steps  # the WAIT_END; -1: it never passed (blocked at the end of the recording, or timed out)
    agent: NDArray[np.int64]
    barrier: NDArray[np.int64]
    parity: NDArray[np.int64]
    tile: NDArray[np.int64]
    use: NDArray[np.int64]  # how often the agent had used the barrier before
    wanted: NDArray[np.int64]  # the phase it means
    met: NDArray[np.int64]  # the barrier's phase when it passed; -1 if it never did
    strict: NDArray[np.bool_]  # a stage's barrier: `wanted` counts uses, whatever the parities say

    def __len__(self) -> int:
        return len(self.begin)

    @property
    def due(self) -> NDArray[np.int64]:
        """The parity of the phase it means."""
        return self.wanted & 1


def phase_at(history: History, barrier: NDArray[np.integer], step: NDArray[np.integer]) -> NDArray[np.int64]:
    """The unbounded phase of each barrier after the event at each step; before its first, that of the beginning."""
    columns = history.barriers
    keys = barrier.astype(np.int64) * history.steps + step
    position = np.searchsorted(columns.index.keys, keys, side="right") - 1
    known = position >= columns.index.starts[barrier]
    before = columns.first_phase[barrier] if len(columns.first_phase) else 0
    return np.where(known, columns.phase[np.maximum(position, 0)] if len(columns.phase) else 0, before).astype(np.int64)


def build_waits(history: History) -> Waits:
    """The waits of a history, in passes over columns."""
    events = history.trace.events
    acts = history.agents.acts
    steps = acts.keys % max(acts.length, 1)
    rows = np.flatnonzero(_WAITS[history.kinds[steps]])
    at = steps[rows]
    kind = history.kinds[at]
    agent = events["agent"][at].astype(np.int64)
    begins = np.flatnonzero((kind == EventKind.WAIT_BEGIN) & (events["barrier"][at] >= 0))
    after = np.minimum(begins + 1, max(len(at) - 1, 0))
    passed = (after > begins) & (agent[after] == agent[begins]) & (kind[after] == EventKind.WAIT_END)
    begin = at[begins]
    end = np.where(passed, at[after], -1)
    row_before = np.maximum(begins - 1, 0)
    # Nothing between the wait before and this one: the agent looks at the same phase once more.
    at_once = (begins > 0) & (agent[row_before] == agent[begins]) & (rows[begins] == rows[row_before] + 1)
    event = events[begin]
    barrier, parity = event["barrier"].astype(np.int64), event["parity"].astype(np.int64) & 1
    agent = agent[begins]

    order = np.lexsort((begin, barrier, agent))
    previous = np.empty(len(order), np.int64)
    previous[order] = np.concatenate((order[:1], order[:-1]))
    first = np.ones(len(order), bool)
    same = (agent[order[1:]] == agent[order[:-1]]) & (barrier[order[1:]] == barrier[order[:-1]])
    first[order[1:]] = ~same
    same_parity = parity == parity[previous]

    structure = history.structure
    kinds = np.array([*structure.kinds, "other"])[barrier]
    roles = np.array([*structure.roles, "other"])[agent]
    strict = kinds != "other"
    lap, laps = _laps(history, agent, barrier, begin, previous)
    jumped = np.where(same_parity & (laps >= 2) & (laps % 2 == 0), laps, 1)
    again = same_parity & at_once & (barrier[row_of(begins, row_before)] == barrier)
    step_on = np.where(again, 0, jumped)
    # The first use need not be in the first lap: consumers that take turns at tiles come to a stage later.
    full_start = np.where((lap & 1) == parity, lap, 0)
    empty_start = np.where(((lap - 1) & 1) == parity, lap - 1, np.where((lap & 1) == parity, lap, -parity))
    start = np.where((kinds == "full") & (roles != "producer"), full_start, -parity)
    start = np.where(kinds == "empty", empty_start, start)
    wanted = _running(np.where(first, start, step_on), order, first)
    now = phase_at(history, barrier, begin)
    wanted = np.where(strict, wanted, now - ((now ^ parity) & 1))
    use = _running(np.where(first, 0, 1), order, first)
    met = np.where(end >= 0, phase_at(history, barrier, np.maximum(end, 0)), -1)
    return Waits(begin, end, agent, barrier, parity, event["tile"].astype(np.int64), use, wanted, met, strict)


def row_of(begins: Steps, row: Steps) -> Steps:
    """For each filtered row before a wait, the wait it ends (its own number where there is none)."""
    number = np.searchsorted(begins, row, side="right") - 1
    return np.maximum(number, 0)


def _laps(
    history: History, agent: NDArray[np.int64], barrier: NDArray[np.int64], step: Steps, previous: Steps
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How often each agent had gone round the ring of its wait's barrier, and how often since the wait `previous`.

    Its cursor says it; without one it is taken to begin with the phase in which the recording finds the barrier.
    """
    trace, structure = history.trace, history.structure
    names = {name: row for row, name in enumerate(trace.rings)}
    # A last entry for "in no ring", which index -1 finds: there the first ring's cursor counts.
    ring_of_barrier = np.append(structure.ring_of, -1)[barrier]
    ring = np.array([names.get(ring.name, -1) for ring in structure.rings] + [0])[ring_of_barrier]
    stages = np.array([ring.stages for ring in structure.rings] + [max(trace.stages, 1)])[ring_of_barrier]
    depth = np.zeros((len(trace.rings) + 1, len(trace.agents) + 1), np.int64)
    for row, told in enumerate(trace.agents):
        for name, cursor in ((trace.rings[0], told.start), *told.more_starts):
            if cursor is not None:
                depth[names[name], row] = cursor.stages
    depth = depth[ring, agent]
    count = _cursor_counts(history, agent, np.maximum(ring, 0), step)
    begun = np.array([b.first_phase for b in trace.barriers] + [0], np.int64)[barrier]
    depth = np.where(depth > 0, depth, np.maximum(stages, 1))
    lap = np.where((count == 0) & (begun > 0), begun, count // depth)
    return lap, (count - count[previous]) // depth


def _cursor_counts(
    history: History, agent: NDArray[np.int64], ring: NDArray[np.int64], step: Steps
) -> NDArray[np.int64]:
    """The count of each agent's PipelineState over a ring of the trace at the step; 0 for an agent without one."""
    advances = history.agents.advances
    cursor = ring * len(history.trace.agents) + agent
    position = np.searchsorted(advances.keys, cursor * advances.length + step) - 1
    known = position >= advances.starts[cursor]
    counts = history.trace.events["amount"][advances.keys % max(advances.length, 1)].astype(np.int64)
    start = np.maximum(history.agents.start[ring, agent, 2], 0).astype(np.int64)
    return np.where(known, counts[np.maximum(position, 0)] if len(counts) else 0, start)


def _running(change: NDArray[np.int64], order: Steps, first: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Running sum of `change` in `order`, begun anew at every row marked `first`."""
    ordered, starts = change[order], first[order]
    total = np.cumsum(ordered)
    base = np.where(starts, total - ordered, 0)
    group = np.maximum.accumulate(np.where(starts, np.arange(len(order)), 0))
    result = np.empty(len(order), np.int64)
    result[order] = total - base[group]
    return result
