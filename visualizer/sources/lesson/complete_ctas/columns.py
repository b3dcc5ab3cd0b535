"""The events of all complete CTAs until they are merged: which row each is, and what its row does not say.

Half the memory of whole events, which are written once only, where they belong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import order_by
from visualizer.reconstruction.cta_spans import Span
from visualizer.reconstruction.derive import Landed
from visualizer.reconstruction.event_memory import ROW
from visualizer.reconstruction.event_rows import LaidOut
from visualizer.reconstruction.pace import Pace
from visualizer.reconstruction.reconcile import Moves
from visualizer.recording.schema import EVENT_DTYPE, EventFlag
from visualizer.sources.lesson.complete_ctas.complete_clocks import CompleteClocks
from visualizer.sources.lesson.complete_ctas.shared_rows import SharedRows
from visualizer.sources.lesson.complete_ctas.times import land, settle
from visualizer.sources.lesson.tile_clocks import Ints

_FLAG_BITS = int(max(EventFlag)).bit_length()
_NO_BARRIER = np.iinfo(np.int32).min // 2
"""Stays below any row of a table when a part's first is added."""


class CompleteColumns:
    """Columns of (parts, events), each part's in order of time; `spans` are the parts'. A Source to merge."""

    def __init__(self, rows: SharedRows, spans: Sequence[Span]) -> None:
        self.rows = rows
        shape = (len(spans), rows.grid.events)
        self.time, self.measured = np.empty(shape, np.int64), np.empty(shape, np.int64)
        few = len(rows.events) <= 1 << (32 - _FLAG_BITS)
        self._numbers = np.empty(shape, np.uint32 if few else np.uint64)  # the row's number, then the flags' bits
        events = rows.events.view(EVENT_DTYPE)
        self._agent = np.ascontiguousarray(events["agent"])
        self._barrier = np.where(events["barrier"] < 0, np.int32(_NO_BARRIER), events["barrier"])
        self._first_agents = np.array([span.agents.start for span in spans], np.int32)
        self._first_barriers = np.array([span.barriers.start for span in spans], np.int32)

    def lay_out(self, cta: CompleteClocks, pace: Pace, place: int) -> LaidOut | None:
        """As Columns.lay_out, at the row `place`."""
        landings, seen = land(cta, pace)
        if int(landings.max()) > pace.horizon_ps:
            return None
        settled = settle(cta, landings)
        if settled is None or (moves := settled.moves(cta, landings)) is None:
            return None
        rows = self.rows
        time = rows.spread(settled.producer, settled.consumers, settled.landings)
        rows.flips(time)[settled.rank < cta.grid.consumers - 1] = int(time.max()) + 1
        order = order_by(time)[: cta.grid.events]
        measured = rows.spread(cta.producer, cta.consumers, landings)
        self._put(place, order, time, measured, rows.flags_of(cta.acquire_blocked, cta.wait_blocked, seen))
        observed = int(seen.sum())
        landed = Landed(observed, probed=0, estimated=landings.size - observed)
        return LaidOut(None, Moves.of(moves), landed)

    def _put(self, part: int, order: Ints, time: Ints, measured: Ints, flags: NDArray[np.uint8]) -> None:
        """The events of a part: the rows in `order`, with what these columns say by row."""
        # "clip" because every row is there, and checking makes a copy.
        np.take(time, order, out=self.time[part], mode="clip")
        np.take(measured, order, out=self.measured[part], mode="clip")
        number = order << _FLAG_BITS
        number |= flags.take(order)
        self._numbers[part] = number

    @property
    def times(self) -> Sequence[Ints]:
        """As Source.times."""
        return list(self.time)

    def write(self, begins: Sequence[int], ends: Sequence[int], order: Ints, target: NDArray[np.void]) -> None:
        """As Source.write."""

        def merged(column: NDArray[Any]) -> NDArray[Any]:
            own: list[NDArray[Any]] = [part[begin:end] for part, begin, end in zip(column, begins, ends, strict=True)]
            return np.concatenate(own).take(order)

        number = merged(self._numbers)
        row = (number >> _FLAG_BITS).astype(np.int64)
        np.take(self.rows.events, row, out=target.view(ROW), mode="clip")
        target["flags"] = number & ((1 << _FLAG_BITS) - 1)
        target["measured"] = merged(self.measured)
        sizes = np.subtract(ends, begins)
        agent = self._agent.take(row)
        agent += np.repeat(self._first_agents, sizes).take(order)
        target["agent"] = agent
        barrier = self._barrier.take(row)
        barrier += np.repeat(self._first_barriers, sizes).take(order)
        target["barrier"] = np.maximum(barrier, -1, out=barrier)
