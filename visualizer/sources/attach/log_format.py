"""The contract between an instrumented kernel, whoever launches it, and whoever reads its log.

A twin - a kernel's entry with its sites instrumented, in a module of its own - finds its control block, a `.const`
named `phasescope_control`, written before the launch, and writes into one buffer. What is where in that buffer is
`LogLayout`'s business alone. Whoever launches

1. takes `layout.nbytes` bytes the GPU can write, aligned to 256: device memory, or host memory mapped for the GPU;
2. makes them zero and puts `layout.beginning()` at their beginning;
3. puts the buffer's address at byte ADDRESS_AT of `layout.control()`, and those bytes into `phasescope_control`;
4. launches, and gives the buffer's bytes, whole or as they are while the kernel runs, to `read_log`.

Every lane that acts has a *stream* of its own in the buffer, so nothing is shared, counted by atomics or waited for:
`layout.records` records of 16 bytes, each written by one aligned store. A record that is not there yet is zero, and no
record is: its site is 1 or more. So what was written of a stream is what comes before its first zero, at any time and
also after a crash. How many records it made in all, those without room among them, a lane says as it leaves: who
copies a log whose kernel has ended needs no more of a stream than its count.
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
        ("counts", "<u8"),  # ... to the counts
        ("first", "<u4"),  # rows of 16 bytes from there to the first stream
        ("rows", "<u4"),  # of a stream; a power of two where the last records are kept
        ("lanes", "<u4"),  # bit mask of the lanes with streams
        ("warps", "<u4"),  # of a CTA
        ("table", "<u4"),  # CTAs in the table that the buffer begins with; 0: all CTAs are recorded
        ("spare", "<u4", 5),
    ]
)
"""64 bytes, `phasescope_control`."""

ADDRESS_AT = 0
"""Where in the control block the buffer's address belongs."""

NOT_RECORDED = 0xFFFFFFFF

RECORD_DTYPE = np.dtype(
    [
        ("clock", "<u4"),  # low half of the SM's clock: after a wait, before all else
        ("word", "<u4"),  # a wait's parity << 31 | site << 10 | part << 8 | how many lanes acted as one; 0: not counted
        ("address", "<u4"),  # in shared memory, cluster form: CTA rank << 24 | offset
        ("value", "<u4"),  # what the site's form says: bytes, count, destination; of a wait the clock before a try
    ]
)
"""16 bytes. Sites count from 1. A site that has more to say than fits writes several parts, one behind the other."""

LANE_BITS = 8
PART_BITS = 2
PARITY_BIT = 31
MOST_SITES = (1 << 15) - 1
"""Rows that a recording's table of sites may have; a record's word has room for more."""

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
"""What parts of the buffer are aligned to, as CUDA's own allocations are."""
SHARED_COUNT = 1
"""Counts before those of the streams: records that lanes without a stream made."""
LEFT = 0x80000000
"""Set in the count of a lane that has left. Without it a count is what the lane had made when it called a function that
records, or nothing: then what is in its stream says how many they are."""


class Keep(IntEnum):
    """What a stream that is full does with the next record."""

    FIRST = 0  # counts it
    LAST = 1  # begins again


@dataclass(frozen=True)
class LogLayout:
    """Where everything is in the buffer of one launch. SourceError if it names no CTA or lane.

    In this order: the table of slots, u32 by linear CTA id, if only some CTAs are recorded; headers; counts, u32: of
    the records of lanes without a stream, and of each stream; the streams.

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

    @property
    def slots(self) -> int:
        """CTAs that are recorded."""
        return self.shape.ctas if self.recorded is None else len(self.recorded)

    @property
    def records(self) -> int:
        """Records a stream has room for."""
        return self.room if self.keep is Keep.FIRST else 1 << (self.room - 1).bit_length()

    @property
    def streams(self) -> int:
        """By slot, then warp, then lane as `lanes` lists them."""
        return self.slots * self.shape.warps * len(self.lanes)

    @property
    def nbytes(self) -> int:
        """Bytes of the buffer."""
        return self.streams_at + self.streams * self.stream_bytes

    @property
    def stream_bytes(self) -> int:
        """Bytes of a stream."""
        return self.records * _ROW

    @property
    def headers_at(self) -> int:
        """Where the headers begin, in bytes."""
        return _aligned(len(self.beginning()), _ALIGNED)

    @property
    def counts_at(self) -> int:
        """Where the counts begin, in bytes."""
        return self.headers_at + self.slots * self.shape.warps * HEADER_DTYPE.itemsize

    @property
    def streams_at(self) -> int:
        """Where the streams begin, in bytes: a multiple of their size where they begin again."""
        end = self.counts_at + (SHARED_COUNT + self.streams) * 4
        return _aligned(end, self.stream_bytes if self.keep is Keep.LAST else _ALIGNED)

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
        control["headers"] = self.headers_at
        control["counts"] = self.counts_at
        control["first"] = self.streams_at // _ROW
        control["rows"] = self.records
        control["lanes"] = sum(1 << lane for lane in self.lanes)
        control["warps"] = self.shape.warps
        control["table"] = 0 if self.recorded is None else self.shape.ctas
        return control.tobytes()


@dataclass(frozen=True, eq=False)
class Log:
    """A log taken apart; views of the buffer, copied nowhere."""

    layout: LogLayout
    headers: NDArray[np.void]  # (slots, warps), HEADER_DTYPE
    records: NDArray[np.void]  # (slots, warps, lanes, records), RECORD_DTYPE
    counts: NDArray[np.uint32]  # (slots, warps, lanes): records that each lane made, and LEFT
    without_stream: int  # records that lanes without a stream made


def read_log(layout: LogLayout, buffer: Buffer) -> Log:
    """Take apart the bytes of a buffer, also while the kernel writes into it."""
    content = np.frombuffer(buffer, np.uint8)
    shape = (layout.slots, layout.shape.warps)
    headers = content[layout.headers_at : layout.counts_at].view(HEADER_DTYPE).reshape(shape)
    counts = content[layout.counts_at :][: (SHARED_COUNT + layout.streams) * 4].view("<u4")
    records = content[layout.streams_at : layout.nbytes].view(RECORD_DTYPE)
    streams = (*shape, len(layout.lanes))
    return Log(
        layout,
        headers,
        records.reshape(*streams, layout.records),
        counts[SHARED_COUNT:].reshape(streams),
        int(counts[0]),
    )


def _aligned(place: int, step: int) -> int:
    return -(-place // step) * step
