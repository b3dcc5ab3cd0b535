"""Who does what on which barrier: the little that structure is inferred from, taken from millions of events at once.

The agents of a CTA and the parts of its hardware have a *slot* each, the same in every CTA, so that CTAs can
be compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.parallel import each
from visualizer.recording.event_columns import EventColumns
from visualizer.recording.schema import CP_ASYNC_ARRIVALS, EventKind
from visualizer.recording.tables import Site
from visualizer.recording.trace import Trace

_KINDS = 64  # more than there are kinds of events
_AT_ONCE = 1 << 15  # events whose columns stay in a processor's cache
_MOST_CELLS = 1 << 24


class Action(IntEnum):
    """What an agent does on a barrier, as far as it tells what the barrier is for."""

    WAIT = 0
    ARRIVE = 1  # itself, or as what it has copied by cp.async is in
    EXPECT = 2  # expects bytes, with an arrival or without
    COPY = 3  # issues a copy that completes on it
    LAND = 4  # hardware completes bytes or arrives
    COMMIT = 5  # tcgen05.commit: the tensor core will arrive


_NOT_ONE = len(Action)
_ACTION = np.full(_KINDS, _NOT_ONE, np.uint8)
for _kind, _action in (
    (EventKind.WAIT_BEGIN, Action.WAIT),
    (EventKind.ARRIVE, Action.ARRIVE),
    (EventKind.ARRIVE_DROP, Action.ARRIVE),
    (EventKind.EXPECT_TX, Action.EXPECT),
    (EventKind.ARRIVE_EXPECT_TX, Action.EXPECT),
    (EventKind.COPY_ISSUE, Action.COPY),
    (EventKind.COMPLETE_TX, Action.LAND),
    (EventKind.COPY_DONE, Action.LAND),
    (EventKind.TENSOR_COMMIT, Action.COMMIT),
    *((kind, Action.ARRIVE) for kind in CP_ASYNC_ARRIVALS),
):
    _ACTION[_kind] = _action


@dataclass(frozen=True, eq=False)
class Tally:
    """What happens at all, and on each barrier first when."""

    count: NDArray[np.int64]  # (barriers,): the arrivals it was given for a phase; 0: not known
    acts: NDArray[np.int64]  # (barriers, slots, Action): how often; slots of other CTAs' agents follow those of its own
    first: NDArray[np.int64]  # (barriers,): row of the first use; the number of events where there is none
    begun: NDArray[np.bool_]  # (barriers,): used, and initialised before the recording
    slot: NDArray[np.int64]  # (agents,)


@dataclass(frozen=True, eq=False)
class Uses:
    """Every use of some barriers, (n,) each, in time order."""

    barrier: NDArray[np.int32]
    agent: NDArray[np.int32]
    action: NDArray[np.uint8]
    parity: NDArray[np.int8]
    site: NDArray[np.int16]
    amount: NDArray[np.int32]


def tally(columns: EventColumns) -> Tally | None:
    """One look at all events. None: the tables are of a size that no kernel has."""
    trace = columns.trace
    slot, slots = _slots(trace)
    barriers, length = len(trace.barriers), len(trace)
    width = 2 * slots * (_NOT_ONE + 1)
    if barriers * width > _MOST_CELLS:
        return None
    agent_cta, barrier_cta = trace.agent_cta, trace.barrier_cta
    # A cell of the table is the sum of what a barrier says, and what an agent and its action do; 32 bits hold any.
    of_barrier = np.arange(barriers, dtype=np.int32) * np.int32(width)
    stands_for = np.tile(np.arange(_NOT_ONE + 1), (len(trace.agents), 1))
    stands_for[_engines(trace)] = Action.LAND
    stands_for[_tensor_cores(trace)] = _NOT_ONE
    of_act = (slot[:, np.newaxis] * (_NOT_ONE + 1) + stands_for).astype(np.int32).ravel()
    share = max(_AT_ONCE, length // 8)

    def look(start: int) -> tuple[NDArray[np.int64], ...]:
        acts, inits = [], []
        first = np.full(barriers, length, np.int64)
        for low in range(start, end := min(start + share, length), _AT_ONCE):
            piece = slice(low, min(low + _AT_ONCE, end))
            kind, barrier = columns.kind[piece], columns.barrier[piece]
            action = _ACTION.take(kind)
            rows = np.flatnonzero((action != _NOT_ONE) & (barrier >= 0))
            barrier, agent = (column.take(rows).astype(np.intp) for column in (barrier, columns.agent[piece]))
            if (first == length).any():
                here = np.full(barriers, length, np.int64)
                here[barrier[::-1]] = low + rows[::-1]  # of equal ones the last to be written stays
                np.minimum(first, here, out=first)
            cell = of_act.take(agent * (_NOT_ONE + 1) + action.take(rows))
            cell += of_barrier.take(barrier)
            cell[np.flatnonzero(agent_cta.take(agent) != barrier_cta.take(barrier))] += width // 2
            acts.append(cell)
            inits.append(low + np.flatnonzero(kind == EventKind.INIT))
        return (
            np.bincount(np.concatenate(acts), minlength=barriers * width),
            np.concatenate(inits),
            first,
        )

    found = each(look, range(0, length, share))
    acts = np.zeros(barriers * width, np.int64)
    count = np.array([barrier.init_count for barrier in trace.barriers], np.int64).reshape(-1)
    begun = np.ones(barriers, bool)
    first = np.full(barriers, length, np.int64)
    for some_acts, inits, some_first in reversed(found):  # so that a barrier's first INIT is written last
        acts += some_acts
        np.minimum(first, some_first, out=first)
        inits = inits[columns.barrier[inits] >= 0][::-1]
        count[columns.barrier[inits]] = columns.amount[inits]
        begun[columns.barrier[inits]] = False
    begun &= first < length
    return Tally(
        count,
        acts.reshape(barriers, 2 * slots, _NOT_ONE + 1)[:, :, :_NOT_ONE],
        first,
        begun,
        slot,
    )


def uses_of(columns: EventColumns, wanted: NDArray[np.bool_]) -> Uses:
    """The uses of the barriers that are `wanted`, (barriers,)."""
    trace = columns.trace
    wanted = np.append(wanted, False)  # for barrier -1
    acts = _ACTION != _NOT_ONE

    def choose(first: int) -> NDArray[np.int64]:
        piece = slice(first, first + _AT_ONCE)
        of_wanted = np.flatnonzero(wanted.take(columns.barrier[piece]))
        rows: NDArray[np.int64] = of_wanted[acts.take(columns.kind[piece].take(of_wanted))]
        return first + rows

    rows = np.concatenate([np.zeros(0, np.int64), *each(choose, range(0, len(trace), _AT_ONCE))])
    rows = rows[~_tensor_cores(trace).take(columns.agent[rows])]
    agent = columns.agent[rows].astype(np.int32)
    action = np.where(_engines(trace)[agent], np.uint8(Action.LAND), _ACTION[columns.kind[rows]])
    parity, site = trace.events["parity"][rows], _instructions(trace)[trace.events["site"][rows]]
    return Uses(columns.barrier[rows].astype(np.int32), agent, action, parity, site, columns.amount[rows])


def _instructions(trace: Trace) -> NDArray[np.int16]:
    """The first site that is the same place in the source, by site, and -1 behind: an unrolled loop has each
    instruction several times."""
    first: dict[Site, int] = {}
    return np.array([*(first.setdefault(site, row) for row, site in enumerate(trace.sites)), -1], np.int16)


def _engines(trace: Trace) -> NDArray[np.bool_]:
    """Which agents bring in what copies bring."""
    return np.array([agent.role == "copy_engine" for agent in trace.agents], bool).reshape(-1)


def _tensor_cores(trace: Trace) -> NDArray[np.bool_]:
    """Whose arrivals say nothing new: the commit that promised them says whose they are."""
    return np.array([agent.role == "tensor_core" for agent in trace.agents], bool).reshape(-1)


def _slots(trace: Trace) -> tuple[NDArray[np.int64], int]:
    """The slot of every agent, and how many there are."""
    slots: dict[tuple[str, int], int] = {}
    of = [slots.setdefault((agent.role if agent.warp < 0 else "", agent.warp), len(slots)) for agent in trace.agents]
    return np.array(of, np.int64).reshape(-1), max(len(slots), 1)
