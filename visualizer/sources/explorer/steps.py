"""A Program as tuples of integers: one thread of steps per agent, and tables of its copies, buffers and readers.

Operations that nobody else can notice (advance, delay, exit) are no steps. A Read is two steps, a ReadAsync one that
stays open until the RetireReads that sees it done. `place` numbers stage buffers of all CTAs' rings.

A *version* is what one tile's copies and writes put into one place. Reads are matched to versions by place and tile; a
tile number that comes back after another tile was in between (a persistent kernel that counts from 0 again) is a new
version, and for operations without a tile number each wait of the agent begins a new one. A write into what the agent
has read there is no piece of a version: it changes one in place, and reads may come before it or after.

A write is *open* if its agent may tell others of it, or hand it to the asynchronous proxy, before it executes a
fence.proxy.async. Only where a program has such do fences and asynchronous reads matter (written.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from visualizer.programs.program import Program

REMOTE = 2
"""Added to a WAIT's or a TEST's parity if the barrier belongs to another CTA."""


class Code(IntEnum):
    """What a step does. Those up to INCREASE_PENDING (never a step) are operations of Mbarrier."""

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
    TEST = 16  # a wait that is not repeated: nobody can notice its outcome
    WRITE = 17
    FREE = 18  # registers, to the CTA
    TAKE = 19  # ... and from it, once it has as many
    PROXY_FENCE = 20  # only where writes are open


class Step(NamedTuple):
    """`target` is a barrier, a place (reads, WRITE), a CTA (EXIT, FREE, TAKE) or the first copy (COPY); `amount`
    arrivals, bytes, parity, version, registers, ...

    `operation` is the index of the operation in the agent's list; `group` whom a SYNC waits for, as (thread, step).
    """

    code: int
    target: int
    amount: int
    operation: int
    tile: int = -1  # of a read
    group: tuple[tuple[int, int], ...] = ()


class CopyPart(NamedTuple):
    """One copy into one destination: what it lands on, and what its landing does to `barrier`.

    A cp.async does nothing to a barrier; it lands at the latest with the arrival (a copy of no bytes into no place) of
    a cp.async.mbarrier.arrive after it, or never: nobody can rely on its landing earlier, and that spoils nothing.
    """

    place: int  # -1: none
    barrier: int  # -1: none
    bytes: int
    version: int
    arrivals: int  # of a cp.async.mbarrier.arrive when it lands; 0: complete_tx(bytes)
    increments: int  # of one without no_inc: raised at issue
    thread: int
    operation: int
    pieces: tuple[int, ...]  # in which its bytes complete, one after the other; (): in any
    cta: int  # whose buffer and barrier


@dataclass
class Compiled:
    """Everything the machine needs; `barriers` counts the named barriers that follow the program's own."""

    program: Program
    threads: list[tuple[Step, ...]]
    copies: list[CopyPart] = field(default_factory=list)
    barriers: int = 0
    named: dict[int, int] = field(default_factory=dict)  # named barrier's row -> threads it waits for
    ctas: list[int] = field(default_factory=list)  # of each thread
    barrier_ctas: list[int] = field(default_factory=list)
    exposed: frozenset[int] = frozenset()  # CTAs that others arrive at or copy into
    buffers: list[tuple[int, int]] = field(default_factory=list)  # (ring, stage) of each place of one CTA, in order
    places: int = 0  # of all CTAs, and agents' parts of them
    whole: list[int] = field(default_factory=list)  # of each such part, which come last
    pieces: list[int] = field(default_factory=list)  # copies and writes that make up each version
    readers: list[list[tuple[int, int]]] = field(default_factory=list)  # version -> (thread, step of its READ_BEGIN)
    open_at: list[list[tuple[int, ...]]] = field(default_factory=list)  # [thread][pc] -> places it is reading
    unjudged: frozenset[int] = frozenset()  # places that may be more than one buffer
    parts: frozenset[int] = frozenset()  # places of which each of several agents writes and reads its part
    changes: set[tuple[int, int]] = field(default_factory=set)  # (thread, pc) of writes in place
    open_writes: set[tuple[int, int]] = field(default_factory=set)  # (thread, pc)
    asynchronous: set[tuple[int, int]] = field(default_factory=set)  # (thread, pc) of such reads where writes are open

    def buffer(self, place: int) -> tuple[int, int]:
        """The ring and the stage of a place."""
        wholes = self.places - len(self.whole)
        return self.buffers[(place if place < wholes else self.whole[place - wholes]) % len(self.buffers)]
