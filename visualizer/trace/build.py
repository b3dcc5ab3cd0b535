"""From a kernel's raw log to a Trace: decode, cut where records were lost, derive, reconcile, lay out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from visualizer.trace.decode import decode
from visualizer.trace.derive import Pace, derive, pace_of
from visualizer.trace.evidence import Evidence, examine
from visualizer.trace.expand import LaidOut, expand
from visualizer.trace.merge import Pooled, Source, first_time, merge
from visualizer.trace.parallel import each
from visualizer.trace.parts import NEVER, Parts, split
from visualizer.trace.pool import Pool
from visualizer.trace.probe import RawProbe
from visualizer.trace.raw import RawLog
from visualizer.trace.reconcile import reconcile, summary
from visualizer.trace.regular.columns import RegularColumns
from visualizer.trace.regular.cta import RegularCta
from visualizer.trace.regular.layout import lay_out as lay_out_regular
from visualizer.trace.samples import decode_samples, find_flips
from visualizer.trace.schema import NO_SAMPLES
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
    probe: RawProbe | None = None,
) -> Trace:
    """The Trace of `raw`; decode says when it needs `shape`. `meta` gets the clock fit, what was lost and left out, and
    how far events were moved.

    `probe` is what a probe saw in the same run.
    """
    decoded = decode(raw, agents, barriers, sites, shape)
    clock = {**decoded.clock.as_dict(), "missed_laps": decoded.missed_laps}
    meta = replace(meta, records_lost=int(decoded.lost.sum()), clock=clock)
    samples = NO_SAMPLES
    if probe is not None:
        samples = decode_samples(probe, decoded.clock, raw.anchors["smid"][:, 0], barriers, decoded.origin)
    return _assemble(decoded.parts, agents, barriers, sites, meta, source_files, samples)


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
    """The Trace of agents' events that are decoded already: EVENT_DTYPE, as Parts.whole; `lost` as Decoded.lost.

    `samples` (SAMPLE_DTYPE) count time as `events` do.
    """
    return _assemble(split(events, lost, agents, barriers), agents, barriers, sites, meta, source_files, samples)


def _assemble(
    parts: Parts,
    agents: Sequence[Agent],
    barriers: Sequence[Barrier],
    sites: Sequence[Site],
    meta: Meta,
    source_files: Mapping[str, str],
    samples: NDArray[np.void],
) -> Trace:
    """`meta` gets events_dropped and reconcile."""
    spans = parts.spans
    logged = Pool(parts.sizes)
    flips = find_flips(samples)

    def examined(part: int) -> Evidence:
        events = logged.events(part)
        parts.write(part, events)
        span = spans[part].barriers
        return examine(cut(events, parts.complete_until), barriers[span], flips.of_part(span))

    # What a probe saw is evidence that only the general way takes in.
    regular = {} if len(samples) else parts.regular
    evidence: list[Evidence | RegularCta | None] = list(
        each(lambda part: regular.pop(part, None) or examined(part), range(len(spans)))
    )
    known = [part for part in evidence if part is not None]
    kept = sum(part.logged for part in known)
    pace = pace_of(known)
    room = Pool([part.most_events for part in known])
    del known

    ours = [part for part, seen in enumerate(evidence) if isinstance(seen, RegularCta)]
    places = {part: place for place, part in enumerate(ours)}
    columns = None
    if places:
        assert parts.regular_rows is not None
        columns = RegularColumns(parts.regular_rows, [spans[part] for part in places])

    def lay_out(part: int) -> LaidOut:
        seen, evidence[part] = evidence[part], None
        assert seen is not None
        if isinstance(seen, RegularCta):
            assert columns is not None
            if laid_out := lay_out_regular(seen, pace, columns, places[part]):
                return laid_out
            seen = examined(part)
        laid_out = _lay_out(seen, agents[spans[part].agents], barriers[spans[part].barriers], pace, room.events(part))
        assert laid_out.events is not None
        spans[part].to_table(laid_out.events)
        logged.give_back(part, 0, parts.sizes[part])
        return laid_out

    laid_out = each(lay_out, range(len(spans)))
    figures = {
        **summary([part.moves for part in laid_out]),
        "copies_observed": sum(part.landed.observed for part in laid_out),
        "copies_estimated": sum(part.landed.estimated for part in laid_out),
    }
    if len(samples):
        figures["copies_probed"] = sum(part.landed.probed for part in laid_out)
    meta = replace(meta, events_dropped=sum(parts.sizes) - kept, reconcile=figures)
    source = _source(laid_out, room, columns, places)
    columns = None  # the events may lie in the room now
    samples = _counted_from(samples, first_time(source.times))
    events = merge(source)
    del source
    if meta.window:
        events = opened(events, agents, barriers)
    return Trace(meta, agents, barriers, sites, events, source_files, samples)


def _source(
    laid_out: Sequence[LaidOut], room: Pool, columns: RegularColumns | None, places: Mapping[int, int]
) -> Source:
    """Where the events of all parts are: in `columns`, at `places`, or in `room`, where all are put if some are."""
    if columns is not None and all(part.events is None for part in laid_out):
        return columns

    def events(part: int) -> NDArray[np.void]:
        own = laid_out[part].events
        if own is None:
            assert columns is not None
            own = columns.write_part(places[part], room.events(part))
        return own

    return Pooled(each(events, range(len(laid_out))), room)


def _counted_from(samples: NDArray[np.void], start: int) -> NDArray[np.void]:
    """The samples with their times counted from `start`."""
    moved = samples.copy()
    moved["begin"] -= start
    moved["end"] -= start
    return moved


def _lay_out(
    evidence: Evidence, agents: Sequence[Agent], barriers: Sequence[Barrier], pace: Pace, room: NDArray[np.void]
) -> LaidOut:
    """The general way."""
    derived = derive(evidence, agents, barriers, pace)
    time, moves = reconcile(derived, agents)
    events = expand(derived, time, barriers, room)
    return LaidOut(events, moves, derived.landed)


def cut(events: NDArray[np.void], until: int) -> NDArray[np.void]:
    """The events up to a time: later ones, with other agents' lost, would show agents that seem to have stopped."""
    kept: NDArray[np.void] = events if until == NEVER else events[events["time"] <= until]
    return kept
