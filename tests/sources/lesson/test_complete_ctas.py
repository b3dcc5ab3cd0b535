"""The short way of complete CTAs gives what the general way gives, event for event and figure for figure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock

import numpy as np
import pytest
from clock_log import clock_log
from hypothesis import given, settings
from hypothesis import strategies as st
from measured import simulated

from visualizer.programs.parameters import LessonConfig
from visualizer.reconstruction.event_rows import LaidOut
from visualizer.reconstruction.violations import violations
from visualizer.recording.trace import Trace
from visualizer.sources.lesson import decode
from visualizer.sources.lesson.build_trace import build_trace
from visualizer.sources.lesson.complete_ctas.columns import CompleteColumns
from visualizer.sources.lesson.complete_ctas.complete_clocks import complete_ctas
from visualizer.sources.lesson.launcher import pipeline_shape, records_per_warp
from visualizer.sources.lesson.raw_log import CAPACITY_STEP, LogLevel, RawLog

CONFIGS = st.fixed_dictionaries(
    {
        "stages": st.integers(1, 4),
        "tiles": st.integers(1, 12),
        "consumer_warps": st.integers(1, 3),
        "arrive_per_warp": st.booleans(),
        "ctas": st.integers(1, 3),
        "tile_columns": st.sampled_from([64, 128, 192]),
        "producer_delay": st.sampled_from([0, 700]),
        "consumer_delay": st.sampled_from([0, 900]),
    }
)


def log_of(trace: Trace, config: LessonConfig, first: int = 2**32 - 3000) -> RawLog:
    capacity = -(-records_per_warp(config, "full") // CAPACITY_STEP) * CAPACITY_STEP
    return clock_log(trace, "full", capacity=capacity, first=first)


def disturbed(raw: RawLog, seed: int, cycles: int) -> RawLog:
    """The log with each clock read up to so many cycles late, but still in order: evidence that contradicts itself."""
    random = np.random.default_rng(seed)
    records = raw.records.copy()
    raw = replace(raw, records=records)
    for warp in range(raw.logging_warps):
        for cta in range(raw.ctas):
            words = raw.clocks(warp)[cta, : raw.stored[cta * raw.warps + warp]]
            flat = words.ravel().astype(np.int64)
            late = random.integers(0, cycles + 1, len(flat)) & ~1  # the lowest bit says that a wait blocked
            begin = int(raw.spans["begin"][cta * raw.warps + warp])
            after = np.maximum.accumulate(((flat - begin) % 2**32 & ~1) + late)
            words[:] = ((begin & ~1) + after + (flat & 1)).reshape(words.shape) % 2**32
    return raw


def built(raw: RawLog, trace: Trace, config: LessonConfig) -> Trace:
    shape = pipeline_shape(config)
    return build_trace(raw, trace.agents, trace.barriers, trace.sites, trace.meta, trace.source_files, shape)


@contextmanager
def general_way() -> Iterator[None]:
    with mock.patch.object(decode, "complete_ctas", return_value=[]):
        yield


def both(raw: RawLog, trace: Trace, config: LessonConfig) -> tuple[Trace, Trace]:
    found = built(raw, trace, config)
    with general_way():
        return found, built(raw, trace, config)


def assert_same(found: Trace, wanted: Trace) -> None:
    for name in wanted.events.dtype.names or ():
        np.testing.assert_array_equal(found.events[name], wanted.events[name], name)
    assert found.meta == wanted.meta


@settings(max_examples=40, deadline=None)
@given(
    values=CONFIGS,
    first=st.integers(0, 2**33),
    seed=st.integers(0, 1000),
    late=st.sampled_from((0, 0, 3, 40, 3000, 20000)),
)
def test_both_ways_give_the_same(values: dict[str, Any], first: int, seed: int, late: int) -> None:
    config = LessonConfig(**values)
    trace = simulated(seed, **config.as_dict())
    raw = log_of(trace, config, first)
    assert len(complete_ctas(raw, trace.agents, trace.barriers, pipeline_shape(config))) == config.ctas
    assert_same(*both(disturbed(raw, seed, late) if late else raw, trace, config))


def test_a_cta_that_hangs_goes_the_general_way_among_others() -> None:
    config = LessonConfig(ctas=3, tiles=8)
    trace = simulated(**config.as_dict())
    raw = log_of(trace, config)
    slice_ = raw.warps + 1  # CTA 1's first consumer gave up after three tiles
    raw.attempted[slice_] = 3
    raw.spans["begun"][slice_] = np.uint32((int(raw.clocks(1)[1, 2, 1]) + 100) % 2**32)
    raw.spans["timeout"][slice_] = raw.spans["end"][slice_] = raw.spans["begin"][slice_] + 2**20
    assert complete_ctas(raw, trace.agents, trace.barriers, pipeline_shape(config)) == [0, 2]
    assert_same(*both(raw, trace, config))


def test_laps_that_overlap_go_the_general_way() -> None:
    config = LessonConfig(ctas=2, tiles=8, stages=1)
    trace = simulated(**config.as_dict())
    raw = log_of(trace, config)
    raw.clocks(1)[1, 1] = raw.clocks(1)[1, 3]  # one warp is a lap late, by its clock
    raw.clocks(1)[1, 2] = raw.clocks(1)[1, 3]
    results = []
    lay_out = CompleteColumns.lay_out

    def watched(*args: Any) -> LaidOut | None:
        results.append(lay_out(*args))
        return results[-1]

    with mock.patch.object(CompleteColumns, "lay_out", watched):
        found = built(raw, trace, config)
    assert sum(result is None for result in results) == 1
    with general_way():
        assert_same(found, built(raw, trace, config))


@pytest.mark.parametrize("level", ["phases", "standard"])
def test_levels_that_leave_clocks_out_are_not_regular(level: LogLevel) -> None:
    config = LessonConfig()
    trace = simulated(**config.as_dict())
    raw = clock_log(trace, level, capacity=16)
    assert complete_ctas(raw, trace.agents, trace.barriers, pipeline_shape(config)) == []


def test_lost_records_and_other_programs_are_not_regular() -> None:
    config = LessonConfig(tiles=30)
    trace = simulated(**config.as_dict())
    shape = pipeline_shape(config)
    raw = log_of(trace, config)
    assert complete_ctas(raw, trace.agents, trace.barriers, shape) == [0]
    assert complete_ctas(clock_log(trace, "full", capacity=8), trace.agents, trace.barriers, shape) == []
    for other in (replace(shape, arrivals=shape.arrivals + 1), replace(shape, expected_bytes=64)):
        assert complete_ctas(raw, trace.agents, trace.barriers, other) == []
    assert complete_ctas(raw, trace.agents[::-1], trace.barriers, shape) == []
    assert complete_ctas(raw, trace.agents, trace.barriers[::-1], shape) == []


def test_a_regular_run_breaks_no_rule() -> None:
    config = LessonConfig(ctas=2, tiles=20, consumer_warps=3)
    trace = simulated(**config.as_dict())
    found = built(log_of(trace, config), trace, config)
    assert not any(violations(found).values())
    assert found.meta.events_dropped == found.meta.records_lost == 0
