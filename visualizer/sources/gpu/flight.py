"""The flight recorder: the log in a file, which the GPU writes and another process can read meanwhile.

The worker registers a mapping of the file with the driver, so records reach it over the bus as they are made. They are
there while a kernel hangs, after a launch failure - when device memory can no longer be read - and after the worker was
killed [measured on H200]. A file of a memory file system, which the driver can map; not the shared memory of
multiprocessing, which is unlinked with its worker. Pure numpy: the launcher reads with this too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.trace.raw import ANCHOR_DTYPE, RECORD_DTYPE, RawLog

_ALIGNMENT = 256


@dataclass(frozen=True, slots=True)
class FlightFile:
    """Where each array of a RawLog lies in the file. `capacity` is in records per slice."""

    path: Path
    slices: int
    capacity: int
    ctas: int

    @property
    def size(self) -> int:
        """Bytes of the whole file."""
        return self.offsets()["end"]

    def offsets(self) -> dict[str, int]:
        """The byte at which each array starts, and "end"."""
        sizes = {
            "records": self.slices * self.capacity * RECORD_DTYPE.itemsize,
            "attempted": self.slices * 4,
            "anchors": self.ctas * 2 * ANCHOR_DTYPE.itemsize,
            "status": self.ctas * 4,
        }
        offsets, end = {}, 0
        for name, size in sizes.items():
            offsets[name] = end
            end = -(-(end + size) // _ALIGNMENT) * _ALIGNMENT
        return {**offsets, "end": end}

    def create(self) -> np.memmap[tuple[int], np.dtype[np.uint8]]:
        """Make the file, all zeros, and map it."""
        return np.memmap(self.path, dtype=np.uint8, mode="w+", shape=(self.size,))

    def save_calibration(self, anchors: NDArray[np.void]) -> None:
        """Keep the clock anchors taken before the launch: after a crash none can be taken."""
        np.save(self._calibration, anchors, allow_pickle=False)

    def events_so_far(self) -> int:
        """Records written by now; 0 before the worker has made the file."""
        memory = self._map()
        return 0 if memory is None else int(self._stored(self._records(memory)).sum())

    def latest_clock(self) -> int:
        """The latest record's clock: in a ring that is full, all that shows that records still come."""
        memory = self._map()
        return 0 if memory is None else int(self._records(memory)["clock"].max(initial=0))

    def read(self) -> RawLog | None:
        """What the file holds now; None if no CTA has started. Slices of warps that never left end where they stand."""
        memory = self._map()
        if memory is None:
            return None
        offsets = self.offsets()
        records = self._records(memory).copy()
        anchors = _array(memory, offsets["anchors"], ANCHOR_DTYPE, (self.ctas, 2))
        if not (anchors["globaltimer"][:, 0] > 0).any():
            return None
        attempted = _array(memory, offsets["attempted"], np.dtype(np.uint32), (self.slices,))
        return RawLog(
            records=records,
            attempted=np.where(attempted > 0, attempted, self._stored(records)).astype(np.uint32),
            anchors=anchors,
            calibration=self._read_calibration(),
            status=_array(memory, offsets["status"], np.dtype(np.uint32), (self.ctas,)),
        )

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

    def _records(self, memory: NDArray[np.uint8]) -> NDArray[np.void]:
        count = self.slices * self.capacity
        return np.frombuffer(memory, dtype=RECORD_DTYPE, count=count).reshape(self.slices, self.capacity)

    @staticmethod
    def _stored(records: NDArray[np.void]) -> NDArray[np.int64]:
        """Whole records at the start of each slice: both halves of a record are there once its kind and clock are."""
        whole = (records["kind"] > 0) & (records["clock"] > 0)
        stored: NDArray[np.int64] = np.where(whole.all(axis=1), records.shape[1], whole.argmin(axis=1)).astype(np.int64)
        return stored


def _array(memory: NDArray[np.uint8], offset: int, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """A copy of one array of the file, so that it stays as it is while the kernel goes on."""
    return np.frombuffer(memory, dtype=dtype, count=math.prod(shape), offset=offset).reshape(shape).copy()
