"""A Program as tuples of integers: one thread of steps per agent, and tables of its copies, buffers and readers.

Operations that nobody else can notice (advance, delay, fence, exit) are no steps. A Read is two steps, a
ReadAsync one that stays open until the RetireReads that sees it done. `place` numbers stage buffers of all CTAs.

A *version* is what one tile's copies put into one place. Reads are matched to versions by place and tile; a tile number
that comes back after another tile was in between (a persistent kernel that counts from 0 again) is a new version, and
for operations without a tile number each wait of the agent begins a new one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from visualizer.language import tr
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
from visualizer.programs.program import Program, ProgramError


class Code(IntEnum):
    """What a step does. Those up to INCREASE_PENDING (by a cp.async, never a step) are operations of Mbarrier."""

    INIT = 0
    INVAL = 1
    ARRIVE = 2
    ARRIVE_NO_COMPLETE = 3
    ARRIVE_DROP = 4
    ARRIVE_EXPECT_TX = 5
    EXPECT_TX = 6
    COMPLETE_TX = 7
    INCREASE_PENDING = 8
    WAIT = 9
    SYNC = 10
    NAMED_WAIT = 11
    COPY = 12
    READ_BEGIN = 13
    READ_END = 14
    EXIT = 15  # only where other CTAs may still arrive


class Step(NamedTuple):
    """`target` is a barrier, a place (reads) or the first copy (COPY); `amount` arrivals, bytes, parity, version, ...

    `operation` is the index of the operation in the agent's list; `group` the members of a SYNC as (thread, step).
    """

    code: int
    target: int
    amount: int
    operation: int
    tile: int = -1  # of a read
    group: tuple[tuple[int, int], ...] = ()


class CopyPart(NamedTuple):
    """One copy into one destination: what it lands on, and what its landing does to `barrier`."""

    place: int
    barrier: int
    bytes: int
    version: int
    arrivals: int  # cp.async: arrivals when it lands; 0: complete_tx(bytes)
    increments: int  # cp.async without no_inc: raised at issue
    thread: int
    operation: int
    is_whole: bool  # all bytes complete at once
    cta: int  # whose buffer and barrier


@dataclass
class Compiled:
    """Everything the machine needs; `barriers` counts the named barriers that follow the program's own."""

    program: Program
    threads: list[tuple[Step, ...]]
    copies: list[CopyPart] = field(default_factory=list)
    barriers: int = 0
    named: dict[int, int] = field(default_factory=dict)  # named barrier's row -> agents it waits for
    ctas: list[int] = field(default_factory=list)  # of each thread
    barrier_ctas: list[int] = field(default_factory=list)
    exposed: frozenset[int] = frozenset()  # CTAs that others arrive at or copy into
    stages: int = 0  # places per CTA
    places: int = 0
    pieces: list[int] = field(default_factory=list)  # copies that make up each version
    readers: list[list[tuple[int, int]]] = field(default_factory=list)  # version -> (thread, step of its READ_BEGIN)
    open_at: list[list[tuple[int, ...]]] = field(default_factory=list)  # [thread][pc] -> places it is reading


_BARRIER_CODE = {
    Init: (Code.INIT, "count"),
    Inval: (Code.INVAL, ""),
    Arrive: (Code.ARRIVE, "count"),
    ArriveDrop: (Code.ARRIVE_DROP, "count"),
    ArriveExpectTx: (Code.ARRIVE_EXPECT_TX, "bytes"),
    ExpectTx: (Code.EXPECT_TX, "bytes"),
    CompleteTx: (Code.COMPLETE_TX, "bytes"),
}
REMOTE = 2
"""Added to a WAIT's parity if the barrier belongs to another CTA."""


def compile_program(program: Program) -> Compiled:
    """The program's steps and tables; time and size proportional to its operations. ProgramError for what schedules
    of mbarriers say nothing about."""
    if any(type(operation) in (CpAsync, WaitGroup) for agent in program.agents for operation in agent.operations):
        raise ProgramError(
            tr(
                "--program {name}: cp.async groups without mbarriers cannot be explored; record it instead",
                name=program.name,
            )
        )
    return _Compiler(program).compiled


class _Compiler:
    def __init__(self, program: Program) -> None:
        stages = 1 + max((_stage(o) for a in program.agents for o in a.operations), default=-1)
        ctas = 1 + max((agent.agent.cta for agent in program.agents), default=-1)
        self._stages = stages
        self.compiled = Compiled(program, [], barriers=len(program.barriers), stages=stages, places=stages * ctas)
        self._versions: dict[tuple[int, int, int], int] = {}
        self._laps: dict[tuple[int, int], int] = {}  # (place, tile) -> versions that copies make of it
        self._named: dict[tuple[int, int], int] = {}
        for thread, agent in enumerate(program.agents):
            self._number_copies(thread, agent.agent.cta, agent.operations)
        self._issued = 0
        self.compiled.ctas = [agent.agent.cta for agent in program.agents]
        self.compiled.exposed = frozenset(_remote_ctas(program))
        drafts = [self._steps(thread, a.agent.cta, a.operations) for thread, a in enumerate(program.agents)]
        self.compiled.threads = _with_groups(drafts, self.compiled.ctas)
        named = [cta for cta, _ in self._named]  # in the order of their rows
        self.compiled.barrier_ctas = [barrier.cta for barrier in program.barriers] + named

    def _number_copies(self, thread: int, cta: int, operations: tuple[Operation, ...]) -> None:
        lap = _Laps()
        for number, operation in enumerate(operations):
            if isinstance(operation, Exit):
                return
            if isinstance(operation, Wait):
                lap.waits += 1
            if not isinstance(operation, Copy | CpAsyncArrive):
                continue
            whole = isinstance(operation, CpAsyncArrive) or operation.whole
            arrivals = operation.count if isinstance(operation, CpAsyncArrive) else 0
            increments = operation.count if isinstance(operation, CpAsyncArrive) and not operation.no_inc else 0
            for barrier, destination in _destinations(operation, cta):
                place = destination * self._stages + operation.stage
                key = (place, operation.tile, lap.of(place, operation.tile))
                self._laps[key[:2]] = max(self._laps.get(key[:2], 0), key[2] + 1)
                version = self._versions.setdefault(key, len(self._versions))
                if version == len(self.compiled.pieces):
                    self.compiled.pieces.append(0)
                    self.compiled.readers.append([])
                self.compiled.pieces[version] += 1
                part = CopyPart(
                    place, barrier, operation.bytes, version, arrivals, increments, thread, number, whole, destination
                )
                self.compiled.copies.append(part)

    def _steps(self, thread: int, cta: int, operations: tuple[Operation, ...]) -> list[Step]:
        steps: list[Step] = []
        lap = _Laps()
        opened: list[tuple[int, int, int]] = []  # place, first and last pc at which a read of it is open
        running: dict[bool, list[tuple[int, int, int]]] = {False: [], True: []}  # readers, stores: place, tile, since
        for number, operation in enumerate(operations):
            if isinstance(operation, Exit):
                break
            kind = type(operation)
            if kind in _BARRIER_CODE:
                code, amount = _BARRIER_CODE[kind]
                if isinstance(operation, Arrive) and operation.no_complete:
                    code = Code.ARRIVE_NO_COMPLETE
                steps.append(Step(code, operation.barrier, getattr(operation, amount, 0), number))  # type: ignore[union-attr]
            elif isinstance(operation, Wait):
                lap.waits += 1
                own = self.compiled.program.barriers[operation.barrier].cta == cta
                parity = (operation.parity & 1) + (0 if own else REMOTE)
                steps.append(Step(Code.WAIT, operation.barrier, parity, number))
            elif isinstance(operation, Sync):
                steps.append(Step(Code.SYNC, int(operation.cluster), 0, number))
            elif isinstance(operation, NamedSync):
                row = self._named_row(cta, operation)
                steps += [Step(Code.ARRIVE, row, 1, number), Step(Code.NAMED_WAIT, row, 0, number)]
            elif isinstance(operation, Copy | CpAsyncArrive):
                steps.append(Step(Code.COPY, self._issued, len(_destinations(operation, cta)), number))
                self._issued += steps[-1].amount
            elif isinstance(operation, Read | ReadAsync | Store):
                place = cta * self._stages + operation.stage
                version = self._version_read(place, operation.tile, lap.of(place, operation.tile))
                if version >= 0:
                    self.compiled.readers[version].append((thread, len(steps)))
                steps.append(Step(Code.READ_BEGIN, place, version, number, operation.tile))
                if isinstance(operation, Read):
                    opened.append((place, len(steps), len(steps)))
                    steps.append(Step(Code.READ_END, place, 0, number, operation.tile))
                else:
                    running[isinstance(operation, Store)].append((place, operation.tile, len(steps)))
            elif isinstance(operation, RetireReads | WaitStores):
                group = running[isinstance(operation, WaitStores)]
                while len(group) > operation.keep:
                    place, tile, since = group.pop(0)
                    opened.append((place, since, len(steps)))
                    steps.append(Step(Code.READ_END, place, 0, number, tile))
        if cta in self.compiled.exposed:
            leave = next((at for at, o in enumerate(operations) if isinstance(o, Exit)), len(operations))
            steps.append(Step(Code.EXIT, cta, 0, leave))
        for place, _, since in running[False] + running[True]:
            opened.append((place, since, len(steps) - 1))
        open_at: list[set[int]] = [set() for _ in range(len(steps) + 1)]
        for place, first, last in opened:
            for pc in range(first, last + 1):
                open_at[pc].add(place)
        self.compiled.open_at.append([tuple(sorted(places)) for places in open_at])
        return steps

    def _version_read(self, place: int, tile: int, lap: int) -> int:
        """What a read means to see; -1 if no copy of the program puts that tile there."""
        laps = self._laps.get((place, tile), 0)
        return self._versions[place, tile, min(lap, laps - 1)] if laps else -1

    def _named_row(self, cta: int, operation: NamedSync) -> int:
        row = self._named.setdefault((cta, operation.id), self.compiled.barriers)
        if row == self.compiled.barriers:
            self.compiled.barriers += 1
            self.compiled.named[row] = operation.agents
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


def _with_groups(drafts: list[list[Step]], ctas: list[int]) -> list[tuple[Step, ...]]:
    """Tell every SYNC who else must have reached it: the n-th of each agent of the CTA (or the cluster) are one."""
    where: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
    keys: dict[tuple[int, int], tuple[int, int, int]] = {}
    for thread, steps in enumerate(drafts):
        seen = [0, 0]
        for pc, step in enumerate(steps):
            if step.code == Code.SYNC:
                key = (step.target, -1 if step.target else ctas[thread], seen[step.target])
                seen[step.target] += 1
                where.setdefault(key, []).append((thread, pc))
                keys[thread, pc] = key
    members: dict[tuple[int, int], set[int]] = {}
    for (cluster, cta, _), reached in where.items():
        members.setdefault((cluster, cta), set()).update(thread for thread, _ in reached)
    result = []
    for thread, steps in enumerate(drafts):
        full = []
        for pc, step in enumerate(steps):
            if step.code == Code.SYNC:
                key = keys[thread, pc]
                absent = members[key[:2]] - {other for other, _ in where[key]}
                group = tuple(where[key]) + tuple((other, len(drafts[other]) + 1) for other in sorted(absent))
                step = step._replace(group=group)
            full.append(step)
        result.append(tuple(full))
    return result


def _remote_ctas(program: Program) -> Iterator[int]:
    for agent in program.agents:
        for operation in agent.operations:
            if isinstance(operation, Copy | CpAsyncArrive):
                touched = [cta for _, cta in _destinations(operation, agent.agent.cta)]
            elif type(operation) in _BARRIER_CODE:
                touched = [program.barriers[operation.barrier].cta]  # type: ignore[union-attr]
            else:
                continue
            yield from (cta for cta in touched if cta != agent.agent.cta)


def _destinations(operation: Copy | CpAsyncArrive, cta: int) -> tuple[tuple[int, int], ...]:
    own = ((operation.barrier, cta),)
    return own if isinstance(operation, CpAsyncArrive) else operation.destinations or own


def _stage(operation: Operation) -> int:
    return int(getattr(operation, "stage", -1))
