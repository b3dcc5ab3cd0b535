"""Where a kernel's log lies while it runs: in device memory, fast, or in a mapped file, where it outlives a crash."""

from __future__ import annotations

from typing import Any, Protocol

import cupy
import numpy as np
from cuda.bindings import driver
from numpy.typing import NDArray

from visualizer.sources.gpu.flight import FlightFile
from visualizer.trace.raw import ANCHOR_DTYPE, RECORD_DTYPE, RawLog

MAPPED = 2  # CU_MEMHOSTREGISTER_DEVICEMAP


class LogMemory(Protocol):
    """Addresses for the kernel's parameters by name, and the log once the kernel is back."""

    def pointers(self) -> dict[str, int]: ...

    def log(self, calibration: NDArray[np.void]) -> RawLog: ...


class DeviceMemory:
    """The log in device memory; nothing of it can be read after a launch failure."""

    def __init__(self, slices: int, capacity: int, ctas: int) -> None:
        self._shape = (slices, capacity)
        self._arrays: dict[str, Any] = {
            "records": cupy.empty(slices * max(capacity, 1) * RECORD_DTYPE.itemsize, dtype=cupy.uint8),
            "attempted": cupy.zeros(slices, dtype=cupy.uint32),
            "anchors": cupy.zeros(ctas * 2 * ANCHOR_DTYPE.itemsize, dtype=cupy.uint8),
            "status": cupy.zeros(ctas, dtype=cupy.uint32),
        }

    def pointers(self) -> dict[str, int]:
        return {name: int(array.data.ptr) for name, array in self._arrays.items()}

    def log(self, calibration: NDArray[np.void]) -> RawLog:
        host = {name: cupy.asnumpy(array) for name, array in self._arrays.items()}
        slices, capacity = self._shape
        return RawLog(
            records=host["records"].view(RECORD_DTYPE).reshape(slices, -1)[:, :capacity],
            attempted=host["attempted"],
            anchors=host["anchors"].view(ANCHOR_DTYPE).reshape(-1, 2),
            calibration=calibration,
            status=host["status"],
        )


class MappedMemory:
    """The log in a file that the driver maps for the GPU."""

    def __init__(self, file: FlightFile) -> None:
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
        return RawLog(raw.records, raw.attempted, raw.anchors, calibration, raw.status)


def _succeed(error: Any, *values: Any) -> tuple[Any, ...]:
    if error != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(f"the driver cannot map the log for the GPU: {error.name}")
    return values
