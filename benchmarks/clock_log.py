"""The log of clocks, level full, that a kernel would write of a simulated run: what reading one is measured on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.trace import Trace
from visualizer.sources.lesson.raw_log import ANCHOR_DTYPE, CAPACITY_STEP, STATUS_COMPLETED, LogLayout, RawLog

PS_PER_CYCLE = 500
EPOCH_NS = 10**18  # a global timer's value is not small
FIRST_CYCLE = 1 << 31


def clock_log(trace: Trace, events: NDArray[np.void]) -> RawLog:
    """`events`: those of the agents of `trace`, grouped by agent, in program order. Each CTA has an SM of its own."""
    warps = [row for row, agent in enumerate(trace.agents) if agent.warp >= 0]
    begins = np.searchsorted(events["agent"], warps)
    ends = np.searchsorted(events["agent"], warps, side="right")
    tiles = int(events["tile"].max()) + 1
    records = -(-(tiles + trace.stages) // CAPACITY_STEP) * CAPACITY_STEP
    layout = LogLayout("full", trace.ctas, len(warps) // trace.ctas, records)
    raw = RawLog(
        **{name: np.zeros(shape, dtype) for name, (dtype, shape) in layout.arrays().items()},
        calibration=np.zeros((0, 2), ANCHOR_DTYPE),
        level="full",
    )
    raw.status[:] = STATUS_COMPLETED
    last = int(events["time"].max()) // PS_PER_CYCLE + 2
    raw.anchors["clock"] = FIRST_CYCLE + np.array([0, last])
    raw.anchors["globaltimer"] = EPOCH_NS + np.array([0, last * PS_PER_CYCLE // 1000])
    raw.anchors["smid"] = np.arange(trace.ctas)[:, None]
    for slice_, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        _log_warp(raw, slice_, events[begin:end])
    return raw


def _log_warp(raw: RawLog, slice_: int, events: NDArray[np.void]) -> None:
    clock, kind = FIRST_CYCLE + events["time"] // PS_PER_CYCLE, events["kind"]
    begin, end = np.flatnonzero(kind == EventKind.WAIT_BEGIN), np.flatnonzero(kind == EventKind.WAIT_END)
    passed = (clock[end] & ~1) | ((events["flags"][end] & EventFlag.BLOCKED) != 0)
    ended = clock[kind == EventKind.ADVANCE]
    cta, warp = divmod(slice_, raw.warps)
    columns = [clock[begin], passed]
    if warp == 0:
        copies = np.flatnonzero(kind == EventKind.COPY_ISSUE)
        tile, first = np.unique(events["tile"][copies], return_index=True)
        copying = np.zeros(len(end), np.int64)
        copying[tile] = clock[copies[first]]
        columns += [copying, ended]
    raw.attempted[slice_] = len(end)
    raw.spans["begin"][slice_], raw.spans["end"][slice_] = clock[begin[0]], clock[-1]
    raw.spans["begun"][slice_] = np.uint32(ended[-1] % 2**32)
    raw.clocks(warp)[cta, : len(end)] = np.stack(columns, axis=1) % 2**32
