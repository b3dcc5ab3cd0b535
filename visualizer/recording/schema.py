"""The event schema: one row per barrier event, in the field's own words. docs/trace-format.md is its reference.

Every source (simulator, GPU log, importer) ends in this table, and everything to the right of it reads only this.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag

import numpy as np

PS_PER_NS = 1_000
PS_PER_US = 1_000_000
"""Times are picoseconds."""


class EventKind(IntEnum):
    """What happened. `amount`, `parity` and `token` of the event mean what each line says."""

    INIT = 1  # mbarrier.init; amount = expected arrivals per phase
    INVAL = 2  # mbarrier.inval
    WAIT_BEGIN = 3  # an agent starts waiting; parity = the operand
    WAIT_END = 4  # ... and passed; parity = the operand; flag BLOCKED if the first test was false
    ARRIVE = 5  # amount = arrivals (32 for a whole warp); token = word before, of the recording lane
    ARRIVE_DROP = 6  # like ARRIVE, and lowers the expected count of later phases by amount
    EXPECT_TX = 7  # amount = bytes
    ARRIVE_EXPECT_TX = 8  # amount = bytes; one arrival; token = word before
    COMPLETE_TX = 9  # amount = bytes written; by the copy engine
    PHASE_COMPLETE = 10  # amount = k, the phase that completed, counted from 0; parity = k & 1; agent = who did it
    COPY_ISSUE = 11  # a bulk copy into `stage` bound to `barrier`; amount = bytes
    COPY_DONE = 12  # that copy has landed; amount = bytes; by the copy engine
    READ_BEGIN = 13  # a consumer starts to read the stage buffer
    READ_END = 14  # ... and is done with it
    ADVANCE = 15  # ++PipelineState; stage = new index, parity = new phase, amount = new count
    FENCE = 16  # fence.mbarrier_init and the CTA-wide sync that publishes the barriers
    EXIT = 17  # the agent leaves the kernel
    TIMEOUT = 18  # a wait gave up (watchdog) or was told to; parity = the operand
    WORD_SAMPLE = 19  # a live barrier word seen by a probe; token = the word
    TEST_FAILED = 20  # a try_wait or test_wait that was false, and the agent went on; parity = the operand
    SYNC_BEGIN = (
        21  # bar.sync (of 0: __syncthreads too); token = its id; amount = threads it counts, 0: all of the CTA;
    )
    # __syncwarp of warp w has token SYNCWARP + w
    SYNC_END = 22  # ... and passed
    SYNC_ARRIVE = 23  # bar.arrive, which does not wait; token and amount as SYNC_BEGIN
    CLUSTER_ARRIVE = 24  # barrier.cluster.arrive
    CLUSTER_WAIT_BEGIN = 25  # barrier.cluster.wait
    CLUSTER_WAIT_END = 26  # ... and passed
    WGMMA_COMMIT = 27  # wgmma.commit_group
    WGMMA_WAIT_BEGIN = 28  # wgmma.wait_group; amount = groups that may still be under way
    WGMMA_WAIT_END = 29  # ... and passed; amount as its begin
    STORE_COMMIT = 30  # cp.async.bulk.commit_group
    STORE_WAIT_BEGIN = 31  # cp.async.bulk.wait_group; amount = groups that may still be under way
    STORE_WAIT_END = 32  # ... and passed; amount as its begin
    WRITE = 33  # the agent itself writes into the stage buffer (st.shared); amount = bytes
    PROXY_FENCE = 34  # fence.proxy.async: what it wrote is visible to the asynchronous proxy
    TENSOR_COMMIT = 35  # tcgen05.commit; amount = arrivals that come on `barrier` once the tensor core is done
    CP_ASYNC_ARRIVE = 36  # cp.async.mbarrier.arrive; amount = arrivals that come once the agent's cp.async are done, by
    # which the pending count goes up at once: together they count for nothing
    CP_ASYNC_ARRIVE_NOINC = 37  # ... with .noinc: these count towards what the phase takes
    MMA_ISSUE = 38  # tcgen05.mma: the CTA's tensor core is to read `stage`, and goes on; amount = bytes
    SETMAXNREG_DEC = 39  # setmaxnreg.dec; amount = registers that each thread keeps
    SETMAXNREG_INC_BEGIN = 40  # setmaxnreg.inc; amount = registers that each thread asks for
    SETMAXNREG_INC_END = 41  # ... and has them
    RANGE_BEGIN = 42  # the agent begins a stretch of work that its program names; the site's `op` is the name
    RANGE_END = 43  # ... and ends it


class EventFlag(IntFlag):
    """Bits of an event's `flags`."""

    BLOCKED = 1  # WAIT_END: the wait did not pass at once
    DERIVED = 2  # reconstructed from what agents saw, not logged: hardware keeps no record of it
    ESTIMATED = 4  # the time is an estimate between two observations, see docs/trace-format.md
    HAS_TOKEN = 8  # `token` holds a word the hardware returned
    SAME_COPY = 16  # COPY_ISSUE: a further destination of the copy issued right before it (multicast)
    BY_ARRIVAL = (
        32  # COPY_ISSUE, COPY_DONE: its bytes are not counted, an arrival on `barrier` tells of them (cp.async)
    )
    SLOW = (
        64  # WAIT_END as logged: it passed at its first test, but took long. Reconstruction says whether it was BLOCKED
    )


EVENT_DTYPE = np.dtype(
    [
        ("time", "<i8"),  # ps from the first event, after reconciling
        ("measured", "<i8"),  # ps on the same scale as the clock gave it; equals time if it was not moved
        ("token", "<u8"),
        ("tile", "<i4"),  # -1: none
        ("amount", "<i4"),
        ("barrier", "<i4"),  # row of the barriers table; -1: none
        ("agent", "<i4"),  # row of the agents table
        ("site", "<i2"),  # row of the sites table; -1: none
        ("stage", "<i2"),  # -1: none
        ("kind", "u1"),
        ("parity", "i1"),  # -1: none
        ("flags", "u1"),
        ("ring", "u1"),  # row of Trace.rings: the ring in which `stage` counts
    ]
)
"""48 bytes an event, little-endian, no padding. Up to version 2 the last byte was called `reserved` and is 0."""

EARLIER_EVENT_DTYPE = np.dtype(
    [("reserved" if name == "ring" else name, EVENT_DTYPE[name]) for name in EVENT_DTYPE.names or ()]
)
"""That of files up to version 2: the same bytes."""

SAMPLE_DTYPE = np.dtype(
    [
        ("begin", "<i8"),  # ps as the events' `measured`: by then the word had been seen
        ("end", "<i8"),  # at the earliest then it was seen for the last time; before `begin` if it was seen once
        ("word", "<u8"),  # bits 31..0 are 0; a probe of phase flips knows bit 63 alone
        ("barrier", "<i4"),  # row of the barriers table
        ("reserved", "<i4"),
    ]
)
"""32 bytes a run of equal samples of one barrier's live word."""

NO_SAMPLES = np.zeros(0, SAMPLE_DTYPE)
NO_SAMPLES.flags.writeable = False

SYNCWARP = 16
"""Named barriers have numbers below it; a SYNC event's token from it on stands for the __syncwarp of a warp."""

ARRIVAL_KINDS = (EventKind.ARRIVE, EventKind.ARRIVE_DROP, EventKind.ARRIVE_EXPECT_TX)
"""Events that lower a barrier's pending count."""

CP_ASYNC_ARRIVALS = (EventKind.CP_ASYNC_ARRIVE, EventKind.CP_ASYNC_ARRIVE_NOINC)
"""Events that promise an arrival by hardware once the agent's cp.async are done."""

COUNTED_ARRIVALS = (EventKind.ARRIVE, EventKind.ARRIVE_DROP, *CP_ASYNC_ARRIVALS)
"""Events whose amount is a number of arrivals."""

BARRIER_STATE_KINDS = (
    EventKind.INIT,
    EventKind.INVAL,
    *ARRIVAL_KINDS,
    EventKind.CP_ASYNC_ARRIVE,
    EventKind.EXPECT_TX,
    EventKind.COMPLETE_TX,
    EventKind.PHASE_COMPLETE,
)
"""Events that change a barrier's state."""


def kind_name(kind: int) -> str:
    """The kind as JSON, CSV and the event table spell it: "arrive_expect_tx"."""
    return EventKind(kind).name.lower()
