"""What a watched process and the server both see at any time, also once either is gone: counts of launches, which
recordings are not worth waiting for, and how often their logs were copied. shim/shim.h has the same layout."""

from __future__ import annotations

import mmap
import os

import numpy as np
from numpy.typing import NDArray

from visualizer.sources.attach.messages import memory_file

KERNELS = 4096
RECORDINGS = 4096
_DTYPE = np.dtype(
    [
        ("kernels", [("launches", "<u8"), ("captured", "<u8")], KERNELS),
        ("released", "<u4", RECORDINGS),
        ("copies", "<u4", RECORDINGS),
    ]
)


class Board:
    """The board of one process."""

    def __init__(self) -> None:
        self.fd = memory_file(size=_DTYPE.itemsize)
        self._board: NDArray[np.void] = np.frombuffer(mmap.mmap(self.fd, _DTYPE.itemsize), _DTYPE)

    def launches(self, kernel: int) -> int:
        """How often this process has launched a kernel; 0 for those beyond the board's room."""
        return int(self._board["kernels"][0, kernel]["launches"]) if kernel < KERNELS else 0

    def captured(self, kernel: int) -> int:
        """Launches that went into CUDA graphs instead of being run."""
        return int(self._board["kernels"][0, kernel]["captured"]) if kernel < KERNELS else 0

    def release(self, recording: int) -> None:
        """The process need not wait any longer for this launch."""
        self._board["released"][0, recording % RECORDINGS] = 1

    def copies(self, recording: int) -> int:
        """How often the process has copied a log out of the GPU's memory while its kernel ran."""
        return int(self._board["copies"][0, recording % RECORDINGS])

    def close_file(self) -> None:
        """Once the process has it mapped."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1
