"""State: everything there is to know right after one event, as plain arrays indexed like the trace's tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class State:
    """The state after event `step`. Barrier arrays: row of trace.barriers; agent and cursor arrays: row of
    trace.agents; stage arrays: place, as Structure numbers them. Cursors are those over the recording's first ring."""

    step: int
    barrier_phase: IntArray  # unbounded; its low bit is the parity
    barrier_pending: IntArray  # arrivals
    barrier_expected: IntArray  # arrivals
    barrier_tx: IntArray  # bytes
    barrier_valid: NDArray[np.bool_]
    barrier_change: NDArray[np.int64]  # its latest one, a row of BarrierColumns; -1: none yet
    agent_activity: NDArray[np.uint8]  # AgentActivity
    agent_barrier: IntArray  # the barrier it waits for, or gave up on; else -1
    agent_parity: IntArray  # the operand of that wait; else -1
    agent_stage: IntArray  # of its latest event; -1: none
    agent_tile: IntArray
    agent_site: IntArray
    cursor_index: IntArray  # PipelineState; -1: the agent has none
    cursor_phase: IntArray
    cursor_count: IntArray
    stage_state: NDArray[np.uint8]  # StageState
    stage_tile: IntArray  # -1 when empty
