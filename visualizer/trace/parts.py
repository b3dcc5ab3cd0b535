"""A recording's events CTA by CTA: CTAs share no barrier, so each can be worked on alone, in the processor's cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from visualizer.trace.regular.cta import RegularCta
from visualizer.trace.regular.rows import RegularRows
from visualizer.trace.schema import EVENT_DTYPE
from visualizer.trace.tables import Agent, Barrier

NEVER = np.iinfo(np.int64).max // 2
"""A time (ps) beyond any recording."""

_SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")


@dataclass(frozen=True, slots=True)
class Span:
    """Rows of the agents and of the barriers table that belong together."""

    agents: slice
    barriers: slice

    def to_table(self, events: NDArray[np.void]) -> None:
        """Make ids that count from the span's first rows count from the tables', in place."""
        if self.agents.start:
            events["agent"] += self.agents.start
        if self.barriers.start:
            events["barrier"] += (events["barrier"] >= 0) * np.int32(self.barriers.start)

    def from_table(self, events: NDArray[np.void]) -> None:
        """The way back."""
        if self.agents.start:
            events["agent"] -= self.agents.start
        if self.barriers.start:
            events["barrier"] -= (events["barrier"] >= 0) * np.int32(self.barriers.start)


@dataclass(frozen=True, eq=False)
class Parts:
    """What agents logged, a part for each CTA, in table order: EVENT_DTYPE, grouped by agent in the order of the table
    and, within an agent, in the order it logged them. `time` equals `measured`: ps from the earliest event of all.

    Agent and barrier ids of a part count from its span's first rows.
    """

    spans: Sequence[Span]
    sizes: Sequence[int]  # events of each part
    write: Callable[[int, NDArray[np.void]], None]  # write(part, events) fills an array of the part's size
    complete_until: int  # ps: from then on records were lost, so that agents seem to have stopped; NEVER: none were
    regular: dict[int, RegularCta] = field(default_factory=dict)  # parts known to be so, on the scale of `write`
    regular_rows: RegularRows | None = None  # of all of them

    @property
    def whole(self) -> NDArray[np.void]:
        """All events in one array, (n,), with ids that count from the tables' first rows."""
        events = np.empty(sum(self.sizes), EVENT_DTYPE)
        end = 0
        for part, (span, size) in enumerate(zip(self.spans, self.sizes, strict=True)):
            own = events[end : (end := end + size)]
            self.write(part, own)
            span.to_table(own)
        return events


def spans_of(agents: Sequence[Agent], barriers: Sequence[Barrier]) -> list[Span]:
    """The span of each CTA that has agents, in order; one span of everything if a table is not in order of CTAs."""
    agent_cta = np.array([agent.cta for agent in agents], np.int64)
    barrier_cta = np.array([barrier.cta for barrier in barriers], np.int64)
    if (np.diff(agent_cta) < 0).any() or (np.diff(barrier_cta) < 0).any():
        return [_everything(agents, barriers)]
    ctas = np.unique(agent_cta)
    first_agent, last_agent = (np.searchsorted(agent_cta, ctas, side).tolist() for side in _SIDES)
    first_barrier, last_barrier = (np.searchsorted(barrier_cta, ctas, side).tolist() for side in _SIDES)
    return [
        Span(slice(first_agent[row], last_agent[row]), slice(first_barrier[row], last_barrier[row]))
        for row in range(len(ctas))
    ]


def split(
    events: NDArray[np.void], lost: NDArray[np.int64], agents: Sequence[Agent], barriers: Sequence[Barrier]
) -> Parts:
    """`events`, as Parts.whole, as parts; one part if an agent acts on another CTA's barrier. `lost`: (agents,)."""
    spans = spans_of(agents, barriers)
    barrier_cta = np.array([barrier.cta for barrier in barriers] + [-1], np.int64)[events["barrier"]]
    own_cta = np.array([agent.cta for agent in agents], np.int64)[events["agent"]]
    if ((barrier_cta >= 0) & (barrier_cta != own_cta)).any():
        spans = [_everything(agents, barriers)]
    edges = np.searchsorted(events["agent"], [span.agents.start for span in spans] + [len(agents)]).tolist()

    def write(part: int, own: NDArray[np.void]) -> None:
        own[:] = events[edges[part] : edges[part + 1]]
        spans[part].from_table(own)

    losing = np.flatnonzero(lost)
    begins, ends = (np.searchsorted(events["agent"], losing, side) for side in _SIDES)
    last = np.where(ends > begins, events["time"][ends - 1], -1) if len(events) else np.full(len(losing), -1)
    return Parts(spans, np.diff(edges).tolist(), write, int(last.min(initial=NEVER)))


def _everything(agents: Sequence[Agent], barriers: Sequence[Barrier]) -> Span:
    return Span(slice(0, len(agents)), slice(0, len(barriers)))
