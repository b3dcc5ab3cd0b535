"""The contract between an instrumented kernel, whoever launches it, and whoever reads its log.

A twin - a kernel's entry with its sites instrumented, in a module of its own - finds its control block, a `.const`
named `phasescope_control`, written before the launch, and writes into one buffer. What is where in that buffer is
`LogLayout`'s business alone. Whoever launches

1. takes `layout.nbytes` bytes the GPU can write, aligned to 256: device memory, or host memory mapped for the GPU;
2. makes them zero and puts `layout.beginning()` at their beginning;
3. puts the buffer's address at byte ADDRESS_AT of `layout.control()`, and those bytes into `phasescope_control`;
4. launches, and gives the buffer's bytes, whole or as they are while the kernel runs, to `read_log`.

Every lane that acts has a *stream* of its own in the buffer, so nothing is shared, counted by atomics or waited for:
a row of 16 bytes that counts what had no room, and `layout.records` records of 16 bytes, each written by one aligned
store. They are written from the last row to the first, so that one test of an address finds a stream full. A record
that is not there yet is zero, and no record is: its site is 1 or more. So what was written of a stream is what comes
before its first zero, at any time and also after a crash.
"""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from visualizer.language import tr
from visualizer.sources.attach.launch import Shape
from visualizer.sources.errors import SourceError

Buffer = bytes | memoryview | mmap.mmap | NDArray[np.uint8]

CONTROL_SYMBOL = "phasescope_control"

CONTROL_DTYPE = np.dtype(
    [
        ("buffer", "<u8"),  # its address
        ("headers", "<u8"),  # bytes from there to the headers
        ("streams", "<u8"),  # ... and to where the streams begin at the earliest, see `LogLayout`
        ("lanes", "<u4"),  # bit mask of the lanes with streams
        ("warps", "<u4"),  # of a CTA
        ("last", "<u4"),  # where a stream's last row begins: its bytes, a power of two, less 16
        ("table", "<u4"),  # CTAs in the table that the buffer begins with; 0: all CTAs are recorded
        ("spare", "<u4", 6),
    ]
)
"""64 bytes, `phasescope_control`."""

ADDRESS_AT = 0
"""Where in the control block the buffer's address belongs."""

NOT_RECORDED = 0xFFFFFFFF

RECORD_DTYPE = np.dtype(
    [
        ("clock", "<u4"),  # low half of the SM's clock, right after the instruction; of a copy or arrive, right before
        ("word", "<u4"),  # site << 10 | part << 8 | how many lanes acted as one; 0: not counted
        ("address", "<u4"),  # in shared memory, cluster form: CTA rank << 24 | offset
        ("value", "<u4"),  # what the site's form says: parity and cycles, bytes, count, destination
    ]
)
"""16 bytes. Sites count from 1. A site that has more to say than fits writes several parts, one behind the other."""

LANE_BITS = 8
PART_BITS = 2
MOST_SITES = (1 << 32 - LANE_BITS - PART_BITS) - 1

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
        ("first", "<u4"),  # bytes from the buffer's beginning to the first stream
    ]
)
"""64 bytes, one per warp of a recorded CTA, written as it begins and as it leaves: a pair of clocks at each end."""

_ROW = RECORD_DTYPE.itemsize
_SHARED = 2
"""Streams that many lanes write into, before the others."""
_ALIGNED = 256
"""What buffers are aligned to within the log; CUDA's own allocations are too."""
MOST_BYTES = 1 << 32


class Keep(IntEnum):
    """What a stream that is full does with the next record."""

    FIRST = 0  # counts it
    LAST = 1  # counts that it begins again, and does


@dataclass(frozen=True)
class LogLayout:
    """Where everything is in the buffer of one launch. SourceError if it needs 4 GiB or more, or names no CTA or lane.

    In this order: the table of slots, u32 by linear CTA id, if only some CTAs are recorded; headers; one stream for all
    lanes without one of their own, and one for all CTAs that are not recorded, which tell no more than how much was
    written there; the streams, each at a multiple of its size in the GPU's address space.

    `recorded`: linear ids of the CTAs to record, ascending; None: all. `room`: records a lane has room for at least;
    the room it gets is `records`. `lanes`: those that have room, ascending; the records of others are counted as lost.
    """

    shape: Shape
    room: int = 1000
    keep: Keep = Keep.FIRST
    recorded: tuple[int, ...] | None = None
    lanes: tuple[int, ...] = tuple(range(32))

    def __post_init__(self) -> None:
        if not set(self.lanes) <= set(range(32)) or not self.lanes:
            raise SourceError(tr("lanes are some of 0 to 31, not {lanes}", lanes=list(self.lanes)))
        outside = [cta for cta in self.recorded or () if not 0 <= cta < self.shape.ctas]
        if outside or self.recorded == ():
            raise SourceError(
                tr(
                    "the CTAs to record are {ctas}, and the launch has CTAs 0 to {last}",
                    ctas=list(self.recorded or ()),
                    last=self.shape.ctas - 1,
                )
            )
        if self.nbytes >= MOST_BYTES:
            raise SourceError(
                tr(
                    "a log of {gib:.1f} GiB is too large: record fewer CTAs, or fewer records of each warp",
                    gib=self.nbytes / 2**30,
                )
            )

    @property
    def slots(self) -> int:
        """CTAs that are recorded."""
        return self.shape.ctas if self.recorded is None else len(self.recorded)

    @property
    def rows(self) -> int:
        """Rows of 16 bytes of a stream, a power of two: the one that counts, and its records."""
        return max(16, 1 << self.room.bit_length())

    @property
    def records(self) -> int:
        """Records a stream has room for."""
        return self.rows - 1

    @property
    def streams(self) -> int:
        """By slot, then warp, then lane as `lanes` lists them."""
        return self.slots * self.shape.warps * len(self.lanes)

    @property
    def nbytes(self) -> int:
        """Bytes of the buffer."""
        return self._streams_at + (1 + _SHARED + self.streams) * self.rows * _ROW

    @property
    def _headers_at(self) -> int:
        return -(-len(self.beginning()) // _ALIGNED) * _ALIGNED

    @property
    def _streams_at(self) -> int:
        return self._headers_at + self.slots * self.shape.warps * HEADER_DTYPE.itemsize

    def beginning(self) -> bytes:
        """What the buffer begins with: the table of slots, or nothing."""
        if self.recorded is None:
            return b""
        table = np.full(self.shape.ctas, NOT_RECORDED, "<u4")
        table[list(self.recorded)] = np.arange(self.slots)
        return table.tobytes()

    def control(self) -> bytes:
        """The control block, with 0 where the buffer's address belongs."""
        control = np.zeros((), CONTROL_DTYPE)
        control["headers"] = self._headers_at
        control["streams"] = self._streams_at
        control["lanes"] = sum(1 << lane for lane in self.lanes)
        control["warps"] = self.shape.warps
        control["last"] = self.records * _ROW
        control["table"] = 0 if self.recorded is None else self.shape.ctas
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
    no_stream: int  # as `beyond`, of all lanes without a stream together


def read_log(layout: LogLayout, buffer: Buffer) -> Log:
    """Take apart the bytes of a buffer, also while the kernel writes into it."""
    content = np.frombuffer(buffer, np.uint8)
    shape = (layout.slots, layout.shape.warps)
    headers = content[layout._headers_at : layout._streams_at].view(HEADER_DTYPE).reshape(shape)
    first = max(int(headers["first"].max()), layout._streams_at)
    rows = content[first:][: (_SHARED + layout.streams) * layout.rows * _ROW].view(RECORD_DTYPE)
    shared, own = np.split(rows.reshape(-1, layout.rows), [_SHARED])
    streams = own.reshape(*shape, len(layout.lanes), layout.rows)
    return Log(layout, headers, streams[..., :0:-1], streams[..., 0]["clock"], int(shared[0, 0]["clock"]))
