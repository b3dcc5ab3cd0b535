"""Collects a simulated run's events, row by row, in the schema's 48 bytes each rather than as Python objects."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.schema import EVENT_DTYPE, EventKind
from visualizer.recording.tables import Barrier
from visualizer.recording.trace import ONE_RING

_CHUNK_ROWS = 1 << 15


class EventLog:
    """Events in the order they are added, which must be time order."""

    def __init__(self, barriers: Sequence[Barrier], rings: Sequence[str] = ONE_RING) -> None:
        self._stage_of = [(barrier.stage, rings.index(barrier.ring)) for barrier in barriers]
        self._rows: list[tuple[int, ...]] = []
        self._chunks: list[NDArray[np.void]] = []

    def add(
        self,
        time: int,
        kind: EventKind,
        agent: int,
        barrier: int,
        tile: int,
        site: int,
        *,
        stage: int = -1,
        ring: int = 0,
        amount: int = 0,
        parity: int = -1,
        token: int = 0,
        flags: int = 0,
    ) -> None:
        """One event at `time` ps; an event on a barrier gets the barrier's stage and ring unless it names a stage."""
        if barrier >= 0 and stage < 0:
            stage, ring = self._stage_of[barrier]
        self._rows.append((time, time, token, tile, amount, barrier, agent, site, stage, kind, parity, flags, ring))
        if len(self._rows) == _CHUNK_ROWS:
            self._pack()

    def events(self) -> NDArray[np.void]:
        """Everything so far, dtype EVENT_DTYPE, shape (n,), with times from the first event."""
        self._pack()
        events = np.concatenate(self._chunks)
        if len(events):
            events["time"] -= events["time"][0]
            events["measured"] = events["time"]
        return events

    def _pack(self) -> None:
        self._chunks.append(np.array(self._rows, dtype=EVENT_DTYPE))
        self._rows.clear()
