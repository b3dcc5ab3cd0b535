"""Breakpoints: queries that are kept, each with the steps it hits, and the way from hit to hit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from visualizer.playback.query.error import QueryError
from visualizer.playback.query.events import Events
from visualizer.recording.schema import kind_name
from visualizer.replay.history import History
from visualizer.replay.step_index import Steps

_NONE: Steps = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Breakpoint:
    """A query and what it hits in the recording at hand, ascending; None: not counted yet.

    `problem` says why a query cannot hit anything in this recording.
    """

    query: str
    enabled: bool = True
    hits: Steps | None = None
    problem: str = ""


def evaluated(breakpoint: Breakpoint, events: Events) -> Breakpoint:
    """The breakpoint with its hits; a query that does not fit the recording has none, and its problem instead."""
    from visualizer.playback.query.evaluate import matching_steps
    from visualizer.playback.query.parse import parse

    try:
        return replace(breakpoint, hits=matching_steps(parse(breakpoint.query), events), problem="")
    except QueryError as error:
        return replace(breakpoint, hits=_NONE, problem=str(error))


class Breakpoints:
    """The breakpoints in the order they were added; no two of one query."""

    def __init__(self) -> None:
        self._all: list[Breakpoint] = []

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Breakpoint]:
        return iter(self._all)

    def __getitem__(self, row: int) -> Breakpoint:
        return self._all[row]

    def row_of(self, query: str) -> int | None:
        return next((row for row, known in enumerate(self._all) if known.query == query), None)

    def put(self, breakpoint: Breakpoint) -> int:
        """Add a breakpoint, or replace the one of the same query; its row."""
        row = self.row_of(breakpoint.query)
        if row is None:
            self._all.append(breakpoint)
            return len(self._all) - 1
        self._all[row] = breakpoint
        return row

    def remove(self, row: int) -> None:
        del self._all[row]

    def replace_all(self, breakpoints: list[Breakpoint]) -> None:
        self._all = list(breakpoints)

    def enable(self, row: int, on: bool) -> None:
        self._all[row] = replace(self._all[row], enabled=on)

    def enable_all(self, on: bool) -> None:
        self._all = [replace(known, enabled=on) for known in self._all]

    @property
    def any_enabled(self) -> bool:
        return any(known.enabled for known in self._all)

    def hits(self) -> Steps:
        """The steps that any enabled breakpoint hits, ascending."""
        hits = self._enabled_hits()
        if len(hits) < 2:
            return hits[0] if hits else _NONE
        hit = np.zeros(max(int(one[-1]) for one in hits) + 1, bool)  # sorting millions would hold the window up
        for one in hits:
            hit[one] = True
        return np.flatnonzero(hit)

    def nearest(self, step: int, direction: int) -> int | None:
        """The next (+1) or previous (-1) step from `step` that any enabled breakpoint hits; None: there is none."""
        found = [near for one in self._enabled_hits() if (near := nearest_hit(one, step, direction)) is not None]
        return min(found, key=lambda near: abs(near - step), default=None)

    def _enabled_hits(self) -> list[Steps]:
        return [known.hits for known in self._all if known.enabled and known.hits is not None and len(known.hits)]


def nearest_hit(hits: Steps, step: int, direction: int) -> int | None:
    """The next (+1) or previous (-1) of ascending `hits` from `step`; None where there is none."""
    row = int(np.searchsorted(hits, step, side="right")) if direction > 0 else int(np.searchsorted(hits, step)) - 1
    return int(hits[row]) if 0 <= row < len(hits) else None


def query_at(history: History, step: int) -> str:
    """The query that "break here" means: this kind of event on its barrier, or at its line of the source."""
    trace, event = history.trace, history.trace.events[step]
    kind = f"kind == {kind_name(int(event['kind']))}"
    barrier, site = int(event["barrier"]), int(event["site"])
    if barrier >= 0:
        return f'barrier == "{history.barrier_title(barrier)}" and {kind}'
    if site >= 0:
        return f'site == "{trace.sites[site].file}:{trace.sites[site].line}" and {kind}'
    return f'agent == "{history.agent_titles[int(event["agent"])]}" and {kind}'
