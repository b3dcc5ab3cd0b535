"""The kernel itself on a GPU: right values in every shape, errors found where they are, hangs ended."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import EventKind
from visualizer.sources.lesson.launcher import records_per_warp
from visualizer.sources.lesson.raw_log import (
    BARRIER_EMPTY,
    BARRIER_FULL,
    CAPACITY_STEP,
    STATUS_COMPLETED,
    STATUS_NEVER_LEFT,
    STATUS_TIMED_OUT,
    LogLevel,
)
from visualizer.sources.lesson.values import expected_sum, source_matrix


def launch(config: LessonConfig, *, check: Any = "exact", level: LogLevel = "words", expected: Any = None) -> Any:
    from visualizer.sources.lesson.worker_kernel import LessonKernel

    kernel = LessonKernel(config, source_matrix(config), check, level=level, watchdog_ms=100)
    capacity = -(-records_per_warp(config, level) // CAPACITY_STEP) * CAPACITY_STEP
    return kernel.run(capacity, expected=expected)


SHAPES = [
    *({"stages": stages, "tiles": 3 * stages + 2} for stages in range(1, 9)),
    {"consumer_warps": 1},
    {"consumer_warps": 15},
    {"arrive_per_warp": True},
    {"ctas": 5},
    {"source_tiles": 5},
    {"stages": 2, "tile_columns": 128, "source_tiles": 3},
    {"tile_rows": 8},
    {"tile_rows": 256, "stages": 2},
    {"producer_delay": 3000},
    {"consumer_delay": 3000},
    {"tiles": 1},
]


@pytest.mark.parametrize("values", SHAPES, ids=str)
@pytest.mark.parametrize("level", ["off", "standard", "full", "words"])
def test_every_value_of_every_tile_is_right(values: dict[str, Any], level: LogLevel) -> None:
    run = launch(LessonConfig(**values), level=level)
    assert run.results.sum() == 0
    assert set(run.log.status.tolist()) == {STATUS_NEVER_LEFT if level == "off" else STATUS_COMPLETED}


def test_exactly_the_wrong_values_are_counted() -> None:
    config = LessonConfig(tiles=5, source_tiles=2)
    expected = source_matrix(config)
    expected[17, 3] += 1  # in tile 0, read at tiles 0, 2 and 4
    expected[99, 64] += 1  # in tile 1, read at tiles 1 and 3
    assert launch(config, expected=expected).results.sum() == 3 + 2


@pytest.mark.parametrize("values", [{}, {"source_tiles": 3, "ctas": 3}, {"tile_columns": 128, "stages": 2}], ids=str)
def test_the_checksum_is_that_of_the_source(values: dict[str, Any]) -> None:
    config = LessonConfig(**values)
    sums = launch(config, check="checksum").results.astype(np.uint64).sum(axis=1) % 2**32
    assert sums.tolist() == [expected_sum(config, source_matrix(config))] * config.ctas


def test_a_warp_of_arrivals_is_one_arrival_of_32() -> None:
    """All 96 threads arrive, yet the tokens of the three warps go down in steps of 32."""
    from visualizer.semantics.word import decode

    log = launch(LessonConfig(tiles=64)).log
    records = log.records[1:].ravel()
    arrivals = records[records["kind"] == EventKind.ARRIVE]
    _, pending, _ = decode(arrivals["token"])
    per_tile = pending[np.argsort(arrivals["tile"], kind="stable")].reshape(64, 3)
    assert np.sort(per_tile, axis=1).tolist() == [[32, 64, 96]] * 64


@pytest.mark.parametrize(
    ("values", "barriers"),
    [
        ({"producer_phase": 0}, {BARRIER_EMPTY, BARRIER_FULL}),  # both sides wait from the start
        ({"producer_arrivals": 32}, {BARRIER_FULL}),  # the consumers began to wait first
        ({"consumer_arrivals": 97}, {BARRIER_EMPTY, BARRIER_FULL}),
    ],
    ids=str,
)
def test_a_deadlock_ends_by_the_watchdog(values: dict[str, Any], barriers: set[int]) -> None:
    log = launch(LessonConfig(**values)).log
    status = int(log.status[0])
    assert status & STATUS_TIMED_OUT
    assert status >> 8 & 0xFF in barriers
    for records, stored in zip(log.records, log.stored, strict=True):
        assert records[stored - 1]["kind"] == EventKind.EXIT
        assert records[stored - 2]["kind"] == EventKind.TIMEOUT
    assert launch(LessonConfig()).results.sum() == 0, "the next run must not notice"
