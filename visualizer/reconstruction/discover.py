"""The door for kernels that nobody described: agents and barriers are found from the addresses in their records.

A barrier is an address in a CTA's shared memory, an agent is a warp. In a cluster an address carries the rank of the
CTA whose memory it is in its upper byte, also for the CTA's own [measured on H200]; without one that byte is 0.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, distinct, order_by
from visualizer.arrays.parallel import each
from visualizer.language import tr
from visualizer.reconstruction.agent_events import AgentEvents
from visualizer.reconstruction.spans import NEVER, Span
from visualizer.recording.schema import EVENT_DTYPE, EventKind
from visualizer.recording.tables import Agent, Barrier
from visualizer.recording.trace import TraceError

NO_ADDRESS = 0xFFFFFFFF
RANK_SHIFT = 24
WARPGROUP = 4
"""Warps of a warpgroup: contiguous, the first one's number a multiple of it [PTX]."""

RECORD_DTYPE = np.dtype(
    [
        ("time", "<i8"),  # ps, on one scale for all CTAs
        ("token", "<u8"),  # as the event's
        ("address", "<u4"),  # of the barrier, as the kernel uses it; NO_ADDRESS: none
        ("amount", "<i4"),  # as the event's
        ("cta", "<i4"),
        ("site", "<i2"),  # row of the sites table; -1: none
        ("warp", "u1"),
        ("kind", "u1"),  # EventKind
        ("parity", "i1"),  # -1: none
        ("flags", "u1"),  # EventFlag
        ("reserved", "<u2"),
    ]
)
"""36 bytes a record of an agent's event; in any order of warps, each warp's own in program order."""


_SLOT = 8
"""Bytes of an mbarrier, and what its address is a multiple of [PTX]."""


@dataclass(frozen=True, eq=False)
class Discovered:
    """Agents' events as `assemble_events` takes them, a part for each cluster, and the tables of their ids."""

    parts: AgentEvents
    agents: tuple[Agent, ...]
    barriers: tuple[Barrier, ...]


def discover(
    records: NDArray[np.void], cluster: int = 1, lost: Mapping[tuple[int, int], int] | None = None
) -> Discovered:
    """The events of `records` (RECORD_DTYPE, shape (n,)). `cluster`: CTAs of a cluster, which is CTAs 0, 1, ...; the
    next one the following. `lost`: records missing at the end of a warp's, by CTA and warp.

    TraceError if a record's barrier lies in no CTA of its cluster.
    """
    cta = np.ascontiguousarray(records["cta"])
    if (cta[1:] < cta[:-1]).any():
        order = order_by(cta)
        records, cta = records[order], cta[order]
    group = cta // cluster
    begins = np.flatnonzero(np.diff(group, prepend=-1) != 0)
    edges = [*begins.tolist(), len(records)]
    pieces = [records[begin:end] for begin, end in itertools.pairwise(edges)]
    places = each(lambda piece: _places(piece, cluster), pieces)
    warps = each(_warps, pieces)

    several = bool(len(cta)) and int(cta[-1]) > int(cta[0])
    agents: list[Agent] = []
    barriers: list[Barrier] = []
    spans, agent_rows, barrier_rows = [], [], []
    for piece, (of_piece, issues, commits), (homes, offsets) in zip(pieces, warps, places, strict=True):
        first = int(piece["cta"][0]) // cluster * cluster
        begun = len(agents), len(barriers)
        agent_rows.append(_add_agents(agents, of_piece, issues, commits, several=several))
        barrier_rows.append(len(barriers))
        for rank, offset in zip(homes.tolist(), offsets.tolist(), strict=True):
            prefix = f"CTA{first + rank}." if several else ""
            address = rank << RANK_SHIFT | offset
            barriers.append(Barrier(f"{prefix}{offset:#x}", first + rank, "other", -1, 0, offset, address=address))
        spans.append(Span(slice(begun[0], len(agents)), slice(begun[1], len(barriers))))

    def rows(part: int) -> NDArray[np.void]:
        return _events(pieces[part], warps[part][0], agent_rows[part], places[part], barrier_rows[part])

    until = _complete_until(pieces, lost or {})
    parts = AgentEvents(spans, [len(piece) for piece in pieces], rows, until)
    return Discovered(parts, tuple(agents), tuple(barriers))


def _warps(piece: NDArray[np.void]) -> tuple[Ints, list[int], list[int]]:
    """Every warp of the piece that recorded something, as CTA << 8 | warp, ascending; the CTAs that asked something of
    their copy engine, and of their tensor core."""
    kind, cta = piece["kind"], piece["cta"].astype(np.int64)
    warps = distinct(cta << 8 | piece["warp"])
    copies = (kind == EventKind.COPY_ISSUE) | (kind == EventKind.CP_ASYNC_ARRIVE)
    copies |= kind == EventKind.CP_ASYNC_ARRIVE_NOINC
    return warps, distinct(cta[copies]).tolist(), distinct(cta[kind == EventKind.TENSOR_COMMIT]).tolist()


def _add_agents(
    agents: list[Agent], warps: Ints, issues: list[int], commits: list[int], *, several: bool
) -> NDArray[np.int32]:
    """Add the warps, and behind those of each CTA its engines; the row of each warp."""
    rows = []
    for place, key in enumerate(warps.tolist()):
        cta, warp = divmod(key, 256)
        prefix = f"CTA{cta}." if several else ""
        rows.append(len(agents))
        agents.append(Agent(f"{prefix}warp{warp}", "other", cta, warp, warpgroup=warp // WARPGROUP))
        if place + 1 == len(warps) or int(warps[place + 1]) >> 8 != cta:
            if cta in issues:
                agents.append(Agent(f"{prefix}tma", "copy_engine", cta, -1))
            if cta in commits:
                agents.append(Agent(f"{prefix}tensor_core", "tensor_core", cta, -1))
    return np.array(rows, np.int32)


def _places(piece: NDArray[np.void], cluster: int) -> tuple[Ints, Ints]:
    """Every barrier of a cluster: the rank of its CTA and its offset there, ascending."""
    address = np.ascontiguousarray(piece["address"])
    address = address[address != NO_ADDRESS]
    rank = (address >> np.uint32(RANK_SHIFT)).astype(np.int64)
    if len(rank) and int(rank.max()) >= cluster:
        row = int(np.flatnonzero(rank >= cluster)[0])
        raise TraceError(
            tr(
                "CTA {cta} uses a barrier at {address:#x}, in CTA {rank} of a cluster of {cluster}: say how large the"
                " clusters are",
                cta=int(piece["cta"][piece["address"] != NO_ADDRESS][row]),
                address=int(address[row]),
                rank=int(rank[row]),
                cluster=cluster,
            )
        )
    offset = (address & np.uint32((1 << RANK_SHIFT) - 1)).astype(np.int64)
    width = int(offset.max(initial=0)) // _SLOT + 1
    used = np.flatnonzero(np.bincount(rank * width + offset // _SLOT))
    return used // width, used % width * _SLOT


def _events(
    piece: NDArray[np.void], warps: Ints, rows: NDArray[np.int32], places: tuple[Ints, Ints], first_barrier: int
) -> NDArray[np.void]:
    """The events of a cluster, EVENT_DTYPE, grouped by agent."""
    warp = piece["cta"].astype(np.int64) << 8 | piece["warp"]
    if (warp[1:] < warp[:-1]).any():
        order = order_by(warp)
        piece, warp = piece[order], warp[order]
    events = np.zeros(len(piece), EVENT_DTYPE)
    for column in ("time", "token", "amount", "site", "kind", "parity", "flags"):
        events[column] = piece[column]
    events["measured"] = events["time"]
    events["tile"] = events["stage"] = -1
    begins = np.flatnonzero(np.diff(warp, prepend=-1) != 0)
    events["agent"] = np.repeat(rows[np.searchsorted(warps, warp[begins])], np.diff(np.append(begins, len(warp))))
    known = places[0] << RANK_SHIFT | places[1]
    address = np.ascontiguousarray(piece["address"])
    row = first_barrier + np.searchsorted(known, address)
    events["barrier"] = np.where(address == NO_ADDRESS, -1, row)
    return events


def _complete_until(pieces: list[NDArray[np.void]], lost: Mapping[tuple[int, int], int]) -> int:
    """The last record (ps) of the first warp whose records end too early; NEVER if none do."""
    until = NEVER
    for (cta, warp), count in lost.items():
        own = [piece["time"][(piece["cta"] == cta) & (piece["warp"] == warp)] for piece in pieces] if count else []
        times = np.concatenate(own) if own else np.zeros(0, np.int64)
        until = min(until, int(times[-1]) if len(times) else -1) if count else until
    return until
