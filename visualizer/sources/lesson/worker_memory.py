"""Where a kernel's log lies while it runs: in device memory, fast, or in a mapped file, where it outlives a crash.

Device memory can be read while the kernel runs, but no more after a launch failure.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Protocol

import cupy
import numpy as np
from cuda.bindings import driver
from numpy.typing import NDArray

from visualizer.sources.lesson.raw_log import LogLayout, RawLog
from visualizer.sources.runner.flight import FlightFile, Layout

MAPPED = 2  # CU_MEMHOSTREGISTER_DEVICEMAP
PIECE_BYTES = 8 << 20  # of a copy made while the kernel runs


class LogMemory(Protocol):
    """Addresses for the kernel's parameters by name, and the log once the kernel is back."""

    def pointers(self) -> dict[str, int]: ...

    def log(self, calibration: NDArray[np.void]) -> RawLog: ...


class DeviceMemory:
    """The log in device memory."""

    def __init__(self, layout: LogLayout) -> None:
        self._layout = layout
        self._arrays: dict[str, Any] = {
            name: cupy.zeros(max(math.prod(shape) * dtype.itemsize, 1), dtype=cupy.uint8)
            for name, (dtype, shape) in layout.arrays().items()
        }

    def pointers(self) -> dict[str, int]:
        return {name: int(array.data.ptr) for name, array in self._arrays.items()}

    def log(self, calibration: NDArray[np.void]) -> RawLog:
        host = {
            name: cupy.asnumpy(self._arrays[name])[: math.prod(shape) * dtype.itemsize].view(dtype).reshape(shape)
            for name, (dtype, shape) in self._layout.arrays().items()
        }
        return RawLog(**host, calibration=calibration, level=self._layout.level)


class LiveReader:
    """Reads a log in device memory while its kernel runs. To be made before the launch.

    The kernel is on the legacy default stream, which all streams wait for but those that are non-blocking. Page-locking
    memory may wait for a kernel as well, so what the copies go through is had beforehand.
    """

    def __init__(self, memory: DeviceMemory, layout: Layout[RawLog]) -> None:
        self._pointers = memory.pointers()
        self._sizes = {name: math.prod(shape) * dtype.itemsize for name, (dtype, shape) in layout.arrays().items()}
        self._stream = cupy.cuda.Stream(non_blocking=True)
        size = min(PIECE_BYTES, max(self._sizes.values()))
        self._staging = np.frombuffer(cupy.cuda.alloc_pinned_memory(size), np.uint8, size)

    def __call__(self, name: str) -> Iterator[NDArray[np.uint8]]:
        """The bytes of an array in pieces, each good until the next."""
        runtime, pointer, size = cupy.cuda.runtime, self._pointers[name], self._sizes[name]
        for begin in range(0, size, PIECE_BYTES):
            piece = self._staging[: min(PIECE_BYTES, size - begin)]
            runtime.memcpyAsync(
                piece.ctypes.data, pointer + begin, len(piece), runtime.memcpyDeviceToHost, self._stream.ptr
            )
            self._stream.synchronize()
            yield piece


class MappedMemory:
    """The log in a file that the driver maps for the GPU."""

    def __init__(self, file: FlightFile[RawLog]) -> None:
        self._file = file
        self._memory = file.create()
        address = self._memory.ctypes.data
        _succeed(*driver.cuMemHostRegister(address, file.size, MAPPED))
        (base,) = _succeed(*driver.cuMemHostGetDevicePointer(address, 0))
        self._base = int(base)

    def pointers(self) -> dict[str, int]:
        offsets = self._file.offsets()
        return {name: self._base + offset for name, offset in offsets.items() if name != "end"}

    def log(self, calibration: NDArray[np.void]) -> RawLog:
        raw = self._file.read()
        _succeed(*driver.cuMemHostUnregister(self._memory.ctypes.data))
        if raw is None:
            raise RuntimeError("the kernel came back without having started")
        return replace(raw, calibration=calibration)


def _succeed(error: Any, *values: Any) -> tuple[Any, ...]:
    if error != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(f"the driver cannot map the log for the GPU: {error.name}")
    return values
