"""The logs of windows and rings, as the kernel writes them, become the part of the run that was asked for."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from clock_log import clock_log
from measured import logged, sequences, simulated
from numpy.typing import NDArray

from visualizer.diagnosis.diagnose import diagnose
from visualizer.programs.parameters import LessonConfig
from visualizer.reconstruction.violations import violations
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.lesson.kernel_window import log_window, records_per_warp, ring_mask
from visualizer.sources.lesson.launcher import pipeline_shape
from visualizer.sources.lesson.raw_log import (
    ANCHOR_DTYPE,
    BARRIER_EMPTY,
    BARRIER_FULL,
    CAPACITY_STEP,
    NONE,
    RECORD_DTYPE,
    SPAN_DTYPE,
    LogLayout,
    LogLevel,
    RawLog,
)
from visualizer.sources.lesson.window import ROLES, Window, cut
from visualizer.sources.lesson.window_trace import _even_lap, _last_lap, build_window

TILES, CTAS = 40, 3
EPOCH_NS = 10**18
PS_PER_CYCLE = 500


@cache
def run(stages: int, delay: int) -> tuple[Trace, NDArray[np.void]]:
    """A run, and what its agents log of it."""
    trace = simulated(stages, tiles=TILES, ctas=CTAS, stages=stages, consumer_warps=2, consumer_delay=delay)
    return trace, logged(trace, 7, jitter=20_000)


def kernel_log(trace: Trace, events: NDArray[np.void], config: LessonConfig, window: Window) -> RawLog:
    """What kernels/barrier_log.cuh leaves behind of the run in `trace`, whose agents log `events`."""
    capacity = records_per_warp(config, "words", window)
    fields, mask = log_window(config, window), ring_mask(window, capacity)
    warps = 1 + config.consumer_warps
    raw = np.zeros((config.ctas * warps, capacity), RECORD_DTYPE)
    attempted = np.zeros(len(raw), np.uint32)
    for row, agent in enumerate(trace.agents):
        if agent.warp < 0 or agent.cta % window.every_cta or not fields["roles"] >> (agent.warp > 0) & 1:
            continue
        mine = events[events["agent"] == row]
        tile = mine["tile"].astype(np.int64)
        mine = mine[(tile < 0) | ((tile - fields["first"]) % 2**32 < fields["tiles"])]
        slice_ = agent.cta * warps + agent.warp
        attempted[slice_] = len(mine)
        for count, event in enumerate(mine):
            raw[slice_, count & mask] = _record(trace, event)
    start = np.full(config.ctas, 10**6)
    anchors = np.zeros((config.ctas, 2), ANCHOR_DTYPE)
    last = int(events["time"].max()) + 10**6
    for end, ps in enumerate((0, last)):
        anchors["clock"][:, end] = start + ps // PS_PER_CYCLE
        anchors["globaltimer"][:, end] = EPOCH_NS + ps // 1000
    anchors["smid"] = np.arange(config.ctas)[:, None]
    return RawLog(raw, attempted, anchors, np.zeros((0, 2), ANCHOR_DTYPE), np.ones(config.ctas, np.uint32))


def clock_window(trace: Trace, config: LessonConfig, window: Window, level: LogLevel) -> RawLog:
    """What kernels/clock_log.cuh leaves behind of it: of the log of all tiles, the window's at their places."""
    whole = clock_log(trace, level, capacity=config.tiles + 8)
    capacity = -(-records_per_warp(config, level, window) // CAPACITY_STEP) * CAPACITY_STEP
    layout = LogLayout(level, config.ctas, 1 + config.consumer_warps, capacity)
    arrays = {name: np.zeros(shape, dtype) for name, (dtype, shape) in layout.arrays().items()}
    raw = RawLog(**arrays, calibration=whole.calibration, level=level)
    for name in ("anchors", "status", "spans"):
        getattr(raw, name)[:] = getattr(whole, name)
    fields = log_window(config, window)
    raw.attempted[:] = whole.attempted - np.uint32(fields["first"])
    for warp in range(raw.logging_warps):
        if not fields["roles"] >> (warp > 0) & 1:
            continue
        for cta in range(0, config.ctas, window.every_cta):
            for tile in range(int(whole.attempted[cta * raw.warps + warp])):
                place = tile % capacity if window.keep_last else tile - fields["first"]
                if window.keep_last or 0 <= place < fields["tiles"]:
                    raw.clocks(warp)[cta, place] = whole.clocks(warp)[cta, tile]
    return raw


def _record(trace: Trace, event: np.void) -> NDArray[np.void]:
    record = np.zeros((), RECORD_DTYPE)
    barrier = trace.barriers[event["barrier"]] if event["barrier"] >= 0 else None
    record["clock"] = 10**6 + int(event["time"]) // PS_PER_CYCLE
    record["token"], record["amount"], record["kind"] = event["token"], event["amount"], event["kind"]
    record["tile"] = int(event["tile"]) & 0xFFFFFFFF
    record["line"] = trace.sites[event["site"]].line
    record["barrier"] = 0 if barrier is None else BARRIER_FULL if barrier.kind == "full" else BARRIER_EMPTY
    stage = barrier.stage if barrier is not None else event["stage"]
    record["stage"] = NONE if stage < 0 else stage
    record["parity"] = NONE if event["parity"] < 0 else event["parity"]
    record["flags"] = event["flags"] & (EventFlag.BLOCKED | EventFlag.HAS_TOKEN)
    return record


def built(trace: Trace, events: NDArray[np.void], config: LessonConfig, window: Window) -> Trace:
    raw = kernel_log(trace, events, config, window)
    shape = pipeline_shape(config)
    return build_window(raw, window, trace.agents, trace.barriers, trace.sites, trace.meta, {}, shape)


PARTS = [
    Window(0, 3),
    Window(2, 6),
    Window(10, 25),
    Window(20, 20),
    Window(30),
    Window(7, 30, every_cta=2),
    Window(keep_last=1),
    Window(keep_last=7, every_cta=3),
    Window(keep_last=TILES),
]


@pytest.mark.parametrize("window", PARTS, ids=str)
@pytest.mark.parametrize(("stages", "delay"), [(1, 0), (3, 0), (3, 1500), (4, 0)])
@pytest.mark.parametrize("level", ["words", "full", "standard"])
def test_a_part_of_a_log_is_the_part_of_the_run(window: Window, stages: int, delay: int, level: LogLevel) -> None:
    config = LessonConfig(tiles=TILES, ctas=CTAS, stages=stages, consumer_warps=2, consumer_delay=delay)
    whole, events = run(stages, delay)
    wanted = cut(whole, window, TILES, CTAS)
    if level == "words":
        trace = built(whole, events, config, window)
    else:
        raw = clock_window(whole, config, window, level)
        shape = pipeline_shape(config)
        trace = build_window(raw, window, whole.agents, whole.barriers, whole.sites, whole.meta, {}, shape)
    assert sequences(trace) == sequences(wanted)
    assert trace.meta.window == wanted.meta.window
    assert trace.meta.records_lost == trace.meta.events_dropped == 0
    found = violations(trace)
    if level != "words":
        found.pop("program_order")  # the lowest bit of a clock is a flag: it can be a cycle late
    assert not any(found.values()), found
    assert diagnose(History(trace)).findings == ()
    if level == "full":
        # Between the waits of one agent lie as many cycles as the simulator says, whichever lap the clock was in.
        for row in range(len(trace.agents)):
            mine = [
                np.diff(t.events["measured"][(t.events["kind"] == EventKind.WAIT_END) & (t.events["agent"] == row)])
                for t in (trace, wanted)
            ]
            assert np.abs(mine[0] - mine[1]).max(initial=0) < 2500


@pytest.mark.parametrize("ring", [True, False])
def test_a_window_after_laps_of_the_clock_is_in_the_right_one(ring: bool) -> None:
    """A run of ten seconds: the 32-bit clock has gone round four times."""
    begin, lap = 10**9, 2**32
    tiles, slow = 1000, 2 * 10**7  # cycles a tile
    first = 600
    clocks = begin + slow * np.arange(first, first + 50)
    span = np.zeros((), SPAN_DTYPE)
    span["begin"], span["end"] = begin, begin + slow * (first + 50 if ring else tiles)
    words = (clocks % lap).astype(np.uint32)
    found = _last_lap(words, span[()]) if ring else _even_lap(words, span[()], first / tiles)
    assert found == clocks[0]


@pytest.mark.parametrize("role", ROLES)
def test_one_role_logs_and_the_other_is_proved_by_waits(role: str) -> None:
    config = LessonConfig(tiles=TILES, ctas=1, consumer_delay=1000)
    whole = simulated(tiles=TILES, consumer_delay=1000)
    trace = built(whole, logged(whole, 1, jitter=20_000), config, Window(10, 19, roles=(role,)))
    assert not any(violations(trace).values()), violations(trace)
    logging = {trace.agents[row].role for row in trace.events["agent"][trace.events["flags"] & EventFlag.DERIVED == 0]}
    assert logging == {role}
    assert diagnose(History(trace)).findings == ()


def test_a_ring_is_no_larger_than_its_tiles_ask_for() -> None:
    config = LessonConfig(tiles=1_000_000)
    assert records_per_warp(config, "words", Window(keep_last=100)) == 1024
    assert records_per_warp(config, "words", Window(500, 599)) == 104 * 6 + 1
    assert records_per_warp(config, "words") == 6_000_001
    assert records_per_warp(config, "full", Window(keep_last=100)) == 128
    assert records_per_warp(config, "full", Window(500, 599)) == 104
    assert records_per_warp(config, "full") == 1_000_003
