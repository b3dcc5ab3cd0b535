"""What the records of a log say, as events of agents that know barriers by address alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints
from visualizer.reconstruction.discover import NO_ADDRESS, RANK_SHIFT
from visualizer.recording.schema import COUNTED_ARRIVALS, EventFlag, EventKind
from visualizer.sources.attach.log_failures import failures
from visualizer.sources.attach.log_rows import Rows
from visualizer.sources.attach.ptx.sequence import MASK_SHIFT, OTHER, PASSED
from visualizer.sources.attach.ptx.sites import Site

SLOW_PASS = 256
"""Cycles after which a wait that passed at its first try is sure to have been suspended: one that need not wait takes
some 45 [H200], more where others use the same unit."""


@dataclass(eq=False)
class Events:
    """Events warp by warp. All shapes (n,)."""

    warp: Ints
    clock: Ints
    address: NDArray[np.uint32]
    amount: Ints
    token: Ints
    site: NDArray[np.int16]  # row of the sites table
    kind: NDArray[np.uint8]
    parity: NDArray[np.int8]
    flags: NDArray[np.uint8]


class Meanings:
    """What the sites of a twin mean, by number; and bytes of the copies that each tensor map describes.

    `cluster`: CTAs of a cluster.
    """

    def __init__(self, sites: Sequence[Site], bytes_of_map: dict[int, int], cluster: int) -> None:
        self.every_cta = np.uint32((1 << cluster) - 1)
        self._bytes_of_map = bytes_of_map
        rows = len(sites) + 1
        self.first, self.second = np.zeros(rows, np.uint8), np.zeros(rows, np.uint8)
        self.is_wait, self.spins = np.zeros(rows, bool), np.zeros(rows, bool)
        self.is_named, self.has_barrier = np.zeros(rows, bool), np.zeros(rows, bool)
        self.is_around, self.is_group = np.zeros(rows, bool), np.zeros(rows, bool)
        self.is_tensor, self.is_multicast = np.zeros(rows, bool), np.zeros(rows, bool)
        self.is_to_all = np.zeros(rows, bool)
        self.rows = np.zeros(rows, bool)
        self.map_bytes = np.zeros(rows, np.int64)
        for site in sites:
            row, form = site.number, site.form
            self.rows[row] = True
            self.first[row] = form.kinds[0] if form.kinds else 0
            self.second[row] = form.kinds[-1] if len(form.kinds) > 1 else 0
            self.is_wait[row], self.spins[row] = form.how == "wait", site.spins
            self.is_around[row] = form.how == "around"
            self.is_group[row] = form.how in ("group", "each") and form.kinds[0] in COUNTED_ARRIVALS
            self.is_named[row], self.has_barrier[row] = form.name_operand is not None, form.barrier is not None
            self.is_tensor[row] = form.destination is not None
            self.is_to_all[row] = site.is_multicast and not form.mask
            self.is_multicast[row] = site.is_multicast
            if site.tensor_map is not None:
                self.map_bytes[row] = bytes_of_map.get(site.tensor_map, 0) * (4 if "gather4" in site.opcode else 1)

    def bytes_at(self, offset: NDArray[np.uint32]) -> Ints:
        """Bytes that a copy brings whose tensor map lies so many bytes behind the first parameter; 0: unknown."""
        known = np.zeros(len(offset), np.int64)
        for place, count in self._bytes_of_map.items():
            known[offset == place] = count
        return known


_TWICE = (EventKind.EXPECT_TX, EventKind.ARRIVE_DROP)


def events_of(rows: Rows, meanings: Meanings, parameters: NDArray[np.uint64]) -> Events:
    """The events that `rows` tell of. `parameters`, (warps,): address of the first parameter as each warp knows it."""
    known = meanings.rows.take(rows.site, mode="clip") & (rows.site < len(meanings.rows))
    if not known.all():
        rows = rows.take(known)
    rows, mask, copied = _second_parts(rows, meanings, parameters)
    rows, mask, copied = _together(rows, mask, copied, meanings)
    failed = meanings.is_wait[rows.site] & (rows.part != PASSED)
    rows, order, failed_tries = failures(rows, np.flatnonzero(failed & meanings.spins[rows.site]))
    mask, copied = mask[order], copied[order]
    site = rows.site
    wait, passed = meanings.is_wait.take(site), rows.part == PASSED
    waited = np.flatnonzero(wait & passed)
    took = rows.clock.astype(np.uint32)
    took -= rows.value
    took *= wait
    began = rows.clock - took
    flags = (wait & passed & (took > SLOW_PASS)) * np.uint8(EventFlag.SLOW)
    absorbed, opens = failed_tries.passed, failed_tries.open
    np.minimum.at(began, failed_tries.passes, began[absorbed])
    flags[failed_tries.passes] = EventFlag.BLOCKED

    kind = meanings.first[site].copy()
    done = np.flatnonzero(meanings.is_around[site] & passed)
    kind[done] = meanings.second[site[done]]
    kind[waited] = EventKind.WAIT_END
    kind[wait & ~passed] = EventKind.TEST_FAILED
    kind[opens] = EventKind.WAIT_BEGIN
    clock = rows.clock.copy()
    clock[opens] = began[opens]

    number = np.ones(len(rows), np.int64)
    number[absorbed] = 0
    number[waited] = 2
    twice = np.flatnonzero((kind == _TWICE[0]) & (meanings.second[site] == _TWICE[1]))
    number[twice] = 2
    many = np.flatnonzero(meanings.is_multicast[site] & (mask > 0))
    number[many] = _bits(mask[many]).sum(axis=1)

    source = np.repeat(np.arange(len(rows)), number)
    first = np.cumsum(number) - number  # of each record's events
    events = Events(
        rows.warp[source],
        clock[source],
        np.where(meanings.has_barrier[site], rows.address & ~np.uint32(1), np.uint32(NO_ADDRESS))[source],
        _amounts(rows, meanings, copied)[source],
        np.where(meanings.is_named[site], rows.address, 0).astype(np.int64)[source],
        (site - 1).astype(np.int16)[source],
        kind[source],
        np.where(wait, (rows.address & 1).astype(np.int8), np.int8(-1))[source],
        flags[source],
    )
    begins = first[waited]
    events.kind[begins], events.flags[begins] = EventKind.WAIT_BEGIN, 0
    events.clock[begins] = began[waited]
    drops = first[twice] + 1
    events.kind[drops], events.amount[drops] = _TWICE[1], 1
    if len(many):
        _spread(events, source, first, mask, np.isin(source, many))
    return events


def _second_parts(
    rows: Rows, meanings: Meanings, parameters: NDArray[np.uint64]
) -> tuple[Rows, NDArray[np.uint32], Ints]:
    """The records without those that go on with the one before, what they said: the mask of a multicast, bytes."""
    site = rows.site
    tensor, cast = meanings.is_tensor[site], meanings.is_multicast[site]
    mask = np.where(tensor & cast, rows.value >> MASK_SHIFT, 0).astype(np.uint32)
    mask[meanings.is_to_all[site]] = meanings.every_cta
    copied = meanings.map_bytes[site]
    more = np.flatnonzero((rows.part == OTHER) & ~meanings.is_wait[site] & ~meanings.is_around[site])
    more = more[more > 0]
    if len(more):
        before = more - 1
        casts = cast[more] & ~tensor[more]
        mask[before[casts]] = rows.value[more[casts]]
        maps = tensor[more]
        low = parameters[rows.warp[more[maps]]].astype(np.uint32)
        copied[before[maps]] = meanings.bytes_at(rows.address[more[maps]] - low)
        keep = np.ones(len(rows), bool)
        keep[more] = False
        return rows.take(keep), mask[keep], copied[keep]
    return rows, mask, copied


def _together(
    rows: Rows, mask: NDArray[np.uint32], copied: Ints, meanings: Meanings
) -> tuple[Rows, NDArray[np.uint32], Ints]:
    """Lanes that arrived on one barrier in one instruction arrived as one [H200]: their records become one."""
    same = meanings.is_group[rows.site[1:]] & (rows.stream[1:] != rows.stream[:-1])
    for column in (rows.warp, rows.clock, rows.site, rows.address, rows.value):
        same &= column[1:] == column[:-1]
    if not same.any():
        return rows, mask, copied
    first = np.concatenate([[True], ~same])
    begins = np.flatnonzero(first)
    lanes = np.add.reduceat(rows.lanes.astype(np.int64), begins)
    rows = rows.take(first)
    rows.lanes = np.minimum(lanes, 255).astype(np.uint8)
    return rows, mask[first], copied[first]


def _amounts(rows: Rows, meanings: Meanings, copied: Ints) -> Ints:
    """What `amount` of each event is, as the schema has it for its kind."""
    site = rows.site
    amount = rows.value.astype(np.int64)
    amount[meanings.is_wait[site]] = 0
    group = meanings.is_group[site]
    amount[group] *= np.maximum(rows.lanes[group], 1)
    tensor = meanings.is_tensor[site]
    amount[tensor] = copied[tensor]
    return amount


def _bits(mask: NDArray[np.uint32]) -> NDArray[np.bool_]:
    return (mask[:, None] >> np.arange(16, dtype=np.uint32) & 1).astype(bool)


def _spread(events: Events, source: Ints, first: Ints, mask: NDArray[np.uint32], many: NDArray[np.bool_]) -> None:
    """Give each destination of a multicast its CTA: the n-th that the mask names."""
    own = np.flatnonzero(many)
    nth = own - first[source[own]]
    set_bits = np.cumsum(_bits(mask[source[own]]), axis=1)
    rank = np.argmax(set_bits == nth[:, None] + 1, axis=1).astype(np.uint32)
    offset = events.address[own] & np.uint32((1 << RANK_SHIFT) - 1)
    events.address[own] = rank << np.uint32(RANK_SHIFT) | offset
    further = own[(nth > 0) & (events.kind[own] == EventKind.COPY_ISSUE)]
    events.flags[further] |= np.uint8(EventFlag.SAME_COPY)
