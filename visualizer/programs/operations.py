"""The operations agents perform: straight-line data, one frozen class each. No control flow, so a reader can check it.

`barrier` is a row of the program's barriers, `site` a row of its sites, `tile` the tile the agent is at (-1: none).
"""

from __future__ import annotations

from dataclasses import dataclass

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
class Sync:
    """__syncthreads: every agent of the CTA that has one passes together. Leaves no event of its own."""


@dataclass(frozen=True, slots=True)
class Wait:
    """mbarrier.try_wait.parity until the barrier's phase bit is no longer `parity`."""

    barrier: int
    parity: int
    tile: int = -1
    site: int = -1


@dataclass(frozen=True, slots=True)
class Arrive:
    """`count` arrivals at once (a warp whose 32 lanes arrive is one operation of 32)."""

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
class Copy:
    """cp.async.bulk.tensor of `bytes` into stage `stage`; the copy engine does complete_tx on `barrier`.

    `source` tells the pieces of global memory apart: what was copied before comes from L2. -1: always from L2.
    """

    barrier: int
    stage: int
    bytes: int
    tile: int = -1
    site: int = -1
    source: int = -1


@dataclass(frozen=True, slots=True)
class Read:
    """The agent reads its share of stage `stage`, `bytes` bytes, and works on it for `work` ns more."""

    stage: int
    bytes: int
    tile: int = -1
    site: int = -1
    work: int = 0


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


@dataclass(frozen=True, slots=True)
class Exit:
    """The agent leaves the kernel."""

    site: int = -1


Operation = Init | Fence | Sync | Wait | Arrive | ArriveExpectTx | ExpectTx | Copy | Read | Delay | Advance | Exit
