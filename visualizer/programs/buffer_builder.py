"""What an agent under construction does with stage buffers itself: a method per operation of accesses.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from visualizer.language import tr
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
from visualizer.programs.operations import Advance, Exit, Operation
from visualizer.programs.program_tables import ProgramTables
from visualizer.recording.tables import Agent
from visualizer.semantics.mbarrier import MAX_COUNT
from visualizer.semantics.pipeline_state import PipelineState

MAX_STAGES = 1024
MAX_INT = 2**31 - 1
MAX_KEPT = 1024
"""Most groups that a wait may leave under way."""


class BufferBuilder:
    """The list of an agent's operations, and those on stage buffers. `tile` is noted with each operation."""

    def __init__(self, builder: ProgramTables, agent: Agent) -> None:
        self._builder = builder
        self.agent = agent
        self.tile = -1
        self.largest_stage: dict[int, int] = {}  # by ring
        self._operations: list[Operation] = []

    def write(self, stage: int, bytes: int, *, ns: int | None = None, ring: str | None = None) -> None:
        """Write the agent's share of the stage's buffer itself, with ordinary stores, in `ns` (None: a guess)."""
        place, size, of = self._buffer(stage, bytes, ring)
        self._add(Write, place, size, self.tile, self._builder.site("write"), of, self._taking(ns))

    def fence_proxy(self) -> None:
        """fence.proxy.async, between a `write` and the TMA store or wgmma that reads what was written."""
        self._add(ProxyFence, self._builder.site("fence_proxy"))

    def read(self, stage: int, bytes: int, *, ns: int | None = None, work: int = 0, ring: str | None = None) -> None:
        """Read the stage's buffer, in `ns` (None: a guess), then work on what was read for `work` ns."""
        self._read(Read, "read", stage, bytes, ns, work, ring)

    def read_async(
        self, stage: int, bytes: int, *, ns: int | None = None, work: int = 0, ring: str | None = None
    ) -> None:
        """Start a reader such as wgmma, of `ns` and `work` as `read`'s, and go on; `wgmma_wait` or `retire_reads`
        waits for it."""
        self._read(ReadAsync, "read_async", stage, bytes, ns, work, ring)

    def _read(self, kind: type, name: str, stage: int, bytes: int, ns: int | None, work: int, ring: str | None) -> None:
        place, size, of = self._buffer(stage, bytes, ring)
        busy, takes = self._ns("work", work), self._taking(ns)
        self._add(kind, place, size, self.tile, self._builder.site(name), busy, of, takes)

    def retire_reads(self, keep: int = 0) -> None:
        """Wait until at most the latest `keep` asynchronous readers are not done, without events of its own."""
        self._add(RetireReads, self._kept(keep), self._builder.site("retire_reads"))

    def wgmma_commit(self) -> None:
        """wgmma.commit_group: the asynchronous readers since the last one are a group."""
        self._add(WgmmaCommit, self._builder.site("wgmma_commit"))

    def wgmma_wait(self, keep: int = 0) -> None:
        """wgmma.wait_group: wait until at most the latest `keep` groups of asynchronous readers are not done."""
        self._add(WgmmaWait, self._kept(keep), self._builder.site("wgmma_wait"))

    def store(self, stage: int, bytes: int, *, ring: str | None = None) -> None:
        """A TMA store from the stage's buffer; `store_wait` or `wait_stores` waits until it has read."""
        place, size, of = self._buffer(stage, bytes, ring)
        self._add(Store, place, size, self.tile, self._builder.site("store"), of)

    def wait_stores(self, keep: int = 0) -> None:
        """Wait until at most the latest `keep` stores still read, without events of its own."""
        self._add(WaitStores, self._kept(keep), self._builder.site("wait_stores"))

    def store_commit(self) -> None:
        """cp.async.bulk.commit_group: the stores since the last one are a group."""
        self._add(StoreCommit, self._builder.site("store_commit"))

    def store_wait(self, keep: int = 0) -> None:
        """cp.async.bulk.wait_group.read: wait until at most the latest `keep` groups of stores still read."""
        self._add(StoreWait, self._kept(keep), self._builder.site("store_wait"))

    def _add(self, operation: type, *fields: Any) -> None:
        if self._operations and isinstance(self._operations[-1], Exit):
            self._builder.fail(tr("{name} has left with .exit(); nothing can follow", name=self.agent.name))
        self._operations.append(operation(*fields))

    def _ns(self, what: str, value: object) -> int:
        return self._builder.whole(what, value, 0, MAX_INT)

    def _taking(self, ns: int | None) -> int:
        return -1 if ns is None else self._ns("ns", ns)

    def _kept(self, keep: object) -> int:
        return self._builder.whole("keep", keep, 0, MAX_KEPT)

    def _buffer(self, stage: object, bytes_: object, ring: str | None) -> tuple[int, int, int]:
        """Stage, bytes and ring of an operation on a stage's buffer."""
        place, of = self._stage(stage, ring)
        return place, self._builder.whole("bytes", bytes_, 1, MAX_COUNT), of

    def _stage(self, stage: object, ring: str | None) -> tuple[int, int]:
        place, row = self._builder.whole("stage", stage, 0, MAX_STAGES - 1), self._builder.ring_row(ring)
        self.largest_stage[row] = max(self.largest_stage.get(row, -1), place)
        return place, row

    def _advanced(self, ring: int) -> Callable[[PipelineState], None]:
        return lambda state: self._add(Advance, state, self.tile, self._builder.site("advance"), ring)
