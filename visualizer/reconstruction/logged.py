"""What the agents of one part of a recording logged, as columns, whatever rows a source keeps it in.

Rows become events as late as they can: an event's 48 bytes are written once, where they stay. Memory that nobody wrote
to before costs more than all else that happens to an event.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.columns import read_columns
from visualizer.arrays.ordering import Ints
from visualizer.reconstruction.cta_spans import Span
from visualizer.reconstruction.event_memory import ROW
from visualizer.recording.schema import EVENT_DTYPE, EventFlag, EventKind

Rows = NDArray[np.integer[Any]]
_READ = ("time", "amount", "kind", "parity", "flags")


class Log(Protocol):
    """What all agents of a recording logged, in rows of the source's own form."""

    def __len__(self) -> int: ...

    def column(self, name: str, rows: slice | Rows) -> NDArray[Any]:
        """A column of EVENT_DTYPE at these rows, contiguous; read-only."""

    def columns(self, rows: slice, *names: str) -> list[NDArray[Any]]:
        """Several columns at these rows at once: but for `agent` and `barrier`."""

    def write(self, rows: Rows, target: NDArray[np.void]) -> None:
        """Write these rows as events to `target`, EVENT_DTYPE, but for `time`; anything for a row outside the log."""


class EventLog:
    """A log of events: EVENT_DTYPE."""

    def __init__(self, events: NDArray[np.void]) -> None:
        self._events = events

    def __len__(self) -> int:
        return len(self._events)

    def column(self, name: str, rows: slice | Rows) -> NDArray[Any]:
        """As Log.column."""
        return np.ascontiguousarray(self._events[name][rows])

    def columns(self, rows: slice, *names: str) -> list[NDArray[Any]]:
        """As Log.columns."""
        return read_columns(self._events[rows], *names)

    def write(self, rows: Rows, target: NDArray[np.void]) -> None:
        """As Log.write."""
        if len(self._events):
            # "clip" because checking makes a copy.
            self._events.view(ROW).take(rows, out=target.view(ROW), mode="clip")


@dataclass(frozen=True, eq=False)
class Promises:
    """Arrivals that an engine is to make, see engine_arrivals: rows of the events that promise them, and theirs."""

    promise: Ints
    arrival: Ints


NO_PROMISES = Promises(np.zeros(0, np.int64), np.zeros(0, np.int64))


@dataclass(frozen=True, eq=False)
class Logged:
    """Agents' events, grouped by agent in the order of the table and, within an agent, in program order. Of engines
    there are only arrivals. Ids in columns count from the span's first rows."""

    log: Log
    at: slice | Rows  # the rows of `log`
    span: Span
    engine: NDArray[np.int32] | None = None
    """(n,): the engine, from the span's first agent, for whose arrival an event stands (see engine_arrivals); -1: none.
    None: for none at all."""
    promises: Promises = NO_PROMISES

    def __len__(self) -> int:
        return self.at.stop - self.at.start if isinstance(self.at, slice) else len(self.at)

    def rows(self, events: Rows) -> Rows:
        """The rows of `log` that these events are."""
        return events + self.at.start if isinstance(self.at, slice) else self.at[events]

    def events(self, events: Rows) -> NDArray[np.void]:
        """These events in a new array, EVENT_DTYPE, but for `time`."""
        result = np.empty(len(events), EVENT_DTYPE)
        self.log.write(self.rows(events), result)
        if self.engine is not None:
            result["kind"], result["flags"] = self.kind[events], self.flags[events]
            result["agent"] = self.agent[events] + self.span.agents.start
            result["measured"] = self.time[events]
        return result

    def only(self, events: Rows) -> Logged:
        """These events alone, without what was promised; what needs them in order needs `events` to ascend."""
        return Logged(self.log, self.rows(events), self.span, None if self.engine is None else self.engine[events])

    @cached_property
    def kind(self) -> NDArray[np.uint8]:
        kind = self.log.column("kind", self.at)
        return kind if self.engine is None else np.where(self.by_engine, np.uint8(EventKind.ARRIVE), kind)

    @cached_property
    def time(self) -> Ints:
        """ps."""
        time = self.log.column("time", self.at)
        return time if self.engine is None else time + self.by_engine

    @cached_property
    def amount(self) -> NDArray[np.int32]:
        return self.log.column("amount", self.at)

    @cached_property
    def agent(self) -> Ints:
        agent = self.log.column("agent", self.at).astype(np.int64) - self.span.agents.start
        return agent if self.engine is None else np.where(self.by_engine, self.engine, agent)

    @cached_property
    def barrier(self) -> Ints:
        """-1: none."""
        barrier = self.log.column("barrier", self.at).astype(np.int64)
        barrier -= self.span.barriers.start
        return np.maximum(barrier, -1, out=barrier)

    @property
    def by_engine(self) -> NDArray[np.bool_]:
        """Which are arrivals of an engine, which has no program order."""
        return np.zeros(len(self), bool) if self.engine is None else self.engine >= 0

    @cached_property
    def parity(self) -> NDArray[np.int8]:
        return self.log.column("parity", self.at)

    @cached_property
    def flags(self) -> NDArray[np.uint8]:
        flags = self.log.column("flags", self.at)
        guessed = np.uint8(EventFlag.DERIVED | EventFlag.ESTIMATED)
        return flags if self.engine is None else np.where(self.by_engine, guessed, flags)

    @property
    def token(self) -> NDArray[np.uint64]:
        return self.log.column("token", self.at)

    def read(self) -> None:
        """Read the columns that are all going to be asked for: together, which takes half as long."""
        if self.engine is None and isinstance(self.at, slice):
            self.__dict__.update(zip(_READ, self.log.columns(self.at, *_READ), strict=True))

    def forget_columns(self) -> None:
        """Give the columns' memory back until they are asked for again."""
        for name in (*_READ, "agent", "barrier"):
            self.__dict__.pop(name, None)
