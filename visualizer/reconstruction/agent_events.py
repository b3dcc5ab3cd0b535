"""A recording's events CTA by CTA: CTAs share no barrier, so each can be worked on alone, in the processor's cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints
from visualizer.reconstruction.cta_spans import FROM_THE_START, NEVER, SIDES, Span, everything, spans_of
from visualizer.reconstruction.logged import EventLog, Log, Logged
from visualizer.reconstruction.shortcut import NO_SHORTCUT, Shortcut
from visualizer.recording.schema import EVENT_DTYPE
from visualizer.recording.tables import Agent, Barrier


@dataclass(frozen=True, eq=False)
class AgentEvents:
    """What agents logged, a part for each CTA or for some of them, in table order. Times of its events, `time` as well
    as `measured`, are ps from the earliest event of all."""

    spans: Sequence[Span]
    sizes: Sequence[int]  # events of each part
    log: Log  # the events of all parts
    logged: Callable[[int], Logged]  # those of a part; asked for once
    complete_until: Ints | None = None  # (CTAs,): ps from when on records were lost of agents of the CTA, or of CTAs
    # that share barriers with it, so that they seem to have stopped; NEVER: none were. None: the ends of all are there
    complete_from: Ints | None = None  # (CTAs,): ps before which records were lost of agents of the CTA, or of CTAs
    # that share barriers with it; FROM_THE_START: of none. None: the beginnings of all are there
    shortcut: Shortcut[Any] = NO_SHORTCUT  # parts that the source can lay out by itself, on the same scale

    @property
    def whole(self) -> NDArray[np.void]:
        """All events in one array, (n,)."""
        events = np.empty(sum(self.sizes), EVENT_DTYPE)
        end = 0
        for part, size in enumerate(self.sizes):
            events[end : (end := end + size)] = self.logged(part).events(np.arange(size))
        events["time"] = events["measured"]
        return events


def latest_of(time: Ints, group: Ints, groups: int) -> Ints:
    """The latest of each group's times, (groups,); FROM_THE_START where it has none."""
    latest = np.full(groups, FROM_THE_START, np.int64)
    np.maximum.at(latest, group, time)
    return latest


def earliest_of(time: Ints, group: Ints, groups: int) -> Ints:
    """The earliest of each group's times, (groups,); NEVER where it has none."""
    earliest = np.full(groups, NEVER, np.int64)
    np.minimum.at(earliest, group, time)
    return earliest


def split(
    events: NDArray[np.void],
    lost: NDArray[np.int64],
    agents: Sequence[Agent],
    barriers: Sequence[Barrier],
    headless: NDArray[np.int64] | None = None,
) -> AgentEvents:
    """`events`, EVENT_DTYPE, grouped by agent in the order of the table and, within an agent, in the order it logged
    them, as parts; one part if an agent acts on another CTA's barrier.

    `lost` and `headless`, (agents,): records of each agent that are missing at its end and at its beginning.
    """
    spans = spans_of(agents, barriers)
    barrier_cta = np.array([barrier.cta for barrier in barriers] + [-1], np.int64)[events["barrier"]]
    own_cta = np.array([agent.cta for agent in agents], np.int64)[events["agent"]]
    shared = bool(((barrier_cta >= 0) & (barrier_cta != own_cta)).any())
    if shared:
        spans = [everything(agents, barriers)]
    edges = np.searchsorted(events["agent"], [span.agents.start for span in spans] + [len(agents)]).tolist()
    ctas = 1 + max([agent.cta for agent in agents] + [barrier.cta for barrier in barriers], default=-1)
    complete_until = complete_from = None
    if lost.any():
        losing = np.flatnonzero(lost)
        begins, ends = (np.searchsorted(events["agent"], losing, side) for side in SIDES)
        none_left = np.full(len(losing), FROM_THE_START)
        last = np.where(ends > begins, events["time"][ends - 1], none_left) if len(events) else none_left
        complete_until = earliest_of(last, np.array([agents[row].cta for row in losing.tolist()]), ctas)
        if shared:
            complete_until[:] = complete_until.min()
    if headless is not None and headless.any():
        begins, ends = (np.searchsorted(events["agent"], np.flatnonzero(headless), side) for side in SIDES)
        first = begins[ends > begins]
        complete_from = latest_of(events["time"][first], own_cta[first], ctas)
        if shared:
            complete_from[:] = complete_from.max()
    log = EventLog(events)
    return AgentEvents(
        spans,
        np.diff(edges).tolist(),
        log,
        lambda part: Logged(log, slice(edges[part], edges[part + 1]), spans[part]),
        complete_until,
        complete_from,
    )
