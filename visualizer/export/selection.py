"""Which part of a recording to export: a stretch of steps or of time, and some of the lanes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from visualizer.export.errors import ExportError
from visualizer.language import tr
from visualizer.playback.query.wild import wild_matcher
from visualizer.replay.history import History
from visualizer.views.timeline.lanes.lanes import Lane, build_lanes, count_single_lanes, lanes_of_folds

_PS = {"ps": 1, "ns": 1_000, "us": 1_000_000, "µs": 1_000_000, "ms": 1_000_000_000}
_BOUND = re.compile(r"(\d{1,18}(?:\.\d{1,18})?)\s*(ps|ns|us|µs|ms)?")


@dataclass(frozen=True, eq=False)
class Selection:
    """Events `first`..`last` (steps, both included) and the picture's bounds in ps; `lanes` in drawing order.

    `lanes` are single ones; a picture folds them into those whose keys are in `folded`, and has `pinned` at the top.
    """

    history: History
    first: int
    last: int
    begin: int
    end: int
    lanes: tuple[Lane, ...]
    folded: frozenset[str] = frozenset()
    pinned: tuple[str, ...] = ()

    @property
    def steps(self) -> int:
        """How many events lie in the range, on whatever lane."""
        return self.last - self.first + 1

    @cached_property
    def all_lanes(self) -> bool:
        return len(self.lanes) == count_single_lanes(self.history.trace, self.history.structure)

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """Steps of the events in the range that concern a chosen lane: its agent's, barrier's or stage's."""
        steps = np.arange(self.first, self.last + 1)
        if self.all_lanes:
            return steps
        trace = self.history.trace
        events = trace.events[self.first : self.last + 1]
        sizes = (len(trace.agents), len(trace.barriers), self.history.structure.places)
        agents, barriers, stages = (np.zeros(size + 1, bool) for size in sizes)  # the last entry: none, index -1
        for lane in self.lanes:
            {"agent": agents, "copy": agents, "barrier": barriers, "stage": stages}[lane.kind][lane.row] = True
        place = self.history.event_places.of(steps)
        chosen: NDArray[np.int64] = steps[agents[events["agent"]] | barriers[events["barrier"]] | stages[place]]
        return chosen


def select(history: History, range_: str = "", lanes: Sequence[str] = ()) -> Selection:
    """The part that `range_` ("A:B": steps, or times with a unit) and `lanes` (names, * for any text) describe.

    The name of a CTA, a group of warps or a ring stands for all its lanes. Empty stands for everything. Raises
    ExportError, which names the option.
    """
    trace = history.trace
    if not history.steps:
        raise ExportError(tr("the recording holds no events, so there is nothing to export"))
    chosen, folded = _lanes(build_lanes(trace, history.structure), lanes)
    if not range_:
        return Selection(history, 0, history.steps - 1, 0, trace.duration_ps, chosen, folded)
    parts = range_.split(":")
    bounds = [_BOUND.fullmatch(part.strip()) for part in parts]
    if len(parts) != 2 or any(part.strip() and not bound for part, bound in zip(parts, bounds, strict=True)):
        raise ExportError(
            tr(
                "--range {range}: expected A:B, two steps such as 100:200 or two times such as 2us:3.5us; either may be"
                " left out",
                range=range_,
            )
        )
    units = {bound[2] for bound in bounds if bound}
    if None in units and len(units) > 1:
        raise ExportError(
            tr("--range {range}: one end is a step and the other a time; give both the same way", range=range_)
        )
    if units and None not in units:
        return _between_times(history, range_, bounds, chosen, folded)
    if any(bound and "." in bound[1] for bound in bounds):
        raise ExportError(
            tr("--range {range}: a step is a whole number; a time needs a unit, such as 2.5us", range=range_)
        )
    first = int(bounds[0][1]) if bounds[0] else 0
    last = int(bounds[1][1]) if bounds[1] else history.steps - 1
    if not first <= last < history.steps:
        raise ExportError(
            tr(
                "--range {range} is not within 0:{last}, the steps of this recording",
                range=range_,
                last=history.steps - 1,
            )
        )
    time = trace.events["time"]
    return Selection(history, first, last, int(time[first]), int(time[last]), chosen, folded)


def between(
    history: History,
    begin: int,
    end: int,
    lanes: Sequence[Lane],
    folded: frozenset[str] = frozenset(),
    pinned: Sequence[str] = (),
) -> Selection:
    """Everything from `begin` to `end` (ps), as a view of the timeline shows it. ExportError if nothing happens."""
    begin, end = max(begin, 0), min(end, history.trace.duration_ps)
    time = history.trace.events["time"]
    first, stop = int(np.searchsorted(time, begin)), int(np.searchsorted(time, end, side="right"))
    if first >= stop:
        raise ExportError(tr("no event lies in this stretch of time; choose a longer one"))
    return Selection(history, first, stop - 1, begin, end, tuple(lanes), folded, tuple(pinned))


def _between_times(
    history: History,
    text: str,
    bounds: Sequence[re.Match[str] | None],
    lanes: tuple[Lane, ...],
    folded: frozenset[str],
) -> Selection:
    low, high = (round(float(bound[1]) * _PS[bound[2]]) if bound else None for bound in bounds)
    begin, end = low or 0, history.trace.duration_ps if high is None else high
    if begin > end:
        raise ExportError(tr("--range {range} ends before it begins", range=text))
    try:
        return between(history, begin, end, lanes, folded)
    except ExportError:
        whole = f"0:{history.trace.duration_ps / 1000:.0f}ns"
        raise ExportError(
            tr("--range {range}: no event lies in it; the recording is {whole}", range=text, whole=whole)
        ) from None


def _lanes(lanes: Sequence[Lane], patterns: Sequence[str]) -> tuple[tuple[Lane, ...], frozenset[str]]:
    """The single lanes that any of the patterns names, by key ("CTA1.0x410"), title ("full[0]") or name
    ("CTA1.full[0]"); and the groups of warps that they name, which a picture leaves folded as the timeline does."""
    own = [lane for lane in lanes if not lane.folds]
    chosen = {lane.key for lane in lanes} if not patterns else set[str]()
    members = lanes_of_folds(lanes)
    for pattern in patterns:
        wanted = wild_matcher(pattern)
        found = {lane.key for lane in lanes if any(map(wanted, (lane.key, lane.title, lane.name)))}
        if not found:
            names = ", ".join(lane.name for lane in own[:12]) + (", ..." if len(own) > 12 else "")
            raise ExportError(
                tr("--lanes {pattern}: no lane has this name; there are {names}", pattern=pattern, names=names)
            )
        chosen |= found
    folded = frozenset(lane.key for lane in lanes if lane.kind == "warps" and lane.key in chosen)
    chosen |= {lane.key for key in chosen & members.keys() for lane in members[key]}
    return tuple(lane for lane in own if lane.key in chosen), folded
