"""RawProbe: what the word probe leaves behind, before anything is interpreted. Beside the log, not part of it.

kernels/word_probe.cuh writes the structs; the two must change together.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

ProbeMode = Literal["off", "words", "flips"]
PROBES: tuple[ProbeMode, ...] = ("off", "words", "flips")
"""By their number in the kernel, -DPHASESCOPE_PROBE."""

RUN_DTYPE = np.dtype(
    [
        ("seen", "<u8"),  # clock64 of the SM after the run's first sample
        ("span", "<i4"),  # cycles from there to the clock before its last sample; negative if that is the same one
        ("state", "<u4"),  # bits 63..32 of the word
    ]
)
"""16 bytes, `struct ProbeRun`: samples of one barrier, one after the other, that all showed the same."""

COUNT_DTYPE = np.dtype([("runs", "<u4"), ("samples", "<u4")])
"""`struct ProbeCount`: runs wanted, more than the capacity if some were lost; samples taken."""


@dataclass(frozen=True, eq=False)
class RawProbe:
    """The runs of each barrier, one barrier after the other; within a CTA full[0], full[1], ..., empty[0], ..."""

    runs: NDArray[np.void]  # RUN_DTYPE, (n,): those that were stored
    counts: NDArray[np.void]  # COUNT_DTYPE, (ctas, barriers of a CTA); 0 samples: the barrier was not chosen
    capacity: int  # runs each barrier had room for

    @property
    def stored(self) -> NDArray[np.int64]:
        """Runs of each barrier, (ctas, barriers of a CTA)."""
        return np.minimum(self.counts["runs"].astype(np.int64), self.capacity)

    @property
    def lost(self) -> int:
        """Runs there was no room for; always the last ones of a barrier."""
        return int((self.counts["runs"].astype(np.int64) - self.stored).sum())

    def save(self, path: Path) -> None:
        """Write the arrays, uncompressed, without pickle."""
        with path.open("wb") as file:
            np.savez(file, runs=self.runs, counts=self.counts, capacity=np.array(self.capacity))

    @classmethod
    def load(cls, path: Path) -> RawProbe:
        """Read what `save` wrote. Raises OSError or ValueError if it is not such a file."""
        with np.load(path, allow_pickle=False) as arrays:
            return cls(arrays["runs"], arrays["counts"], int(arrays["capacity"]))
