"""Compiles a Program into the steps and tables of steps.py, and finds which versions its reads mean."""

from __future__ import annotations

from collections.abc import Iterator

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
from visualizer.programs.async_groups import Groups
from visualizer.programs.errors import ProgramError
from visualizer.programs.meetings import BarArrive, BarSync, SetMaxNReg, Sync, SyncWarp
from visualizer.programs.operations import (
    Arrive,
    ArriveDrop,
    ArriveExpectTx,
    CompleteTx,
    Copy,
    CpAsync,
    CpAsyncArrive,
    Exit,
    ExpectTx,
    Init,
    Inval,
    Operation,
    TryWait,
    Wait,
    WaitGroup,
)
from visualizer.programs.program import Program
from visualizer.programs.tensor import Take
from visualizer.sources.explorer.meetings import with_groups
from visualizer.sources.explorer.places import Places, shared_places
from visualizer.sources.explorer.steps import REMOTE, Code, Compiled, CopyPart, Step
from visualizer.sources.explorer.versions import Laps, Versions
from visualizer.sources.explorer.written import is_asynchronous, open_writes

_BARRIER_CODE = {
    Init: (Code.INIT, "count"),
    Inval: (Code.INVAL, ""),
    Arrive: (Code.ARRIVE, "count"),
    ArriveDrop: (Code.ARRIVE_DROP, "count"),
    ArriveExpectTx: (Code.ARRIVE_EXPECT_TX, "bytes"),
    ExpectTx: (Code.EXPECT_TX, "bytes"),
    CompleteTx: (Code.COMPLETE_TX, "bytes"),
}
_Issues = Copy | CpAsync | CpAsyncArrive
_ReadWaits = RetireReads | WaitStores | WgmmaWait | StoreWait


def compile_program(program: Program) -> Compiled:
    """The program's steps and tables; time and size proportional to its operations. ProgramError for what schedules
    of mbarriers say nothing about."""
    if any(isinstance(operation, WaitGroup) for agent in program.agents for operation in agent.operations):
        raise ProgramError(
            tr(
                "--program {name}: cp.async groups without mbarriers cannot be explored; record it instead",
                name=program.name,
            )
        )
    return _Compiler(program).compiled


class _Compiler:
    def __init__(self, program: Program) -> None:
        self._places = places = Places(program)
        self.compiled = Compiled(
            program,
            [],
            barriers=len(program.barriers),
            buffers=places.buffers,
            places=places.count,
            whole=places.whole,
            parts=places.shared,
        )
        self._versions = Versions(self.compiled)
        self._written: dict[tuple[int, int], int] = {}  # (thread, operation) of a write -> its version
        self._changes: set[tuple[int, int]] = set()  # (thread, operation) of the writes in place
        self._open = open_writes(program, places)
        self._opened: set[int] = set()  # places of these
        self._named: dict[tuple[int, int], int] = {}
        for thread, agent in enumerate(program.agents):
            self._number_copies(thread, agent.agent.cta, agent.operations)
        self.compiled.unjudged = shared_places(
            (_barrier_told(program, part), part.place) for part in self.compiled.copies if part.place >= 0
        )
        self._versions.settle()
        self._issued = 0
        self.compiled.ctas = [agent.agent.cta for agent in program.agents]
        self.compiled.exposed = frozenset(_remote_ctas(program))
        drafts = [self._steps(thread, a.agent.cta, a.operations) for thread, a in enumerate(program.agents)]
        self.compiled.threads = with_groups(program, drafts)
        named = [cta for cta, _ in self._named]  # in the order of their rows
        self.compiled.barrier_ctas = [barrier.cta for barrier in program.barriers] + named

    def _number_copies(self, thread: int, cta: int, operations: tuple[Operation, ...]) -> None:
        lap, read_lap = Laps(), Laps()
        last_read: dict[int, tuple[int, int]] = {}  # place -> tile, and waits so far
        for number, operation in enumerate(operations):
            if isinstance(operation, Exit):
                return
            if isinstance(operation, Wait):
                lap.waits = read_lap.waits = lap.waits + 1
            if isinstance(operation, Read | ReadAsync | Store):
                place = self._places.of(thread, operation)
                self._versions.will_read(thread, place, operation.tile, read_lap)
                last_read[place] = operation.tile, lap.waits
            if isinstance(operation, Write):
                place = self._places.of(thread, operation)
                if (thread, number) in self._open:
                    self._opened.add(place)
                tile, waits = last_read.get(place, (-2, 0))
                changes = tile == operation.tile and (tile >= 0 or waits == lap.waits)
                if changes:
                    self._changes.add((thread, number))
                version = self._versions.written(thread, place, operation.tile, lap, pieces=not changes)
                self._written[thread, number] = version
            if isinstance(operation, CpAsyncArrive):
                increments = 0 if operation.no_inc else operation.count
                arrival = (-1, operation.barrier, 0, -1, operation.count, increments)
                self.compiled.copies.append(CopyPart(*arrival, thread, number, (0,), cta))
            if not isinstance(operation, Copy | CpAsync):
                continue
            pieces = (operation.bytes,) if isinstance(operation, CpAsync) else operation.pieces
            for barrier, destination in _destinations(operation, cta):
                place = self._places.at(destination, operation)
                version = self._versions.written(thread, place, operation.tile, lap)
                copied = (place, barrier, operation.bytes, version, 0, 0)
                self.compiled.copies.append(CopyPart(*copied, thread, number, pieces, destination))

    def _steps(self, thread: int, cta: int, operations: tuple[Operation, ...]) -> list[Step]:
        steps: list[Step] = []
        lap, reads = Laps(), _Reads()
        for number, operation in enumerate(operations):
            if isinstance(operation, Exit):
                break
            lap.waits += isinstance(operation, Wait)
            if isinstance(operation, Write):
                steps.append(self._write(thread, number, operation, len(steps)))
            elif isinstance(operation, Read | ReadAsync | Store):
                begin = self._begin_read(thread, number, operation, lap, len(steps))
                reads.begin(operation, begin.target, len(steps))
                steps.append(begin)
                if isinstance(operation, Read):
                    steps.append(begin._replace(code=Code.READ_END, amount=0))
            elif isinstance(operation, WgmmaCommit | StoreCommit):
                reads.commit(operation)
            elif isinstance(operation, _ReadWaits):
                for place, tile in reads.wait(operation, len(steps)):
                    steps.append(Step(Code.READ_END, place, 0, number, tile))
            else:
                steps += self._meet(thread, cta, number, operation)
        if cta in self.compiled.exposed:
            leave = next((at for at, o in enumerate(operations) if isinstance(o, Exit)), len(operations))
            steps.append(Step(Code.EXIT, cta, 0, leave))
        self.compiled.open_at.append(reads.open_at(len(steps)))
        return steps

    def _meet(self, thread: int, cta: int, number: int, operation: Operation) -> Iterator[Step]:
        """What an agent does with others: barriers, syncs and registers; and copies, which bring data for them."""
        threads = self.compiled.program.agents[thread].threads
        if (kind := type(operation)) in _BARRIER_CODE:
            code, amount = _BARRIER_CODE[kind]
            if isinstance(operation, Arrive) and operation.no_complete:
                code = Code.ARRIVE_NO_COMPLETE
            yield Step(code, operation.barrier, getattr(operation, amount, 0), number)  # type: ignore[union-attr]
        elif isinstance(operation, Wait | TryWait):
            own = self.compiled.program.barriers[operation.barrier].cta == cta
            code = Code.WAIT if isinstance(operation, Wait) else Code.TEST
            yield Step(code, operation.barrier, (operation.parity & 1) + (0 if own else REMOTE), number)
        elif isinstance(operation, Sync | SyncWarp | Take) or (
            isinstance(operation, BarSync) and not operation.threads
        ):
            yield Step(Code.SYNC, 0, 0, number)
        elif isinstance(operation, SetMaxNReg):
            registers = operation.change * threads
            yield Step(Code.TAKE if registers > 0 else Code.FREE, cta, abs(registers), number)
        elif isinstance(operation, BarSync | BarArrive):
            row = self._named_row(cta, operation)
            yield Step(Code.ARRIVE, row, threads, number)
            if isinstance(operation, BarSync):
                yield Step(Code.NAMED_WAIT, row, 0, number)
        elif isinstance(operation, _Issues):
            copies = len(_destinations(operation, cta))
            yield Step(Code.COPY, self._issued, copies, number)
            self._issued += copies
        elif isinstance(operation, ProxyFence) and self._open:
            yield Step(Code.PROXY_FENCE, 0, 0, number)

    def _write(self, thread: int, number: int, operation: Write, pc: int) -> Step:
        if (thread, number) in self._changes:
            self.compiled.changes.add((thread, pc))
        if (thread, number) in self._open:
            self.compiled.open_writes.add((thread, pc))
        place, version = self._places.of(thread, operation), self._written[thread, number]
        return Step(Code.WRITE, place, version, number, operation.tile)

    def _begin_read(self, thread: int, number: int, operation: Read | ReadAsync | Store, lap: Laps, pc: int) -> Step:
        place = self._places.of(thread, operation)
        version = self._versions.read(thread, place, operation.tile, lap)
        if place in self._opened and is_asynchronous(self.compiled.program.agents[thread], operation):
            self.compiled.asynchronous.add((thread, pc))
        if version >= 0:
            self.compiled.readers[version].append((thread, pc))
        return Step(Code.READ_BEGIN, place, version, number, operation.tile)

    def _named_row(self, cta: int, operation: BarSync | BarArrive) -> int:
        row = self._named.setdefault((cta, operation.id), self.compiled.barriers)
        if row == self.compiled.barriers:
            self.compiled.barriers += 1
            self.compiled.named[row] = operation.threads
        return row


class _Reads:
    """The reads of one thread: from which of its steps to which each place is open."""

    def __init__(self) -> None:
        self._opened: list[tuple[int, int, int]] = []  # place, first and last pc
        self._readers: Groups[tuple[int, int, int]] = Groups()  # of wgmma, not known to be done: place, tile, since
        self._stores: Groups[tuple[int, int, int]] = Groups()

    def begin(self, operation: Read | ReadAsync | Store, place: int, pc: int) -> None:
        """A read's step at `pc`; one that is not asynchronous ends with the next step."""
        if isinstance(operation, Read):
            self._opened.append((place, pc + 1, pc + 1))
        else:
            of_kind = self._stores if isinstance(operation, Store) else self._readers
            of_kind.start((place, operation.tile, pc + 1))

    def commit(self, operation: WgmmaCommit | StoreCommit) -> None:
        (self._stores if isinstance(operation, StoreCommit) else self._readers).commit()

    def wait(self, operation: _ReadWaits, pc: int) -> list[tuple[int, int]]:
        """Place and tile of what a wait sees done, whose steps come one after the other from `pc` on."""
        unfinished = self._readers if isinstance(operation, RetireReads | WgmmaWait) else self._stores
        by_group = isinstance(operation, WgmmaWait | StoreWait)
        done = (unfinished.but_latest_groups if by_group else unfinished.but_latest)(operation.keep)
        self._opened += [(place, since, pc + at) for at, (place, _, since) in enumerate(done)]
        return [(place, tile) for place, tile, _ in done]

    def open_at(self, steps: int) -> list[tuple[int, ...]]:
        """By step, and behind the last of so many, the places that are open: what nobody waits for to the end."""
        left = [(place, since, steps - 1) for place, _, since in self._readers.rest() + self._stores.rest()]
        open_at: list[set[int]] = [set() for _ in range(steps + 1)]
        for place, first, last in self._opened + left:
            for pc in range(first, last + 1):
                open_at[pc].add(place)
        return [tuple(sorted(places)) for places in open_at]


def _barrier_told(program: Program, part: CopyPart) -> int:
    """The barrier that says a copy is in: a cp.async's is that of the arrival after it."""
    operation = program.agents[part.thread].operations[part.operation]
    return operation.barrier if isinstance(operation, CpAsync) else part.barrier


def _remote_ctas(program: Program) -> Iterator[int]:
    for agent in program.agents:
        for operation in agent.operations:
            if isinstance(operation, Copy):
                touched = [cta for _, cta in _destinations(operation, agent.agent.cta)]
            elif isinstance(operation, CpAsyncArrive):
                touched = [program.barriers[operation.barrier].cta]
            elif type(operation) in _BARRIER_CODE:
                touched = [program.barriers[operation.barrier].cta]  # type: ignore[union-attr]
            else:
                continue
            yield from (cta for cta in touched if cta != agent.agent.cta)


def _destinations(operation: _Issues, cta: int) -> tuple[tuple[int, int], ...]:
    """The barrier and the CTA of each; a cp.async has no barrier of its own."""
    if isinstance(operation, Copy):
        return operation.destinations or ((operation.barrier, cta),)
    return ((-1 if isinstance(operation, CpAsync) else operation.barrier, cta),)
