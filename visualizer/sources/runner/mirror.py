"""Copies a log out of device memory while its kernel runs, so that a kernel that hangs there loses nothing.

A kernel of ordinary length is never disturbed: the first copy is made once it has run for a second. No CUDA here: how
the arrays are read is handed in.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.sources.runner.flight import COPIES_BYTES, FlightFile

COPY_EVERY_S = 1.0
"""Least time from the launch to the first copy, and from one copy to the next."""
REST = 10
"""So many times as long as a copy took the kernel has bus and memory for itself before the next one."""

ReadArray = Callable[[str], Iterable[NDArray[np.uint8]]]
"""The bytes of an array of the log by its name, in pieces; each may be overwritten once the next is asked for."""


class Mirror:
    """Make it right before the launch and call it often; now and then it copies the log to the file."""

    def __init__(self, file: FlightFile[Any], read: ReadArray, clock: Callable[[], float] = time.monotonic) -> None:
        self._file = file
        self._read = read
        self._clock = clock
        self._copies = 0
        self._due = clock() + COPY_EVERY_S

    def __call__(self) -> None:
        begin = self._clock()
        if begin < self._due:
            return
        # No room for the file is no reason to end the kernel; what an earlier copy left there stays sound.
        with contextlib.suppress(OSError):
            self._copy()
        end = self._clock()
        self._due = end + max(COPY_EVERY_S, REST * (end - begin))

    def _copy(self) -> None:
        """Copy everything once. Meanwhile the kernel goes on, the file may be read, and this process may be ended.

        The other arrays say how many records there are and who has left, so they must never be newer than the records:
        they are read off the GPU before these, and written to the file behind them. Then a record that is claimed is
        there, and one that came later merely counts as the last of a warp that still runs.
        """
        offsets, end = self._file.offsets(), self._file.size
        records, *others = self._file.layout.arrays()
        behind = offsets[others[0]]
        claims = np.zeros(end - behind, np.uint8)
        for name in others:
            _fill(claims[offsets[name] - behind :], self._read(name))
        claims[-COPIES_BYTES:] = np.frombuffer((self._copies + 1).to_bytes(COPIES_BYTES, "little"), np.uint8)
        with self._file.path.open("r+b" if self._copies else "w+b") as file:
            file.truncate(end)
            for piece in self._read(records):
                file.write(piece.data)
            file.seek(behind)
            file.write(claims.data)
        self._copies += 1


def _fill(array: NDArray[np.uint8], pieces: Iterable[NDArray[np.uint8]]) -> None:
    begin = 0
    for piece in pieces:
        array[begin : begin + len(piece)] = piece
        begin += len(piece)
