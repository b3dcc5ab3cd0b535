"""The flight recorder: the log in a file that another process can read while the kernel runs.

Either the GPU writes it: the worker registers a mapping of the file with the driver, so records reach it over the bus
as they are made. They are there while a kernel hangs, after a launch failure - when device memory can no longer be read
- and after the worker was killed [measured on H200]. That needs a file of a memory file system, which the driver can
map; not the shared memory of multiprocessing, which is unlinked with its worker. Or the log is in device memory, and
the worker copies it to the file now and then: mirror.py. Pure numpy: the launcher reads with this too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

COPIES_BYTES = 8
_ALIGNMENT = 256


Log = TypeVar("Log")
LogRead = TypeVar("LogRead", covariant=True)
Arrays = Mapping[str, NDArray[Any]]


class Layout(Protocol[LogRead]):
    """How a log lies in memory, and what of it can be trusted while its kernel runs."""

    def arrays(self) -> Mapping[str, tuple[np.dtype[Any], tuple[int, ...]]]:
        """Name, dtype and shape of each array the kernel writes; the first holds the records, others say how many."""

    def written(self, arrays: Arrays) -> int:
        """Records written by now."""

    def so_far(self, arrays: Arrays, calibration: NDArray[np.void] | None) -> LogRead | None:
        """The log as far as it is whole; None if no CTA has started, or none is known to have."""


@dataclass(frozen=True, slots=True)
class FlightFile(Generic[Log]):
    """Where each array of a log lies in the file."""

    path: Path
    layout: Layout[Log]
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
        return 0 if memory is None else self.layout.written(self._view(memory))

    def mark(self) -> int:
        """A number that changes with every record: in a ring that is full, all that shows that records still come."""
        memory = self._map()
        if memory is None:
            return 0
        records = next(iter(self._view(memory).values()))
        return int(records.view(np.uint32).sum(dtype=np.uint64))

    def read(self) -> Log | None:
        """What the file holds now; None if no CTA has started, or none is known to have."""
        memory = self._map()
        if memory is None:
            return None
        # A copy, so that it stays as it is while the kernel goes on.
        return self.layout.so_far(self._view(memory.copy()), self._read_calibration())

    @property
    def _calibration(self) -> Path:
        return self.path.with_suffix(".calibration.npy")

    def _read_calibration(self) -> NDArray[np.void] | None:
        if not self._calibration.exists():
            return None
        anchors: NDArray[np.void] = np.load(self._calibration, allow_pickle=False)
        return anchors

    def _map(self) -> np.memmap[tuple[int], np.dtype[np.uint8]] | None:
        try:
            if self.path.stat().st_size < self.size:
                return None
        except FileNotFoundError:
            return None
        return np.memmap(self.path, dtype=np.uint8, mode="r", shape=(self.size,))

    def _view(self, memory: NDArray[np.uint8]) -> Arrays:
        offsets = self.offsets()
        return {
            name: np.frombuffer(memory, dtype, math.prod(shape), offsets[name]).reshape(shape)
            for name, (dtype, shape) in self.layout.arrays().items()
        }
