"""Exact happens-before over a CTA's events with vector clocks: which accesses of a stage buffer nothing orders.

An arrival gives the agent's clock to the barrier's phase, landing bytes give the clock their copy was issued with
(copies_in_flight.py), a wait that passes takes what the phase it relies on was given. This is a Python loop: hazards.py
calls it only for CTAs where a shorter proof of order failed.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from visualizer.diagnosis.hazards.copies_in_flight import CopiesInFlight
from visualizer.diagnosis.hazards.meetings import Meeting, Meetings
from visualizer.diagnosis.hazards.vector_clock import Clock, join, meet
from visualizer.diagnosis.hazards.written import Written
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
    rows = history.trace.events[steps]
    place = history.event_places.of(steps)
    place[~np.isin(place, buffers)] = -1
    # Numbered anew, so that a clock has a component for those who take part and not for a whole grid.
    who, actor = np.unique(rows["agent"], return_inverse=True)
    where, spot = np.unique(place, return_inverse=True)
    spot = np.where(place < 0, -1, spot)
    written = None
    if (rows["kind"] == EventKind.WRITE).any():
        parts = _in_parts(rows, spot, actor)
        written = Written(len(who) + len(where), parts, asynchronous, history.trace.events["tile"])
    clocks = _Clocks(history, who, where, relied_on, written)
    pending = sorted((meetings or {}).items(), reverse=True)
    columns = zip(
        steps.tolist(), rows["kind"].tolist(), actor.tolist(), rows["barrier"].tolist(),
        rows["tile"].tolist(), rows["amount"].tolist(), spot.tolist(), strict=True,
    )  # fmt: skip
    for step, kind, agent, barrier, tile, amount, row in columns:
        while pending and pending[-1][0] <= step:
            for meeting in pending.pop()[1]:
                clocks.meet(meeting)
        if (act := clocks.acts.get(kind)) is not None:
            act(step, agent, barrier, tile, amount, row)
            if len(clocks.found) >= most:
                break
    return clocks.found


_Act = Callable[[int, int, int, int, int, int], None]
"""(step, agent, barrier, tile, amount, place): agent and place as rows of `who` and `where`; -1: no place looked at."""


class _Clocks:
    """What each agent knows of the others, kept event by event, and the races that this shows.

    `who` are the agents and `where` the places that take part, each with a component of every clock.
    """

    def __init__(
        self, history: History, who: Steps, where: Steps, relied_on: dict[int, int], written: Written | None
    ) -> None:
        agents = [history.trace.agents[agent] for agent in who]
        self.found: list[Race] = []
        self._agents = len(who)
        self._where = where.tolist()
        self._relied_on = relied_on
        self._written = written
        self._row_of = {int(agent): row for row, agent in enumerate(who)}
        self._engine = [history.structure.roles[agent] == "copy_engine" for agent in who]
        self._cta = [agent.cta for agent in agents]
        self._core_of = {agent.cta: row for row, agent in enumerate(agents) if agent.role == "tensor_core"}
        self._cores = set(self._core_of.values())
        width = len(who) + len(where) + (len(who) if written is not None else 0)
        self._clocks: list[Clock] = [[0] * width for _ in who]
        for agent, clock in enumerate(self._clocks):
            clock[agent] = 1
        # By barrier: what its open phase was given, and what each completed one was, after a phase that nobody made.
        self._given: dict[int, Clock] = defaultdict(lambda: [0] * width)
        self._completed: dict[int, list[Clock]] = defaultdict(lambda: [[0] * width])
        self._flying = CopiesInFlight(len(who))
        self._promised: dict[int, list[Clock]] = defaultdict(list)  # what tcgen05.commit lets a tensor core tell
        self._handed: dict[int, list[Clock]] = defaultdict(list)  # to the tensor core at this row, and not begun
        self._came: dict[int, Clock] = {}  # by step of a bar.arrive
        self._stages: dict[int, _Stage] = defaultdict(_Stage)
        self.acts: dict[int, _Act] = dict.fromkeys(map(int, ARRIVAL_KINDS), self._arrive)
        self.acts |= {
            EventKind.WAIT_END: self._pass,
            EventKind.TENSOR_COMMIT: self._commit,
            EventKind.COMPLETE_TX: self._complete_tx,
            EventKind.PHASE_COMPLETE: self._complete_phase,
            EventKind.SYNC_ARRIVE: self._come,
            EventKind.MMA_ISSUE: self._issue_mma,
            EventKind.PROXY_FENCE: self._fence,
            EventKind.COPY_DONE: self._copy_done,
            EventKind.READ_BEGIN: self._begin_read,
            EventKind.READ_END: self._end_read,
            EventKind.WRITE: self._write,
            EventKind.COPY_ISSUE: self._issue_copy,
        }

    def meet(self, meeting: Meeting) -> None:
        """What each of those who met knew is known to all of them."""
        members = [self._row_of[member] for member in meeting.agents if member in self._row_of]
        meet([self._clocks[member] for member in members], members, [self._came.get(s) for s in meeting.arrived])

    def _pass(self, step: int, agent: int, barrier: int, tile: int, amount: int, row: int) -> None:
        if barrier >= 0:
            known = self._completed[barrier]
            join(self._clocks[agent], known[min(max(self._relied_on.get(step, 0), 0), len(known) - 1)])

    def _arrive(self, step: int, agent: int, barrier: int, tile: int, amount: int, row: int) -> None:
        if barrier >= 0:
            if agent in self._cores and self._promised[barrier]:
                join(self._clocks[agent], self._promised[barrier].pop(0))
            self._give(agent, barrier)

    def _commit(self, step: int, agent: int, barrier: int, tile: int, amount: int, row: int) -> None:
        if barrier >= 0:
            self._promised[barrier].append([*self._clocks[agent]])
            self._clocks[agent][agent] += 1

    def _complete_tx(self, step: int, agent: int, barrier: int, tile: int, amount: int, row: int) -> None:
        if barrier >= 0 and self._engine[agent]:
            self._flying.land(barrier, amount, self._given[barrier], row)
        elif barrier >= 0:
            self._give(agent, barrier)

    def _give(self, agent: int, barrier: int) -> None:
        join(self._given[barrier], self._clocks[agent])
        self._clocks[agent][agent] += 1

    def _complete_phase(self, step: int, agent: int, barrier: int, tile: int, amount: int, row: int) -> None:
        if barrier >= 0:
            join(self._given[barrier], self._completed[barrier][-1])
            self._completed[barrier].append(self._given.pop(barrier))

    def _come(self, step: int, agent: int, barrier: int, tile: int, amount: int, row: int) -> None:
        self._came[step] = [*self._clocks[agent]]
        self._clocks[agent][agent] += 1

    def _issue_mma(self, step: int, agent: int, barrier: int, tile: int, amount: int, row: int) -> None:
        self._handed[self._core_of.get(self._cta[agent], -1)].append([*self._clocks[agent]])
        self._clocks[agent][agent] += 1

    def _fence(self, step: int, agent: int, barrier: int, tile: int, amount: int, row: int) -> None:
        if self._written is not None:
            self._written.fence(self._clocks[agent], agent)

    def _copy_done(self, step: int, agent: int, barrier: int, tile: int, amount: int, row: int) -> None:
        self._flying.end(barrier, self._given[barrier], row)

    def _begin_read(self, step: int, agent: int, barrier: int, tile: int, amount: int, row: int) -> None:
        if row < 0:
            return
        clock, buffer, written = self._clocks[agent], self._stages[row], self._written
        if self._handed.get(agent):
            join(clock, self._handed[agent].pop(0))
        nothing = not buffer.copies and not (written is not None and written.holds(row))
        if clock[self._agents + row] < buffer.copies or nothing:
            self.found.append(Race("READ BEFORE DATA", self._where[row], step, buffer.issue))
        if written is not None:
            raced = written.read(row, step, agent, clock)
            self.found += [Race(race, self._where[row], step, other) for race, other in raced]
        buffer.open_reads.setdefault(agent, []).append(step)

    def _end_read(self, step: int, agent: int, barrier: int, tile: int, amount: int, row: int) -> None:
        if row < 0:
            return
        buffer = self._stages[row]
        if buffer.open_reads.get(agent):
            buffer.open_reads[agent].pop(0)
        buffer.ended[agent] = (self._clocks[agent][agent], step)

    def _write(self, step: int, agent: int, barrier: int, tile: int, amount: int, row: int) -> None:
        if row < 0 or self._written is None:
            return
        clock, buffer = self._clocks[agent], self._stages[row]
        over = {reader: at for reader, (when, at) in buffer.ended.items() if reader != agent and clock[reader] < when}
        for race, other in self._written.write(row, step, agent, clock, buffer.open_reads, over):
            pair = (step, other) if race == "WRITE AFTER READ" else (other, step)
            self.found.append(Race(race, self._where[row], *pair))

    def _issue_copy(self, step: int, agent: int, barrier: int, tile: int, amount: int, row: int) -> None:
        if row < 0:
            return
        if self._written is not None:
            self._written.copied(row)
        clock, buffer = self._clocks[agent], self._stages[row]
        raced = _overwritten(buffer, clock, agent)
        self.found += [Race("WRITE AFTER READ", self._where[row], step, other) for other in raced]
        # Where no tile is told, copies that the same phase waits for are parts of one fill.
        fill = (tile, -1, 0) if tile >= 0 or barrier < 0 else (-1, barrier, len(self._completed[barrier]))
        refill = buffer.copies and (fill != buffer.fill or fill == _NO_FILL)
        if refill and not raced and clock[self._agents + row] < buffer.copies:
            self.found.append(Race("OVERWRITE UNREAD", self._where[row], step, buffer.issue))
        buffer.copies += 1
        buffer.fill, buffer.issue = fill, step
        self._flying.issue(barrier, buffer.copies, amount, clock)


def _in_parts(rows: NDArray[np.void], spot: Steps, actor: Steps) -> set[int]:
    """Places that several agents write and several read: each may have its part of the buffer."""
    several = []
    for kind in (EventKind.WRITE, EventKind.READ_BEGIN):
        at = (rows["kind"] == kind) & (spot >= 0)
        pairs = np.unique(np.stack((spot[at], actor[at])), axis=1)
        places, agents = np.unique(pairs[0], return_counts=True)
        several.append(set(places[agents > 1].tolist()))
    return several[0] & several[1]


def _overwritten(buffer: _Stage, clock: Clock, writer: int) -> list[int]:
    """The reads that the writer does not know to have ended: steps of their READ_END, or READ_BEGIN while open."""
    raced = [steps[0] for steps in buffer.open_reads.values() if steps]
    raced += [step for agent, (when, step) in buffer.ended.items() if agent != writer and clock[agent] < when]
    buffer.ended.clear()
    return raced
