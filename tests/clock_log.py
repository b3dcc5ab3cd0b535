"""A simulated run as each level of clocks would log it: what kernels/clock_log.cuh writes, by numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.trace import Trace
from visualizer.sources.lesson.raw_log import ANCHOR_DTYPE, STATUS_COMPLETED, TILE_WORDS, LogLayout, LogLevel, RawLog

PS_PER_CYCLE = 500
FIRST_CYCLE = 2**32 - 3000  # the 32-bit clock goes round within the first microseconds


def clock_log(trace: Trace, level: LogLevel, *, capacity: int, first: int = FIRST_CYCLE) -> RawLog:
    """The log of `trace`, the lesson without mistakes, with the SM clock at `first` when it starts."""
    warps = sum(agent.cta == 0 and agent.warp >= 0 for agent in trace.agents)
    layout = LogLayout(level, trace.ctas, warps, capacity)
    raw = RawLog(
        **{name: np.zeros(shape, dtype) for name, (dtype, shape) in layout.arrays().items()},
        calibration=np.zeros((0, 2), ANCHOR_DTYPE),
        level=level,
    )
    raw.status[:] = STATUS_COMPLETED
    last = int(trace.events["time"].max()) // PS_PER_CYCLE + 2
    raw.anchors["clock"] = first + np.array([0, last])
    raw.anchors["globaltimer"] = 10**18 + np.array([0, last * PS_PER_CYCLE // 1000])
    raw.anchors["smid"] = np.arange(trace.ctas)[:, None]
    for row, agent in enumerate(trace.agents):
        if agent.warp >= 0:
            _log_warp(raw, trace, row, agent.cta, agent.warp, first)
    return raw


def _log_warp(raw: RawLog, trace: Trace, row: int, cta: int, warp: int, first: int) -> None:
    events = trace.events[trace.events["agent"] == row]
    clock = first + events["time"] // PS_PER_CYCLE
    kind = events["kind"]
    begin, end = np.flatnonzero(kind == EventKind.WAIT_BEGIN), np.flatnonzero(kind == EventKind.WAIT_END)
    begin = begin[: len(end)]
    passed = (clock[end] & ~1) | ((events["flags"][end] & EventFlag.BLOCKED) != 0)
    # The tile's advance is its last operation, and where there are copies the first one's issue comes before.
    ended = clock[kind == EventKind.ADVANCE]
    copying = np.zeros(len(end), np.int64)
    copies = np.flatnonzero(kind == EventKind.COPY_ISSUE)
    tile, where = np.unique(events["tile"][copies], return_index=True)
    copying[tile] = clock[copies[where]]
    columns = {
        ("phases", 0): [passed],
        ("standard", 0): [passed, ended],
        ("full", 0): [clock[begin], passed, copying, ended],
        ("phases", 1): [passed],
        ("standard", 1): [passed],
        ("full", 1): [clock[begin], passed],
    }[raw.level, min(warp, 1)]
    slice_ = cta * raw.warps + warp
    raw.attempted[slice_] = len(end)
    raw.spans["begin"][slice_] = clock[begin[0]]
    raw.spans["end"][slice_] = clock[-1]
    raw.spans["begun"][slice_] = np.uint32(ended[-1] % 2**32)
    if warp < raw.logging_warps:
        stored = min(len(end), raw.capacity)
        words: NDArray[np.int64] = np.stack(columns, axis=1)
        assert words.shape[1] == TILE_WORDS[raw.level][min(warp, 1)]
        raw.clocks(warp)[cta, :stored] = (words % 2**32)[:stored]
