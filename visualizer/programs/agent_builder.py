"""One agent of a program under construction: a method per operation, named as PTX and CUTLASS name it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from visualizer.language import tr
from visualizer.programs.buffer_builder import MAX_INT, MAX_STAGES
from visualizer.programs.cursor import Cursor
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
    TryWait,
    Wait,
    WaitGroup,
)
from visualizer.programs.program import ProgramAgent
from visualizer.programs.program_tables import BarrierHandle as BarrierHandle  # programs ask for it here
from visualizer.programs.program_tables import ProgramTables
from visualizer.programs.tensor_builder import TensorBuilder
from visualizer.recording.tables import Agent
from visualizer.semantics.mbarrier import MAX_COUNT
from visualizer.semantics.pipeline_state import PipelineState


class AgentBuilder(TensorBuilder):
    """What one agent does, in order. `index` and `phase` are those of its cursor over the first or only ring; `tile` is
    noted with each operation.

    `ring` of an operation names the ring that its stage counts in; None: the first or only one.
    """

    def __init__(self, builder: ProgramTables, agent: Agent, has_cursor: bool, threads: int, registers: int) -> None:
        assert agent.start is not None
        super().__init__(builder, agent)
        self._has_cursor = has_cursor  # over the first ring, in so many words
        self._threads = threads
        self._registers = registers
        self._cursor = Cursor(agent.start, self._advanced(0))
        self._unbound: list[int] = []  # operations that are a CpAsync whose landing no barrier tells of yet

    @property
    def index(self) -> int:
        """The stage the cursor is at."""
        return self._cursor.index

    @property
    def phase(self) -> int:
        """The cursor's phase bit, which is the parity to wait with."""
        return self._cursor.phase

    def cursor(self, ring: str, *, stages: int, phase: int = 0) -> Cursor:
        """A cursor over a further ring, with an index, a phase and advance() of its own."""
        row = self._builder.ring_row(ring)
        if row == 0 or ring in dict(self.agent.more_starts):
            self._builder.fail(
                tr("{name} has a cursor over ring {ring!r} already; use that one", name=self.agent.name, ring=ring)
            )
        self._builder.whole("stages", stages, 1, MAX_STAGES)
        start = PipelineState(stages, phase=self._builder.whole("phase", phase, 0, 1))
        self.agent = replace(self.agent, more_starts=(*self.agent.more_starts, (ring, start)))
        return Cursor(start, self._advanced(row))

    def tiles(self, count: int, *, first: int = 0) -> Iterator[int]:
        """The tile numbers from `first`, each noted as the agent's tile while the loop is at it."""
        for tile in range(first, first + count):
            self.tile = tile
            yield tile
        self.tile = -1

    def init(self, barrier: BarrierHandle, count: int | None = None) -> None:
        """mbarrier.init, with the barrier's own count unless another is given."""
        row = self._row_within_reach(barrier)
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

    def wait(self, barrier: BarrierHandle, parity: int) -> None:
        """mbarrier.try_wait.parity in a loop."""
        row = self._row_within_reach(barrier)
        self._add(Wait, row, self._builder.whole("parity", parity, 0, 1), self.tile, self._builder.site("wait"))

    def try_wait(self, barrier: BarrierHandle, parity: int) -> None:
        """mbarrier.try_wait.parity once, going on whatever it says; `wait` for the same phase is to follow."""
        row = self._row_within_reach(barrier)
        self._add(TryWait, row, self._builder.whole("parity", parity, 0, 1), self.tile, self._builder.site("try_wait"))

    def arrive(self, barrier: BarrierHandle, count: int = 1, *, no_complete: bool = False) -> None:
        row = self._row_within_reach(barrier)
        self._add(Arrive, row, self._count("count", count), self.tile, self._builder.site("arrive"), no_complete)

    def arrive_drop(self, barrier: BarrierHandle, count: int = 1) -> None:
        row = self._row_within_reach(barrier)
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
        pieces: Sequence[int] = (),
        ring: str | None = None,
    ) -> None:
        """A TMA load into `stage`; or, into every CTA that has one of the `multicast` barriers, all `bytes` each.

        `pieces`: the bytes complete in these steps, one after the other; none given: in whatever steps. `ring` None:
        the barrier's.
        """
        row, size = self._bytes_on(barrier, bytes)
        rows = [self._row_within_reach(target) for target in multicast]
        destinations = tuple((target, self._builder.cta_of(target)) for target in rows)
        place, into = self._stage(stage, self._builder.ring_of(row) if ring is None else ring)
        steps = tuple(self._builder.whole("a piece", piece, 1, MAX_COUNT) for piece in pieces)
        if steps and sum(steps) != size:
            self._builder.fail(tr("the pieces are {sum} bytes together, of {bytes}", sum=sum(steps), bytes=size))
        site = self._builder.site("copy")
        self._add(Copy, row, place, size, self.tile, site, source, destinations, steps, into)

    def cp_async_arrive(
        self,
        barrier: BarrierHandle,
        stage: int,
        bytes: int,
        count: int = 1,
        *,
        no_inc: bool = True,
        ring: str | None = None,
    ) -> None:
        """`cp_async` of `bytes` into `stage`, then `cp_async_mbarrier_arrive` on `barrier`. `ring` None: its ring."""
        self.cp_async(stage, bytes, ring=self._builder.ring_of(self._builder.row_of(barrier)) if ring is None else ring)
        self.cp_async_mbarrier_arrive(barrier, count, no_inc=no_inc)

    def cp_async_mbarrier_arrive(self, barrier: BarrierHandle, count: int = 1, *, no_inc: bool = True) -> None:
        """cp.async.mbarrier.arrive: `count` arrivals on `barrier` once the agent's cp.async so far are in.

        With `no_inc` (.noinc) they count towards what its phase takes; without, each first raises the pending count.
        """
        row = self._row_within_reach(barrier)
        for at in self._unbound:
            copy = self._operations[at]
            assert isinstance(copy, CpAsync)
            self._operations[at] = replace(copy, barrier=row)
        self._unbound.clear()
        site = self._builder.site("cp_async_mbarrier_arrive")
        self._add(CpAsyncArrive, row, self._count("count", count), self.tile, site, no_inc)

    def cp_async(self, stage: int, bytes: int, *, tile: int | None = None, ring: str | None = None) -> None:
        """cp.async of `bytes` of a tile (None: the current one) into `stage`, committed as a group of its own."""
        copied = self.tile if tile is None else self._builder.whole("tile", tile, 0, MAX_INT)
        place, size, of = self._buffer(stage, bytes, ring)
        self._unbound.append(len(self._operations))
        self._add(CpAsync, place, size, copied, self._builder.site("cp_async"), of)

    def wait_group(self, keep: int = 0) -> None:
        """cp.async.wait_group: wait until at most the latest `keep` groups have not landed."""
        self._unbound.clear()
        self._add(WaitGroup, self._kept(keep), self.tile, self._builder.site("wait_group"))

    def delay(self, ns: int) -> None:
        self._builder.site("delay")
        self._add(Delay, self._ns("ns", ns))

    def advance(self) -> None:
        """++PipelineState: the next stage, and after the last one the first with the other phase."""
        self._cursor.advance()

    def restart(self, *, phase: int | None = None) -> None:
        """Set the cursor back to stage 0, as code does that makes a new PipelineState. Leaves no event."""
        self._cursor.restart(phase=phase)

    def exit(self) -> None:
        """Leave the kernel."""
        self._add(Exit, self._builder.site("exit"))

    def finished(self, rings: int) -> ProgramAgent:
        """The agent with its whole list, in a program of so many rings; it leaves at its end in any case."""
        if not self._operations or not isinstance(self._operations[-1], Exit):
            self._operations.append(Exit())
        goes_round = self._has_cursor or any(isinstance(op, Advance) and op.ring == 0 for op in self._operations)
        agent = self.agent if rings == 1 or goes_round else replace(self.agent, start=None)
        return ProgramAgent(agent, tuple(self._operations), self._threads)

    def _count(self, what: str, value: object) -> int:
        return self._builder.whole(what, value, 1, MAX_COUNT)

    def _bytes_on(self, barrier: BarrierHandle, bytes_: object) -> tuple[int, int]:
        return self._row_within_reach(barrier), self._builder.whole("bytes", bytes_, 1, MAX_COUNT)
