"""From agents' events to a Trace, for any source: cut where records were lost, derive, reconcile, lay out, merge."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints
from visualizer.arrays.parallel import each
from visualizer.reconstruction.agent_events import AgentEvents, split
from visualizer.reconstruction.amounts import check_amounts
from visualizer.reconstruction.beginning import begin, unplaced
from visualizer.reconstruction.cta_spans import NEVER
from visualizer.reconstruction.derive import derive
from visualizer.reconstruction.earlier_inits import opened
from visualizer.reconstruction.engine_arrivals import with_engine_arrivals
from visualizer.reconstruction.event_rows import LaidOut, event_rows
from visualizer.reconstruction.evidence import Evidence, examine
from visualizer.reconstruction.logged import Log, Logged
from visualizer.reconstruction.merge import LogParts, Mixed, Source, first_time, merge
from visualizer.reconstruction.pace import pace_of
from visualizer.reconstruction.phase_flips import find_flips
from visualizer.reconstruction.reconcile import reconcile, summary
from visualizer.reconstruction.shortcut import NO_SHORTCUT, Columns, CompleteCta
from visualizer.reconstruction.slow_waits import tell_slow_waits
from visualizer.recording.facts import Reconcile
from visualizer.recording.schema import NO_SAMPLES
from visualizer.recording.tables import Agent, Barrier, Meta, Site
from visualizer.recording.trace import ONE_RING, Trace


def assemble(
    events: NDArray[np.void],
    lost: NDArray[np.int64],
    agents: Sequence[Agent],
    barriers: Sequence[Barrier],
    sites: Sequence[Site],
    meta: Meta,
    source_files: Mapping[str, str],
    samples: NDArray[np.void] = NO_SAMPLES,
    rings: Sequence[str] = ONE_RING,
    headless: NDArray[np.int64] | None = None,
) -> Trace:
    """The Trace of agents' events that are decoded already: EVENT_DTYPE, as AgentEvents.whole; `lost` and `headless` as
    split has them.

    `samples` (SAMPLE_DTYPE) count time as `events` do.
    """
    parts = split(events, lost, agents, barriers, headless)
    return assemble_events(parts, agents, barriers, sites, meta, source_files, samples, rings)


def assemble_events(
    parts: AgentEvents,
    agents: Sequence[Agent],
    barriers: Sequence[Barrier],
    sites: Sequence[Site],
    meta: Meta,
    source_files: Mapping[str, str],
    samples: NDArray[np.void],
    rings: Sequence[str] = ONE_RING,
) -> Trace:
    """The Trace of agents' events part by part. `meta` gets events_dropped and reconcile. Where the recording begins in
    the middle, barriers get the count and the phase that they begin with."""
    spans = parts.spans
    flips = find_flips(samples)
    barriers = list(barriers)

    def examined(part: int) -> Evidence:
        logged, own = parts.logged(part), spans[part].barriers
        logged.read()
        check_amounts(logged, barriers[own])
        if parts.complete_until is not None:
            logged = cut(logged, agents[spans[part].agents], parts.complete_until)
        if parts.complete_from is not None:
            logged, barriers[own] = begin(logged, agents[spans[part].agents], barriers[own], parts.complete_from)
        logged = with_engine_arrivals(logged, agents[spans[part].agents])
        return examine(logged, barriers[own], flips.of_part(own))

    # What a probe saw is evidence that only the general way takes in.
    shortcut = NO_SHORTCUT if len(samples) else parts.shortcut
    places = {part: place for place, part in enumerate(sorted(shortcut.ctas))}
    evidence: list[Evidence | CompleteCta | None] = list(
        each(lambda part: shortcut.ctas.pop(part) if part in places else examined(part), range(len(spans)))
    )
    known = [part for part in evidence if part is not None]
    kept = sum(part.logged_events for part in known)
    pace = pace_of(known, hung=meta.ending.kind == "timeout" and parts.complete_until is None)
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
        return LaidOut(event_rows(derived, time), moves, derived.landed, seen.slow)

    laid_out = each(lay_out, range(len(spans)))
    figures: Reconcile = {
        **summary([part.moves for part in laid_out]),
        "copies_observed": sum(part.landed.observed for part in laid_out),
        "copies_estimated": sum(part.landed.estimated for part in laid_out),
    }
    if len(samples):
        figures["copies_probed"] = sum(part.landed.probed for part in laid_out)
    meta = replace(meta, events_dropped=sum(parts.sizes) - kept, reconcile=figures)
    source = _source(parts.log, laid_out, columns, places)
    slow = any(part.slow for part in laid_out)
    del laid_out
    columns = None
    samples = _counted_from(samples, first_time(source.times))
    events = merge(source)
    del source
    if slow:
        tell_slow_waits(events)
    if meta.window:
        events = opened(events, agents, barriers)
    if parts.complete_from is not None:
        meta = replace(meta, window={**meta.window, "unplaced": unplaced(events, barriers)})
    if parts.complete_until is not None:
        meta = replace(meta, window={**meta.window, "cut_short": np.flatnonzero(parts.complete_until < NEVER).tolist()})
    return Trace(meta, agents, barriers, sites, events, source_files, samples, rings)


def _source(log: Log, laid_out: Sequence[LaidOut], columns: Columns[Any] | None, places: Mapping[int, int]) -> Source:
    """Where the events of all parts are: rows of the log, in `columns` at `places`, or some here and some there."""
    rows = [part.events for part in laid_out if part.events is not None]
    if columns is None:
        return LogParts(log, rows)
    if not rows:
        return columns
    of_log = itertools.count()
    of_part = [(0, next(of_log)) if part.events is not None else (1, places[row]) for row, part in enumerate(laid_out)]
    return Mixed((LogParts(log, rows), columns), of_part)


def _counted_from(samples: NDArray[np.void], start: int) -> NDArray[np.void]:
    """The samples with their times counted from `start`."""
    moved = samples.copy()
    moved["begin"] -= start
    moved["end"] -= start
    return moved


def cut(logged: Logged, agents: Sequence[Agent], until: Ints) -> Logged:
    """The events of each CTA up to a time: later ones, with other agents' lost, would show agents that seem to have
    stopped. `agents` are the span's; `until` as AgentEvents.complete_until."""
    of_agent = until[np.array([agent.cta for agent in agents], np.int64)]
    return logged if (of_agent == NEVER).all() else logged.only(np.flatnonzero(logged.time <= of_agent[logged.agent]))
