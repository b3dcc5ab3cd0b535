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
from visualizer.sources.gpu.launcher import pipeline_shape, records_per_warp
from visualizer.trace import build, decode
from visualizer.trace.build import build_trace
from visualizer.trace.raw import CAPACITY_STEP, RawLog
from visualizer.trace.regular.cta import regular_ctas
from visualizer.trace.trace import Trace
from visualizer.trace.violations import violations

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
    with mock.patch.object(decode, "regular_ctas", return_value=[]):
        yield


def both(raw: RawLog, trace: Trace, config: LessonConfig) -> tuple[Trace, Trace]:
    found = built(raw, trace, config)
    with general_way():
        return found, built(raw, trace, config)


def assert_same(found: Trace, wanted: Trace) -> None:
    for name in wanted.events.dtype.names or ():
        np.testing.assert_array_equal(found.events[name], wanted.events[name], name)
    assert found.meta == wanted.meta


@settings(max_examples=60, deadline=None)
@given(
    values=CONFIGS,
    first=st.integers(0, 2**33),
    seed=st.integers(0, 1000),
    late=st.sampled_from((0, 0, 3, 40, 400)),
)
def test_both_ways_give_the_same(values: dict[str, Any], first: int, seed: int, late: int) -> None:
    config = LessonConfig(**values)
    trace = simulated(seed, **config.as_dict())
    raw = log_of(trace, config, first)
    assert len(regular_ctas(raw, trace.agents, trace.barriers, pipeline_shape(config))) == config.ctas
    assert_same(*both(disturbed(raw, seed, late) if late else raw, trace, config))
