"""RawLog: what the instrumented kernel leaves behind, before anything is interpreted.

kernels/barrier_log.cuh and clock_log.cuh write it; they and this must change together. docs/trace-format.md says what
each level holds.

Kept apart from decoding so that a log can be saved as it came off the GPU and decoded again later.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from visualizer.language import tr

LogLevel = Literal["off", "phases", "standard", "full", "words"]
LOG_LEVELS: tuple[LogLevel, ...] = ("off", "phases", "standard", "full", "words")
"""What a kernel logs, from nothing to everything with the barriers' words; the index is the macro PHASESCOPE_LOG."""

TILE_WORDS: dict[LogLevel, tuple[int, int]] = {"phases": (1, 1), "standard": (2, 1), "full": (4, 2)}
"""32-bit clocks that the producer and a consumer warp keep of a tile, at the levels that keep clocks."""

CAPACITY_STEP = 4
"""Records of clocks that a warp has room for come in fours, so that every warp's are aligned for 16-byte stores."""

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

SPAN_DTYPE = np.dtype(
    [
        ("begin", "<u8"),  # clock64 as its loop over the tiles begins
        ("end", "<u8"),  # as it leaves the kernel; 0: it has not
        ("timeout", "<u8"),  # as its wait gave up; 0: none did
        ("begun", "<u4"),  # low half of the clock as that wait began, or as its loop ended
        ("reserved", "<u4"),
    ]
)
"""32 bytes, `struct Span` of kernels/barrier_log.cuh: what a warp keeps beside its records of clocks."""

NO_TILE = 0xFFFFFFFF
NONE = 0xFF
BARRIER_FULL = 1
BARRIER_EMPTY = 2

STATUS_NEVER_LEFT = 0  # nothing said so: the launch failed, or logging was off
STATUS_COMPLETED = 1
STATUS_TIMED_OUT = 0x80000000  # | warp << 16 | barrier << 8 | stage of the first wait that gave up


@dataclass(frozen=True, slots=True)
class LogLayout:
    """How large a kernel's log is. `capacity`: records each warp has room for, of events (words) or of tiles."""

    level: LogLevel
    ctas: int
    warps: int  # per CTA
    capacity: int

    @property
    def logging_warps(self) -> int:
        """Warps of a CTA with room for records: at level `phases` the first consumer speaks for the others."""
        return min(self.warps, 2) if self.level == "phases" else self.warps

    @property
    def size(self) -> int:
        """Bytes of all arrays."""
        return sum(math.prod(shape) * dtype.itemsize for dtype, shape in self.arrays().values())

    def arrays(self) -> dict[str, tuple[np.dtype[Any], tuple[int, ...]]]:
        """Name, dtype and shape of each array the kernel writes."""
        slices = self.ctas * self.warps
        records: tuple[np.dtype[Any], tuple[int, ...]] = (RECORD_DTYPE, (slices, self.capacity))
        if self.level in TILE_WORDS:
            producer, consumer = TILE_WORDS[self.level]
            words = (producer + consumer * (self.logging_warps - 1)) * self.capacity
            records = (np.dtype("<u4"), (self.ctas, words))
        return {
            "records": records,
            "attempted": (np.dtype(np.uint32), (slices,)),
            "spans": (SPAN_DTYPE, (slices,)),
            "anchors": (ANCHOR_DTYPE, (self.ctas, 2)),
            "status": (np.dtype(np.uint32), (self.ctas,)),
        }


def _no_spans() -> NDArray[np.void]:
    return np.zeros(0, dtype=SPAN_DTYPE)


@dataclass(frozen=True, eq=False)
class RawLog:
    """A kernel's log as it lay in device memory. Slice = cta * warps + warp; rows beyond what was stored are garbage.

    `records` at level `words`: RECORD_DTYPE, (slices, capacity). At the levels of clocks: uint32, (ctas, words), each
    CTA's producer first, (capacity, words), then its consumer warps, (warps, capacity, words); see `clocks`.
    """

    records: NDArray[Any]
    attempted: NDArray[np.uint32]  # (slices,): records the warp wanted to write, more than capacity if some were lost
    anchors: NDArray[np.void]  # ANCHOR_DTYPE, (ctas, 2): at the start and at the end of each CTA
    calibration: NDArray[np.void]  # ANCHOR_DTYPE, (n, 2): of a longer kernel that took anchors alone; n may be 0
    status: NDArray[np.uint32]  # (ctas,): STATUS_*
    level: LogLevel = "words"
    spans: NDArray[np.void] = field(default_factory=_no_spans)  # SPAN_DTYPE, (slices,); level `words` has none

    @property
    def ctas(self) -> int:
        return len(self.status)

    @cached_property
    def warps(self) -> int:
        """Warps per CTA."""
        return len(self.attempted) // max(len(self.status), 1)

    @cached_property
    def logging_warps(self) -> int:
        """Warps per CTA that have records."""
        return LogLayout(self.level, self.ctas, self.warps, 0).logging_warps

    @property
    def capacity(self) -> int:
        """Records a slice has room for."""
        if self.level not in TILE_WORDS:
            return int(self.records.shape[1])
        producer, consumer = TILE_WORDS[self.level]
        return int(self.records.shape[1]) // (producer + consumer * (self.logging_warps - 1))

    def clocks(self, warp: int) -> NDArray[np.uint32]:
        """The records of this warp of every CTA, (ctas, capacity, words of a tile): a view. Levels of clocks only."""
        producer, consumer = TILE_WORDS[self.level]
        words = consumer if warp else producer
        begin = (producer + consumer * (warp - 1)) * self.capacity if warp else 0
        rows = self.records[:, begin : begin + words * self.capacity]
        return rows.reshape(self.ctas, self.capacity, words)

    def consumer_clocks(self, cta: int) -> NDArray[np.uint32]:
        """The records of a CTA's consumer warps, (warps, capacity, words of a tile): a view."""
        producer, consumer = TILE_WORDS[self.level]
        return self.records[cta, producer * self.capacity :].reshape(self.logging_warps - 1, self.capacity, consumer)

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
            missing = [
                name for name in ("records", "attempted", "anchors", "calibration", "status") if name not in arrays
            ]
            if missing:
                raise ValueError(
                    tr("{path} is not a raw log: it has no {missing!r} array", path=path, missing=missing[0])
                )
            found = {field.name: arrays[field.name] for field in fields(cls) if field.name in arrays}
        if "level" in found:
            found["level"] = str(found["level"])
        return cls(**found)
