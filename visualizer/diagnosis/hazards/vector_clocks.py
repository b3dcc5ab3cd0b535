"""Exact happens-before over a CTA's events with vector clocks: which accesses of a stage buffer nothing orders.

An agent's clock is a list: one component per agent, then one per stage that counts the copies known to have landed in
it, then, where agents write themselves, one per agent again (written.py). An arrival gives the agent's clock to the
barrier's phase, landing bytes give the clock their copy was issued with, a wait that passes takes what the phase it
relies on was given. This is a Python loop: hazards.py calls it only for CTAs where a shorter proof of order failed.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from visualizer.diagnosis.hazards.meetings import Meetings
from visualizer.diagnosis.hazards.written import Clock, Written
from visualizer.recording.schema import ARRIVAL_KINDS, EventKind
from visualizer.replay.history import History
from visualizer.replay.step_index import Steps

RaceKind = Literal["WRITE AFTER READ", "READ BEFORE DATA", "OVERWRITE UNREAD", "MISSING FENCE"]


@dataclass(frozen=True, slots=True)
class Race:
    """Two accesses of a stage that nothing orders: `step` the one that should not have been yet, `other` what should
    have come before, or be over."""

    kind: RaceKind
    place: int
    step: int
    other: int  # -1: there is none (nothing was written before the read)


@dataclass(slots=True)
class _Copy:
    issue: int
    ordinal: int
    left: int
    bytes: int
    clock: Clock


_NO_FILL = (-1, -1, 0)


@dataclass(slots=True)
class _Stage:
    copies: int = 0
    fill: tuple[int, int, int] = _NO_FILL  # what the latest copy was part of: its tile, or a phase of its barrier
    issue: int = -1
    open_reads: dict[int, list[int]] = field(default_factory=dict)  # agent -> READ_BEGIN steps, not ended
    ended: dict[int, tuple[int, int]] = field(default_factory=dict)  # agent -> (its clock, step) at its last READ_END


def races(
    history: History,
    steps: Steps,
    relied_on: dict[int, int],
    buffers: Steps,
    meetings: Meetings | None = None,
    asynchronous: Collection[int] = (),
    most: int = sys.maxsize,
) -> list[Race]:
    """The races among the events at `steps` (ascending), at most about `most`.

    `relied_on` gives for a WAIT_END step how many completed phases of its barrier the wait may rely on.
    `buffers` are the places to look at, `meetings` where agents synchronised without an mbarrier,
    `asynchronous` the READ_BEGINs of wgmma and stores.
    """
    trace = history.trace
    rows = trace.events[steps]
    place = history.event_places.of(steps)
    place[~np.isin(place, buffers)] = -1
    # Numbered anew, so that a clock has a component for those who take part and not for a whole grid.
    who, actor = np.unique(rows["agent"], return_inverse=True)
    where, spot = np.unique(place, return_inverse=True)
    spot = np.where(place < 0, -1, spot)
    agents = len(who)
    width = agents + len(where)
    written = None
    if (rows["kind"] == EventKind.WRITE).any():
        parts = _in_parts(rows, spot, actor)
        written = Written(width, parts, asynchronous, trace.events["tile"])
        width += agents
    cores = {trace.agents[agent].cta: row for row, agent in enumerate(who) if trace.agents[agent].role == "tensor_core"}
    ctas, by_core = [trace.agents[agent].cta for agent in who], set(cores.values())
    promised: dict[int, list[Clock]] = defaultdict(list)  # by barrier: what tcgen05.commit lets a tensor core tell
    handed: dict[int, list[Clock]] = defaultdict(list)  # to the tensor core at this row, and not begun
    engine = [history.structure.roles[agent] == "copy_engine" for agent in who]
    clocks: list[Clock] = [[0] * width for _ in range(agents)]
    for agent in range(agents):
        clocks[agent][agent] = 1
    given: dict[int, Clock] = defaultdict(lambda: [0] * width)
    completed: dict[int, list[Clock]] = defaultdict(lambda: [[0] * width])
    flying: dict[int, list[_Copy]] = defaultdict(list)
    stages: dict[int, _Stage] = defaultdict(_Stage)
    found: list[Race] = []
    arrivals = {int(kind) for kind in ARRIVAL_KINDS}
    row_of = {int(agent): row for row, agent in enumerate(who)}
    came: dict[int, Clock] = {}
    pending = sorted((meetings or {}).items(), reverse=True)
    columns = zip(
        steps.tolist(), rows["kind"].tolist(), actor.tolist(), rows["barrier"].tolist(),
        rows["tile"].tolist(), rows["amount"].tolist(), spot.tolist(), strict=True,
    )  # fmt: skip
    for step, kind, agent, barrier, tile, amount, row in columns:
        while pending and pending[-1][0] <= step:
            for meeting in pending.pop()[1]:
                members = [row_of[member] for member in meeting.agents if member in row_of]
                _meet([clocks[member] for member in members], members, [came.get(s) for s in meeting.arrived])
        clock = clocks[agent]
        if kind == EventKind.WAIT_END and barrier >= 0:
            known = completed[barrier]
            _join(clock, known[min(max(relied_on.get(step, 0), 0), len(known) - 1)])
        elif kind == EventKind.TENSOR_COMMIT and barrier >= 0:
            promised[barrier].append([*clock])
            clock[agent] += 1
        elif kind in arrivals and barrier >= 0:
            if agent in by_core and promised[barrier]:
                _join(clock, promised[barrier].pop(0))
            _join(given[barrier], clock)
            clock[agent] += 1
        elif kind == EventKind.COMPLETE_TX and barrier >= 0:
            if engine[agent]:
                _land(flying[barrier], amount, given[barrier], agents, row)
            else:
                _join(given[barrier], clock)
                clock[agent] += 1
        elif kind == EventKind.PHASE_COMPLETE and barrier >= 0:
            _join(given[barrier], completed[barrier][-1])
            completed[barrier].append(given.pop(barrier))
        elif kind == EventKind.SYNC_ARRIVE:
            came[step] = [*clock]
            clock[agent] += 1
        elif kind == EventKind.MMA_ISSUE:
            handed[cores.get(ctas[agent], -1)].append([*clock])
            clock[agent] += 1
        elif kind == EventKind.PROXY_FENCE and written is not None:
            written.fence(clock, agent)
        elif kind == EventKind.COPY_DONE:
            _done(flying[barrier], row, given[barrier], agents)
        elif row < 0:
            continue
        elif kind == EventKind.READ_BEGIN:
            if handed.get(agent):
                _join(clock, handed[agent].pop(0))
            buffer = stages[row]
            nothing = not buffer.copies and not (written is not None and written.holds(row))
            if clock[agents + row] < buffer.copies or nothing:
                found.append(Race("READ BEFORE DATA", int(where[row]), step, buffer.issue))
            if written is not None:
                found += [Race(race, int(where[row]), step, it) for race, it in written.read(row, step, agent, clock)]
            buffer.open_reads.setdefault(agent, []).append(step)
        elif kind == EventKind.READ_END:
            buffer = stages[row]
            if buffer.open_reads.get(agent):
                buffer.open_reads[agent].pop(0)
            buffer.ended[agent] = (clock[agent], step)
        elif kind == EventKind.WRITE and written is not None:
            buffer = stages[row]
            over = {
                reader: at for reader, (when, at) in buffer.ended.items() if reader != agent and clock[reader] < when
            }
            for race, other in written.write(row, step, agent, clock, buffer.open_reads, over):
                pair = (step, other) if race == "WRITE AFTER READ" else (other, step)
                found.append(Race(race, int(where[row]), *pair))
        elif kind == EventKind.COPY_ISSUE:
            if written is not None:
                written.copied(row)
            buffer = stages[row]
            raced = _overwritten(buffer, clock, agent)
            found += [Race("WRITE AFTER READ", int(where[row]), step, other) for other in raced]
            # Where no tile is told, copies that the same phase waits for are parts of one fill.
            fill = (tile, -1, 0) if tile >= 0 or barrier < 0 else (-1, barrier, len(completed[barrier]))
            refill = buffer.copies and (fill != buffer.fill or fill == _NO_FILL)
            if refill and not raced and clock[agents + row] < buffer.copies:
                found.append(Race("OVERWRITE UNREAD", int(where[row]), step, buffer.issue))
            buffer.copies += 1
            buffer.fill, buffer.issue = fill, step
            flying[barrier].append(_Copy(step, buffer.copies, amount, amount, [*clock]))
        if len(found) >= most:
            break
    return found


def _in_parts(rows: NDArray[np.void], spot: Steps, actor: Steps) -> set[int]:
    """Places that several agents write and several read: each may have its part of the buffer."""
    several = []
    for kind in (EventKind.WRITE, EventKind.READ_BEGIN):
        at = (rows["kind"] == kind) & (spot >= 0)
        pairs = np.unique(np.stack((spot[at], actor[at])), axis=1)
        places, agents = np.unique(pairs[0], return_counts=True)
        several.append(set(places[agents > 1].tolist()))
    return several[0] & several[1]


def _join(into: Clock, other: Clock) -> None:
    into[:] = map(max, into, other)


def _meet(clocks: list[Clock], members: list[int], arrived: list[Clock | None]) -> None:
    """What each of those who met knew is known to all of them."""
    if not clocks:
        return
    known = [max(values) for values in zip(*clocks, *(clock for clock in arrived if clock is not None), strict=True)]
    for clock, member in zip(clocks, members, strict=True):
        clock[:] = known
        clock[member] += 1


def _overwritten(buffer: _Stage, clock: Clock, writer: int) -> list[int]:
    """The reads that the writer does not know to have ended: steps of their READ_END, or READ_BEGIN while open."""
    raced = [steps[0] for steps in buffer.open_reads.values() if steps]
    raced += [step for agent, (when, step) in buffer.ended.items() if agent != writer and clock[agent] < when]
    buffer.ended.clear()
    return raced


def _land(flying: list[_Copy], bytes_: int, given: Clock, agents: int, row: int) -> None:
    """Bytes land, the oldest copy's first; a copy has landed with its last byte."""
    for copy in flying:
        if bytes_ <= 0:
            break
        part = min(copy.left, bytes_)
        copy.left -= part
        bytes_ -= part
        if part:
            _join(given, copy.clock)
        if part and not copy.left and row >= 0:
            given[agents + row] = max(given[agents + row], copy.ordinal)


def _done(flying: list[_Copy], row: int, given: Clock, agents: int) -> None:
    """The oldest copy is over. If it never counted bytes (cp.async), its landing is what the arrival after it tells."""
    if not flying:
        return
    copy = flying.pop(0)
    if copy.left == copy.bytes and row >= 0:
        _join(given, copy.clock)
        given[agents + row] = max(given[agents + row], copy.ordinal)
