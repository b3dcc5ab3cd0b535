"""What the agents of one part of a recording logged, as columns: rows of 48 bytes are slow to look through."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints
from visualizer.reconstruction.spans import Span


@dataclass(frozen=True, eq=False)
class Promises:
    """Arrivals that an engine is to make, see engine_arrivals: rows of the events that promise them, and theirs."""

    promise: Ints
    arrival: Ints


NO_PROMISES = Promises(np.zeros(0, np.int64), np.zeros(0, np.int64))


@dataclass(frozen=True, eq=False)
class Logged:
    """Agents' events: EVENT_DTYPE, grouped by agent in the order of the table and, within an agent, in program order.
    Of engines there are only arrivals, see engine_arrivals. Ids in `rows` are those of the tables, in the columns they
    count from the span's first rows."""

    rows: NDArray[np.void]
    span: Span
    engines: tuple[int, ...] = ()  # rows of agents that are engines which arrive, from the span's first
    promises: Promises = NO_PROMISES

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def kind(self) -> NDArray[np.uint8]:
        return np.ascontiguousarray(self.rows["kind"])

    @cached_property
    def time(self) -> Ints:
        """ps."""
        return np.ascontiguousarray(self.rows["time"])

    @cached_property
    def amount(self) -> NDArray[np.int32]:
        return np.ascontiguousarray(self.rows["amount"])

    @cached_property
    def agent(self) -> Ints:
        agent: Ints = self.rows["agent"].astype(np.int64) - self.span.agents.start
        return agent

    @cached_property
    def barrier(self) -> Ints:
        """-1: none."""
        barrier = self.rows["barrier"].astype(np.int64)
        return np.where(barrier >= 0, barrier - self.span.barriers.start, -1) if self.span.barriers.start else barrier

    @cached_property
    def by_engine(self) -> NDArray[np.bool_]:
        """Which are arrivals of an engine, which has no program order."""
        return np.isin(self.agent, self.engines) if self.engines else np.zeros(len(self), bool)

    @property
    def parity(self) -> NDArray[np.int8]:
        parity: NDArray[np.int8] = self.rows["parity"]
        return parity

    @property
    def flags(self) -> NDArray[np.uint8]:
        flags: NDArray[np.uint8] = self.rows["flags"]
        return flags

    @property
    def token(self) -> NDArray[np.uint64]:
        token: NDArray[np.uint64] = self.rows["token"]
        return token

    def forget_columns(self) -> None:
        """Give the columns' memory back until they are asked for again: together they are half as large as the rows."""
        for name in ("kind", "time", "amount", "agent", "barrier", "by_engine"):
            self.__dict__.pop(name, None)

    @property
    def latest(self) -> int:
        """The time (ps) of the last event."""
        return int(self.rows["time"].max(initial=0))
