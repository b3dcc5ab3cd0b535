"""From the log of a window or a ring to the Trace of the part of the run that was asked for.

A ring writes over its oldest records, so a warp's log begins wherever the ring was; and a window of a log of clocks
keeps the record of tile t at t less its first tile, with clocks that do not say which lap of theirs they are in. Here
both become logs that begin at their first record, CTA by CTA, as if the run had begun there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints
from visualizer.reconstruction.assemble import assemble
from visualizer.reconstruction.clock_fit import ClockFit, fit_clock
from visualizer.recording.schema import EventKind
from visualizer.recording.tables import Agent, Barrier, Meta, Site
from visualizer.recording.trace import Trace
from visualizer.sources.lesson.decode import decode
from visualizer.sources.lesson.raw_log import TILE_WORDS, RawLog
from visualizer.sources.lesson.tile_clocks import LAP
from visualizer.sources.lesson.tile_events import PipelineShape, unfold
from visualizer.sources.lesson.window import Window, begin, bounds, in_part, with_left_out

Row = TypeVar("Row", Agent, Barrier)
_BACK = 1 << 16  # a step of nearly a lap is a small step back: the lowest bit of a clock can be a flag


def build_window(
    raw: RawLog,
    window: Window,
    agents: Sequence[Agent],
    barriers: Sequence[Barrier],
    sites: Sequence[Site],
    meta: Meta,
    source_files: Mapping[str, str],
    shape: PipelineShape,
) -> Trace:
    """The Trace of a log that was recorded through `window`; log and tables are those of all CTAs of the run.

    `meta` gets what build_trace gives it, and window.
    """
    ctas = raw.ctas
    raw = _recorded(raw, window)
    agents, barriers = window.of_ctas(agents), window.of_ctas(barriers)
    if raw.level in TILE_WORDS:
        events, lost, clock = _unfolded(raw, window, agents, barriers, sites, shape)
    else:
        decoded = decode(_in_order(raw) if window.keep_last else raw, _dense(agents), _dense(barriers), sites)
        events, lost, clock = decoded.events, decoded.lost, decoded.clock
    roles = np.array([agent.role in window.roles for agent in agents])
    events = events[roles[events["agent"]]]
    first, last = bounds(events, agents, window, shape.tiles)
    events = events[in_part(events, agents, barriers, first, last, shape.tiles)]
    agents, barriers = begin(agents, barriers, first)
    meta = replace(
        meta,
        records_lost=int(lost.sum()),
        clock=clock.as_dict(),
        window=window.as_dict(int(first.min()), last, shape.tiles, ctas),
    )
    events = with_left_out(events, agents, barriers, window.roles)
    return assemble(events, lost, agents, barriers, sites, meta, source_files)


def _recorded(raw: RawLog, window: Window) -> RawLog:
    """The log of the recorded CTAs alone."""
    told = np.arange(0, raw.ctas, window.every_cta)
    slices = (told[:, None] * raw.warps + np.arange(raw.warps)).ravel()
    return replace(
        raw,
        records=raw.records[told if raw.level in TILE_WORDS else slices],
        attempted=raw.attempted[slices],
        anchors=raw.anchors[told],
        status=raw.status[told],
        spans=raw.spans[slices] if len(raw.spans) else raw.spans,
    )


def _dense(rows: Sequence[Row]) -> list[Row]:
    """The rows with the CTAs numbered without gaps, as the log has them."""
    ctas = sorted({row.cta for row in rows})
    return [replace(row, cta=ctas.index(row.cta)) for row in rows]


def _in_order(raw: RawLog) -> RawLog:
    """A ring of whole records, each warp's in the order it wrote them. What it wrote over was to go: it is not lost.

    The oldest record of a full ring is the one with the earliest clock: a warp that never left did not say how many
    it wrote.
    """
    kept = raw.stored
    full = kept == raw.capacity
    begins = np.zeros(len(kept), np.int64)
    if raw.capacity:
        begins[full] = raw.records["clock"][full].argmin(axis=1)
    index: Ints = (begins[:, None] + np.arange(raw.capacity)) % max(raw.capacity, 1)
    records = np.take_along_axis(raw.records, index, axis=1)
    return replace(raw, records=records, attempted=kept.astype(np.uint32))


def _unfolded(
    raw: RawLog,
    window: Window,
    agents: Sequence[Agent],
    barriers: Sequence[Barrier],
    sites: Sequence[Site],
    shape: PipelineShape,
) -> tuple[NDArray[np.void], Ints, ClockFit]:
    """Events grouped by agent, the records each agent had no room for, and the clock, of a log of clocks."""
    clock = fit_clock(raw.anchors, raw.calibration)
    rate = float(np.median(clock.ps_per_cycle))
    stages = max((barrier.stage for barrier in barriers), default=-1) + 1
    wanted = raw.attempted.reshape(raw.ctas, raw.warps).view(np.int32).astype(np.int64)
    if window.keep_last:
        begins = np.maximum(wanted.max(axis=1) - raw.capacity, 0)
        kept = np.maximum(wanted - begins[:, None], 0)
        lost = np.zeros_like(kept)
    else:
        span = window.span(shape.tiles, stages)
        begins = np.full(raw.ctas, span.start)
        wanted = np.clip(wanted, 0, len(span))
        kept = np.minimum(wanted, raw.capacity)
        lost = wanted - kept
    parts, times, lost_of = [], [], np.zeros(len(agents), np.int64)
    for row, cta in enumerate(sorted({agent.cta for agent in agents})):
        first = int(begins[row])
        own = [index for index, agent in enumerate(agents) if agent.cta == cta]
        theirs = [index for index, barrier in enumerate(barriers) if barrier.cta == cta]
        log = _of_cta(raw, row, first, kept[row], shape.tiles, ring=window.keep_last > 0)
        events, cycles, _, _ = unfold(
            log,
            [_moved(agents[index], first) for index in own],
            [replace(barriers[index], cta=0) for index in theirs],
            sites,
            replace(shape, tiles=max(shape.tiles - first, 0)),
            rate,
        )
        events["tile"][events["tile"] >= 0] += first
        events["amount"][events["kind"] == EventKind.ADVANCE] += first
        events["agent"] = np.array(own, np.int32)[events["agent"]]
        events["barrier"] = np.append(np.array(theirs, np.int32), -1)[events["barrier"]]
        parts.append(events)
        times.append(clock.to_ps(cycles.astype(np.uint64), np.broadcast_to(log.anchors["smid"][0, 0], len(cycles))))
        for index in own:
            if agents[index].warp >= 0:
                lost_of[index] = lost[row, agents[index].warp]
    events, time = np.concatenate(parts), np.concatenate(times)
    events["time"] = events["measured"] = time - (time.min() if len(time) else 0)
    return events, lost_of, clock


def _moved(agent: Agent, first: int) -> Agent:
    """The agent as the only CTA's, begun at tile `first`."""
    return replace(agent, cta=0, start=agent.start.advance(first) if agent.start else None)


def _of_cta(raw: RawLog, row: int, first: int, kept: Ints, tiles: int, *, ring: bool) -> RawLog:
    """One CTA's log, whose first record is that of tile `first` and whose spans begin there."""
    slices = slice(row * raw.warps, (row + 1) * raw.warps)
    spans = raw.spans[slices].copy()
    log = replace(
        raw,
        records=raw.records[row : row + 1].copy(),
        attempted=kept.astype(np.uint32),
        anchors=raw.anchors[row : row + 1],
        status=raw.status[row : row + 1],
        spans=spans,
    )
    for warp in range(raw.logging_warps):
        clocks = log.clocks(warp)
        if ring:
            clocks[0] = clocks[0, (first + np.arange(raw.capacity)) % raw.capacity]
        if first and kept[warp]:
            words = clocks[0, : kept[warp]].copy()
            if words.shape[1] == 4:
                words[:, 2] = words[:, 1]  # a last wait of the producer is followed by no copy
            words = words.ravel()
            spans["begin"][warp] = (
                _last_lap(words, spans[warp]) if ring else _even_lap(words, spans[warp], first / tiles)
            )
    return log


def _last_lap(words: NDArray[np.uint32], span: np.void) -> int:
    """The whole clock of the first of a warp's last clocks, counted back from when it gave up or left."""
    steps = np.diff(words).astype(np.int64)
    steps[steps > LAP - _BACK] -= LAP
    after = int(span["timeout"]) or int(span["end"])
    if not after:  # it never left: only the clock it began with is whole
        return _even_lap(words, span, 0.0)
    return after - (after - int(words[-1])) % LAP - int(steps.sum())


def _even_lap(words: NDArray[np.uint32], span: np.void, share: float) -> int:
    """The whole clock of a window's first clock. In a run longer than a lap (2.2 s), the lap is the one nearest to
    where an even pace puts a tile with this `share` of the tiles before it."""
    begin, end = int(span["begin"]), int(span["timeout"]) or int(span["end"])
    clock = begin + (int(words[0]) - begin) % LAP
    if end - begin < LAP:
        return clock
    return clock + max(round((begin + (end - begin) * share - clock) / LAP), 0) * LAP
