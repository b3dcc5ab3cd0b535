"""The columns are the events', whatever their values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from visualizer.recording.event_columns import event_columns
from visualizer.recording.trace import Trace

NAMES = ("kind", "agent", "barrier", "stage", "ring", "tile", "amount")


def test_columns_hold_what_the_events_do(lesson_trace: Trace) -> None:
    columns = event_columns(lesson_trace)
    for name in NAMES:
        np.testing.assert_array_equal(getattr(columns, name), lesson_trace.events[name])
        assert not getattr(columns, name).flags.writeable


def test_of_a_column_with_one_value_only_that_is_kept(lesson_trace: Trace) -> None:
    events = lesson_trace.events.copy()
    events["tile"] = events["stage"] = -1
    columns = event_columns(replace(lesson_trace, events=events))
    assert columns.tile.strides == columns.stage.strides == (0,)
    assert columns.amount.strides != (0,)
    for name in NAMES:
        np.testing.assert_array_equal(getattr(columns, name), events[name])


def test_no_events_have_columns_too(lesson_trace: Trace) -> None:
    columns = event_columns(replace(lesson_trace, events=lesson_trace.events[:0]))
    assert [len(getattr(columns, name)) for name in NAMES] == [0] * len(NAMES)
