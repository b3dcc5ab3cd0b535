"""What changes from one step to the next, of many steps at once.

A whole state at each of thousands of steps costs steps times rows, while an event changes a few rows: those that it
names, and the copy engines of its CTA. Only these are looked up, all together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.schema import EventKind
from visualizer.replay.agent_columns import NAMES_ITS_BARRIER, activity_of
from visualizer.replay.history import History
from visualizer.replay.step_index import Steps

Table = NDArray[np.int64]
_Values = Callable[[Steps, Steps], list[NDArray[Any]]]
"""Columns of rows, each at a step of its own; shapes (n,)."""


@dataclass(frozen=True, eq=False)
class Changes:
    """Rows of a table that are not what they were at the step before, in order of steps; at the first step all are.

    `at`: which of the steps, `row`: which of the rows that were asked for, both counted from 0, (n,); `values`: the
    row's since, (n, columns).
    """

    at: Steps
    row: Steps
    values: Table


def barrier_changes(history: History, steps: Steps, rows: Steps) -> Changes:
    """Of barriers at these steps, which ascend: valid, phase, pending, expected, tx."""
    barriers = history.barriers

    def values(row: Steps, step: Steps) -> list[NDArray[Any]]:
        return list(barriers.values(barriers.index.latest(row, step), row))

    between, at = _between(steps)
    return _changes(steps, rows, len(history.trace.barriers), at, history.columns.barrier[between], values)


def stage_changes(history: History, steps: Steps, rows: Steps) -> Changes:
    """Of stage buffers, by place: StageState, tile."""
    stages = history.stages

    def values(row: Steps, step: Steps) -> list[NDArray[Any]]:
        return list(stages.values(stages.index.latest(row, step), row))

    between, at = _between(steps)
    return _changes(steps, rows, history.structure.places, at, history.event_places.of(between), values)


def agent_changes(history: History, steps: Steps, rows: Steps) -> Changes:
    """Of agents: AgentActivity, the barrier waited for or given up on (-1: none), the tile, and index, phase and count
    of the cursor over each of Trace.rings (-1: it has none)."""
    between, at = _between(steps)
    agent = history.columns.agent[between].astype(np.int64)
    copying = np.isin(history.kinds[between], (EventKind.COPY_ISSUE, EventKind.COPY_DONE))
    engine = np.full(history.event_places.ctas, -1)
    engine[history.trace.agent_cta[history.engine_rows]] = history.engine_rows
    at = np.concatenate((at, at[copying]))
    agent = np.concatenate((agent, engine[history.event_places.ctas_of(between[copying])]))
    return _changes(steps, rows, len(history.trace.agents), at, agent, lambda row, step: _agents(history, row, step))


def _agents(history: History, row: Steps, step: Steps) -> list[NDArray[Any]]:
    trace, agents, traffic = history.trace, history.agents, history.copies.traffic
    acts = agents.deciding(history.kinds, agents.acts.latest(row, step), row)
    events = trace.events[np.maximum(acts, 0)]
    activity = activity_of(history.kinds, acts)
    engines = np.flatnonzero(np.isin(row, history.engine_rows))
    engine_cta = trace.agent_cta[row[engines]].astype(np.int64)
    activity[engines] = history.copies.activity(traffic.latest(engine_cta, step[engines]))
    waits = (acts >= 0) & NAMES_ITS_BARRIER[events["kind"]]
    columns = [activity, np.where(waits, events["barrier"], -1), np.where(acts >= 0, events["tile"], -1)]
    for ring in range(len(trace.rings)):
        positions = agents.advances.latest(ring * len(trace.agents) + row, step)
        columns += list(agents.advanced(trace, positions, ring, row).T)
    return columns


def _between(steps: Steps) -> tuple[Steps, Steps]:
    """The events after the first of `steps` up to the last, and at which of `steps` their effect is seen first."""
    between = np.arange(steps[0] + 1, steps[-1] + 1) if len(steps) else np.empty(0, np.int64)
    return between, np.searchsorted(steps, between)


def _changes(
    steps: Steps, rows: Steps, count: int, at: Steps, touched: NDArray[np.integer], values: _Values
) -> Changes:
    """Of a table of `count` rows. `touched`: a row of it that may be another from the step `at` on; -1: none."""
    number = np.full(count + 1, -1)  # the last entry: none, index -1
    number[rows] = np.arange(len(rows))
    chosen = number[touched] >= 0
    at, row = np.divmod(np.unique(at[chosen] * count + touched[chosen]), max(count, 1))
    if not len(steps):
        return Changes(at, row, np.empty((0, 0), np.int64))
    first, before, after = (
        np.stack(columns, axis=1).astype(np.int64)
        for columns in (values(rows, np.full(len(rows), steps[0])), values(row, steps[at - 1]), values(row, steps[at]))
    )
    differs = (after != before).any(axis=1)
    return Changes(
        np.concatenate((np.zeros(len(rows), np.int64), at[differs])),
        np.concatenate((np.arange(len(rows)), number[row[differs]])),
        np.concatenate((first, after[differs])),
    )
