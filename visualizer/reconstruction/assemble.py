"""From agents' events to a Trace, for any source: cut where records were lost, derive, reconcile, lay out, merge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.parallel import each
from visualizer.reconstruction.agent_events import AgentEvents, split
from visualizer.reconstruction.derive import derive
from visualizer.reconstruction.engine_arrivals import with_engine_arrivals
from visualizer.reconstruction.event_rows import EventRows, LaidOut, event_rows
from visualizer.reconstruction.evidence import Evidence, examine
from visualizer.reconstruction.merge import EventParts, Source, first_time, merge
from visualizer.reconstruction.opening import opened
from visualizer.reconstruction.pace import pace_of
from visualizer.reconstruction.phase_flips import find_flips
from visualizer.reconstruction.reconcile import reconcile, summary
from visualizer.reconstruction.shortcut import NO_SHORTCUT, Columns, CompleteCta
from visualizer.reconstruction.spans import NEVER
from visualizer.recording.facts import Reconcile
from visualizer.recording.schema import NO_SAMPLES
from visualizer.recording.tables import Agent, Barrier, Meta, Site
from visualizer.recording.trace import Trace


def assemble(
    events: NDArray[np.void],
    lost: NDArray[np.int64],
    agents: Sequence[Agent],
    barriers: Sequence[Barrier],
    sites: Sequence[Site],
    meta: Meta,
    source_files: Mapping[str, str],
    samples: NDArray[np.void] = NO_SAMPLES,
) -> Trace:
    """The Trace of agents' events that are decoded already: EVENT_DTYPE, as AgentEvents.whole; `lost` as split has it.

    `samples` (SAMPLE_DTYPE) count time as `events` do.
    """
    return assemble_events(split(events, lost, agents, barriers), agents, barriers, sites, meta, source_files, samples)


def assemble_events(
    parts: AgentEvents,
    agents: Sequence[Agent],
    barriers: Sequence[Barrier],
    sites: Sequence[Site],
    meta: Meta,
    source_files: Mapping[str, str],
    samples: NDArray[np.void],
) -> Trace:
    """The Trace of agents' events part by part. `meta` gets events_dropped and reconcile."""
    spans = parts.spans
    flips = find_flips(samples)

    def examined(part: int) -> Evidence:
        rows = cut(parts.rows(part), parts.complete_until)
        logged = with_engine_arrivals(rows, agents[spans[part].agents], spans[part])
        evidence = examine(logged, barriers[spans[part].barriers], flips.of_part(spans[part].barriers))
        logged.forget_columns()  # all parts' evidence is kept until the pace is known
        return evidence

    # What a probe saw is evidence that only the general way takes in.
    shortcut = NO_SHORTCUT if len(samples) else parts.shortcut
    places = {part: place for place, part in enumerate(sorted(shortcut.ctas))}
    evidence: list[Evidence | CompleteCta | None] = list(
        each(lambda part: shortcut.ctas.pop(part) if part in places else examined(part), range(len(spans)))
    )
    known = [part for part in evidence if part is not None]
    kept = sum(part.logged_events for part in known)
    pace = pace_of(known)
    del known
    columns = shortcut.columns([spans[part] for part in places]) if places else None

    def lay_out(part: int) -> LaidOut:
        seen, evidence[part] = evidence[part], None
        assert seen is not None
        if not isinstance(seen, Evidence):
            assert columns is not None
            if laid_out := columns.lay_out(seen, pace, places[part]):
                return laid_out
            seen = examined(part)
        derived = derive(seen, agents[spans[part].agents], pace)
        time, moves = reconcile(derived, agents[spans[part].agents])
        return LaidOut(event_rows(derived, time), moves, derived.landed)

    laid_out = each(lay_out, range(len(spans)))
    figures: Reconcile = {
        **summary([part.moves for part in laid_out]),
        "copies_observed": sum(part.landed.observed for part in laid_out),
        "copies_estimated": sum(part.landed.estimated for part in laid_out),
    }
    if len(samples):
        figures["copies_probed"] = sum(part.landed.probed for part in laid_out)
    meta = replace(meta, events_dropped=sum(parts.sizes) - kept, reconcile=figures)
    source = _source(laid_out, columns, places)
    del laid_out
    columns = None
    samples = _counted_from(samples, first_time(source.times))
    events = merge(source)
    del source
    if meta.window:
        events = opened(events, agents, barriers)
    return Trace(meta, agents, barriers, sites, events, source_files, samples)


def _source(laid_out: Sequence[LaidOut], columns: Columns[Any] | None, places: Mapping[int, int]) -> Source:
    """Where the events of all parts are: in `columns`, at `places`, or as rows, which all become if some are."""
    if columns is not None and all(part.events is None for part in laid_out):
        return columns

    def rows(part: int) -> EventRows:
        events = laid_out[part].events
        if events is None:
            assert columns is not None
            events = columns.rows_of(places[part])
        return events

    return EventParts(each(rows, range(len(laid_out))))


def _counted_from(samples: NDArray[np.void], start: int) -> NDArray[np.void]:
    """The samples with their times counted from `start`."""
    moved = samples.copy()
    moved["begin"] -= start
    moved["end"] -= start
    return moved


def cut(events: NDArray[np.void], until: int) -> NDArray[np.void]:
    """The events up to a time: later ones, with other agents' lost, would show agents that seem to have stopped."""
    kept: NDArray[np.void] = events if until == NEVER else events[events["time"] <= until]
    return kept
