"""What an ideal probe would see of a recording: each barrier's word at regular times, equal ones as a run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.schema import SAMPLE_DTYPE
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.semantics.mbarrier import Token
from visualizer.semantics.word import encode


def probed(trace: Trace, period: int = 100_000, mode: str = "words") -> Trace:
    """`trace` with samples that are taken every `period` ps, at an unknown time up to one period after its clock."""
    rows: list[tuple[int, int, int, int, int]] = []
    history = History(trace)
    for barrier in range(len(trace.barriers)):
        curve = history.barrier_curve(barrier)
        clocks = np.arange(int(curve.time[0]), trace.duration_ps + 3 * period, period)
        taken = clocks + period // 2
        at = np.searchsorted(curve.time, taken, side="right") - 1
        words = [_word(int(curve.phase[i]), int(curve.pending[i]), int(curve.tx[i]), mode) for i in at]
        for clock, word in zip(clocks.tolist(), words, strict=True):
            if rows and rows[-1][2:4] == (word, barrier):
                rows[-1] = (rows[-1][0], clock, word, barrier, 0)
            else:
                rows.append((clock + period, clock, word, barrier, 0))
    source = {**trace.meta.source, "probe": {"mode": mode}}
    samples: NDArray[np.void] = np.array(rows, SAMPLE_DTYPE)
    return replace(trace, meta=replace(trace.meta, source=source), samples=samples)


def _word(phase: int, pending: int, tx: int, mode: str) -> int:
    return (phase & 1) << 63 if mode == "flips" else encode(Token(phase & 1, pending, tx))
