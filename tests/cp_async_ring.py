"""tests/data/cp_async_ring.cu as a program: what the simulator says that its warps do, to be held against a GPU."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from visualizer.programs.builder import Builder
from visualizer.programs.program import Program
from visualizer.recording.schema import EventKind as E
from visualizer.recording.trace import Trace

SOURCE = Path(__file__).parent / "data" / "cp_async_ring.cu"
STAGES, WORDS, TILES = 3, 128, 10
ON_BARRIERS = (E.INIT, E.WAIT_BEGIN, E.ARRIVE, E.CP_ASYNC_ARRIVE, E.CP_ASYNC_ARRIVE_NOINC)


def program(no_inc: bool) -> Program:
    """Agents producer and consumer; they stand for warps of 32 lanes, each of which the hardware arrives for."""
    b = Builder("cp-async-ring")
    full = b.barriers("full", STAGES, count=32 if no_inc else 1)
    empty = b.barriers("empty", STAGES, count=1)
    p = b.agent("producer", role="producer", stages=STAGES, phase=1)
    p.init_all()
    p.sync()
    for _ in p.tiles(TILES):
        p.wait(empty[p.index], p.phase)
        p.cp_async_arrive(full[p.index], p.index, WORDS * 4, count=32, no_inc=no_inc)
        if not no_inc:
            p.arrive(full[p.index])
        p.advance()
    c = b.agent("consumer", role="consumer", stages=STAGES)
    c.sync()
    for _ in c.tiles(TILES):
        c.wait(full[c.index], c.phase)
        c.read(c.index, WORDS * 4)
        c.arrive(empty[c.index])
        c.advance()
    return b.build()


def done_on_barriers(trace: Trace) -> list[list[tuple[E, int, int, int]]]:
    """What each warp did to barriers, in its own order: kind, barrier by its address, parity, amount; and, last, what
    the hardware did, phases that completed, in theirs."""
    lowest = min(barrier.offset for barrier in trace.barriers)
    place = [(barrier.offset - lowest) // 8 for barrier in trace.barriers]
    done: list[list[tuple[E, int, int, int]]] = []
    for row, agent in enumerate(trace.agents):
        if agent.warp >= 0:
            chosen = trace.events["agent"] == row
            done.append(_rows(trace, chosen & np.isin(trace.events["kind"], ON_BARRIERS), place))
    completed = _rows(trace, trace.events["kind"] == E.PHASE_COMPLETE, place)
    return [*done, sorted(completed, key=lambda event: event[1])]


def _rows(trace: Trace, chosen: np.ndarray, place: list[int]) -> list[tuple[E, int, int, int]]:
    events = trace.events[chosen]
    fields = (events[name].tolist() for name in ("kind", "barrier", "parity", "amount"))
    return [(E(kind), place[barrier], parity, amount) for kind, barrier, parity, amount in zip(*fields, strict=True)]
