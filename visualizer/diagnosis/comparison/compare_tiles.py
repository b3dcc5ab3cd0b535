"""The time per tile of two recordings side by side: of all rings together, and of each ring that has a partner."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from visualizer.diagnosis.statistics.facts import Ints, ring_of_places
from visualizer.replay.history import History


@dataclass(frozen=True, eq=False)
class TileTimes:
    """The tiles that both recordings have, by CTA and tile; all shape (tiles,), times in ps.

    A tile lasts from the first event that names it to the last.
    """

    cta: Ints
    tile: Ints
    begin_a: Ints
    end_a: Ints
    begin_b: Ints
    end_b: Ints

    def __len__(self) -> int:
        return len(self.tile)

    @property
    def longer(self) -> Ints:
        """How much longer the tile took in b; negative: shorter."""
        return (self.end_b - self.begin_b) - (self.end_a - self.begin_a)

    @property
    def later(self) -> Ints:
        """How much later the tile ended in b, from the start of each recording."""
        return self.end_b - self.end_a

    @property
    def longest(self) -> int:
        """The longest span that is told of them (ps), 0 of none: they are all told in its unit."""
        spans = (self.end_a - self.begin_a, self.end_b - self.begin_b, abs(self.later))
        return max(int(span.max(initial=0)) for span in spans)


@dataclass(frozen=True, eq=False)
class RingPair:
    """The rings of one name in both recordings. One that has no partner has stages on one side, and no tiles."""

    name: str
    stages_a: int  # 0: a has no such ring
    stages_b: int
    tiles: TileTimes  # of the events in the ring's stages and on its barriers

    @property
    def only(self) -> str:
        """ "a" or "b" if it is in that one alone, else ""."""
        return "" if self.stages_a and self.stages_b else "a" if self.stages_a else "b"


def tile_times(a: History, b: History, ring: str | None = None) -> TileTimes:
    """The tiles that both have: of the ring of this name, or of everything."""
    key_a, begin_a, end_a = _tile_spans(a, ring)
    key_b, begin_b, end_b = _tile_spans(b, ring)
    key, row_a, row_b = np.intersect1d(key_a, key_b, assume_unique=True, return_indices=True)
    return TileTimes(key >> 32, key & 0xFFFFFFFF, begin_a[row_a], end_a[row_a], begin_b[row_b], end_b[row_b])


def ring_pairs(a: History, b: History) -> tuple[RingPair, ...]:
    """The rings of both recordings, matched by name: those of `a` in its order, then what `b` alone has.

    A recording's only ring is the other's only one, whatever they are called.
    """
    stages_a, stages_b = _stages(a), _stages(b)
    if len(stages_a) == len(stages_b) == 1:
        ((name, count_a),), ((_, count_b),) = stages_a.items(), stages_b.items()
        return (RingPair(name, count_a, count_b, tile_times(a, b)),)
    return tuple(
        RingPair(name, stages_a.get(name, 0), stages_b.get(name, 0), tile_times(a, b, name))
        for name in dict.fromkeys([*stages_a, *stages_b])
    )


def in_ring(history: History, steps: Ints, ring: str) -> Ints:
    """Those of `steps` whose event concerns a stage of a ring of this name."""
    names = history.structure.names
    row = names.index(ring) if ring in names else len(names)
    kept: Ints = steps[ring_of_places(history)[history.event_places.of(steps)] == row]
    return kept


def _stages(history: History) -> dict[str, int]:
    """How many stages the rings of each name have."""
    stages: dict[str, int] = {}
    for ring in history.structure.rings:
        stages[ring.name] = max(stages.get(ring.name, 0), ring.stages)
    return stages


def _tile_spans(history: History, ring: str | None) -> tuple[Ints, Ints, Ints]:
    """(cta << 32) + tile of each tile, ascending, and the times of its first and last event."""
    trace = history.trace
    steps = np.flatnonzero(trace.events["tile"] >= 0)
    if ring is not None:
        steps = in_ring(history, steps, ring)
    events = trace.events[steps]
    key = (trace.agent_cta[events["agent"]].astype(np.int64) << 32) + events["tile"]
    order = np.argsort(key, kind="stable")  # events are in time order, and stay so within a tile
    key, time = key[order], events["time"][order].astype(np.int64)
    first = np.flatnonzero(np.diff(key, prepend=-1) != 0)
    last = np.append(first[1:], len(key)) - 1
    return key[first], time[first], time[last if len(first) else first]
