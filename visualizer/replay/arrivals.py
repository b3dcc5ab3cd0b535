"""Every arrival of a recording, with how many it counts for and the phase it belongs to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.event_columns import EventColumns
from visualizer.recording.schema import EventKind
from visualizer.replay.barrier_columns import BarrierColumns
from visualizer.replay.kinds import of_kinds
from visualizer.replay.phases import ARRIVALS
from visualizer.replay.step_index import Steps


@dataclass(frozen=True, eq=False)
class Arrivals:
    """Every arrival on a barrier that the recording names, by barrier and within one in order; all (arrivals,)."""

    step: Steps
    agent: Steps
    barrier: Steps
    phase: Steps
    count: Steps  # arrivals that it makes

    def __len__(self) -> int:
        return len(self.step)


def build_arrivals(columns: EventColumns, barriers: BarrierColumns) -> Arrivals:
    """All arrivals of the trace."""
    rows = np.flatnonzero(of_kinds(barriers.kind, ARRIVALS))
    step = barriers.index.step_at(rows)
    barrier = np.repeat(np.arange(len(barriers.index.starts) - 1), np.diff(barriers.index.starts))[rows]
    count = counts_for(barriers.kind[rows], columns.amount.take(step)).astype(np.int64)
    # An arrival changes no phase: the one after it is the one it belongs to.
    phase = barriers.phase[rows].astype(np.int64)
    return Arrivals(step, columns.agent.take(step).astype(np.int64), barrier, phase, count)


def counts_for(kind: NDArray[np.integer], amount: NDArray[np.integer]) -> NDArray[np.integer]:
    """The arrivals that events of ARRIVAL_KINDS make: an arrive.expect_tx makes one, its amount is bytes."""
    counts: NDArray[np.integer] = np.where(kind == EventKind.ARRIVE_EXPECT_TX, 1, amount)
    return counts
