"""The contract between an instrumented kernel, whoever launches it, and whoever reads its log.

A twin - a kernel's entry with its sites instrumented, in a module of its own - finds its control block, a `.const`
named `phasescope_control`, written before the launch, and writes into one buffer. What is where in that buffer is
`LogLayout`'s business alone. Whoever launches

1. takes `layout.nbytes` bytes the GPU can write, at any address: device memory, or host memory mapped for the GPU;
2. makes them zero and puts `layout.table()` at their beginning;
3. writes `layout.control(address)` into `phasescope_control` of the twin's module;
4. launches, and gives the buffer's bytes, whole or as they are while the kernel runs, to `read_log`.

Every lane that acts has a *stream* of its own in the buffer, so nothing is shared, counted by atomics or waited for:
`layout.records` records of 16 bytes, each written by one aligned 16-byte store, and behind them a row that counts
what had no room. A record that is not there yet is zero, and no record is: its site is 1 or more. So what was written
of a stream is what comes before its first zero, at any time and also after a crash.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from visualizer.language import tr
from visualizer.sources.errors import SourceError

CONTROL_SYMBOL = "phasescope_control"

Level = Literal["waits", "barriers", "all"]
"""What is recorded: who waits where; every mbarrier operation and copy besides; barriers, groups and fences besides."""
LEVELS: tuple[Level, ...] = ("waits", "barriers", "all")

Triple = tuple[int, int, int]

CONTROL_DTYPE = np.dtype(
    [
        ("log", "<u8"),  # address of the row before the first stream, a multiple of `stream`
        ("slots", "<u8"),  # address of the slot table: u32 by linear CTA id, NOT_RECORDED or the CTA's slot
        ("headers", "<u8"),  # address of the headers
        ("lanes", "<u4"),  # bit mask of the lanes with streams
        ("warps", "<u4"),  # of a CTA
        ("stream", "<u4"),  # bytes of a stream with its last row, a power of two
        ("again", "<u4"),  # bytes to go back at a stream's end: 0 where the first records are kept
        ("spare", "<u4", 6),
    ]
)
"""64 bytes, `phasescope_control`."""

NOT_RECORDED = 0xFFFFFFFF

RECORD_DTYPE = np.dtype(
    [
        ("clock", "<u4"),  # low half of the SM's clock, right after the instruction; of a copy or arrive, right before
        ("word", "<u4"),  # site << 8 | how many lanes acted as one
        ("address", "<u4"),  # in shared memory, cluster form: CTA rank << 24 | offset
        ("value", "<u4"),  # what the site's form says: parity and cycles, bytes, count, destination
    ]
)
"""16 bytes. A site that has more to say writes further records right behind, each with a `word` of a site of its own,
and numbers in the other three places: `Site.more`."""

SITE_SHIFT = 8
MOST_SITES = (1 << 24) - 1
LANES_MASK = 0xFF

HEADER_DTYPE = np.dtype(
    [
        ("start_clock", "<u8"),  # clock64 as the warp began, right after the global timer ticked
        ("start_time", "<u8"),  # globaltimer then, ns
        ("exit_clock", "<u8"),  # as it left, both 0: it has not
        ("exit_time", "<u8"),
        ("cta", "<u4"),  # linear id in the grid, + 1; 0: the warp has not begun
        ("cluster", "<u4"),  # the CTA's rank | CTAs of the cluster in x << 8, in y << 16, in z << 24
        ("smid", "<u4"),
        ("spread", "<u4"),  # cycles between the two reads of the clock around the tick of the start
        ("parameters", "<u8"),  # generic address of the entry's first parameter; 0: not asked for
        ("exit_spread", "<u4"),
        ("spare", "<u4"),
    ]
)
"""64 bytes, one per warp of a recorded CTA, written as it begins and as it leaves: a pair of clocks at each end."""

_ROW = RECORD_DTYPE.itemsize
_ALIGNED = 256
"""What buffers are aligned to within the log; CUDA's own allocations are too."""
MOST_BYTES = 1 << 32


class Keep(IntEnum):
    """What a stream that is full does with the next record."""

    FIRST = 0  # counts it
    LAST = 1  # begins again


@dataclass(frozen=True)
class Launch:
    """The shape of a launch: CTAs in x, y and z, threads of a CTA, CTAs of a cluster."""

    grid: Triple
    block: Triple
    cluster: Triple = (1, 1, 1)

    @property
    def ctas(self) -> int:
        return math.prod(self.grid)

    @property
    def warps(self) -> int:
        """Warps of a CTA."""
        return -(-math.prod(self.block) // 32)


@dataclass(frozen=True)
class LogLayout:
    """Where everything is in the buffer of one launch. SourceError if it would need 4 GiB or more, or a lane is none.

    `recorded`: linear ids of the CTAs to record; None: all. `room`: records a lane has room for at least; the room it
    gets is `records`. `lanes`: those that have room; the records of others are counted as lost.
    """

    launch: Launch
    room: int = 1024
    keep: Keep = Keep.FIRST
    recorded: tuple[int, ...] | None = None
    lanes: tuple[int, ...] = tuple(range(32))

    def __post_init__(self) -> None:
        if (
            not self.lanes
            or sorted(set(self.lanes)) != list(self.lanes)
            or not 0 <= self.lanes[0] <= self.lanes[-1] < 32
        ):
            raise SourceError(tr("lanes are some of 0 to 31, ascending, not {lanes}", lanes=list(self.lanes)))
        outside = [cta for cta in self.recorded or () if not 0 <= cta < self.launch.ctas]
        if outside:
            raise SourceError(
                tr(
                    "CTA {cta} is to be recorded, and the launch has CTAs 0 to {last}",
                    cta=outside[0],
                    last=self.launch.ctas - 1,
                )
            )
        if self.nbytes >= MOST_BYTES:
            raise SourceError(
                tr(
                    "a log of {gib:.1f} GiB is too large: record fewer CTAs, or fewer records a warp",
                    gib=self.nbytes / 2**30,
                )
            )

    @cached_property
    def slots(self) -> int:
        """CTAs that are recorded."""
        return self.launch.ctas if self.recorded is None else len(set(self.recorded))

    @cached_property
    def rows(self) -> int:
        """Rows of 16 bytes of a stream, a power of two: its records and the row that counts the others."""
        return max(16, 1 << self.room.bit_length())

    @property
    def records(self) -> int:
        """Records a stream has room for."""
        return self.rows - 1

    @property
    def streams(self) -> int:
        """By slot, then warp, then lane as `lanes` lists them."""
        return self.slots * self.launch.warps * len(self.lanes)

    @property
    def nbytes(self) -> int:
        """Bytes of the buffer."""
        return self._streams_at + (self.rows + self.streams * self.rows + 1) * _ROW

    @property
    def _headers_at(self) -> int:
        return -(-self.launch.ctas * 4 // _ALIGNED) * _ALIGNED

    @property
    def _streams_at(self) -> int:
        """Where the streams begin at the earliest; they are aligned to their own size, so up to that much later."""
        return self._headers_at + self.slots * self.launch.warps * HEADER_DTYPE.itemsize

    def _first_row(self, address: int) -> int:
        """Bytes from the buffer's beginning to the row before the first stream."""
        size = self.rows * _ROW
        return -(-(address + self._streams_at) // size) * size - address

    def table(self) -> bytes:
        """The slot table, which the buffer begins with: u32 by linear CTA id."""
        table = np.full(self.launch.ctas, NOT_RECORDED, "<u4")
        recorded = slice(None) if self.recorded is None else sorted(set(self.recorded))
        table[recorded] = np.arange(self.slots)
        return table.tobytes()

    def control(self, address: int) -> bytes:
        """The control block of a buffer that the GPU sees at `address`, a multiple of 256."""
        control = np.zeros((), CONTROL_DTYPE)
        control["log"] = address + self._first_row(address)
        control["slots"] = address
        control["headers"] = address + self._headers_at
        control["lanes"] = sum(1 << lane for lane in self.lanes)
        control["warps"] = self.launch.warps
        control["stream"] = self.rows * _ROW
        control["again"] = self.records * _ROW if self.keep is Keep.LAST else 0
        return control.tobytes()


@dataclass(frozen=True, eq=False)
class Log:
    """A log taken apart; views of the buffer, copied nowhere."""

    layout: LogLayout
    headers: NDArray[np.void]  # (slots, warps), HEADER_DTYPE
    records: NDArray[np.void]  # (slots, warps, lanes, records), RECORD_DTYPE
    beyond: NDArray[
        np.uint32
    ]  # (slots, warps, lanes): records without room; where the last are kept, times begun again
    not_recorded: int  # records of lanes without a stream, all warps together


def read_log(layout: LogLayout, buffer: bytes | memoryview | NDArray[np.uint8], address: int) -> Log:
    """Take apart the bytes of the buffer that the GPU saw at `address`."""
    content = np.frombuffer(buffer, np.uint8)
    shape = (layout.slots, layout.launch.warps)
    headers = content[layout._headers_at :][: math.prod(shape) * HEADER_DTYPE.itemsize].view(HEADER_DTYPE)
    first = layout._first_row(address)
    before = content[first : first + _ROW].view("<u4")
    streams = content[first + _ROW :][: layout.streams * layout.rows * _ROW].view(RECORD_DTYPE)
    streams = streams.reshape(*shape, len(layout.lanes), layout.rows)
    return Log(layout, headers.reshape(shape), streams[..., :-1], streams[..., -1]["clock"], int(before[0]))
