"""Trace: immutable, and strict about what later code trusts; the schema's layout is that of files already written."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import (
    ARRIVAL_KINDS,
    BARRIER_STATE_KINDS,
    EVENT_DTYPE,
    EventFlag,
    EventKind,
    kind_name,
)
from visualizer.recording.trace import Trace, TraceError
from visualizer.sources.simulator.simulate import simulate


def changed(trace: Trace, column: str, step: int, value: int) -> Trace:
    events = trace.events.copy()
    events[column][step] = value
    return replace(trace, events=events)


def test_an_event_is_48_little_endian_bytes_without_gaps() -> None:
    assert EVENT_DTYPE.itemsize == 48
    layout = [(name, EVENT_DTYPE[name].str, EVENT_DTYPE.fields[name][1]) for name in EVENT_DTYPE.names]
    assert layout == [
        ("time", "<i8", 0),
        ("measured", "<i8", 8),
        ("token", "<u8", 16),
        ("tile", "<i4", 24),
        ("amount", "<i4", 28),
        ("barrier", "<i4", 32),
        ("agent", "<i4", 36),
        ("site", "<i2", 40),
        ("stage", "<i2", 42),
        ("kind", "|u1", 44),
        ("parity", "|i1", 45),
        ("flags", "|u1", 46),
        ("ring", "|u1", 47),
    ]


def test_the_numbers_of_kinds_and_flags_are_those_of_written_files() -> None:
    assert [kind_name(kind) for kind in range(1, 44)] == [
        "init",
        "inval",
        "wait_begin",
        "wait_end",
        "arrive",
        "arrive_drop",
        "expect_tx",
        "arrive_expect_tx",
        "complete_tx",
        "phase_complete",
        "copy_issue",
        "copy_done",
        "read_begin",
        "read_end",
        "advance",
        "fence",
        "exit",
        "timeout",
        "word_sample",
        "test_failed",
        "sync_begin",
        "sync_end",
        "sync_arrive",
        "cluster_arrive",
        "cluster_wait_begin",
        "cluster_wait_end",
        "wgmma_commit",
        "wgmma_wait_begin",
        "wgmma_wait_end",
        "store_commit",
        "store_wait_begin",
        "store_wait_end",
        "write",
        "proxy_fence",
        "tensor_commit",
        "cp_async_arrive",
        "cp_async_arrive_noinc",
        "mma_issue",
        "setmaxnreg_dec",
        "setmaxnreg_inc_begin",
        "setmaxnreg_inc_end",
        "range_begin",
        "range_end",
    ]
    assert [(flag.name, flag.value) for flag in EventFlag] == [
        ("BLOCKED", 1),
        ("DERIVED", 2),
        ("ESTIMATED", 4),
        ("HAS_TOKEN", 8),
        ("SAME_COPY", 16),
        ("BY_ARRIVAL", 32),
        ("SLOW", 64),
    ]
    assert set(ARRIVAL_KINDS) < set(BARRIER_STATE_KINDS)
    assert EventKind.EXPECT_TX not in ARRIVAL_KINDS
    with pytest.raises(ValueError, match="44"):
        kind_name(44)


def test_a_trace_is_immutable(lesson_trace: Trace) -> None:
    with pytest.raises(FrozenInstanceError):
        lesson_trace.agents = ()  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        lesson_trace.events["time"][0] = 5
    assert isinstance(lesson_trace.agents, tuple)
    events = lesson_trace.events.copy()
    replace(lesson_trace, events=events)
    assert not events.flags.writeable


def test_facts_of_the_lesson(lesson_trace: Trace) -> None:
    assert len(lesson_trace) == len(lesson_trace.events) == 262
    assert (lesson_trace.stages, lesson_trace.ctas) == (3, 1)
    assert lesson_trace.duration_ps == int(lesson_trace.events["time"].max())
    assert lesson_trace.agent_index["tma"] == 4
    assert [lesson_trace.barriers[lesson_trace.barrier_index[f"empty[{s}]"]].stage for s in range(3)] == [0, 1, 2]


def test_rows_of_several_ctas_know_their_cta() -> None:
    trace = simulate(lesson(LessonConfig(ctas=2, tiles=2, stages=2)))
    assert trace.ctas == 2
    assert trace.agent_cta.tolist() == [0] * 5 + [1] * 5
    assert trace.barrier_cta.tolist() == [0] * 4 + [1] * 4
    assert trace.agents[trace.agent_index["CTA1.producer"]].cta == 1


def test_a_trace_without_events_or_tables(lesson_trace: Trace) -> None:
    empty = Trace(lesson_trace.meta, (), (), (), np.zeros(0, EVENT_DTYPE))
    assert (len(empty), empty.stages, empty.ctas, empty.duration_ps) == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("column", "lowest", "highest"),
    [
        ("agent", 0, 4),
        ("barrier", -1, 5),
        ("site", -1, 11),
        ("stage", -1, 2),
        ("kind", 1, 43),
        ("parity", -1, 1),
    ],
)
def test_values_outside_their_range_are_named(lesson_trace: Trace, column: str, lowest: int, highest: int) -> None:
    for value in (lowest, highest):
        assert changed(lesson_trace, column, 7, value).events[column][7] == value
    for value in (lowest - 1, highest + 1):
        if value >= 0 or EVENT_DTYPE[column].kind == "i":
            with pytest.raises(TraceError, match=f"event 7 has {column} {value}, outside {lowest}..{highest}$"):
                changed(lesson_trace, column, 7, value)


def test_times_must_not_go_back_and_start_at_0(lesson_trace: Trace) -> None:
    before = int(lesson_trace.events["time"][9])
    assert changed(lesson_trace, "time", 10, before).events["time"][10] == before
    with pytest.raises(TraceError, match=f"event 10 at {before - 1} ps is earlier than event 9 at {before} ps"):
        changed(lesson_trace, "time", 10, before - 1)
    with pytest.raises(TraceError, match="event 0 is at -1 ps: times count from the first event"):
        changed(lesson_trace, "time", 0, -1)


def test_events_must_have_the_schemas_dtype_and_one_dimension(lesson_trace: Trace) -> None:
    for events in (np.zeros(3), np.zeros((2, 2), EVENT_DTYPE), lesson_trace.events[["time", "kind"]]):
        with pytest.raises(TraceError, match="one-dimensional with the schema's dtype"):
            replace(lesson_trace, events=events)


def test_names_are_unique(lesson_trace: Trace) -> None:
    with pytest.raises(TraceError, match="two agents or barriers are called"):
        replace(lesson_trace, agents=[*lesson_trace.agents[:-1], lesson_trace.agents[0]])
    with pytest.raises(TraceError, match="two agents or barriers are called"):
        replace(lesson_trace, barriers=[*lesson_trace.barriers[:-1], lesson_trace.barriers[0]])


def test_another_meta_leaves_the_rest_and_may_name_more_stages(lesson_trace: Trace) -> None:
    """Where there is no barrier that could say which there are, as in a pipeline of cp.async."""
    events = lesson_trace.events[lesson_trace.events["barrier"] < 0]
    events["time"] -= events["time"][0]
    trace = replace(lesson_trace, barriers=(), events=events, meta=replace(lesson_trace.meta, config={}))
    assert trace.stages == 3
    told = trace.with_meta(replace(trace.meta, config={"stages": 5}), {"a.cu": "text"})
    assert (told.stages, told.meta.config, told.source_files) == (5, {"stages": 5}, {"a.cu": "text"})
    assert told.events is trace.events
    assert (trace.stages, trace.with_meta(trace.meta).source_files) == (3, trace.source_files)
