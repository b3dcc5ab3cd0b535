"""The word probe's part in a launch: what it looks at, and device memory of its own behind a constant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cupy
import numpy as np

from visualizer.sources.lesson.word_probe import COUNT_DTYPE, RUN_DTYPE, ProbeMode, RawProbe

PARAMS_DTYPE = np.dtype(
    [("runs", "<u8"), ("counts", "<u8"), ("capacity", "<u4"), ("chosen", "<u4"), ("arrivals", "<u4"), ("pad", "<u4")]
)
"""struct ProbeParams of kernels/word_probe.cuh, field by field. `arrivals` stays 0."""


@dataclass(frozen=True, slots=True)
class Probing:
    """How a kernel's probe looks, if it has one."""

    mode: ProbeMode
    barriers: int = 0  # bit i: at barrier i of each CTA
    capacity: int = 0  # runs of equal samples each barrier has room for

    @property
    def on(self) -> bool:
        return self.mode != "off"


NO_PROBE = Probing("off")


class ProbeMemory:
    """What the probe of the next launch of `module` writes to."""

    def __init__(self, module: Any, ctas: int, barriers: int, probing: Probing) -> None:
        self._shape = (ctas, barriers)
        self._capacity = capacity = probing.capacity
        slices = ctas * barriers
        self._runs = cupy.empty(max(slices * capacity, 1) * RUN_DTYPE.itemsize, dtype=cupy.uint8)
        self._counts = cupy.zeros(slices * COUNT_DTYPE.itemsize, dtype=cupy.uint8)
        params = np.zeros((), PARAMS_DTYPE)
        params["runs"], params["counts"] = self._runs.data.ptr, self._counts.data.ptr
        params["capacity"], params["chosen"] = capacity, probing.barriers
        module.get_global("probe_params").copy_from_host(params.ctypes.data, PARAMS_DTYPE.itemsize)

    def read(self) -> RawProbe:
        """What the probe of a kernel that came back saw; only the runs that were stored are copied."""
        counts = cupy.asnumpy(self._counts).view(COUNT_DTYPE).reshape(self._shape)
        size = self._capacity * RUN_DTYPE.itemsize
        stored = np.minimum(counts["runs"], self._capacity).reshape(-1).tolist()
        parts = [
            cupy.asnumpy(self._runs[row * size : row * size + kept * RUN_DTYPE.itemsize]).view(RUN_DTYPE)
            for row, kept in enumerate(stored)
            if kept
        ]
        return RawProbe(np.concatenate(parts) if parts else np.zeros(0, RUN_DTYPE), counts, self._capacity)
