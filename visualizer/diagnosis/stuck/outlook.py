"""What each agent has left to do when the recording ends: where it is, and the next time it would arrive on a barrier.

With the program this is exact. Without, an agent that took part in barriers of the same kind is taken to go on doing
so, unless the recording shows that it has already passed the place where it should have arrived.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from visualizer.diagnosis.joined_ctas import joined_ctas
from visualizer.diagnosis.program_steps import operations_to_come
from visualizer.diagnosis.stuck.first_waits import FirstWait, FirstWaits, Unused
from visualizer.diagnosis.stuck.stages_used import StagesUsed
from visualizer.diagnosis.uses.buffers import Buffers
from visualizer.diagnosis.uses.intents import Intents
from visualizer.programs.operations import (
    Arrive,
    ArriveDrop,
    ArriveExpectTx,
    CpAsyncArrive,
    Operation,
    Wait,
)
from visualizer.programs.program import Program
from visualizer.recording.schema import EventKind
from visualizer.recording.tables import HARDWARE_ROLES, BarrierKind
from visualizer.replay.arrivals import counts_for
from visualizer.replay.history import BarrierState, History
from visualizer.replay.phases import Phase, phase_of
from visualizer.semantics.warp import WARP_THREADS

ARRIVING = (Arrive, ArriveDrop, ArriveExpectTx, CpAsyncArrive)


@dataclass(frozen=True, slots=True)
class Next:
    """An agent's next arrival on a barrier; tile and site -1 where unknown, `certain` if the program says so."""

    tile: int
    site: int
    certain: bool


class Outlook:
    """The end of a recording, seen from the agents. Agent, barrier and wait numbers are rows of their tables."""

    def __init__(self, history: History, intents: Intents, buffers: Buffers, program: Program | None) -> None:
        self.history = history
        self.trace = history.trace
        self.intents = intents
        self.buffers = buffers
        self.waits = intents.waits
        self.program = program
        self.last = history.steps - 1
        self._cut_short = frozenset(self.trace.meta.window.get("cut_short", ()))
        self._operations: dict[str, tuple[Operation, ...]] = {}
        if program is not None:
            self._operations = {agent.agent.name: agent.operations for agent in program.agents}

    @cached_property
    def stages(self) -> StagesUsed:
        return StagesUsed(self.history, self.intents, self.buffers.uses.slot)

    @cached_property
    def exited(self) -> dict[int, int]:
        """The agents that left, none of which waits: their EXIT step."""
        return {agent: step for agent, step in self.history.left.items() if agent not in self.blocked}

    @cached_property
    def blocked(self) -> dict[int, int]:
        """Agent -> the wait it never passed, in order of its begin; not of CTAs that went on without records."""
        pending = np.flatnonzero(self.waits.end < 0).tolist()
        last_wait = {int(self.waits.agent[wait]): wait for wait in pending}
        last_wait = {agent: wait for agent, wait in last_wait.items() if self.ends_here(agent)}
        return dict(sorted(last_wait.items(), key=lambda item: int(self.waits.begin[item[1]])))

    @cached_property
    def unseen(self) -> list[int]:
        """Without a program: the agents that have neither left nor wait for anything that is recorded."""
        if self.program is not None:
            return []
        begun = np.isin(self.history.kinds, (EventKind.SYNC_BEGIN, EventKind.CLUSTER_WAIT_BEGIN))
        over = np.isin(self.history.kinds, (EventKind.SYNC_END, EventKind.CLUSTER_WAIT_END))
        agent, agents = self.trace.events["agent"], len(self.trace.agents)
        meets = np.bincount(agent[begun], minlength=agents) > np.bincount(agent[over], minlength=agents)
        people = [row for row, role in enumerate(self.history.structure.roles) if role not in HARDWARE_ROLES]
        return [row for row in people if row not in self.exited and row not in self.blocked and not meets[row]]

    @cached_property
    def first_waits(self) -> FirstWaits:
        """The waits that block on barriers that are in no ring, for nobody has used them."""
        found: list[FirstWait] = []
        at_work: set[int] = set()
        for agent, wait in self.blocked.items():
            row = int(self.waits.barrier[wait])
            if self.history.structure.kinds[row] == "other" and self.is_first(wait):
                site = int(self.trace.events["site"][self.waits.begin[wait]])
                found.append(FirstWait(agent, row, site, self.barrier(row).needed))
            else:
                at_work.add(self.trace.barriers[row].cta)
        return FirstWaits(self.trace, found, at_work)

    @property
    def unused(self) -> Mapping[int, Unused]:
        """By row: barriers that nobody has used, as far as the waits for them tell what they are; with the program it
        is known."""
        return self.first_waits.kinds if self.program is None else {}

    def kind(self, row: int) -> BarrierKind:
        """What the barrier is: by the structure, or by the waits for it if it is in no ring."""
        found = self.history.structure.kinds[row]
        return self.unused[row].kind if found == "other" and row in self.unused else found

    def is_first(self, wait: int) -> bool:
        """Whether it waits for the first phase of a barrier on which nobody has arrived, with the parity that blocks
        on such."""
        row = int(self.waits.barrier[wait])
        fresh = self.barrier(row).phase == 0 and self.waits.use[wait] == 0 and self.waits.parity[wait] == 0
        return bool(fresh) and not self.arrived(row)

    def meets_others(self, cta: int) -> bool:
        """Whether the CTA and others use each other's barriers."""
        return int((self._joined == self._joined[cta]).sum()) > 1

    @cached_property
    def _joined(self) -> NDArray[np.int64]:
        return joined_ctas(self.history)

    def ends_here(self, agent: int) -> bool:
        """Whether the recording has all that the agent did."""
        return self.trace.agents[agent].cta not in self._cut_short

    def barrier(self, row: int) -> BarrierState:
        return self.history.barrier_at(row, self.last)

    def open_phase(self, row: int) -> Phase:
        """The barrier's phase that is not complete."""
        return phase_of(self.history.barriers, row, self.history.steps)

    def arrived(self, row: int) -> dict[int, tuple[int, int]]:
        """Agent -> its arrivals in the barrier's open phase, and the step of its latest one."""
        events = self.trace.events
        found: dict[int, tuple[int, int]] = {}
        for step in self.open_phase(row).arrivals:
            count = int(counts_for(events["kind"][step], events["amount"][step]))
            agent = int(events["agent"][step])
            found[agent] = (found.get(agent, (0, 0))[0] + count, step)
        return found

    def arrived_in_part(self, agent: int, row: int) -> bool:
        """Whether lanes of a warp arrived in the open phase of a barrier for whole warps, not all and more than an
        elected one, and it waits elsewhere: as other lanes do, which have not got to their arrivals."""
        wait, (count, _) = self.blocked.get(agent), self.arrived(row).get(agent, (0, -1))
        elsewhere = wait is not None and int(self.waits.barrier[wait]) != row
        return elsewhere and 1 < count < WARP_THREADS and self.barrier(row).needed % WARP_THREADS == 0

    def in_flight(self, row: int) -> list[int]:
        """COPY_ISSUE steps of copies bound to the barrier that have not landed."""
        return self.history.copies.never_landed(row)

    def candidates(self, row: int) -> list[int]:
        """Who arrives on such a barrier: by the program, by the recording, or by role."""
        found = set(self._arrivers_of_kind(row)) | self._by_role(row)
        for agent, table in enumerate(self.trace.agents if self._operations else ()):
            if any(_arrives(o, row) for o in self._operations.get(table.name, ())):
                found.add(agent)
        return sorted(found)

    def knows_arrivers(self, row: int) -> bool:
        """Whether it is known who arrives on the barrier: told, or seen in a phase that completed."""
        completed = self.barrier(row).phase > self.trace.barriers[row].first_phase
        return self.program is not None or completed or bool(self._by_role(row))

    def _by_role(self, row: int) -> set[int]:
        """Who fills or reads the barrier's stage, and so arrives on it."""
        structure, cta = self.history.structure, self.trace.barriers[row].cta
        role = {"full": "producer", "empty": "consumer"}.get(self.kind(row))
        if role is None:
            return set()
        if row in self.unused:
            return {agent for agent, wait in self.blocked.items() if self._waits_for_partner(wait, row)}
        ring = structure.rings[structure.ring_of[row]] if structure.ring_of[row] >= 0 else None
        told = () if ring is None else ring.producers if role == "producer" else ring.consumers
        if told:
            return {agent for agent in told if structure.roles[agent] in (role, "other")}
        of_role = (agent for agent, known in enumerate(structure.roles) if known == role)
        return {agent for agent in of_role if self.trace.agents[agent].cta == cta}

    def _waits_for_partner(self, wait: int, row: int) -> bool:
        """Whether it waits in the barrier's CTA for an unused one of the other kind."""
        other = int(self.waits.barrier[wait])
        same_cta = self.trace.barriers[other].cta == self.trace.barriers[row].cta
        return same_cta and other in self.unused and self.unused[other].kind != self.unused[row].kind

    def ever_arrived(self, agent: int, row: int) -> bool:
        """Whether the recording has an arrival of the agent on any barrier of the same kind and ring."""
        return agent in self._arrivers_of_kind(row)

    def ever_used(self, row: int) -> bool:
        """Whether the recording has an arrival of anybody on a barrier of the same kind and ring."""
        return bool(self._arrivers_of_kind(row))

    def next_arrival(self, agent: int, row: int) -> Next | None:
        """The agent's next arrival on the barrier; None if it has none left."""
        if agent in self.exited:
            return None
        operations = self._operations.get(self.trace.agents[agent].name)
        if operations is None:
            return None if self._passed_by(agent, row) or not self.ever_arrived(agent, row) else Next(-1, -1, False)
        for operation in operations[self._position(agent) :]:
            if isinstance(operation, ARRIVING) and _arrives(operation, row):
                return Next(operation.tile, operation.site, True)
        return None

    def arrivals_to_come(self, agent: int, row: int) -> tuple[int, ...]:
        """The steps by which an advice names the arrivals on the barrier that the agent has left; () without the
        program."""
        if self.program is None:
            return ()
        operations = self._operations.get(self.trace.agents[agent].name, ())
        coming = operations_to_come(self.history, self.program, agent)
        return tuple(self.history.steps + n for n, at in enumerate(coming) if _arrives(operations[at], row))

    def _arrivers_of_kind(self, row: int) -> set[int]:
        likeness = self._likeness(row)
        if likeness not in self._arrivers:
            arrivals = self.history.arrivals
            self._arrivers[likeness] = set(arrivals.agent[np.isin(arrivals.barrier, self._alike(row))].tolist())
        return self._arrivers[likeness]

    def _passed_by(self, agent: int, row: int) -> bool:
        """Without the program: it used the stage, did not arrive, and cannot do so before it uses the stage again, or
        has released another stage since."""
        if self.history.structure.kinds[row] != "empty":
            return False
        stages, wait = self.stages, self.blocked.get(agent)
        if wait is not None and stages.is_needed_again(agent, row, wait):
            return True
        read = stages.last_read(agent, row)
        if read is None or read < stages.last_arrival(agent, row):
            return False
        return any(stages.last_arrival(agent, other) > read for other in self._alike(row))

    def _alike(self, row: int) -> list[int]:
        """The barriers of the same kind and ring; one of no kind is like itself alone."""
        return self._rows_alike[self._likeness(row)]

    def _likeness(self, row: int) -> tuple[object, ...]:
        structure = self.history.structure
        kind = structure.kinds[row]
        return (row,) if kind == "other" else (kind, self.trace.barriers[row].cta, int(structure.ring_of[row]))

    @cached_property
    def _rows_alike(self) -> dict[tuple[object, ...], list[int]]:
        found: dict[tuple[object, ...], list[int]] = {}
        for row in range(len(self.trace.barriers)):
            found.setdefault(self._likeness(row), []).append(row)
        return found

    @cached_property
    def _arrivers(self) -> dict[tuple[object, ...], set[int]]:
        """By likeness, as far as they were asked for."""
        return {}

    def _position(self, agent: int) -> int:
        """How far the agent has come in its list: after the last wait it began."""
        operations = self._operations[self.trace.agents[agent].name]
        begun = int((self.waits.agent == agent).sum())
        for index, operation in enumerate(operations):
            if isinstance(operation, Wait):
                begun -= 1
                if begun == 0:
                    return index + 1
        return 0


def _arrives(operation: Operation, row: int) -> bool:
    """Whether the operation lowers the barrier's pending count; cp.async without noinc raises it first."""
    if not isinstance(operation, ARRIVING) or operation.barrier != row:
        return False
    return not isinstance(operation, CpAsyncArrive) or operation.no_inc
