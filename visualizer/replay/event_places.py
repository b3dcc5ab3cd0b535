"""Where an event takes place: the stage buffer and the CTA that it concerns, as Structure numbers places."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.event_columns import EventColumns
from visualizer.recording.trace import Trace
from visualizer.replay.step_index import Steps
from visualizer.structure.model import Structure


class EventPlaces:
    """Finds places by step. The barrier says CTA and place, unless the event names a stage: a copy may fill another.

    A stage that an event names counts in the ring it names, in the CTA of its barrier, or of its agent without one.
    """

    def __init__(self, columns: EventColumns, structure: Structure) -> None:
        trace = columns.trace
        self._columns = columns
        self._rings = len(trace.rings)
        # A last entry for "no barrier", which index -1 finds.
        self._of_barrier = np.append(structure.place_of, -1)
        self._agent_cta = trace.agent_cta.astype(np.int64)
        self._barrier_cta = np.append(trace.barrier_cta, 0).astype(np.int64)
        self.ctas = max(trace.ctas, 1)
        """CTAs that have agents, barriers or rings; one, which has none, where no CTA has any."""
        row_of_name = {name: row for row, name in enumerate(structure.names)}
        names = np.array([row_of_name.get(name, -1) for name in trace.rings])
        self._unknown = names < 0  # at a ring of the trace: the structure knows none of this name
        rows = np.full((self.ctas, len(names)), -1)
        rows[:, ~self._unknown] = structure.ring_rows(self.ctas)[:, names[~self._unknown]]
        # By ring of the trace and CTA: the place of its stage 0, and how many stages it has.
        self._first = np.append(structure.first_place[:-1], 0)[rows.T]
        self._stages = np.append(np.diff(structure.first_place), 0)[rows.T]
        self._first_by_barrier, self._stages_by_barrier = (
            np.ascontiguousarray(table[:, self._barrier_cta]) for table in (self._first, self._stages)
        )
        self._fewest = int(self._stages.min())
        self._moved = _moved_stages(trace, structure, self._first, self._stages)
        if self._moved is not None:
            self._told_stage = np.array([barrier.stage for barrier in trace.barriers] + [-1], np.int64)

    def of(self, steps: NDArray[np.integer]) -> Steps:
        """The place of the event at each of `steps`; -1: none. Same shape."""
        columns = self._columns
        if self._moved is not None:
            return self._of_moved(steps, self._moved)
        first: Steps
        barrier, stage = columns.barrier.take(steps), columns.stage[steps]
        several = self._rings > 1
        first = self._first_by_barrier[columns.ring[steps], barrier] if several else self._first_by_barrier[0][barrier]
        if len(unbound := np.flatnonzero(barrier < 0)):
            at = columns.ring[steps[unbound]], self._agent_cta[columns.agent.take(steps[unbound])]
            first[unbound] = self._first[at]
        first += stage
        if len(high := np.flatnonzero(stage >= self._fewest)):
            ring = columns.ring[steps[high]]
            stages = self._stages_by_barrier[ring, barrier[high]]
            loose = np.flatnonzero(barrier[high] < 0)
            stages[loose] = self._stages[ring[loose], self._agent_cta[columns.agent.take(steps[high[loose]])]]
            first[high[stage[high] >= stages]] = -1
        unnamed = stage < 0
        if self._unknown.any():
            unnamed |= self._unknown[columns.ring[steps]]
        if len(rows := np.flatnonzero(unnamed)):
            first[rows] = self._of_barrier[barrier[rows]]
        return first

    def at(self, step: int) -> int:
        """The place of one event; -1: none."""
        columns = self._columns
        if self._moved is not None:
            return int(self.of(np.array([step]))[0])
        barrier, stage, ring = int(columns.barrier[step]), int(columns.stage[step]), int(columns.ring[step])
        if stage < 0 or self._unknown[ring]:
            return int(self._of_barrier[barrier])
        cta = self._barrier_cta[barrier] if barrier >= 0 else self._agent_cta[columns.agent[step]]
        return int(self._first[ring, cta]) + stage if stage < self._stages[ring, cta] else -1

    def ctas_of(self, steps: NDArray[np.integer]) -> NDArray[np.int64]:
        """The CTA that each event concerns: its barrier's, or its agent's without one."""
        barrier = self._columns.barrier.take(steps)
        cta: NDArray[np.int64] = self._barrier_cta[barrier]
        if len(unbound := np.flatnonzero(barrier < 0)):
            cta[unbound] = self._agent_cta[self._columns.agent.take(steps[unbound])]
        return cta

    def _of_moved(self, steps: NDArray[np.integer], moved: NDArray[np.int64]) -> Steps:
        """As `of`, where a person laid out what the recording tells: a barrier's event is where the barrier is now."""
        columns = self._columns
        barrier, stage = columns.barrier.take(steps), columns.stage.take(steps)
        known = np.where((stage >= 0) & (stage < moved.shape[2]), stage, -1)
        named = moved[columns.ring.take(steps), self.ctas_of(steps), known]
        own = (barrier >= 0) & ((stage < 0) | (self._told_stage[barrier] == stage))
        place: Steps = np.where(own, self._of_barrier[barrier], np.where(known >= 0, named, -1))
        return place


def _moved_stages(
    trace: Trace, structure: Structure, first: NDArray[np.int64], stages: NDArray[np.int64]
) -> NDArray[np.int64] | None:
    """The place of each stage that the recording tells, (rings of the trace, CTAs, stages): that of its full barrier,
    or of its empty one. None: all are where told, at `first` (rings, CTAs) and after, `stages` of them."""
    ring_row = {name: row for row, name in enumerate(trace.rings)}
    told = np.full((*first.shape, max([0, *(barrier.stage for barrier in trace.barriers)]) + 1), -1, np.int64)
    is_moved = False
    for barrier, place in zip(trace.barriers, structure.place_of.tolist(), strict=True):
        if barrier.stage < 0:
            continue
        at = ring_row[barrier.ring], barrier.cta
        is_moved |= barrier.stage >= stages[at] or place != first[at] + barrier.stage
        if place >= 0 and (barrier.kind == "full" or told[*at, barrier.stage] < 0):
            told[*at, barrier.stage] = place
    return told if is_moved else None
