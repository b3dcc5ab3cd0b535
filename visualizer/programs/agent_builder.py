"""One agent of a program under construction: a method per operation, named as PTX and CUTLASS name it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from visualizer.language import tr
from visualizer.programs.operations import (
    Advance,
    Arrive,
    ArriveDrop,
    ArriveExpectTx,
    CompleteTx,
    Copy,
    CpAsync,
    CpAsyncArrive,
    Delay,
    Exit,
    ExpectTx,
    Fence,
    Init,
    Inval,
    NamedSync,
    Operation,
    Read,
    ReadAsync,
    RetireReads,
    Store,
    Sync,
    Wait,
    WaitGroup,
    WaitStores,
)
from visualizer.recording.tables import Agent
from visualizer.semantics.mbarrier import MAX_COUNT
from visualizer.semantics.pipeline_state import PipelineState

if TYPE_CHECKING:
    from visualizer.programs.builder import Builder

_MAX_INT = 2**31 - 1


@dataclass(frozen=True, slots=True)
class BarrierHandle:
    """A barrier of a program under construction; only its builder knows more."""

    owner: Builder
    row: int


class AgentBuilder:
    """What one agent does, in order. `index` and `phase` are its cursor's; `tile` is noted with each operation."""

    def __init__(self, builder: Builder, agent: Agent) -> None:
        assert agent.start is not None
        self._builder = builder
        self.agent = agent
        self.state: PipelineState = agent.start
        self.tile = -1
        self.largest_stage = -1
        self._operations: list[Operation] = []

    @property
    def index(self) -> int:
        """The stage the cursor is at."""
        return self.state.index

    @property
    def phase(self) -> int:
        """The cursor's phase bit, which is the parity to wait with."""
        return self.state.phase

    def tiles(self, count: int, *, first: int = 0) -> Iterator[int]:
        """The tile numbers from `first`, each noted as the agent's tile while the loop is at it."""
        for tile in range(first, first + count):
            self.tile = tile
            yield tile
        self.tile = -1

    def init(self, barrier: BarrierHandle, count: int | None = None) -> None:
        """mbarrier.init, with the barrier's own count unless another is given."""
        row = self._builder.row_of(barrier)
        given = self._builder.init_count(row) if count is None else count
        self._add(Init, row, self._count("count", given), self._builder.site("init"))

    def init_all(self) -> None:
        """Init every barrier of the agent's CTA made so far, and publish them."""
        for barrier in self._builder.barriers_of(self.agent.cta):
            self.init(barrier)
        self.fence()

    def inval(self, barrier: BarrierHandle) -> None:
        self._add(Inval, self._builder.row_of(barrier), self._builder.site("inval"))

    def fence(self) -> None:
        """fence.mbarrier_init."""
        self._add(Fence, self._builder.site("fence"))

    def sync(self) -> None:
        """__syncthreads: all agents of the CTA that call it."""
        self._builder.site("sync")
        self._add(Sync)

    def cluster_sync(self) -> None:
        """barrier.cluster arrive and wait: all agents of the program that call it."""
        self._builder.site("cluster_sync")
        self._add(Sync, True)

    def named_sync(self, id: int, agents: int) -> None:
        """bar.sync: passes once `agents` agents of the CTA are at it."""
        self._builder.site("named_sync")
        self._add(NamedSync, self._builder.whole("id", id, 0, 15), self._builder.whole("agents", agents, 1, 1024))

    def wait(self, barrier: BarrierHandle, parity: int) -> None:
        """mbarrier.try_wait.parity in a loop."""
        row = self._builder.row_of(barrier)
        self._add(Wait, row, self._builder.whole("parity", parity, 0, 1), self.tile, self._builder.site("wait"))

    def arrive(self, barrier: BarrierHandle, count: int = 1, *, no_complete: bool = False) -> None:
        row = self._builder.row_of(barrier)
        self._add(Arrive, row, self._count("count", count), self.tile, self._builder.site("arrive"), no_complete)

    def arrive_drop(self, barrier: BarrierHandle, count: int = 1) -> None:
        row = self._builder.row_of(barrier)
        self._add(ArriveDrop, row, self._count("count", count), self.tile, self._builder.site("arrive_drop"))

    def expect_tx(self, barrier: BarrierHandle, bytes: int) -> None:
        """Expect `bytes` more. Not an arrival."""
        self._add(ExpectTx, *self._bytes_on(barrier, bytes), self.tile, self._builder.site("expect_tx"))

    def arrive_expect_tx(self, barrier: BarrierHandle, bytes: int) -> None:
        self._add(ArriveExpectTx, *self._bytes_on(barrier, bytes), self.tile, self._builder.site("arrive_expect_tx"))

    def complete_tx(self, barrier: BarrierHandle, bytes: int) -> None:
        self._add(CompleteTx, *self._bytes_on(barrier, bytes), self.tile, self._builder.site("complete_tx"))

    def copy(
        self,
        barrier: BarrierHandle,
        stage: int,
        bytes: int,
        *,
        multicast: Iterable[BarrierHandle] = (),
        source: int = -1,
        whole: bool = False,
    ) -> None:
        """A TMA load into `stage`; or, into every CTA that has one of the `multicast` barriers, all `bytes` each."""
        row, size = self._bytes_on(barrier, bytes)
        rows = [self._builder.row_of(target) for target in multicast]
        destinations = tuple((target, self._builder.cta_of(target)) for target in rows)
        place = self._stage(stage)
        self._add(Copy, row, place, size, self.tile, self._builder.site("copy"), source, destinations, whole)

    def cp_async_arrive(
        self, barrier: BarrierHandle, stage: int, bytes: int, count: int = 1, *, no_inc: bool = True
    ) -> None:
        """cp.async of `bytes` into `stage`, then `count` arrivals on `barrier` once they are in."""
        row, size = self._bytes_on(barrier, bytes)
        arrivals = self._count("count", count)
        site = self._builder.site("cp_async_arrive")
        self._add(CpAsyncArrive, row, self._stage(stage), size, arrivals, self.tile, site, no_inc)

    def cp_async(self, stage: int, bytes: int, *, tile: int | None = None) -> None:
        """cp.async of `bytes` of a tile (None: the current one) into `stage`, committed as a group of its own."""
        copied = self.tile if tile is None else self._builder.whole("tile", tile, 0, _MAX_INT)
        self._add(CpAsync, *self._reading(stage, bytes), copied, self._builder.site("cp_async"))

    def wait_group(self, keep: int = 0) -> None:
        """cp.async.wait_group: wait until at most the latest `keep` groups have not landed."""
        self._add(WaitGroup, self._builder.whole("keep", keep, 0, 1024), self.tile, self._builder.site("wait_group"))

    def read(self, stage: int, bytes: int, *, work: int = 0) -> None:
        """Read the stage's buffer, then work on what was read for `work` ns."""
        self._add(Read, *self._reading(stage, bytes), self.tile, self._builder.site("read"), self._ns("work", work))

    def read_async(self, stage: int, bytes: int, *, work: int = 0) -> None:
        """Start a reader such as wgmma and go on; `retire_reads` waits for it."""
        site = self._builder.site("read_async")
        self._add(ReadAsync, *self._reading(stage, bytes), self.tile, site, self._ns("work", work))

    def retire_reads(self, keep: int = 0) -> None:
        """wgmma.wait_group: wait until at most the latest `keep` asynchronous readers are not done."""
        self._add(RetireReads, self._builder.whole("keep", keep, 0, 1024), self._builder.site("retire_reads"))

    def store(self, stage: int, bytes: int) -> None:
        """A TMA store from the stage's buffer, committed as a bulk group; `wait_stores` waits until it has read."""
        self._add(Store, *self._reading(stage, bytes), self.tile, self._builder.site("store"))

    def wait_stores(self, keep: int = 0) -> None:
        """cp.async.bulk.wait_group.read: wait until at most the latest `keep` stores still read."""
        self._add(WaitStores, self._builder.whole("keep", keep, 0, 1024), self._builder.site("wait_stores"))

    def delay(self, ns: int) -> None:
        self._builder.site("delay")
        self._add(Delay, self._ns("ns", ns))

    def advance(self) -> None:
        """++PipelineState: the next stage, and after the last one the first with the other phase."""
        self.state = self.state.increment()
        self._add(Advance, self.state, self.tile, self._builder.site("advance"))

    def restart(self, *, phase: int | None = None) -> None:
        """Set the cursor back to stage 0, as code does that makes a new PipelineState. Leaves no event."""
        start = self.agent.start
        assert start is not None
        given = start.phase if phase is None else self._builder.whole("phase", phase, 0, 1)
        self.state = PipelineState(start.stages, phase=given)

    def exit(self) -> None:
        """Leave the kernel."""
        self._add(Exit, self._builder.site("exit"))

    def finished(self) -> tuple[Operation, ...]:
        """The whole list; an agent leaves at its end in any case."""
        if not self._operations or not isinstance(self._operations[-1], Exit):
            self._operations.append(Exit())
        return tuple(self._operations)

    def _add(self, operation: type, *fields: Any) -> None:
        if self._operations and isinstance(self._operations[-1], Exit):
            self._builder.fail(tr("{name} has left with .exit(); nothing can follow", name=self.agent.name))
        self._operations.append(operation(*fields))

    def _count(self, what: str, value: object) -> int:
        return self._builder.whole(what, value, 1, MAX_COUNT)

    def _ns(self, what: str, value: object) -> int:
        return self._builder.whole(what, value, 0, _MAX_INT)

    def _bytes_on(self, barrier: BarrierHandle, bytes_: object) -> tuple[int, int]:
        return self._builder.row_of(barrier), self._builder.whole("bytes", bytes_, 1, MAX_COUNT)

    def _reading(self, stage: object, bytes_: object) -> tuple[int, int]:
        return self._stage(stage), self._builder.whole("bytes", bytes_, 1, MAX_COUNT)

    def _stage(self, stage: object) -> int:
        place = self._builder.whole("stage", stage, 0, 1023)
        self.largest_stage = max(self.largest_stage, place)
        return place
