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
    """Both runs. `shift` (ps) was added to b's times; lanes are those of the warps that both have, in a's order."""

    anchor: Anchor
    at: int  # the anchor's moment, ps on a's axis
    shift: int
    lanes: tuple[OverlayLane, ...]

    @property
    def begin(self) -> int:
        """The earlier beginning, ps; negative where b, moved, begins before a."""
        return min((int(spans.start[0]) for lane in self.lanes for spans in (lane.a, lane.b) if len(spans)), default=0)

    @property
    def end(self) -> int:
        """The later end, ps."""
        return max((int(spans.end[-1]) for lane in self.lanes for spans in (lane.a, lane.b) if len(spans)), default=0)


def lay_over(comparison: Comparison, anchor: Anchor) -> Overlay:
    """The two recordings of a comparison, aligned at `anchor`. OverlayError if one of them does not have that."""
    times = []
    for name, history in (("a", comparison.a), ("b", comparison.b)):
        time = _time_of(comparison, history, anchor)
        if time is None:
            what = tr("use {number}", number=anchor.number) if anchor.by_use else tr("tile {n}", n=anchor.number)
            raise OverlayError(
                tr(
                    "{what} of CTA {cta} is not in {which}: choose one that both have",
                    what=what,
                    cta=anchor.cta,
                    which=name,
                )
            )
        times.append(time)
    shift = times[0] - times[1]
    lanes = []
    for order in comparison.agents:
        row = comparison.a.trace.agent_index[order.agent]
        if comparison.a.trace.agents[row].warp < 0:
            continue  # a copy engine does several things at once: what it does is no state
        a = comparison.a.agent_spans(row)
        b = comparison.b.agent_spans(comparison.b.trace.agent_index[order.agent])
        moved = replace(b, start=b.start.astype(np.int64) + shift, end=b.end.astype(np.int64) + shift)
        lanes.append(OverlayLane(order.agent, a, moved, differing(a, moved)))
    return Overlay(anchor, times[0], shift, tuple(lanes))


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


def _time_of(comparison: Comparison, history: History, anchor: Anchor) -> int | None:
    """When the anchor's data are in, ps; None: this recording has no such."""
    if anchor.number < 0:
        return None
    ring = _own_name(comparison, history, anchor.ring)
    if anchor.by_use:
        step = _use_step(history, anchor.cta, ring, anchor.number)
    else:
        step = comparison.tile_step(history, anchor.cta, anchor.number, ring)
    return None if step is None else int(history.trace.events["time"][step])


def _own_name(comparison: Comparison, history: History, ring: str | None) -> str | None:
    """What a's ring of this name is called in the recording: its only ring is the other's only one."""
    names = history.structure.names
    if len(names) == 1 and (ring is None or len(comparison.a.structure.names) == 1):
        return names[0]
    return ring


def _use_step(history: History, cta: int, ring: str | None, use: int) -> int | None:
    """The completion by which the stage of a use is full: stages are used in turn."""
    row = -1 if ring is None else history.structure.row(cta, ring)
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
