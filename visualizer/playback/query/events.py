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
from visualizer.replay.step_index import StepIndex, Steps, kind_mask, stable_order

Selection = Steps | None
"""Ascending steps; None: every event."""

_KEPT = frozenset(("agent", "barrier", "stage", "tile", "amount"))
_NOTHING = np.iinfo(np.int64).min
_WAIT_OVER = kind_mask(EventKind.WAIT_END, EventKind.TIMEOUT)

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
        values = np.full(len(self) if steps is None else len(steps), _NOTHING, np.int64)
        barrier = self.field("barrier", steps)
        rows = np.flatnonzero(barrier >= 0)
        at = rows if steps is None else steps[rows]
        position = _latest(columns.index, barrier[rows], at)
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
        position = _latest(columns.index, place[rows], at[rows])
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
        position = _latest(columns.index, place[rows], at[rows] - 1)
        rows, position = rows[position >= 0], position[position >= 0]
        other_tile = columns.tile[position] != self.trace.events["tile"][at[rows]]
        found[issues[rows]] = np.isin(columns.state[position], states) & other_tile
        return found

    @cached_property
    def _waits(self) -> Pairs:
        """Of every agent's acts, those that end a wait and directly follow its begin."""
        acts, kinds = self.history.agents.acts, self.history.kinds
        step = acts.step_at(np.arange(len(acts)))
        kind = kinds[step]
        over = np.flatnonzero(_WAIT_OVER[kind[1:]] & (kind[:-1] == EventKind.WAIT_BEGIN)) + 1
        first = np.zeros(len(step) + 1, bool)
        first[acts.starts] = True
        over = over[~first[over]]  # the act before is another agent's
        return self._took(step[over - 1], step[over])

    @cached_property
    def _copies(self) -> Pairs:
        copies = self.history.copies
        return self._took(copies.done_issue, copies.done_steps)

    def _took(self, begin: Steps, end: Steps) -> Pairs:
        order = np.argsort(end)
        begin, end = begin[order], end[order]
        time = self.trace.events["time"]
        return end, time[end] - time[begin]


def _latest(index: StepIndex, entity: NDArray[np.integer], steps: Steps) -> Steps:
    """The position of each entity's last row at or before each step; -1: it has none."""
    if not len(index):
        return np.full(len(steps), -1, np.int64)
    keys = entity * np.int64(index.length) + steps
    if len(keys) > len(index) // 2:
        # Look-ups in the order of the index walk it once; in the order of the steps each would jump across it.
        order = stable_order(entity, len(index.starts) - 1)
        position = np.empty(len(keys), np.int64)
        position[order] = np.searchsorted(index.keys, keys[order], side="right") - 1
    else:
        position = np.searchsorted(index.keys, keys, side="right") - 1
    return np.where(position >= index.starts[entity], position, -1)
