"""What agents under construction ask of the program they are part of: its barriers, rings and sites, and its limits.

The Builder makes agents and is asked by them; this stands between the two, so that neither file imports the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn, Protocol

from visualizer.programs.accesses import Write
from visualizer.programs.operations import Operation
from visualizer.programs.program import ProgramAgent
from visualizer.programs.tensor import Take
from visualizer.recording.tables import Agent


@dataclass(frozen=True, slots=True)
class BarrierHandle:
    """A barrier of a program under construction; only its builder knows more."""

    owner: ProgramTables
    row: int


class TensorCore:
    """The tensor core of a CTA under construction. One agent hands it all its work, and it does that in order."""

    def __init__(self, agent: Agent, warp: str) -> None:
        self.agent = agent
        self.warp = warp
        self.operations: list[Operation] = []
        self.accumulator: Write | None = None  # what each tcgen05.mma writes

    def take(self, *then: Operation) -> None:
        self.operations += [Take(self.warp), *then]

    def finished(self) -> ProgramAgent:
        return ProgramAgent(self.agent, tuple(self.operations), threads=0)


class ProgramTables(Protocol):
    """A program under construction. What makes no sense raises ProgramError, which names the user's line."""

    def site(self, op: str) -> int:
        """The row of the site that stands for the line of the user's file that is being run, for operation `op`."""

    def row_of(self, barrier: object) -> int:
        """The row of a barrier of this program."""

    def ring_row(self, ring: object) -> int:
        """The row of the ring of this name, which must have barriers; None: the first or only ring's."""

    def ring_of(self, row: int) -> str | None:
        """The ring that the barrier belongs to with its stage; None if it has none."""

    def init_count(self, row: int) -> int:
        """The arrivals that a barrier is made with."""

    def cta_of(self, row: int) -> int:
        """The CTA of a barrier."""

    def check_reach(self, cta: int, row: int) -> None:
        """Refuse a barrier of another cluster than the CTA's."""

    def barriers_of(self, cta: int) -> list[BarrierHandle]:
        """All barriers of a CTA so far, in the order they were made."""

    def tensor_core(self, cta: int, warp: str) -> TensorCore:
        """The CTA's tensor core, which works for the agent that handed it something first."""

    def named_barrier(self, cta: int, id: int, threads: int) -> None:
        """Note how many threads (0: all of the CTA) a named barrier counts: everywhere the same."""

    def whole(self, what: str, value: object, low: int, high: int) -> int:
        """`value` if it is a whole number within limits."""

    def fail(self, why: str) -> NoReturn:
        """Raise ProgramError: at the user's line, this is wrong."""
