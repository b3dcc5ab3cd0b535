"""A window of a run: which tiles, CTAs and roles are recorded, and in what state the recorded part begins.

The part is the same tiles for every role, not the same time. It has one thing more: the consumers' releases of the one
lap of tiles before it, because they are what the producer's first waits are for. All other state follows from the tile
number: every phase of an earlier tile has completed, and each cursor has advanced once a tile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, group_starts, order_by
from visualizer.reconstruction.earlier_inits import opened
from visualizer.recording.facts import Window as WindowFacts
from visualizer.recording.schema import ARRIVAL_KINDS, EventFlag, EventKind
from visualizer.recording.tables import Agent, Barrier
from visualizer.recording.trace import Trace

ROLES = ("producer", "consumer")
_PROLOGUE = (EventKind.INIT, EventKind.FENCE)
Named = TypeVar("Named", Agent, Barrier)


@dataclass(frozen=True, slots=True)
class Window:
    """What of a run is recorded; the default is everything."""

    first: int = 0  # tile
    last: int = -1  # tile, recorded too; -1: to the run's end
    keep_last: int = 0  # record the last so many tiles, whatever their number; 0: not so
    every_cta: int = 1  # of every so many CTAs the first
    roles: tuple[str, ...] = ROLES  # in the order of ROLES

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Window:
        """From dataclasses.asdict, also by way of JSON, which has no tuples."""
        return cls(**{**fields, "roles": tuple(fields["roles"])})

    @property
    def is_everything(self) -> bool:
        return self == EVERYTHING

    def records_cta(self, cta: int) -> bool:
        return cta % self.every_cta == 0

    def tiles(self, tiles: int) -> range:
        """The tiles recorded of a run of so many that goes to its end."""
        if self.keep_last:
            return range(max(tiles - self.keep_last, 0), tiles)
        return range(self.first, tiles if self.last < 0 else min(self.last + 1, tiles))

    def span(self, tiles: int, stages: int) -> range:
        """The tiles that a kernel keeps for a window: the lap before it too, and the tile after, whose begin is the end
        of the last; at the run's end the producer's last waits, one a stage, count as tiles."""
        part = self.tiles(tiles)
        return range(max(part.start - stages, 0), part.stop + (stages if part.stop == tiles else 1))

    def of_ctas(self, rows: Sequence[Named]) -> tuple[Named, ...]:
        """The agents or barriers of the recorded CTAs."""
        return tuple(row for row in rows if self.records_cta(row.cta))

    def as_dict(self, first: int, last: int, tiles: int, ctas: int) -> WindowFacts:
        """What goes into Trace.meta.window: of `tiles` tiles on `ctas` CTAs, `first` to `last` were recorded."""
        recorded = -(-ctas // self.every_cta)
        left_out = [role for role in ROLES if role not in self.roles]
        if first == 0 and last == tiles - 1 and recorded == ctas and not left_out:
            return {}
        return {
            "tiles": tiles,
            "first": first,
            "last": last,
            "tiles_before": first,
            "tiles_after": tiles - 1 - last,
            "keep_last": self.keep_last,
            "every_cta": self.every_cta,
            "ctas": ctas,
            "ctas_left_out": ctas - recorded,
            "roles_left_out": left_out,
        }


EVERYTHING = Window()


def cut(trace: Trace, window: Window, tiles: int, ctas: int) -> Trace:
    """The part of a complete recording, of `tiles` tiles on `ctas` CTAs, that `window` would have recorded."""
    if window.is_everything:
        return trace
    agent_cta = np.array([agent.cta for agent in trace.agents], np.int64)
    events = trace.events[agent_cta[trace.events["agent"]] % window.every_cta == 0].copy()
    agents, barriers = window.of_ctas(trace.agents), window.of_ctas(trace.barriers)
    for column, rows in (("agent", trace.agents), ("barrier", trace.barriers)):
        kept = np.cumsum([window.records_cta(row.cta) for row in rows]) - 1
        events[column] = np.append(kept, -1)[events[column]]
    first, last = bounds(events, agents, window, tiles)
    events = events[in_part(events, agents, barriers, first, last, tiles)]
    events = _without_roles(events, agents, window.roles)
    agents, barriers = begin(agents, barriers, first)
    if len(events):
        start = int(events["time"][0])
        events["time"] -= start
        events["measured"] -= start
    meta = replace(trace.meta, window=window.as_dict(int(first.min()), last, tiles, ctas))
    return replace(trace, meta=meta, agents=agents, barriers=barriers, events=opened(events, agents, barriers))


def bounds(events: NDArray[np.void], agents: Sequence[Agent], window: Window, tiles: int) -> tuple[Ints, int]:
    """The first tile recorded of each CTA, by its number, and the last of all.

    With `keep_last` they follow from how far each CTA came: one that hangs has its last tiles before the hang.
    """
    cta = np.array([agent.cta for agent in agents], np.int64)
    size = int(cta.max(initial=0)) + 1
    if not window.keep_last:
        part = window.tiles(tiles)
        return np.full(size, part.start, np.int64), part.stop - 1
    reached = np.full(size, -1, np.int64)
    np.maximum.at(reached, cta[events["agent"]], events["tile"].astype(np.int64))
    reached[np.setdiff1d(np.arange(size), cta)] = int(reached.max(initial=-1))
    return np.maximum(reached + 1 - window.keep_last, 0), tiles - 1


def in_part(
    events: NDArray[np.void],
    agents: Sequence[Agent],
    barriers: Sequence[Barrier],
    first: Ints,
    last: int,
    tiles: int,
) -> NDArray[np.bool_]:
    """Which events belong to tiles `first` of their CTA to `last` of `tiles`, with the releases of the lap before."""
    cta = np.array([agent.cta for agent in agents], np.int64)[events["agent"]]
    begins = first[cta]
    tile = events["tile"].astype(np.int64)
    is_empty = np.array([barrier.kind == "empty" for barrier in barriers] + [False])[events["barrier"]]
    kind = events["kind"]
    release = is_empty & ((kind == EventKind.ARRIVE) | (kind == EventKind.PHASE_COMPLETE))
    lap = max((barrier.stage for barrier in barriers), default=-1) + 1
    of_tile = ((tile >= begins) | (release & (tile >= begins - lap))) & (tile <= last)
    prologue = np.isin(kind, _PROLOGUE)
    return np.where(tile >= 0, of_tile, np.where(prologue, begins == 0, last == tiles - 1))


def begin(
    agents: Sequence[Agent], barriers: Sequence[Barrier], first: Ints
) -> tuple[tuple[Agent, ...], tuple[Barrier, ...]]:
    """The tables of a recording whose CTAs begin at tiles `first`: cursors and phases as they stand then."""
    stages = max((barrier.stage for barrier in barriers), default=-1) + 1

    def phases(barrier: Barrier) -> int:
        """Completed before: one for each earlier tile of the stage; the lap before a window is in the recording."""
        tile = int(first[barrier.cta])
        done = tile if barrier.kind == "full" else max(tile - stages, 0)
        return max((done - barrier.stage + stages - 1) // stages, 0) if barrier.stage >= 0 else 0

    return (
        tuple(replace(a, start=a.start.advance(int(first[a.cta]))) if a.start else a for a in agents),
        tuple(replace(barrier, first_phase=phases(barrier)) for barrier in barriers),
    )


def with_left_out(
    events: NDArray[np.void], agents: Sequence[Agent], barriers: Sequence[Barrier], roles: Sequence[str]
) -> NDArray[np.void]:
    """Agents' events, grouped by agent, with the arrivals of roles that logged nothing, as far as waits prove them.

    Each phase that a wait passed for had its arrivals before; they are put 1 ps before the first such wait's end.
    """
    absent = {("full" if role == "producer" else "empty"): role for role in ROLES if role not in roles}
    silent = [row for row, barrier in enumerate(barriers) if barrier.kind in absent]
    ends = np.flatnonzero((events["kind"] == EventKind.WAIT_END) & np.isin(events["barrier"], silent))
    phase = _phases_in_turn(events, ends, barriers)
    ends, phase = ends[phase >= 0], phase[phase >= 0]
    order = np.lexsort((events["time"][ends], phase, events["barrier"][ends]))
    ends, phase = ends[order], phase[order]
    pairs = np.stack((events["barrier"][ends].astype(np.int64), phase))
    ends = ends[np.unique(pairs, axis=1, return_index=True)[1]] if len(ends) else ends
    made = []
    for row, barrier in enumerate(barriers):
        mine = ends[events["barrier"][ends] == row]
        doers = [r for r, a in enumerate(agents) if a.cta == barrier.cta and a.role == absent.get(barrier.kind)]
        for share, doer in enumerate(doers if len(mine) else []):
            rows = events[mine].copy()
            rows["agent"], rows["kind"], rows["parity"], rows["site"] = doer, EventKind.ARRIVE, -1, -1
            rows["flags"], rows["token"] = EventFlag.DERIVED | EventFlag.ESTIMATED, 0
            rows["amount"] = (barrier.init_count + share) // len(doers)
            if barrier.kind == "empty":
                # A wait of none, such as the last ones, is not for the release of a tile that is known.
                rows["tile"] = np.maximum(rows["tile"] - (max(b.stage for b in barriers) + 1), -1)
            rows["time"] = rows["measured"] = rows["time"] - 1
            made.append(rows)
    events = np.concatenate([events, *made])
    return events[np.lexsort((events["time"], events["agent"]))] if made else events


def _phases_in_turn(events: NDArray[np.void], ends: Ints, barriers: Sequence[Barrier]) -> Ints:
    """The phase, counted from the recording's begin, that each of these WAIT_ENDs passed on; -1: a fresh barrier's.

    The lesson's agents take a barrier's phases one after another; no arrivals are there to tell more.
    """
    barrier = events["barrier"][ends].astype(np.int64)
    parity = events["parity"][ends] ^ np.array([b.first_phase & 1 for b in barriers], np.int64)[barrier]
    order = order_by(events["agent"][ends], barrier)
    starts = group_starts(events["agent"][ends][order] * np.int64(len(barriers)) + barrier[order])
    phase = np.empty(len(ends), np.int64)
    phase[order] = np.arange(len(ends)) - starts - parity[order][starts]
    return phase


def _without_roles(events: NDArray[np.void], agents: Sequence[Agent], roles: Sequence[str]) -> NDArray[np.void]:
    """Of the other roles only what they did to barriers, as derived; a copy engine goes with the producer."""
    told = np.array([("producer" if a.role == "copy_engine" else a.role) in roles for a in agents])[events["agent"]]
    acts = np.isin(events["kind"], (*ARRIVAL_KINDS, EventKind.COMPLETE_TX, EventKind.EXPECT_TX, EventKind.INIT))
    acts |= events["kind"] == EventKind.PHASE_COMPLETE
    events["flags"][~told] |= np.uint8(EventFlag.DERIVED)
    kept: NDArray[np.void] = events[told | acts]
    return kept
