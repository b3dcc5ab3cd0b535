"""What barriers are that nobody has used yet, as the waits that block on them show.

A launch that hangs at its start goes round no ring, so none can be inferred. But its source may say that a wait is a
`producer_acquire`; and where it says nothing, one agent that waits for the arrivals of many, who all wait for one
arrival, looks like the producer.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from visualizer.recording.tables import BarrierKind
from visualizer.recording.trace import Trace
from visualizer.structure.stacks import calls_of
from visualizer.structure.uses import Action


@dataclass(frozen=True, slots=True)
class FirstWait:
    """A wait that blocks on a barrier on which nobody has arrived: agent, barrier and site are rows of their tables;
    site -1 where unknown."""

    agent: int
    barrier: int
    site: int
    needed: int  # arrivals that complete the phase


@dataclass(frozen=True, slots=True)
class Unused:
    """What a barrier is that nobody has used; `sure` if the source says so."""

    kind: BarrierKind
    sure: bool


class FirstWaits:
    """Those of a recording's end. `at_work`: CTAs where some wait that blocks is no first one."""

    def __init__(self, trace: Trace, waits: list[FirstWait], at_work: set[int]) -> None:
        self.kinds: dict[int, Unused] = {}
        """By barrier: those that are full or empty ones of which it can be told."""
        self.not_begun: set[int] = set()
        """CTAs where all that wait do so for first arrivals, on more than one barrier."""
        calls = calls_of(trace.sites)
        of_cta: dict[int, list[FirstWait]] = defaultdict(list)
        for wait in waits:
            of_cta[trace.barriers[wait.barrier].cta].append(wait)
            call = calls.get(wait.site)
            if call is not None and (kind := call.kind(Action.WAIT)) is not None:
                self.kinds[wait.barrier] = Unused(kind, sure=True)
        for cta, here in of_cta.items():
            barriers = {wait.barrier for wait in here}
            if cta not in at_work and len(barriers) > 1:
                self.not_begun.add(cta)
                if self.kinds.keys().isdisjoint(barriers):
                    self.kinds |= _by_counts(here)


def _by_counts(waits: list[FirstWait]) -> dict[int, Unused]:
    """The one barrier of a CTA that is waited for by one agent and takes arrivals of all that wait for the others."""
    fulls = {wait.barrier for wait in waits if wait.needed == 1}
    readers = {wait.agent for wait in waits if wait.barrier in fulls}
    waiters = Counter(wait.barrier for wait in waits)
    many = [wait for wait in waits if waiters[wait.barrier] == 1 and wait.needed > 1]
    empty = [wait for wait in many if readers and wait.needed % len(readers) == 0]
    if len(empty) != 1:
        return {}
    return {empty[0].barrier: Unused("empty", sure=False)} | dict.fromkeys(fulls, Unused("full", sure=False))
