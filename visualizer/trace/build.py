"""From a kernel's raw log to a Trace: decode, cut where records were lost, derive, reconcile, lay out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from visualizer.trace.decode import decode
from visualizer.trace.derive import derive, pace_of
from visualizer.trace.evidence import Evidence, examine, most_events
from visualizer.trace.expand import expand
from visualizer.trace.merge import merge
from visualizer.trace.parallel import each
from visualizer.trace.parts import NEVER, Parts, split
from visualizer.trace.pool import Pool
from visualizer.trace.raw import RawLog
from visualizer.trace.reconcile import Moves, reconcile, summary
from visualizer.trace.tables import Agent, Barrier, Meta, Site
from visualizer.trace.trace import Trace
from visualizer.trace.unfold import PipelineShape
from visualizer.trace.window import opened


def build_trace(
    raw: RawLog,
    agents: Sequence[Agent],
    barriers: Sequence[Barrier],
    sites: Sequence[Site],
    meta: Meta,
    source_files: Mapping[str, str],
    shape: PipelineShape | None = None,
) -> Trace:
    """The Trace of `raw`; decode says when it needs `shape`. `meta` gets the clock fit, what was lost and left out, and
    how far events were moved."""
    decoded = decode(raw, agents, barriers, sites, shape)
    clock = {**decoded.clock.as_dict(), "missed_laps": decoded.missed_laps}
    meta = replace(meta, records_lost=int(decoded.lost.sum()), clock=clock)
    return _assemble(decoded.parts, agents, barriers, sites, meta, source_files)


def assemble(
    events: NDArray[np.void],
    lost: NDArray[np.int64],
    agents: Sequence[Agent],
    barriers: Sequence[Barrier],
    sites: Sequence[Site],
    meta: Meta,
    source_files: Mapping[str, str],
) -> Trace:
    """The Trace of agents' events that are decoded already: EVENT_DTYPE, as Parts.whole; `lost` as Decoded.lost."""
    return _assemble(split(events, lost, agents, barriers), agents, barriers, sites, meta, source_files)


def _assemble(
    parts: Parts,
    agents: Sequence[Agent],
    barriers: Sequence[Barrier],
    sites: Sequence[Site],
    meta: Meta,
    source_files: Mapping[str, str],
) -> Trace:
    """`meta` gets events_dropped and reconcile."""
    spans = parts.spans
    logged = Pool(parts.sizes)

    def look(part: int) -> Evidence:
        events = logged.events(part)
        parts.write(part, events)
        return examine(cut(events, parts.complete_until), barriers[spans[part].barriers])

    evidence: list[Evidence | None] = list(each(look, range(len(spans))))
    known = [part for part in evidence if part is not None]
    kept = sum(len(part.events) for part in known)
    pace = pace_of(known)
    room = Pool([most_events(part) for part in known])
    del known

    def lay_out(part: int) -> tuple[NDArray[np.void], Moves, int, int]:
        span, seen = spans[part], evidence[part]
        assert seen is not None
        derived = derive(seen, agents[span.agents], barriers[span.barriers], pace)
        time, moves = reconcile(derived, agents[span.agents])
        events = expand(derived, time, barriers[span.barriers], room.events(part))
        span.to_table(events)
        evidence[part] = None
        logged.give_back(part, 0, parts.sizes[part])
        return events, moves, derived.copies_observed, derived.copies_estimated

    laid_out = each(lay_out, range(len(spans)))
    moves = [part_moves for _, part_moves, _, _ in laid_out]
    figures = {
        **summary(moves),
        "copies_observed": sum(observed for _, _, observed, _ in laid_out),
        "copies_estimated": sum(estimated for _, _, _, estimated in laid_out),
    }
    meta = replace(meta, events_dropped=sum(parts.sizes) - kept, reconcile=figures)
    events = merge([part_events for part_events, _, _, _ in laid_out], room)
    if meta.window:
        events = opened(events, agents, barriers)
    return Trace(meta, agents, barriers, sites, events, source_files)


def cut(events: NDArray[np.void], until: int) -> NDArray[np.void]:
    """The events up to a time: later ones, with other agents' lost, would show agents that seem to have stopped."""
    kept: NDArray[np.void] = events if until == NEVER else events[events["time"] <= until]
    return kept
