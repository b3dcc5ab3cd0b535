"""The flight recorder: the log in a file that another process can read while the kernel runs.

Either the GPU writes it: the worker registers a mapping of the file with the driver, so records reach it over the bus
as they are made. They are there while a kernel hangs, after a launch failure - when device memory can no longer be read
- and after the worker was killed [measured on H200]. That needs a file of a memory file system, which the driver can
map; not the shared memory of multiprocessing, which is unlinked with its worker. Or the log is in device memory, and
the worker copies it to the file now and then: mirror.py. Pure numpy: the launcher reads with this too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.trace.raw import ANCHOR_DTYPE, TILE_WORDS, LogLayout, RawLog

COPIES_BYTES = 8
_ALIGNMENT = 256


@dataclass(frozen=True, slots=True)
class FlightFile:
    """Where each array of a RawLog lies in the file."""

    path: Path
    layout: LogLayout
    copied: bool = False  # by the worker, now and then; else the GPU writes it

    @property
    def size(self) -> int:
        """Bytes of the whole file."""
        return self.offsets()["end"] + COPIES_BYTES

    def offsets(self) -> dict[str, int]:
        """The byte at which each array starts, and "end", behind them: there is the number of copies made."""
        offsets, end = {}, 0
        for name, (dtype, shape) in self.layout.arrays().items():
            offsets[name] = end
            end = -(-(end + math.prod(shape) * dtype.itemsize) // _ALIGNMENT) * _ALIGNMENT
        return {**offsets, "end": end}

    def create(self) -> np.memmap[tuple[int], np.dtype[np.uint8]]:
        """Make the file, all zeros, and map it."""
        return np.memmap(self.path, dtype=np.uint8, mode="w+", shape=(self.size,))

    def save_calibration(self, anchors: NDArray[np.void]) -> None:
        """Keep the clock anchors taken before the launch: after a crash none can be taken."""
        np.save(self._calibration, anchors, allow_pickle=False)

    def copies(self) -> int:
        """Whole copies of the log that the worker has made by now; 0 where the GPU writes it."""
        memory = self._map()
        return 0 if memory is None else int.from_bytes(memory[-COPIES_BYTES:].tobytes(), "little")

    def events_so_far(self) -> int:
        """Records written by now; 0 before the worker has made the file."""
        memory = self._map()
        return 0 if memory is None else int(self._stored(self._view(memory)).sum())

    def mark(self) -> int:
        """A number that changes with every record: in a ring that is full, all that shows that records still come."""
        memory = self._map()
        return 0 if memory is None else int(self._view(memory).records.view(np.uint32).sum(dtype=np.uint64))

    def read(self) -> RawLog | None:
        """What the file holds now; None if no CTA has started, or none is known to have.

        Slices of warps that never left end where they stand.
        """
        memory = self._map()
        if memory is None:
            return None
        # A copy, so that it stays as it is while the kernel goes on.
        raw = self._view(memory.copy())
        if not _has_started(raw).any():
            return None
        attempted = np.where(raw.attempted > 0, raw.attempted, self._stored(raw)).astype(np.uint32)
        return replace(raw, attempted=attempted)

    @property
    def _calibration(self) -> Path:
        return self.path.with_suffix(".calibration.npy")

    def _read_calibration(self) -> NDArray[np.void]:
        if not self._calibration.exists():
            return np.zeros((0, 2), dtype=ANCHOR_DTYPE)
        anchors: NDArray[np.void] = np.load(self._calibration, allow_pickle=False)
        return anchors

    def _map(self) -> np.memmap[tuple[int], np.dtype[np.uint8]] | None:
        try:
            if self.path.stat().st_size < self.size:
                return None
        except FileNotFoundError:
            return None
        return np.memmap(self.path, dtype=np.uint8, mode="r", shape=(self.size,))

    def _view(self, memory: NDArray[np.uint8]) -> RawLog:
        offsets = self.offsets()
        arrays = {
            name: np.frombuffer(memory, dtype, math.prod(shape), offsets[name]).reshape(shape)
            for name, (dtype, shape) in self.layout.arrays().items()
        }
        return RawLog(**arrays, calibration=self._read_calibration(), level=self.layout.level)

    @staticmethod
    def _stored(raw: RawLog) -> NDArray[np.int64]:
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
    has_started: NDArray[np.bool_] = raw.anchors["globaltimer"][:, 0] > 0
    return has_started


def _leading(whole: Any) -> NDArray[np.int64]:
    """How many are true from the start of each row."""
    if not whole.shape[1]:
        return np.zeros(len(whole), np.int64)
    leading: NDArray[np.int64] = np.where(whole.all(axis=1), whole.shape[1], whole.argmin(axis=1)).astype(np.int64)
    return leading
