"""What the durations of a recording rest on: which phases completed, how fast copies fill a ring, how large it is."""

from __future__ import annotations

import numpy as np

from visualizer.arrays.ordering import group_starts, order_by
from visualizer.diagnosis.predict.errors import PredictError
from visualizer.diagnosis.predict.measured import LEAST_OVERLAPS, Floats
from visualizer.diagnosis.statistics.facts import Bools, Facts, Ints
from visualizer.language import tr
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History

NOTHING = -1
"""In place of a completion: there is none."""


class Completions:
    """Every PHASE_COMPLETE of a recording, in order: a completion is its row here. PredictError if a phase of a barrier
    completes twice: it was initialised again."""

    def __init__(self, history: History) -> None:
        self._length = max(history.steps, 1)
        self.steps = history.completion_steps.astype(np.int64)
        self.barrier = history.trace.events["barrier"][self.steps].astype(np.int64)
        barriers = history.barriers
        rows = np.flatnonzero(barriers.kind == EventKind.PHASE_COMPLETE)  # by barrier
        self._by_barrier = np.searchsorted(self.steps, barriers.index.step_at(rows))
        barrier = self.barrier[self._by_barrier]
        # A completion begins the next phase.
        self._keys = barrier * self._length + barriers.phase[rows].astype(np.int64) - 1
        if (np.diff(self._keys) <= 0).any():
            raise PredictError(tr("a barrier is initialised again in this recording, which a prediction does not know"))
        self.rank = np.empty(len(self.steps), np.int64)  # among its barrier's
        self.rank[self._by_barrier] = np.arange(len(self.steps)) - group_starts(barrier)

    def of_steps(self, steps: Ints) -> Ints:
        """The completions at these steps; NOTHING for -1."""
        return np.where(steps >= 0, np.searchsorted(self.steps, steps), NOTHING)

    def of_phases(self, barrier: Ints, phase: Ints) -> Ints:
        """The completion of each barrier's phase; NOTHING: none is recorded."""
        key = barrier * self._length + phase
        row = np.searchsorted(self._keys, key)
        known = (phase >= 0) & (np.append(self._keys, -1)[row] == key)
        return np.where(known, np.append(self._by_barrier, NOTHING)[row], NOTHING)


def find_pace(facts: Facts, ring: int, completions: Completions, chosen: Bools) -> tuple[Ints, Floats]:
    """Which CTA's stage is full by a completion, and the copy engine's pace: the least time between two uses of a CTA
    to be full whose copies were in flight together, as its 5th percentile, but no more than it was there; -inf where
    there were hardly any."""
    history = facts.history
    trace, structure, copies = history.trace, history.structure, history.copies
    time = trace.events["time"].astype(np.float64)
    mine = [one for one in structure.rings if one.name == facts.rings[ring].name and chosen[one.cta]]
    full = [barrier for one in mine for stage in one.full for barrier in stage]
    rows = np.flatnonzero(np.isin(completions.barrier, full))
    cta = trace.barrier_cta[completions.barrier[rows]].astype(np.int64)
    order = order_by(cta, completions.rank[rows], structure.stage_of[completions.barrier[rows]])
    rows, cta = rows[order], cta[order]
    of_copies = completions.of_phases(copies.barrier, history.copy_phases)
    issued = np.full(len(completions.steps) + 1, np.inf)
    np.minimum.at(issued, of_copies, time[copies.issued])
    at = time[completions.steps[rows]]
    gap, follows = np.diff(at), cta[1:] == cta[:-1]
    together = follows & (issued[rows[1:]] < at[:-1])
    pace = np.full(len(completions.steps), -np.inf)
    if together.sum() >= LEAST_OVERLAPS:
        pace[rows[1:][follows]] = np.minimum(gap, np.percentile(gap[together], 5))[follows]
    fills = np.full(len(completions.steps), -1, np.int64)
    fills[rows] = (np.cumsum(chosen) - 1)[cta]
    return fills, pace


def find_bytes(facts: Facts, ring: int) -> tuple[int, int]:
    """Bytes of a stage of the ring, and of all rings of a CTA, by what copies bring."""
    copies = facts.history.copies
    place = copies.place
    known = np.flatnonzero((place >= 0) & (copies.barrier >= 0))
    structure = facts.history.structure
    total = np.zeros(len(structure.rings))
    stage = 0.0
    phase = facts.history.copy_phases[known]
    span = int(phase.max(initial=0)) + 2
    each, row = np.unique(place[known] * span + phase + 1, return_inverse=True)
    of_place = np.zeros(max(structure.places, 1))
    np.maximum.at(of_place, each // span, np.bincount(row, copies.amount[known], len(each)))
    for number, one in enumerate(structure.rings):
        own = of_place[structure.first_place[number] : structure.first_place[number + 1]]
        total[number] = own.sum()
        if one.name == facts.rings[ring].name:
            stage = max(stage, float(own.max(initial=0)))
    by_cta = np.bincount([one.cta for one in structure.rings], total)
    return int(stage), int(by_cta.max(initial=0))
