"""EventLog: rows keep their order and columns however many there are, and times count from the first."""

from __future__ import annotations

import numpy as np

from visualizer.recording.schema import EVENT_DTYPE, EventKind
from visualizer.recording.tables import Barrier
from visualizer.sources.simulator.event_log import EventLog

BARRIERS = (Barrier("full[0]", 0, "full", 0, 1, 0), Barrier("empty[3]", 0, "empty", 3, 96, 8))


def test_no_events_are_an_empty_table() -> None:
    events = EventLog(BARRIERS).events()
    assert events.shape == (0,)
    assert events.dtype == EVENT_DTYPE


def test_columns_of_one_event() -> None:
    log = EventLog(BARRIERS)
    log.add(500, EventKind.WAIT_END, 2, 1, 7, 4, parity=1, flags=1)
    log.add(900, EventKind.READ_BEGIN, 3, -1, 7, 6, stage=2, amount=5)
    first, second = log.events()
    assert [int(first[name]) for name in EVENT_DTYPE.names or ()] == [0, 0, 0, 7, 0, 1, 2, 4, 3, 4, 1, 1, 0]
    assert [int(second[name]) for name in EVENT_DTYPE.names or ()] == [400, 400, 0, 7, 5, -1, 3, 6, 2, 13, -1, 0, 0]


def test_long_logs_keep_every_row_once() -> None:
    log = EventLog(BARRIERS)
    for number in range(70_000):
        log.add(1000 + number, EventKind.EXIT, 0, -1, number, -1)
    events = log.events()
    assert np.array_equal(events["tile"], np.arange(70_000))
    assert np.array_equal(events["time"], np.arange(70_000))
    assert np.array_equal(events["measured"], events["time"])
