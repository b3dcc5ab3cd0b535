"""Two recordings on one axis of time: b moved so that a tile, or a use of a ring, is full at the same moment in both.

Moved, not stretched: a wait that took longer in b is longer here as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from visualizer.diagnosis.comparison.compare import Comparison
from visualizer.language import tr
from visualizer.replay.history import History
from visualizer.replay.spans import Spans

Ints = NDArray[np.int64]

NO_STATE = 255
"""Of an agent that has not begun or has left."""


class OverlayError(ValueError):
    """The two cannot be laid over each other so; the message says which of them lacks what."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """What stands at the same moment in both: a tile, by its number, or a use of a ring's stages, counted from 0.

    Strangers' kernels name no tiles, and count uses in every ring alike, however many stages it has in each recording.
    """

    number: int
    by_use: bool = False
    cta: int = 0
    ring: str | None = None  # by its name in a; None: the first in which the tile is in, or the only one


@dataclass(frozen=True, eq=False)
class OverlayLane:
    """What one agent did in both, on a's axis. `differs`: where that is not the same, begin and end, (n, 2)."""

    name: str
    a: Spans
    b: Spans
    differs: Ints


@dataclass(frozen=True, eq=False)
class Overlay:
    """Both runs. `shift` (ps) was added to b's times; lanes are those of the anchor's CTA's warps, in a's order."""

    anchor: Anchor
    at: int  # the anchor's moment, ps on a's axis
    shift: int
    lanes: tuple[OverlayLane, ...]
    titles: tuple[tuple[str, ...], tuple[str, ...]]  # what the barriers of a and of b are called, by row

    @property
    def begin(self) -> int:
        """The earlier beginning, ps; negative where b, moved, begins before a."""
        return min((int(spans.start[0]) for lane in self.lanes for spans in (lane.a, lane.b) if len(spans)), default=0)

    @property
    def end(self) -> int:
        """The later end, ps."""
        return max((int(spans.end[-1]) for lane in self.lanes for spans in (lane.a, lane.b) if len(spans)), default=0)


def first_anchor(comparison: Comparison) -> Anchor:
    """What to align at before anybody chose: the first tile that both have, else the first use of a's first ring."""
    if len(comparison.tiles):
        return Anchor(int(comparison.tiles.tile[0]), cta=int(comparison.tiles.cta[0]))
    rings = comparison.a.structure.rings
    return Anchor(0, True, rings[0].cta, rings[0].name) if rings else Anchor(0, True)


def lay_over(comparison: Comparison, anchor: Anchor) -> Overlay:
    """The two recordings of a comparison, aligned at `anchor`. OverlayError if one of them does not have that, or no
    warp of its CTA is in both."""
    at, at_b = (_time_of(comparison, which, history, anchor) for which, history in _both(comparison))
    lanes = []
    for order in comparison.agents:
        row = comparison.a.trace.agent_index[order.agent]
        agent = comparison.a.trace.agents[row]
        if agent.cta != anchor.cta or agent.warp < 0:
            continue  # a copy engine does several things at once: what it does is no state
        a = comparison.a.agent_spans(row)
        b = comparison.b.agent_spans(comparison.b.trace.agent_index[order.agent])
        moved = replace(b, start=b.start.astype(np.int64) + at - at_b, end=b.end.astype(np.int64) + at - at_b)
        lanes.append(OverlayLane(order.agent, a, moved, differing(a, moved)))
    if not lanes:
        raise OverlayError(tr("no warp of CTA {cta} is in both: choose another CTA", cta=anchor.cta))
    titles = comparison.barrier_names(comparison.a), comparison.barrier_names(comparison.b)
    return Overlay(anchor, at, at - at_b, tuple(lanes), titles)


def differing(a: Spans, b: Spans) -> Ints:
    """Where two lanes are not in the same state, (stretches, 2): ascending, apart from each other, each of a length."""
    bounds = np.unique(np.concatenate([a.start, a.end, b.start, b.end]).astype(np.int64))
    if len(bounds) < 2:
        return np.empty((0, 2), np.int64)
    differs = _states(a, bounds[:-1]) != _states(b, bounds[:-1])
    edges = np.diff(np.concatenate([[0], differs, [0]]))
    return np.stack([bounds[np.flatnonzero(edges == 1)], bounds[np.flatnonzero(edges == -1)]], axis=1)


def _states(spans: Spans, times: Ints) -> Ints:
    """The state from each time on. Of spans that begin together the last one lasts."""
    row = np.searchsorted(spans.start, times, side="right") - 1
    there = row >= 0
    there[there] = spans.end[row[there]] > times[there]
    states = np.full(len(times), NO_STATE, np.int64)
    states[there] = spans.state[row[there]]
    return states


def _both(comparison: Comparison) -> tuple[tuple[str, History], tuple[str, History]]:
    return ("a", comparison.a), ("b", comparison.b)


def _time_of(comparison: Comparison, which: str, history: History, anchor: Anchor) -> int:
    """When the anchor's data are in, ps; OverlayError: the recording called `which` has no such."""
    _refuse_what_it_lacks(comparison, which, history, anchor)
    ring = _own_name(comparison, history, anchor.ring)
    if anchor.number < 0:
        step = None
    elif anchor.by_use:
        step = _use_step(history, anchor.cta, ring, anchor.number)
    else:
        step = comparison.tile_step(history, anchor.cta, anchor.number, ring)
    if step is None:
        raise OverlayError(
            tr(
                "{what} of CTA {cta} is not in {which}: choose one that both have",
                what=anchor_word(anchor),
                cta=anchor.cta,
                which=which,
            )
        )
    return int(history.trace.events["time"][step])


def anchor_word(anchor: Anchor) -> str:
    """ "tile 3", "use 10"."""
    return tr("use {number}", number=anchor.number) if anchor.by_use else tr("tile {n}", n=anchor.number)


def _refuse_what_it_lacks(comparison: Comparison, which: str, history: History, anchor: Anchor) -> None:
    """OverlayError with what to choose instead, if the recording has no tiles, no rings, or not this one."""
    if not anchor.by_use and not (history.trace.events["tile"] >= 0).any():
        raise OverlayError(tr("{which} names no tiles: align at a use of a ring", which=which))
    ring, names = _own_name(comparison, history, anchor.ring), history.structure.names
    if anchor.by_use and not names:
        raise OverlayError(tr("no ring of {which} is known, so its uses are not: align at a tile", which=which))
    if ring not in names and (anchor.by_use or ring is not None):
        known = ", ".join(names) if any(names) else tr("one without a name")
        if ring is None:
            raise OverlayError(tr("{which} has several rings; choose one of {known}", which=which, known=known))
        raise OverlayError(
            tr("{which} has no ring {ring}; its rings: {known}", which=which, ring=ring or "–", known=known)
        )


def _own_name(comparison: Comparison, history: History, ring: str | None) -> str | None:
    """What a's ring of this name is called in the recording: its only ring is the other's only one."""
    names = history.structure.names
    if len(names) == 1 and (ring is None or len(comparison.a.structure.names) == 1):
        return names[0]
    return ring


def _use_step(history: History, cta: int, ring: str | None, use: int) -> int | None:
    """The completion by which the stage of a use is full: stages are used in turn."""
    assert ring is not None  # has been refused
    row = history.structure.row(cta, ring)
    if row < 0 or not history.structure.rings[row].stages:
        return None
    found = history.structure.rings[row]
    turn, stage = divmod(use, found.stages)
    flips = history.completion_steps
    steps = [flips[history.trace.events["barrier"][flips] == barrier] for barrier in found.full[stage]]
    if not steps or any(len(own) <= turn for own in steps):
        return None
    # Of several full barriers of a stage the last one counts.
    return max(int(own[turn]) for own in steps)
