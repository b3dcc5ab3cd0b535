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
from visualizer.reconstruction.told_bytes import told_by_barriers
from visualizer.recording.facts import Source
from visualizer.recording.schema import NO_SAMPLES, EventKind
from visualizer.recording.tables import Meta
from visualizer.recording.trace import Trace
from visualizer.sources.attach.log_check import check_headers
from visualizer.sources.attach.log_events import Events, Meanings, events_of
from visualizer.sources.attach.log_format import Keep, Log
from visualizer.sources.attach.log_rows import by_warp, counts, kept_by_all, lost, oldest, rows_of
from visualizer.sources.attach.ptx.sites import Site
from visualizer.sources.attach.record_room import RecordRoom
from visualizer.sources.attach.recorded_launch import TensorMap
from visualizer.sources.attach.site_table import sites_of
from visualizer.sources.attach.source_names import take_names, with_names
from visualizer.sources.errors import SourceError

ANCHOR_DTYPE = np.dtype([("clock", "<u8"), ("globaltimer", "<u8"), ("smid", "<u4"), ("uncertainty", "<u4")])
"""An instant on an SM's clock and on the global one, as `fit_clock` takes it."""

USUAL_MHZ = 1755
"""Of an H200 under load. Where no warp left, nothing says how fast the SMs ran."""
_PART_RECORDS = 1 << 16
_ON_BYTES = (EventKind.COPY_ISSUE, EventKind.ARRIVE_EXPECT_TX, EventKind.EXPECT_TX)
_ELEMENT_BYTES = (1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4)
"""By CUtensorMapDataType; of packed types of 4 and 6 bits it is not known what a copy counts."""
_MOST_OF_A_BOX = 256
"""Elements along an axis of what one copy brings [CUDA driver API, cuTensorMapEncodeTiled]."""


def trace_of(
    log: Log,
    sites: Sequence[Site],
    plain: str,
    tensor_maps: Sequence[TensorMap],
    meta: Meta,
) -> Trace:
    """The Trace of a log. `plain`: the PTX whose lines the sites count. `meta` gets what the log tells: clock, losses.

    SourceError if no warp of a recorded CTA began or none made a record, or if the log is damaged; TraceError if its
    clocks are.
    """
    if not log.headers["cta"].any():
        raise SourceError(tr("the log is empty: no CTA that was to be recorded has begun"))
    check_headers(log)
    count, begins = counts(log), oldest(log)
    missing = lost(log, count)
    cluster = _cluster_size(log)
    meanings = Meanings(sites, _bytes_of_maps(tensor_maps), cluster)
    clock, assumed = _clock(log)
    numbers = _cta_numbers(log)
    losing = np.flatnonzero(missing)
    first_ones = log.layout.keep is Keep.FIRST
    cut_short = losing if first_ones else np.zeros(0, np.int64)

    # A wait that passes is two events, hardly any other record is more than one.
    room = RecordRoom(2 * int(count.sum()) + log.headers.size)
    pieces = _pieces(log, count)

    def part(number: int) -> None:
        taken = None
        try:
            rows = kept_by_all(rows_of(log, pieces[number], count, begins, missing), losing, log.layout.keep)
            events = events_of(by_warp(rows), meanings, log.headers["parameters"].reshape(-1))
            del rows
            exits = _exits(log, pieces[number], cut_short // len(log.layout.lanes), events)
            taken = room.take(number, len(events.warp) + len(exits))
        finally:
            if taken is None:
                room.take(number, 0)
        _write(taken, log, events, exits, clock, numbers)

    each(part, range(len(pieces)))
    if not len(room.records):
        raise SourceError(
            tr("the log is empty: the kernel began, but no warp came to anything that is recorded, nor to its end")
        )
    records, names = take_names(room.records, sites, cluster)
    by_expectation = _tell_bytes(records, cluster)
    by_warps = missing.reshape(-1, len(log.layout.lanes)).sum(axis=1)
    warps = log.layout.shape.warps
    incomplete = {
        (int(numbers[row // warps]), row % warps): int(by_warps[row]) for row in np.flatnonzero(by_warps).tolist()
    }
    if first_ones:
        found = discover(records, cluster, lost=incomplete)
    else:
        found = discover(records, cluster, headless=incomplete)
    agents, barriers, rings = with_names(found.agents, found.barriers, names)
    table, texts = sites_of(sites, plain, meta.program)
    source: Source = {**meta.source}
    if log.without_stream:
        source["records_without_room"] = log.without_stream
    if by_expectation:
        source["copies_by_expectation"] = by_expectation
    if assumed:
        source["clock_mhz_assumed"] = USUAL_MHZ
    meta = replace(
        meta,
        source=source,
        records_lost=int(missing.sum()) + log.without_stream,
        clock={**meta.clock, **clock.as_dict()},
    )
    return assemble_events(found.parts, agents, barriers, table, meta, texts, NO_SAMPLES, rings)


def _pieces(log: Log, count: Ints) -> list[slice]:
    """Slots in parts of some records each; CTAs of a cluster lie together after sorting."""
    each_slot = np.cumsum(count.reshape(log.layout.slots, -1).sum(axis=1))
    part = each_slot // _PART_RECORDS
    edges = np.concatenate([[0], np.flatnonzero(np.diff(part)) + 1, [log.layout.slots]])
    return [slice(begin, end) for begin, end in itertools.pairwise(edges.tolist()) if end > begin]


def _exits(log: Log, slots: slice, losing: Ints, events: Events) -> Ints:
    """The warps of the CTAs in some slots that left, but for those that lost records; nor has a warp left of which one
    lane, elected to copy, waits while the others left."""
    warps = log.layout.shape.warps
    headers = log.headers[slots].reshape(-1)
    left = (headers["exit_clock"] > 0) & (headers["cta"] > 0)
    first = slots.start * warps
    left[losing[(losing >= first) & (losing < first + len(left))] - first] = False
    of_waits = np.flatnonzero(np.isin(events.kind, (EventKind.WAIT_BEGIN, EventKind.WAIT_END)))
    last = of_waits[np.diff(events.warp[of_waits], append=-1) != 0]
    left[events.warp[last[events.kind[last] == EventKind.WAIT_BEGIN]] - first] = False
    exits: Ints = first + np.flatnonzero(left)
    return exits


def _write(records: NDArray[np.void], log: Log, events: Events, exits: Ints, clock: ClockFit, numbers: Ints) -> None:
    """Write the records of some CTAs, as `discover` takes them: their events, and behind each of the warps `exits` its
    exit, which comes behind all events of its warp and of those before it."""
    warps = log.layout.shape.warps
    slot = events.warp // warps
    time = _in_order(_times(events.clock.view(np.uint64), slot, log, clock), events.warp)
    columns = {"time": time, "cta": numbers[slot], "warp": events.warp - slot * warps}
    columns |= {
        name: getattr(events, name) for name in ("token", "address", "amount", "site", "kind", "parity", "flags")
    }
    last = np.searchsorted(events.warp, exits, side="right") - 1
    place = last + 1 + np.arange(len(exits))
    for number, (before, after) in enumerate(itertools.pairwise([-1, *place.tolist(), len(records)])):
        for name, column in columns.items():
            records[name][before + 1 : after] = column[before + 1 - number : after - number]

    gone = np.zeros(len(exits), RECORD_DTYPE)
    slot = exits // warps
    exited = _times(log.headers.reshape(-1)["exit_clock"][exits], slot, log, clock)
    acted = np.flatnonzero((last >= 0) & (np.append(events.warp, -1)[last] == exits))
    exited[acted] = np.maximum(exited[acted], time[last[acted]])
    gone["time"], gone["cta"], gone["warp"] = exited, numbers[slot], exits - slot * warps
    gone["site"] = gone["parity"] = -1
    gone["address"], gone["kind"] = NO_ADDRESS, EventKind.EXIT
    records[place] = gone


def _times(cycles: NDArray[np.uint64], slot: Ints, log: Log, clock: ClockFit) -> Ints:
    """Picoseconds of clocks, which are grouped by slot."""
    times = np.empty(len(cycles), np.int64)
    begins = np.flatnonzero(np.diff(slot, prepend=-1))
    for begin, end in itertools.pairwise([*begins.tolist(), len(slot)]):
        headers = log.headers[slot[begin]]
        sm = int(headers["smid"][np.argmax(headers["cta"] > 0)])
        times[begin:end] = clock.of_sm(cycles[begin:end], sm)
    return times


def _in_order(time: Ints, warp: Ints) -> Ints:
    """No event of a warp before the one that it did first: lanes apart may have waited while others went on."""
    back = (time[1:] < time[:-1]) & (warp[1:] == warp[:-1])
    if not back.any():
        return time
    lowest, span = int(time.min()), int(time.max()) - int(time.min()) + 1
    lane = warp - int(warp[0])
    raised: Ints = np.maximum.accumulate(time - lowest + lane * span) - lane * span
    return raised + lowest


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
        if map.box and max(map.box) <= _MOST_OF_A_BOX and map.type < len(_ELEMENT_BYTES)
    }


def _tell_bytes(records: NDArray[np.void], cluster: int) -> int:
    """Give copies whose bytes are not known those that their barriers expect; how many those are."""
    rows = np.flatnonzero(np.isin(records["kind"], _ON_BYTES))
    rows = rows[records["address"][rows] != NO_ADDRESS]
    barrier = (records["cta"][rows].astype(np.int64) // cluster) << 32 | records["address"][rows]
    copies, shares = told_by_barriers(records["kind"][rows], records["amount"][rows], barrier, records["time"][rows])
    records["amount"][rows[copies]] = shares
    return len(copies)
