"""Lost records cut the recording for every agent alike, and the figures say so."""

from __future__ import annotations

import numpy as np
from measured import logged, rebuilt, simulated

from visualizer.trace.build import cut
from visualizer.trace.violations import violations


def test_nothing_lost_nothing_cut() -> None:
    events = logged(simulated())
    assert cut(events, np.zeros(5, np.int64)) is events


def test_all_agents_end_where_the_first_ran_out_of_room() -> None:
    trace = simulated(tiles=20)
    events = logged(trace)
    row = trace.agent_index["consumer.w2"]
    mine = np.flatnonzero(events["agent"] == row)
    stored = np.delete(events, mine[40:])
    lost = np.zeros(len(trace.agents), np.int64)
    lost[row] = len(mine) - 40
    result = rebuilt(trace, stored, lost)
    logged_rows = result.events["flags"] & 2 == 0
    assert result.meta.events_dropped == len(stored) - logged_rows.sum() > 0
    assert result.events["measured"][logged_rows].max() <= stored["time"][mine[39]]
    assert not any(violations(result).values())


def test_a_recording_without_events_is_empty() -> None:
    trace = simulated()
    assert len(rebuilt(trace, logged(trace)[:0])) == 0
