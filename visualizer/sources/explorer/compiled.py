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
from visualizer.programs.errors import ProgramError
from visualizer.programs.groups import Groups
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
_READ_WAITS = (RetireReads, WaitStores, WgmmaWait, StoreWait)


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
        lap = Laps()
        opened: list[tuple[int, int, int]] = []  # place, first and last pc at which a read of it is open
        readers: Groups[tuple[int, int, int]] = Groups()  # place, tile, since
        stores: Groups[tuple[int, int, int]] = Groups()
        for number, operation in enumerate(operations):
            if isinstance(operation, Exit):
                break
            kind = type(operation)
            if kind in _BARRIER_CODE:
                code, amount = _BARRIER_CODE[kind]
                if isinstance(operation, Arrive) and operation.no_complete:
                    code = Code.ARRIVE_NO_COMPLETE
                steps.append(Step(code, operation.barrier, getattr(operation, amount, 0), number))  # type: ignore[union-attr]
            elif isinstance(operation, Wait | TryWait):
                own = self.compiled.program.barriers[operation.barrier].cta == cta
                parity = (operation.parity & 1) + (0 if own else REMOTE)
                lap.waits += isinstance(operation, Wait)
                code = Code.WAIT if isinstance(operation, Wait) else Code.TEST
                steps.append(Step(code, operation.barrier, parity, number))
            elif isinstance(operation, Sync | SyncWarp | Take) or (
                isinstance(operation, BarSync) and not operation.threads
            ):
                steps.append(Step(Code.SYNC, 0, 0, number))
            elif isinstance(operation, SetMaxNReg):
                registers = operation.change * self.compiled.program.agents[thread].threads
                steps.append(Step(Code.TAKE if registers > 0 else Code.FREE, cta, abs(registers), number))
            elif isinstance(operation, BarSync | BarArrive):
                row, threads = self._named_row(cta, operation), self.compiled.program.agents[thread].threads
                steps.append(Step(Code.ARRIVE, row, threads, number))
                if isinstance(operation, BarSync):
                    steps.append(Step(Code.NAMED_WAIT, row, 0, number))
            elif isinstance(operation, _Issues):
                steps.append(Step(Code.COPY, self._issued, len(_destinations(operation, cta)), number))
                self._issued += steps[-1].amount
            elif isinstance(operation, ProxyFence) and self._open:
                steps.append(Step(Code.PROXY_FENCE, 0, 0, number))
            elif isinstance(operation, Write):
                version = self._written[thread, number]
                if (thread, number) in self._changes:
                    self.compiled.changes.add((thread, len(steps)))
                if (thread, number) in self._open:
                    self.compiled.open_writes.add((thread, len(steps)))
                steps.append(Step(Code.WRITE, self._places.of(thread, operation), version, number, operation.tile))
            elif isinstance(operation, Read | ReadAsync | Store):
                place = self._places.of(thread, operation)
                version = self._versions.read(thread, place, operation.tile, lap)
                if place in self._opened and is_asynchronous(self.compiled.program.agents[thread], operation):
                    self.compiled.asynchronous.add((thread, len(steps)))
                if version >= 0:
                    self.compiled.readers[version].append((thread, len(steps)))
                steps.append(Step(Code.READ_BEGIN, place, version, number, operation.tile))
                if isinstance(operation, Read):
                    opened.append((place, len(steps), len(steps)))
                    steps.append(Step(Code.READ_END, place, 0, number, operation.tile))
                else:
                    (stores if isinstance(operation, Store) else readers).start((place, operation.tile, len(steps)))
            elif isinstance(operation, WgmmaCommit | StoreCommit):
                (stores if isinstance(operation, StoreCommit) else readers).commit()
            elif isinstance(operation, _READ_WAITS):
                unfinished = readers if isinstance(operation, RetireReads | WgmmaWait) else stores
                by_group = isinstance(operation, WgmmaWait | StoreWait)
                done = unfinished.but_latest_groups if by_group else unfinished.but_latest
                for place, tile, since in done(operation.keep):
                    opened.append((place, since, len(steps)))
                    steps.append(Step(Code.READ_END, place, 0, number, tile))
        if cta in self.compiled.exposed:
            leave = next((at for at, o in enumerate(operations) if isinstance(o, Exit)), len(operations))
            steps.append(Step(Code.EXIT, cta, 0, leave))
        for place, _, since in readers.rest() + stores.rest():
            opened.append((place, since, len(steps) - 1))
        open_at: list[set[int]] = [set() for _ in range(len(steps) + 1)]
        for place, first, last in opened:
            for pc in range(first, last + 1):
                open_at[pc].add(place)
        self.compiled.open_at.append([tuple(sorted(places)) for places in open_at])
        return steps

    def _named_row(self, cta: int, operation: BarSync | BarArrive) -> int:
        row = self._named.setdefault((cta, operation.id), self.compiled.barriers)
        if row == self.compiled.barriers:
            self.compiled.barriers += 1
            self.compiled.named[row] = operation.threads
        return row


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
