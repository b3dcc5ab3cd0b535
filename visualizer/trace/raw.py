"""RawLog: what the instrumented kernel leaves behind, before anything is interpreted.

kernels/barrier_log.cuh writes the structs; the two must change together.

Kept apart from decoding so that a log can be saved as it came off the GPU and decoded again later.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

RECORD_DTYPE = np.dtype(
    [
        ("clock", "<u8"),  # clock64 of the SM: before an arrive or copy is issued, after a wait has passed
        ("token", "<u8"),  # the word an arrive returned to lane 0 (the state before its arrival)
        ("tile", "<u4"),  # NO_TILE: none
        ("amount", "<u4"),  # as in the event schema: arrivals, bytes, count
        ("line", "<u2"),  # line of the call in async_pipeline.cu
        ("kind", "u1"),  # EventKind
        ("stage", "u1"),  # NONE: none
        ("barrier", "u1"),  # BARRIER_FULL, BARRIER_EMPTY or 0
        ("parity", "u1"),  # NONE: none
        ("flags", "u1"),  # EventFlag.BLOCKED and EventFlag.HAS_TOKEN
        ("reserved", "u1"),
    ]
)
"""32 bytes, `struct Record` of kernels/barrier_log.cuh."""

ANCHOR_DTYPE = np.dtype(
    [
        ("clock", "<u8"),  # clock64 just after globaltimer ticked
        ("globaltimer", "<u8"),  # ns, the tick's value
        ("smid", "<u4"),
        ("uncertainty", "<u4"),  # cycles between the two clock reads that bracket the tick
    ]
)
"""24 bytes, `struct Anchor` of kernels/barrier_log.cuh: one instant on the SM's clock and on the global one."""

NO_TILE = 0xFFFFFFFF
NONE = 0xFF
BARRIER_FULL = 1
BARRIER_EMPTY = 2

STATUS_NEVER_LEFT = 0  # nothing said so: the launch failed, or logging was off
STATUS_COMPLETED = 1
STATUS_TIMED_OUT = 0x80000000  # | warp << 16 | barrier << 8 | stage of the first wait that gave up


@dataclass(frozen=True, eq=False)
class RawLog:
    """A kernel's log as it lay in device memory. Slice = cta * warps + warp."""

    records: NDArray[np.void]  # RECORD_DTYPE, shape (slices, capacity); rows beyond what was stored are garbage
    attempted: NDArray[np.uint32]  # (slices,): records the warp wanted to write, more than capacity if some were lost
    anchors: NDArray[np.void]  # ANCHOR_DTYPE, (ctas, 2): at the start and at the end of each CTA
    calibration: NDArray[np.void]  # ANCHOR_DTYPE, (n, 2): of a longer kernel that took anchors alone; n may be 0
    status: NDArray[np.uint32]  # (ctas,): STATUS_*

    @property
    def ctas(self) -> int:
        return len(self.status)

    @property
    def warps(self) -> int:
        """Warps per CTA."""
        return len(self.attempted) // max(len(self.status), 1)

    @property
    def capacity(self) -> int:
        """Records a slice has room for."""
        return int(self.records.shape[1])

    @property
    def stored(self) -> NDArray[np.int64]:
        """Records each slice holds, (slices,)."""
        return np.minimum(self.attempted.astype(np.int64), self.capacity)

    @property
    def lost(self) -> NDArray[np.int64]:
        """Records each slice had no room for, (slices,); always a slice's last ones."""
        return self.attempted.astype(np.int64) - self.stored

    def save(self, path: Path) -> None:
        """Write the arrays, uncompressed, without pickle."""
        with path.open("wb") as file:
            np.savez(file, **{field.name: getattr(self, field.name) for field in fields(self)})

    @classmethod
    def load(cls, path: Path) -> RawLog:
        """Read what `save` wrote. Raises OSError or ValueError if it is not such a file."""
        with np.load(path, allow_pickle=False) as arrays:
            missing = [field.name for field in fields(cls) if field.name not in arrays]
            if missing:
                raise ValueError(f"{path} is not a raw log: it has no {missing[0]!r} array")
            return cls(**{field.name: arrays[field.name] for field in fields(cls)})
