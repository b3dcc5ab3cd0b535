"""The columns of a recording's events as queries read them: all events, or only those still in question.

What takes a pass over the recording - how long waits and copies took - is computed once and kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.replay.step_index import Steps

Selection = Steps | None
"""Ascending steps; None: every event."""

_KEPT = frozenset(("agent", "barrier", "stage", "tile", "amount"))
NOTHING = np.iinfo(np.int64).min
"""Stands for "no value" in columns whose values may be negative."""

Pairs = tuple[Steps, NDArray[np.int64]]
"""Steps, ascending, and how long (ps) what ended there had taken."""


class Events:
    """One recording, asked by column. Every answer has an entry per selected event."""

    def __init__(self, history: History) -> None:
        self.history = history

    @property
    def trace(self) -> Trace:
        return self.history.trace

    def __len__(self) -> int:
        return self.history.steps

    def field(self, name: str, steps: Selection) -> NDArray[Any]:
        """A field of the events, in a type as narrow as it allows; from the columns of History if they are there."""
        column: NDArray[Any] = getattr(self.history.columns, name) if name in _KEPT else self.trace.events[name]
        return column if steps is None else column[steps]

    def kinds(self, steps: Selection) -> NDArray[np.uint8]:
        return self.history.kinds if steps is None else self.history.kinds[steps]

    def steps(self, steps: Selection) -> Steps:
        return np.arange(len(self), dtype=np.int64) if steps is None else steps

    def paired(self, what: Literal["waits", "copies"], steps: Selection) -> NDArray[np.int64]:
        """How long (ps) the wait or copy took that ended at each event; -1: none did."""
        at, took = self._waits if what == "waits" else self._copies
        if steps is None:
            values = np.full(len(self), -1, np.int64)
            values[at] = took
            return values
        if not len(at):
            return np.full(len(steps), -1, np.int64)
        row = np.minimum(np.searchsorted(at, steps), len(at) - 1)
        return np.where(at[row] == steps, took[row], -1)

    def barrier_state(self, what: Literal["phase", "pending", "expected", "tx"], steps: Selection) -> NDArray[np.int64]:
        """A count of the event's barrier after the event; the least int64: it has no barrier, or that no state yet."""
        columns = self.history.barriers
        column: NDArray[np.int32] = getattr(columns, what)
        values = np.full(len(self) if steps is None else len(steps), NOTHING, np.int64)
        barrier = self.field("barrier", steps)
        rows = np.flatnonzero(barrier >= 0)
        at = rows if steps is None else steps[rows]
        position = columns.index.latest(barrier[rows], at)
        known = position >= 0
        values[rows[known]] = column[position[known]]
        return values

    def rings(self, steps: Selection) -> NDArray[np.int64]:
        """The row in Structure.names of the ring that each event's place is in; -1: it has no place."""
        structure = self.history.structure
        name = [structure.names.index(ring.name) for ring in structure.rings]
        of_place = np.append(np.repeat(np.array(name, np.int64), np.diff(structure.first_place)), -1)
        return of_place[self.history.event_places.of(self.steps(steps))]

    def stage_state(self, steps: Selection) -> NDArray[np.int64]:
        """The StageState of the event's stage after the event; -1: it has no stage."""
        at = self.steps(steps)
        place = self.history.event_places.of(at)
        rows = np.flatnonzero(place >= 0)
        columns = self.history.stages
        position = columns.index.latest(place[rows], at[rows])
        values = np.full(len(at), -1, np.int64)
        values[rows] = 0  # EMPTY: nothing has happened to it yet
        known = position >= 0
        values[rows[known]] = columns.state[position[known]]
        return values

    def overwrites(self, states: Sequence[int], steps: Selection) -> NDArray[np.bool_]:
        """Copies issued into a stage that is in one of `states` with another tile in it."""
        issues = np.flatnonzero(self.kinds(steps) == EventKind.COPY_ISSUE)
        at = issues if steps is None else steps[issues]
        found = np.zeros(len(self) if steps is None else len(steps), bool)
        place = self.history.event_places.of(at)
        rows = np.flatnonzero(place >= 0)
        columns = self.history.stages
        position = columns.index.latest(place[rows], at[rows] - 1)
        rows, position = rows[position >= 0], position[position >= 0]
        other_tile = columns.tile[position] != self.trace.events["tile"][at[rows]]
        found[issues[rows]] = np.isin(columns.state[position], states) & other_tile
        return found

    @cached_property
    def _waits(self) -> Pairs:
        """Those on mbarriers, named or not, that passed or gave up."""
        waits = self.history.waits
        over = (waits.over >= 0) & (waits.kind == EventKind.WAIT_BEGIN)
        return self._took(waits.begin[over], waits.over[over])

    @cached_property
    def _copies(self) -> Pairs:
        copies = self.history.copies
        landed = np.flatnonzero(copies.landed >= 0)
        return self._took(copies.issued[landed], copies.landed[landed])

    def _took(self, begin: Steps, end: Steps) -> Pairs:
        order = np.argsort(end)
        begin, end = begin[order], end[order]
        time = self.trace.events["time"]
        return end, time[end] - time[begin]
