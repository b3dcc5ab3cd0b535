"""The operations agents perform: straight-line data, one frozen class each. No control flow, so a reader can check it.

`barrier` is a row of the program's barriers, `site` a row of its sites, `tile` the tile the agent is at (-1: none),
`ring` a row of its rings: the one in which `stage`, or a cursor, counts. Those on stage buffers are in accesses.py,
those at which agents meet in meetings.py, and the tensor core's in tensor.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from visualizer.programs.accesses import (
    ProxyFence,
    Read,
    ReadAsync,
    RetireReads,
    Store,
    StoreCommit,
    StoreWait,
    WaitStores,
    WgmmaCommit,
    WgmmaWait,
    Write,
)
from visualizer.programs.meetings import BarArrive, BarSync, SetMaxNReg, Sync, SyncWarp
from visualizer.programs.tensor import MmaIssue, Take, TensorCommit
from visualizer.semantics.pipeline_state import PipelineState


@dataclass(frozen=True, slots=True)
class Init:
    """mbarrier.init with `count` arrivals per phase."""

    barrier: int
    count: int
    site: int = -1


@dataclass(frozen=True, slots=True)
class Fence:
    """fence.mbarrier_init: publish the initialised barriers."""

    site: int = -1


@dataclass(frozen=True, slots=True)
class Inval:
    """mbarrier.inval: the object's life ends; only Init may follow."""

    barrier: int
    site: int = -1


@dataclass(frozen=True, slots=True)
class Wait:
    """mbarrier.try_wait.parity until the barrier's phase bit is no longer `parity`."""

    barrier: int
    parity: int
    tile: int = -1
    site: int = -1


@dataclass(frozen=True, slots=True)
class TryWait:
    """mbarrier.try_wait.parity once, with whatever it says: a straight list cannot branch on it, so a Wait follows."""

    barrier: int
    parity: int
    tile: int = -1
    site: int = -1


@dataclass(frozen=True, slots=True)
class Arrive:
    """`count` arrivals at once (a warp whose 32 lanes arrive is one operation of 32).

    On a barrier of another CTA it is a remote arrive. `no_complete` is undefined if it would complete the phase.
    """

    barrier: int
    count: int = 1
    tile: int = -1
    site: int = -1
    no_complete: bool = False


@dataclass(frozen=True, slots=True)
class ArriveDrop:
    """mbarrier.arrive_drop: `count` arrivals, and as many fewer expected in every later phase."""

    barrier: int
    count: int = 1
    tile: int = -1
    site: int = -1


@dataclass(frozen=True, slots=True)
class ArriveExpectTx:
    """mbarrier.arrive.expect_tx: expect `bytes` more, then arrive once."""

    barrier: int
    bytes: int
    tile: int = -1
    site: int = -1


@dataclass(frozen=True, slots=True)
class ExpectTx:
    """mbarrier.expect_tx: expect `bytes` more; not an arrival."""

    barrier: int
    bytes: int
    tile: int = -1
    site: int = -1


@dataclass(frozen=True, slots=True)
class CompleteTx:
    """mbarrier.complete_tx by the agent itself: take `bytes` off what the phase waits for."""

    barrier: int
    bytes: int
    tile: int = -1
    site: int = -1


@dataclass(frozen=True, slots=True)
class Copy:
    """cp.async.bulk.tensor of `bytes` into stage `stage`; the copy engine does complete_tx on `barrier`.

    `source` tells the pieces of global memory apart: what was copied before comes from L2. -1: always from L2.
    `destinations` are the (barrier row, CTA) pairs that each receive all `bytes` in their stage `stage` (multicast);
    empty: `barrier` and the agent's own CTA. `pieces`: the bytes complete in these steps, in this order; empty: in
    whatever steps.
    """

    barrier: int
    stage: int
    bytes: int
    tile: int = -1
    site: int = -1
    source: int = -1
    destinations: tuple[tuple[int, int], ...] = ()
    pieces: tuple[int, ...] = ()
    ring: int = 0


@dataclass(frozen=True, slots=True)
class CpAsyncArrive:
    """cp.async.mbarrier.arrive: `count` arrivals by hardware once the agent's CpAsync so far are in.

    Without `no_inc` each of them first raises the pending count by one, so that together they count for nothing.
    """

    barrier: int
    count: int = 1
    tile: int = -1
    site: int = -1
    no_inc: bool = True


@dataclass(frozen=True, slots=True)
class CpAsync:
    """A warp's cp.async copies of `bytes` of a tile into `stage`, committed as one group.

    `barrier` is that of the agent's next CpAsyncArrive, which tells when they are in; -1: no barrier is involved.
    """

    stage: int
    bytes: int
    tile: int = -1
    site: int = -1
    ring: int = 0
    barrier: int = -1


@dataclass(frozen=True, slots=True)
class WaitGroup:
    """cp.async.wait_group: wait until at most the agent's latest `keep` groups have not landed."""

    keep: int = 0
    tile: int = -1
    site: int = -1


@dataclass(frozen=True, slots=True)
class Delay:
    """`ns` nanoseconds of other work."""

    ns: int


@dataclass(frozen=True, slots=True)
class Advance:
    """++PipelineState; `state` is the cursor after."""

    state: PipelineState
    tile: int = -1
    site: int = -1
    ring: int = 0


@dataclass(frozen=True, slots=True)
class Exit:
    """The agent leaves the kernel."""

    site: int = -1


Operation = (
    Init
    | Inval
    | Fence
    | Sync
    | BarSync
    | BarArrive
    | SyncWarp
    | SetMaxNReg
    | Wait
    | TryWait
    | Arrive
    | ArriveDrop
    | ArriveExpectTx
    | ExpectTx
    | CompleteTx
    | Copy
    | CpAsyncArrive
    | CpAsync
    | WaitGroup
    | Write
    | ProxyFence
    | Read
    | ReadAsync
    | RetireReads
    | WgmmaCommit
    | WgmmaWait
    | Store
    | WaitStores
    | StoreCommit
    | StoreWait
    | MmaIssue
    | TensorCommit
    | Take
    | Delay
    | Advance
    | Exit
)
