"""Compiles a Program into the steps and tables of steps.py, and finds which versions its reads mean."""

from __future__ import annotations

from collections.abc import Iterator

from visualizer.language import tr
from visualizer.programs.accesses import (
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
from visualizer.programs.program import Program, ProgramError
from visualizer.programs.tensor import Take
from visualizer.sources.explorer.meetings import with_groups
from visualizer.sources.explorer.steps import REMOTE, Code, Compiled, CopyPart, Step

_BARRIER_CODE = {
    Init: (Code.INIT, "count"),
    Inval: (Code.INVAL, ""),
    Arrive: (Code.ARRIVE, "count"),
    ArriveDrop: (Code.ARRIVE_DROP, "count"),
    ArriveExpectTx: (Code.ARRIVE_EXPECT_TX, "bytes"),
    ExpectTx: (Code.EXPECT_TX, "bytes"),
    CompleteTx: (Code.COMPLETE_TX, "bytes"),
}
_OnBuffer = Copy | CpAsync | Write | Read | ReadAsync | Store
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
        ctas = 1 + max((agent.agent.cta for agent in program.agents), default=-1)
        buffers = _buffers(program)
        self._place_in_cta = {buffer: place for place, buffer in enumerate(buffers)}
        self.compiled = Compiled(
            program, [], barriers=len(program.barriers), buffers=buffers, places=len(buffers) * ctas
        )
        self._versions: dict[tuple[int, int, int], int] = {}
        self._laps: dict[tuple[int, int], int] = {}  # (place, tile) -> versions that copies make of it
        self._written: dict[tuple[int, int], int] = {}  # (thread, operation) of a write -> its version
        self._named: dict[tuple[int, int], int] = {}
        for thread, agent in enumerate(program.agents):
            self._number_copies(thread, agent.agent.cta, agent.operations)
        self._issued = 0
        self.compiled.ctas = [agent.agent.cta for agent in program.agents]
        self.compiled.exposed = frozenset(_remote_ctas(program))
        drafts = [self._steps(thread, a.agent.cta, a.operations) for thread, a in enumerate(program.agents)]
        self.compiled.threads = with_groups(program, drafts)
        named = [cta for cta, _ in self._named]  # in the order of their rows
        self.compiled.barrier_ctas = [barrier.cta for barrier in program.barriers] + named

    def _number_copies(self, thread: int, cta: int, operations: tuple[Operation, ...]) -> None:
        lap = _Laps()
        for number, operation in enumerate(operations):
            if isinstance(operation, Exit):
                return
            if isinstance(operation, Wait):
                lap.waits += 1
            if isinstance(operation, Write):
                place = self._place(cta, operation)
                self._written[thread, number] = self._version_written(place, operation.tile, lap)
            if isinstance(operation, CpAsyncArrive):
                increments = 0 if operation.no_inc else operation.count
                arrival = (-1, operation.barrier, 0, -1, operation.count, increments)
                self.compiled.copies.append(CopyPart(*arrival, thread, number, (0,), cta))
            if not isinstance(operation, Copy | CpAsync):
                continue
            pieces = (operation.bytes,) if isinstance(operation, CpAsync) else operation.pieces
            for barrier, destination in _destinations(operation, cta):
                place = self._place(destination, operation)
                version = self._version_written(place, operation.tile, lap)
                copied = (place, barrier, operation.bytes, version, 0, 0)
                self.compiled.copies.append(CopyPart(*copied, thread, number, pieces, destination))

    def _version_written(self, place: int, tile: int, lap: _Laps) -> int:
        """The version that a copy or a write into the place is a piece of; counts the piece."""
        key = (place, tile, lap.of(place, tile))
        self._laps[key[:2]] = max(self._laps.get(key[:2], 0), key[2] + 1)
        version = self._versions.setdefault(key, len(self._versions))
        if version == len(self.compiled.pieces):
            self.compiled.pieces.append(0)
            self.compiled.readers.append([])
        self.compiled.pieces[version] += 1
        return version

    def _steps(self, thread: int, cta: int, operations: tuple[Operation, ...]) -> list[Step]:
        steps: list[Step] = []
        lap = _Laps()
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
            elif isinstance(operation, Write):
                version = self._written[thread, number]
                steps.append(Step(Code.WRITE, self._place(cta, operation), version, number, operation.tile))
            elif isinstance(operation, Read | ReadAsync | Store):
                place = self._place(cta, operation)
                version = self._version_read(place, operation.tile, lap.of(place, operation.tile))
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

    def _place(self, cta: int, operation: _OnBuffer) -> int:
        return cta * len(self.compiled.buffers) + self._place_in_cta[operation.ring, operation.stage]

    def _version_read(self, place: int, tile: int, lap: int) -> int:
        """What a read means to see; -1 if no copy of the program puts that tile there."""
        laps = self._laps.get((place, tile), 0)
        return self._versions[place, tile, min(lap, laps - 1)] if laps else -1

    def _named_row(self, cta: int, operation: BarSync | BarArrive) -> int:
        row = self._named.setdefault((cta, operation.id), self.compiled.barriers)
        if row == self.compiled.barriers:
            self.compiled.barriers += 1
            self.compiled.named[row] = operation.threads
        return row


class _Laps:
    """How often an agent has come back to the same tile of the same place."""

    def __init__(self) -> None:
        self.waits = 0
        self._last: dict[int, tuple[int, int]] = {}  # place -> tile there last, waits at the time
        self._count: dict[tuple[int, int], int] = {}

    def of(self, place: int, tile: int) -> int:
        last = self._last.get(place)
        key = (place, tile)
        if last is None or last[0] != tile or (tile < 0 and last[1] != self.waits):
            self._count[key] = self._count.get(key, -1) + 1
        self._last[place] = (tile, self.waits)
        return self._count[key]


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


def _buffers(program: Program) -> list[tuple[int, int]]:
    """(ring, stage) of every stage buffer of a CTA that operations use, each ring's without gaps."""
    stages = [0] * len(program.rings)
    for agent in program.agents:
        for operation in agent.operations:
            if isinstance(operation, _OnBuffer):
                stages[operation.ring] = max(stages[operation.ring], operation.stage + 1)
    return [(ring, stage) for ring, count in enumerate(stages) for stage in range(count)]
