"""What a log holds while its kernel still runs, or after it never came back: records that are whole."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.sources.lesson.raw_log import ANCHOR_DTYPE, TILE_WORDS, LogLayout, RawLog
from visualizer.sources.runner.flight import Arrays


@dataclass(frozen=True, slots=True)
class FlightLayout(LogLayout):
    """The lesson's log in a flight recorder's file."""

    def written(self, arrays: Arrays) -> int:
        """Records written by now."""
        return int(_whole_records(self._log(arrays, None)).sum())

    def so_far(self, arrays: Arrays, calibration: NDArray[np.void] | None) -> RawLog | None:
        """The log as far as it is whole: slices of warps that never left end where they stand. None if no CTA has
        started, or none is known to have."""
        raw = self._log(arrays, calibration)
        if not _has_started(raw).any():
            return None
        attempted = np.where(raw.attempted > 0, raw.attempted, _whole_records(raw)).astype(np.uint32)
        return replace(raw, attempted=attempted)

    def _log(self, arrays: Arrays, calibration: NDArray[np.void] | None) -> RawLog:
        if calibration is None:
            calibration = np.zeros((0, 2), dtype=ANCHOR_DTYPE)
        return RawLog(**arrays, calibration=calibration, level=self.level)


def _whole_records(raw: RawLog) -> NDArray[np.int64]:
    """Whole records at the start of each slice. None of a warp without a begin, which places its clocks: in a copy
    records can be newer than the rest."""
    started = np.repeat(_has_started(raw), raw.warps)
    if raw.level not in TILE_WORDS:
        # Both halves of a record are there once its kind and clock are.
        kind, clock = raw.records["kind"], raw.records["clock"]
        return np.where(started, _leading((kind > 0) & (clock > 0)), 0)
    # A record of clocks is stored at once, and none is zero but for one cycle in four billion.
    stored = np.zeros((raw.ctas, raw.warps), np.int64)
    for warp in range(raw.logging_warps):
        clocks = raw.clocks(warp)
        # Word by word: over so short an axis numpy takes four times as long to reduce.
        stored[:, warp] = _leading(np.logical_or.reduce([clocks[..., word] > 0 for word in range(clocks.shape[2])]))
    stored[:, raw.logging_warps :] = stored[:, raw.logging_warps - 1 : raw.logging_warps]
    return np.where(started & (raw.spans["begin"] > 0), stored.ravel(), 0)


def _has_started(raw: RawLog) -> NDArray[np.bool_]:
    """Which CTAs have their first anchor."""
    started: NDArray[np.bool_] = raw.anchors["globaltimer"][:, 0] > 0
    return started


def _leading(whole: Any) -> NDArray[np.int64]:
    """How many are true from the start of each row."""
    if not whole.shape[1]:
        return np.zeros(len(whole), np.int64)
    leading: NDArray[np.int64] = np.where(whole.all(axis=1), whole.shape[1], whole.argmin(axis=1)).astype(np.int64)
    return leading
