"""Builds the lanes of long recordings in a thread, those in view first; the old picture stays meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from PySide6.QtCore import QObject, QThread, Signal

from visualizer.views.timeline.lanes.lane_kinds import kind_of
from visualizer.views.timeline.lanes.lane_store import LaneStore
from visualizer.views.timeline.lanes.lanes import Lane

_AT_ONCE = 300_000
"""Recordings of up to so many events have lanes that are built in less than a frame."""


class LaneBuilder(QObject):
    """`built` after each lane; who draws lanes asks `ready` and draws those for which it says yes."""

    built = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._store: LaneStore | None = None
        self._wanted: list[Lane] = []
        self._cancelled = False
        self._working = False  # whether the thread will look for more: one that has found nothing may still be running
        self._thread = _Thread(self)

    @property
    def waiting(self) -> int:
        """How many lanes in view are still to be built."""
        with self._lock:
            return len(self._wanted)

    def ready(self, store: LaneStore, lane: Lane) -> bool:
        """Whether the lane can be drawn now."""
        if store.history.steps <= _AT_ONCE:
            kind_of(lane).build(store, lane)
        return store.has(lane)

    def want(self, store: LaneStore, lanes: Sequence[Lane]) -> None:
        """Build these lanes; forget what was wanted before."""
        with self._lock:
            if self._cancelled:
                return
            self._store, self._wanted = store, list(lanes)
            idle = bool(lanes) and not self._working
            self._working |= idle
        if idle:
            self._thread.wait()  # until it has ended that found nothing
            self._thread.start(QThread.Priority.LowPriority)

    def cancel(self) -> None:
        """Stop building; what is not there stays out until `resume`."""
        with self._lock:
            self._wanted, self._cancelled = [], True

    def resume(self) -> None:
        self._cancelled = False

    def stop(self) -> None:
        """Stop and wait for the thread."""
        self.cancel()
        self._thread.wait()

    def _next(self) -> tuple[LaneStore, Lane] | None:
        with self._lock:
            self._working = bool(self._wanted)
            return (self._store, self._wanted[0]) if self._wanted and self._store is not None else None

    def _done(self, lane: Lane) -> None:
        with self._lock:
            if lane in self._wanted:
                self._wanted.remove(lane)

    def _give_up(self) -> None:
        """Nobody shall wait for lanes that cannot be built."""
        with self._lock:
            self._wanted, self._working = [], False


class _Thread(QThread):
    def __init__(self, builder: LaneBuilder) -> None:
        super().__init__(builder)
        self._builder = builder

    def run(self) -> None:
        try:
            while (task := self._builder._next()) is not None:
                store, lane = task
                kind_of(lane).build(store, lane)
                self._builder._done(lane)
                self._builder.built.emit()
        except BaseException:
            self._builder._give_up()
            raise
