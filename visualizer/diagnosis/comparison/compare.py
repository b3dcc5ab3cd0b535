"""Two recordings held against each other: the same order of events? the same times per tile? where is which step?

Recordings are aligned by what happened, not by when: by CTA and tile, and by each agent's own events in its own order.
What depends on the moment only - whether a wait blocked, who completed a phase, in which portions a copy's bytes came,
samples of a probe - is no difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from visualizer.diagnosis.comparison.compare_tiles import RingPair, TileTimes, in_ring, ring_pairs, tile_times
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.replay.kinds import kind_mask
from visualizer.replay.step_index import stable_order

Ints = NDArray[np.int64]

_MOMENTARY = kind_mask(EventKind.PHASE_COMPLETE, EventKind.COMPLETE_TX, EventKind.WORD_SAMPLE)
"""Done by whoever came last, in portions that chance decides, or by nobody: not part of an agent's own order."""
_COMPARED = ("kind", "stage", "tile", "parity", "amount")


@dataclass(frozen=True, slots=True)
class AgentOrder:
    """One agent in both recordings. `index`: which of its own events is the first that differs; None: none does.

    `step_a` and `step_b` are that event in each recording; None where the agent has no further event.
    """

    agent: str
    events_a: int
    events_b: int
    index: int | None = None
    step_a: int | None = None
    step_b: int | None = None


class Comparison:
    """What differs between `a` and `b`. Everything but the agents' orders is worked out when first asked for."""

    def __init__(self, a: History, b: History) -> None:
        self.a, self.b = a, b
        self._barriers = _paired_barriers(a, b)
        names_a = [agent.name for agent in a.trace.agents]
        names_b = {agent.name for agent in b.trace.agents}
        self.only_a = tuple(name for name in names_a if name not in names_b)
        self.only_b = tuple(agent.name for agent in b.trace.agents if agent.name not in a.trace.agent_index)
        common = [name for name in names_a if name in names_b]
        self.agents = _orders(common, a.trace, b.trace, self._barriers)

    @property
    def same_order(self) -> bool:
        """Whether every agent of either recording did the same in the same order in both."""
        return not (self.only_a or self.only_b or self.differing)

    @cached_property
    def differing(self) -> tuple[AgentOrder, ...]:
        """The agents whose order differs, the one that differs earliest first."""
        return tuple(sorted((agent for agent in self.agents if agent.index is not None), key=self._when))

    @cached_property
    def tiles(self) -> TileTimes:
        return tile_times(self.a, self.b)

    @cached_property
    def rings(self) -> tuple[RingPair, ...]:
        return ring_pairs(self.a, self.b)

    @property
    def has_rings(self) -> bool:
        """Whether either recording has several rings, so that each is compared by itself too."""
        return len(self.rings) > 1

    def in_b(self, step: int) -> int:
        """The step of `b` that corresponds to a step of `a`: the same event, else that of the latest event before."""
        return int(self._pairs[0][step])

    def in_a(self, step: int) -> int:
        """The step of `a` that corresponds to a step of `b`."""
        return int(self._pairs[1][step])

    def tile_step(self, history: History, cta: int, tile: int, ring: str | None = None) -> int | None:
        """When a tile's data are in: its full barrier completes; without one, the tile's first event. None: no such.

        Of several rings, those of the one of this name; None: those of the ring in which they are in first.
        """
        events = history.trace.events
        full = np.array([kind == "full" for kind in history.structure.kinds] + [False])
        steps = np.flatnonzero((events["tile"] == tile) & (history.trace.agent_cta[events["agent"]] == cta))
        if ring is not None:
            steps = in_ring(history, steps, ring)
        flips = steps[(events["kind"][steps] == EventKind.PHASE_COMPLETE) & full[events["barrier"][steps]]]
        chosen = flips if len(flips) else steps
        return int(chosen[0]) if len(chosen) else None

    def barrier_names(self, history: History) -> tuple[str, ...]:
        """What the barriers of `a` or `b` are called where both are shown: those of `b` as their partners in `a`."""
        if history is self.a:
            return self.a.barrier_titles
        known = dict(zip(self._barriers[0].tolist(), self.a.barrier_titles, strict=True))
        own = zip(self._barriers[1].tolist(), self.b.barrier_titles, strict=True)
        return tuple(known.get(number, title) for number, title in own)

    def _when(self, agent: AgentOrder) -> int:
        steps = [step for step in (agent.step_a, agent.step_b) if step is not None]
        return min(steps)

    @cached_property
    def _pairs(self) -> tuple[Ints, Ints]:
        """For each step the corresponding one of the other recording: of the n-th like event the n-th."""
        like_a, like_b = _likeness(self.a.trace, self.b.trace, self._barriers)
        _, step_a, step_b = np.intersect1d(like_a, like_b, assume_unique=True, return_indices=True)
        return _filled(len(like_a), step_a, step_b), _filled(len(like_b), step_b, step_a)


def _filled(length: int, steps: Ints, others: Ints) -> Ints:
    """others at steps; between them the latest one before, at first the earliest there is."""
    pairs = np.full(length, -1, np.int64)
    pairs[steps] = others
    source = np.maximum.accumulate(np.where(pairs >= 0, np.arange(length), -1))
    filled: Ints = np.where(source >= 0, pairs[np.maximum(source, 0)], others[np.argmin(steps)] if len(steps) else 0)
    return filled


def _paired_barriers(a: History, b: History) -> tuple[Ints, Ints]:
    """A number per barrier of each recording, the same for the same: by what people call them, so that a barrier that
    lies elsewhere is found again; of the others by their names in the recordings."""
    named = {title: row for row, title in enumerate(a.barrier_titles)}
    numbers = [named.get(title, -1) for title in b.barrier_titles]
    paired = set(numbers)
    left = {barrier.name: row for row, barrier in enumerate(a.trace.barriers) if row not in paired}
    for row, barrier in enumerate(b.trace.barriers):
        if numbers[row] < 0:
            numbers[row] = left.get(barrier.name, len(a.trace.barriers) + row)
    return np.arange(len(a.trace.barriers)), np.array(numbers, np.int64)


def _of_events(trace: Trace, numbers: Ints) -> Ints:
    """The number of each event's barrier; -1: it has none."""
    of_events: Ints = np.append(numbers, -1)[trace.events["barrier"]]
    return of_events


def _common_rings(a: Trace, b: Trace) -> tuple[Ints, Ints]:
    """Each event's ring as a row common to both, -1 for one without a stage. A recording's only ring is the other's."""
    names = _numbered([*a.rings, *b.rings]) if len(a.rings) > 1 or len(b.rings) > 1 else {}

    def rows(trace: Trace) -> Ints:
        row = np.array([names.get(ring, 0) for ring in trace.rings], np.int64)
        return np.where(trace.events["stage"] >= 0, row[trace.events["ring"]], -1)

    return rows(a), rows(b)


def _numbered(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def _orders(names: Sequence[str], a: Trace, b: Trace, barriers: tuple[Ints, Ints]) -> tuple[AgentOrder, ...]:
    """Where each agent's own events first differ: all agents' events side by side, the n-th of a with the n-th of b."""
    (steps_a, first_a), (steps_b, first_b) = _own_steps(a, names), _own_steps(b, names)
    count_a, count_b = np.diff(first_a), np.diff(first_b)
    length = np.minimum(count_a, count_b)
    start = np.cumsum(length) - length
    rank = np.arange(int(length.sum())) - np.repeat(start, length)
    left, right = (
        steps[np.repeat(first[:-1], length) + rank] for steps, first in ((steps_a, first_a), (steps_b, first_b))
    )
    barrier_a, barrier_b = _of_events(a, barriers[0]), _of_events(b, barriers[1])
    differs = barrier_a[left] != barrier_b[right]
    for column in _COMPARED:
        differs |= a.events[column][left] != b.events[column][right]
    rings_a, rings_b = _common_rings(a, b)
    differs |= rings_a[left] != rings_b[right]
    found = np.append(np.flatnonzero(differs), len(differs))
    at = found[np.searchsorted(found, start)]  # the first that differs from the agent's own first on
    orders = []
    for row, name in enumerate(names):
        index = int(min(at[row] - start[row], length[row]))
        sizes = int(count_a[row]), int(count_b[row])
        if index == sizes[0] == sizes[1]:
            orders.append(AgentOrder(name, *sizes))
            continue
        ends = ((steps_a, first_a, sizes[0]), (steps_b, first_b, sizes[1]))
        own = (int(steps[first[row] + index]) if index < size else None for steps, first, size in ends)
        orders.append(AgentOrder(name, *sizes, index, *own))
    return tuple(orders)


def _own_steps(trace: Trace, names: Sequence[str]) -> tuple[Ints, Ints]:
    """The steps of each named agent, one agent after the other, and where each begins, shape (names + 1,)."""
    place = np.full(len(trace.agents), -1, np.int64)
    place[[trace.agent_index[name] for name in names]] = np.arange(len(names))
    steps = np.flatnonzero(~_MOMENTARY[trace.events["kind"]])
    agent = place[trace.events["agent"][steps]]
    steps, agent = steps[agent >= 0], agent[agent >= 0]
    order = stable_order(agent, max(len(names), 1))
    return steps[order], np.searchsorted(agent[order], np.arange(len(names) + 1))


def _likeness(a: Trace, b: Trace, barriers: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """A number per event, unique within a recording and equal in both for the same event: agent, kind, barrier, ring,
    tile (for a PHASE_COMPLETE barrier and phase), and how many such there were before."""
    agents = _numbered(agent.name for agent in (*a.agents, *b.agents))
    whose = []
    for trace, numbers, ring in zip((a, b), barriers, _common_rings(a, b), strict=True):
        events, barrier = trace.events, _of_events(trace, numbers)
        flips = events["kind"] == EventKind.PHASE_COMPLETE
        agent = np.array([agents[agent.name] for agent in trace.agents], np.int64)[events["agent"]]
        group = (np.where(flips, 0, agent + 1) << 6) + events["kind"]
        group = group * (len(a.barriers) + len(b.barriers) + 1) + barrier + 1
        if len(a.rings) > 1 or len(b.rings) > 1:
            group = group * (len(a.rings) + len(b.rings) + 1) + ring + 1
        whose.append((group << 32) + np.where(flips, events["amount"], events["tile"]).astype(np.int64) + 1)
    _, number = np.unique(np.concatenate(whose), return_inverse=True)
    return _ranked(number[: len(a)]), _ranked(number[len(a) :])


def _ranked(group: Ints) -> Ints:
    """group and rank within it as one number."""
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    first = np.maximum.accumulate(np.where(np.diff(ordered, prepend=-1) != 0, np.arange(len(group)), 0))
    rank = np.empty(len(group), np.int64)
    rank[order] = np.arange(len(group)) - first
    return (group << 32) + rank
