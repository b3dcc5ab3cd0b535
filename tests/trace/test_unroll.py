"""The logs of windows and rings, as the kernel writes them, become the part of the run that was asked for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measured import logged, sequences, simulated
from numpy.typing import NDArray

from visualizer.diagnosis.diagnose import diagnose
from visualizer.programs.parameters import LessonConfig
from visualizer.replay.history import History
from visualizer.sources.gpu.log_window import log_window, records_per_warp
from visualizer.trace.raw import ANCHOR_DTYPE, BARRIER_EMPTY, BARRIER_FULL, NONE, RECORD_DTYPE, RawLog
from visualizer.trace.schema import EventFlag
from visualizer.trace.trace import Trace
from visualizer.trace.unroll import build_window
from visualizer.trace.violations import violations
from visualizer.trace.window import ROLES, Window, cut

TILES, CTAS = 40, 3
EPOCH_NS = 10**18
PS_PER_CYCLE = 500


def kernel_log(trace: Trace, config: LessonConfig, window: Window, seed: int) -> RawLog:
    """What kernels/barrier_log.cuh leaves behind of the run in `trace`."""
    events = logged(trace, seed, jitter=20_000)
    capacity = records_per_warp(config, window)
    fields = log_window(config, window, capacity)
    warps = 1 + config.consumer_warps
    told = range(0, config.ctas, window.every_cta)
    raw = np.zeros((len(told) * warps, capacity), RECORD_DTYPE)
    attempted = np.zeros(len(raw), np.uint32)
    for row, agent in enumerate(trace.agents):
        if agent.warp < 0 or agent.cta % window.every_cta or not fields["roles"] >> (agent.warp > 0) & 1:
            continue
        mine = events[events["agent"] == row]
        tile = mine["tile"].astype(np.int64)
        mine = mine[(tile < 0) | ((tile - fields["first"]) % 2**32 < fields["tiles"])]
        slice_ = agent.cta // window.every_cta * warps + agent.warp
        attempted[slice_] = len(mine)
        for count, event in enumerate(mine):
            raw[slice_, count & fields["ring_mask"]] = _record(trace, event)
    start = np.full(config.ctas, 10**6)
    anchors = np.zeros((config.ctas, 2), ANCHOR_DTYPE)
    last = int(events["time"].max()) + 10**6
    for end, ps in enumerate((0, last)):
        anchors["clock"][:, end] = start + ps // PS_PER_CYCLE
        anchors["globaltimer"][:, end] = EPOCH_NS + ps // 1000
    anchors["smid"] = np.arange(config.ctas)[:, None]
    log = RawLog(raw, attempted, anchors, np.zeros((0, 2), ANCHOR_DTYPE), np.ones(config.ctas, np.uint32))
    kept = list(told)
    return RawLog(log.records, log.attempted, anchors[kept], log.calibration, log.status[kept])


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


def built(trace: Trace, config: LessonConfig, window: Window, seed: int) -> Trace:
    raw = kernel_log(trace, config, window, seed)
    agents, barriers = window.of_ctas(trace.agents), window.of_ctas(trace.barriers)
    return build_window(raw, window, TILES, config.ctas, agents, barriers, trace.sites, trace.meta, {})


@settings(max_examples=12, deadline=None)
@given(
    window=st.builds(
        Window,
        first=st.integers(0, 20),
        last=st.integers(20, TILES - 1) | st.just(-1),
        every_cta=st.integers(1, CTAS),
    )
    | st.builds(Window, keep_last=st.integers(1, TILES), every_cta=st.integers(1, CTAS)),
    stages=st.integers(1, 4),
    delay=st.sampled_from([0, 1500]),
    seed=st.integers(0, 99),
)
def test_a_part_of_a_log_is_the_part_of_the_run(window: Window, stages: int, delay: int, seed: int) -> None:
    config = LessonConfig(tiles=TILES, ctas=CTAS, stages=stages, consumer_warps=2, consumer_delay=delay)
    whole = simulated(seed, tiles=TILES, ctas=CTAS, stages=stages, consumer_warps=2, consumer_delay=delay)
    trace, wanted = built(whole, config, window, seed), cut(whole, window, TILES, CTAS)
    assert sequences(trace) == sequences(wanted)
    assert trace.meta.window == wanted.meta.window
    assert trace.meta.records_lost == trace.meta.events_dropped == 0
    assert not any(violations(trace).values()), violations(trace)
    assert diagnose(History(trace)).findings == ()


@pytest.mark.parametrize("role", ROLES)
def test_one_role_logs_and_the_other_is_proved_by_waits(role: str) -> None:
    config = LessonConfig(tiles=TILES, ctas=1, consumer_delay=1000)
    whole = simulated(tiles=TILES, consumer_delay=1000)
    trace = built(whole, config, Window(10, 19, roles=(role,)), 1)
    assert not any(violations(trace).values()), violations(trace)
    logging = {trace.agents[row].role for row in trace.events["agent"][trace.events["flags"] & EventFlag.DERIVED == 0]}
    assert logging == {role}
    assert diagnose(History(trace)).findings == ()


def test_a_ring_is_no_larger_than_its_tiles_ask_for() -> None:
    config = LessonConfig(tiles=1_000_000)
    assert records_per_warp(config, Window(keep_last=100)) == 1024
    assert records_per_warp(config, Window(500, 599)) == 103 * 6 + 1
    assert records_per_warp(config, Window()) == 6_000_001
