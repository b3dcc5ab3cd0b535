"""Every wait of a recording, with how it ended and the phase that let it pass: the facts that everybody judges by.

Which phase a wait met was found out when the recording was put together (reconstruction/waits.py), and lies in the
order of its events. What an agent *meant* by a wait is another question, and diagnosis's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.columns import rows_of
from visualizer.arrays.ordering import group_starts, order_by
from visualizer.recording.event_columns import EventColumns
from visualizer.recording.schema import EventKind
from visualizer.replay.barrier_columns import BarrierColumns
from visualizer.replay.kinds import kind_mask
from visualizer.replay.phases import completions_before
from visualizer.replay.step_index import StepIndex, Steps

_ENDS = {
    EventKind.WAIT_BEGIN: EventKind.WAIT_END,
    EventKind.SYNC_BEGIN: EventKind.SYNC_END,
    EventKind.CLUSTER_WAIT_BEGIN: EventKind.CLUSTER_WAIT_END,
    EventKind.WGMMA_WAIT_BEGIN: EventKind.WGMMA_WAIT_END,
    EventKind.STORE_WAIT_BEGIN: EventKind.STORE_WAIT_END,
    EventKind.SETMAXNREG_INC_BEGIN: EventKind.SETMAXNREG_INC_END,
}
_BEGINS = kind_mask(*_ENDS)
_END_OF = np.zeros(256, np.uint8)
_END_OF[list(_ENDS)] = list(_ENDS.values())

OF_WAITS = kind_mask(*_ENDS, *_ENDS.values(), EventKind.TIMEOUT)
"""At a kind: whether it is of a wait. A wait is over with its agent's next event of such a kind, whatever else the
agent is said to have done between: where a CTA has no copy engine, its copies' landings are events of their issuer."""


@dataclass(frozen=True, eq=False)
class Waits:
    """Every wait, by agent and within one in order; all shape (waits,). Steps are -1 where there is none."""

    kind: NDArray[np.uint8]  # of the event that begins it: WAIT_BEGIN on an mbarrier, SYNC_BEGIN, ...
    agent: Steps
    barrier: Steps  # -1: not on an mbarrier that the recording names
    parity: Steps  # 0 or 1
    tile: Steps
    begin: Steps
    end: Steps  # it passed; -1: it gave up, or did not pass within the recording
    over: Steps  # the same, or it gave up
    met: Steps  # the phase that its barrier was in when it passed; -1: it did not, or has no barrier
    completion: Steps  # the PHASE_COMPLETE that let it pass; -1: none since the barrier's init, or it did not pass

    def __len__(self) -> int:
        return len(self.begin)

    def keep(self, chosen: NDArray[np.bool_] | slice) -> Waits:
        """The waits that are chosen."""
        return rows_of(self, chosen)

    def rows(self, agent: int) -> slice:
        """The rows of one agent."""
        return slice(*np.searchsorted(self.agent, [agent, agent + 1]).tolist())

    @cached_property
    def on_barriers(self) -> Waits:
        """Those on the mbarriers that the recording names."""
        known = self.barrier >= 0
        return self if known.all() else self.keep(known)

    @cached_property
    def by_barrier(self) -> Steps:
        """Their rows by agent, then barrier, then in order."""
        return order_by(self.agent, self.barrier)

    @cached_property
    def use(self) -> Steps:
        """How often the agent had waited on the barrier before; without meaning where the wait has none."""
        lane = self.agent[self.by_barrier] * (int(self.barrier.max(initial=0)) + 2) + self.barrier[self.by_barrier]
        use = np.empty(len(self), np.int64)
        use[self.by_barrier] = np.arange(len(self)) - group_starts(lane)
        return use


def build_waits(columns: EventColumns, barriers: BarrierColumns) -> Waits:
    """All waits of the trace."""
    index, (agent,) = StepIndex.of_kinds(
        columns.kind, OF_WAITS, columns.agent, len(columns.trace.agents), columns.agent
    )
    return _pair(columns, barriers, agent, index.step_at(np.arange(len(index))))


def waits_of(columns: EventColumns, barriers: BarrierColumns, acts: StepIndex, agent: int) -> Waits:
    """The waits of one agent, in time proportional to its own `acts`."""
    steps = acts.steps(agent)
    steps = steps[OF_WAITS[columns.kind[steps]]]
    return _pair(columns, barriers, np.full(len(steps), agent), steps)


def _pair(columns: EventColumns, barriers: BarrierColumns, agent: NDArray[np.integer], steps: Steps) -> Waits:
    """The waits that these events are of, which come by agent and within one in order."""
    kind = columns.kind[steps]
    begins = np.flatnonzero(_BEGINS[kind])
    following = np.minimum(begins + 1, max(len(steps) - 1, 0))
    own = (following > begins) & (agent[following] == agent[begins])
    kind, last = kind[begins], kind[following]
    passed = own & (last == _END_OF[kind])
    begin = steps[begins]
    over = np.where(passed | (own & (last == EventKind.TIMEOUT)), steps[following], -1)
    barrier = np.where(kind == EventKind.WAIT_BEGIN, columns.barrier.take(begin), -1).astype(np.int64)
    parity = columns.trace.events["parity"][begin].astype(np.int64) & 1
    met, completion = np.full((2, len(begin)), -1, np.int64)
    rows = np.flatnonzero(passed & (barrier >= 0))
    if len(rows):
        position = barriers.index.latest(barrier[rows], over[rows])
        met[rows] = barriers.phases(barrier[rows], position)
        completion[rows] = barriers.index.step_at(completions_before(barriers, position, parity[rows]))
    return Waits(
        kind=kind,
        agent=agent[begins].astype(np.int64),
        barrier=barrier,
        parity=parity,
        tile=columns.tile.take(begin).astype(np.int64),
        begin=begin,
        end=np.where(passed, over, -1),
        over=over,
        met=met,
        completion=completion,
    )
