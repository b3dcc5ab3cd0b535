"""A log becomes a Trace: agents' events on one scale of time, the sites they come from, and what is not in it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints
from visualizer.arrays.parallel import each
from visualizer.language import tr
from visualizer.reconstruction.assemble import assemble_events
from visualizer.reconstruction.clock_fit import ClockFit, fit_clock
from visualizer.reconstruction.discover import NO_ADDRESS, RECORD_DTYPE, discover
from visualizer.recording.facts import Source
from visualizer.recording.schema import NO_SAMPLES, EventKind
from visualizer.recording.tables import Meta
from visualizer.recording.trace import Trace
from visualizer.sources.attach.copy_bytes import tell_bytes
from visualizer.sources.attach.log_events import Meanings, events_of
from visualizer.sources.attach.log_rows import Rows, before_losses, by_warp, counts, lost, oldest, rows_of
from visualizer.sources.attach.ptx.sites import Site
from visualizer.sources.attach.record import Keep, Log
from visualizer.sources.attach.recorded_launch import TensorMap
from visualizer.sources.attach.site_table import sites_of
from visualizer.sources.errors import SourceError

ANCHOR_DTYPE = np.dtype([("clock", "<u8"), ("globaltimer", "<u8"), ("smid", "<u4"), ("uncertainty", "<u4")])
"""An instant on an SM's clock and on the global one, as `fit_clock` takes it."""

USUAL_MHZ = 1755
"""Of an H200 under load. Where no warp left, nothing says how fast the SMs ran."""
_PART_RECORDS = 1 << 17
_ELEMENT_BYTES = (1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4)
"""By CUtensorMapDataType; of packed types of 4 and 6 bits it is not known what a copy counts."""


def trace_of(
    log: Log,
    sites: Sequence[Site],
    plain: str,
    tensor_maps: Sequence[TensorMap],
    meta: Meta,
) -> Trace:
    """The Trace of a log. `plain`: the PTX whose lines the sites count. `meta` gets what the log tells: clock, losses.

    SourceError if no warp of a recorded CTA began.
    """
    if not log.headers["cta"].any():
        raise SourceError(tr("the log is empty: no CTA that was to be recorded has begun"))
    count, begins = counts(log), oldest(log)
    missing = lost(log, count)
    cluster = _cluster_size(log)
    meanings = Meanings(sites, _bytes_of_maps(tensor_maps), cluster)
    clock, assumed = _clock(log)
    numbers = _cta_numbers(log)
    losing = np.flatnonzero(missing) if log.layout.keep is Keep.FIRST else np.zeros(0, np.int64)

    def part(slots: slice) -> NDArray[np.void]:
        rows = before_losses(rows_of(log, slots, count, begins, missing), losing)
        return _part(log, slots, by_warp(rows), meanings, clock, numbers, losing // len(log.layout.lanes))

    records = np.concatenate(each(part, _pieces(log, count)))
    told_by_barriers = tell_bytes(records, cluster)
    left_out = 0
    if log.layout.keep is Keep.LAST:
        records, left_out = _same_beginning(log, records, missing, numbers)
    by_warps = missing.reshape(-1, len(log.layout.lanes)).sum(axis=1) if len(losing) else np.zeros(0, np.int64)
    warps = log.layout.shape.warps
    ends_early = {
        (int(numbers[row // warps]), row % warps): int(by_warps[row]) for row in np.flatnonzero(by_warps).tolist()
    }
    found = discover(records, cluster, ends_early)
    table, texts = sites_of(sites, plain, meta.program)
    source: Source = {**meta.source}
    if log.without_stream:
        source["records_without_room"] = log.without_stream
    if told_by_barriers:
        source["copies_by_expectation"] = told_by_barriers
    if assumed:
        source["clock_mhz_assumed"] = USUAL_MHZ
    meta = replace(
        meta,
        source=source,
        records_lost=int(missing.sum()) + left_out + log.without_stream,
        clock={**meta.clock, **clock.as_dict()},
    )
    return assemble_events(found.parts, found.agents, found.barriers, table, meta, texts, NO_SAMPLES)


def _pieces(log: Log, count: Ints) -> list[slice]:
    """Slots in parts of some records each; CTAs of a cluster lie together after sorting."""
    each_slot = np.cumsum(count.reshape(log.layout.slots, -1).sum(axis=1))
    part = each_slot // _PART_RECORDS
    edges = np.concatenate([[0], np.flatnonzero(np.diff(part)) + 1, [log.layout.slots]])
    return [slice(begin, end) for begin, end in itertools.pairwise(edges.tolist()) if end > begin]


def _part(
    log: Log, slots: slice, rows: Rows, meanings: Meanings, clock: ClockFit, numbers: Ints, losing: Ints
) -> NDArray[np.void]:
    """The records of some CTAs, as `discover` takes them; behind each warp's its exit, but for those that lost some."""
    warps = log.layout.shape.warps
    parameters = log.headers["parameters"].reshape(-1)
    events = events_of(rows, meanings, parameters)
    headers = log.headers[slots].reshape(-1)
    first = slots.start * warps
    left = (headers["exit_clock"] > 0) & (headers["cta"] > 0)
    left[losing[(losing >= first) & (losing < first + len(left))] - first] = False
    exits = np.flatnonzero(left)
    # An exit comes behind all events of its warp and of those before it.
    place = np.searchsorted(events.warp, exits + first, side="right") + np.arange(len(exits))
    records = np.zeros(len(events.warp) + len(exits), RECORD_DTYPE)
    is_event = np.ones(len(records), bool)
    is_event[place] = False
    of_event = np.flatnonzero(is_event)
    warp = np.empty(len(records), np.int64)
    warp[of_event], warp[place] = events.warp, exits + first
    cycles = np.empty(len(records), np.uint64)
    cycles[of_event], cycles[place] = events.clock.view(np.uint64), headers["exit_clock"][exits]
    records["time"] = _times(cycles, warp // warps, log, clock)
    records["cta"], records["warp"] = numbers[warp // warps], warp % warps
    records["site"], records["parity"], records["address"] = -1, -1, NO_ADDRESS
    records["kind"] = EventKind.EXIT
    for name in ("address", "amount", "token", "site", "kind", "parity", "flags"):
        records[name][of_event] = getattr(events, name)
    _in_order(records, warp)
    return records


def _times(cycles: NDArray[np.uint64], slot: Ints, log: Log, clock: ClockFit) -> Ints:
    """Picoseconds of clocks, which are grouped by slot."""
    times = np.empty(len(cycles), np.int64)
    begins = np.flatnonzero(np.diff(slot, prepend=-1))
    for begin, end in zip(begins.tolist(), np.append(begins[1:], len(slot)).tolist(), strict=True):
        headers = log.headers[slot[begin]]
        sm = int(headers["smid"][np.argmax(headers["cta"] > 0)])
        times[begin:end] = clock.of_sm(cycles[begin:end], sm)
    return times


def _in_order(records: NDArray[np.void], warp: Ints) -> None:
    """No event of a warp before the one that it did first: lanes apart may have waited while others went on."""
    time = np.ascontiguousarray(records["time"])
    back = (time[1:] < time[:-1]) & (warp[1:] == warp[:-1])
    if back.any():
        span = int(time.max()) - int(time.min()) + 1
        lane = warp - int(warp[0])
        raised = np.maximum.accumulate(time - int(time.min()) + lane * span) - lane * span
        records["time"] = raised + int(time.min())


def _clock(log: Log) -> tuple[ClockFit, bool]:
    """The fit of the SMs' clocks, by the first warp of each CTA that tells; and whether its rate is assumed."""
    headers = log.headers
    begun = headers["cta"] > 0
    slots = np.flatnonzero(begun.any(axis=1))
    first = headers[slots, np.argmax(begun[slots], axis=1)]
    anchors = np.zeros((len(slots), 2), ANCHOR_DTYPE)
    for place, name in enumerate(("start", "exit")):
        spread = "spread" if name == "start" else "exit_spread"
        anchors["clock"][:, place], anchors["globaltimer"][:, place] = first[f"{name}_clock"], first[f"{name}_time"]
        anchors["smid"][:, place], anchors["uncertainty"][:, place] = first["smid"], first[spread]
    span = (anchors["clock"][:, 1] > anchors["clock"][:, 0]) & (anchors["globaltimer"][:, 1] > 0)
    calibration = np.zeros((0, 2), ANCHOR_DTYPE)
    if not span.any():
        calibration = anchors.copy()
        calibration[:, 1] = calibration[:, 0]
        calibration["clock"][:, 1] += np.uint64(USUAL_MHZ * 1000)
        calibration["globaltimer"][:, 1] += np.uint64(1_000_000)
    return fit_clock(anchors, calibration), not span.any()


def _cluster_size(log: Log) -> int:
    headers = log.headers.reshape(-1)
    packed = int(headers["cluster"][np.argmax(headers["cta"] > 0)])
    return max(1, math.prod((packed >> shift) & 0xFF for shift in (8, 16, 24)))


def _cta_numbers(log: Log) -> Ints:
    """The CTA of every slot, counted cluster by cluster as `discover` wants it. Without clusters: its linear id.

    A slot whose CTA has not begun has no records either.
    """
    headers = log.headers
    begun = headers["cta"] > 0
    one = headers[np.arange(len(headers)), np.argmax(begun, axis=1)]
    linear = one["cta"].astype(np.int64) - 1
    packed = one["cluster"].astype(np.int64)
    rank, size = packed & 0xFF, [np.maximum(packed >> shift & 0xFF, 1) for shift in (8, 16, 24)]
    grid = log.layout.shape.grid
    x, y, z = linear % grid[0], linear // grid[0] % grid[1], linear // (grid[0] * grid[1])
    along = -(-grid[0] // size[0]), -(-grid[1] // size[1])
    cluster = x // size[0] + along[0] * (y // size[1] + along[1] * (z // size[2]))
    numbers: Ints = np.where(linear >= 0, cluster * size[0] * size[1] * size[2] + rank, 0)
    return numbers


def _bytes_of_maps(tensor_maps: Sequence[TensorMap]) -> dict[int, int]:
    """Bytes of a copy by the place of its tensor map among the parameters."""
    return {
        map.offset: math.prod(map.box) * _ELEMENT_BYTES[map.type]
        for map in tensor_maps
        if map.box and map.type < len(_ELEMENT_BYTES)
    }


def _same_beginning(log: Log, records: NDArray[np.void], missing: Ints, numbers: Ints) -> tuple[NDArray[np.void], int]:
    """The records from when on every warp's are kept, where the last are; and how many are left out for that."""
    rows = np.flatnonzero(missing.reshape(-1, len(log.layout.lanes)).sum(axis=1))
    warps = log.layout.shape.warps
    key = records["cta"].astype(np.int64) * warps + records["warp"]
    begins = np.flatnonzero(np.diff(key, prepend=-1))
    headless = np.isin(key[begins], numbers[rows // warps] * warps + rows % warps)
    since = int(records["time"][begins[headless]].max(initial=np.iinfo(np.int64).min))
    kept = records["time"] >= since
    return records[kept], int((~kept).sum())
