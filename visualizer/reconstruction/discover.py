"""The door for kernels that nobody described: agents and barriers are found from the addresses in their records.

A barrier is an address in a CTA's shared memory, an agent is a warp. In a cluster an address carries the rank of the
CTA whose memory it is in its upper byte, also for the CTA's own [measured on H200]; without one that byte is 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, order_by
from visualizer.language import tr
from visualizer.recording.schema import EVENT_DTYPE, EventKind
from visualizer.recording.tables import Agent, AgentRole, Barrier
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


@dataclass(frozen=True, eq=False)
class Discovered:
    """Agents' events as `assemble` takes them, and the tables that their ids are rows of."""

    events: NDArray[np.void]  # EVENT_DTYPE, grouped by agent
    agents: tuple[Agent, ...]
    barriers: tuple[Barrier, ...]


def discover(records: NDArray[np.void], cluster: int = 1) -> Discovered:
    """The events of `records` (RECORD_DTYPE, shape (n,)). `cluster`: CTAs of a cluster, which is CTAs 0, 1, ...; the
    next one the following.

    TraceError if a record's barrier lies in no CTA of its cluster.
    """
    cta, warp = records["cta"].astype(np.int64), records["warp"].astype(np.int64)
    address = np.ascontiguousarray(records["address"])
    on_barrier = address != NO_ADDRESS
    rank = address >> np.uint32(RANK_SHIFT)
    if on_barrier.any() and int(rank[on_barrier].max()) >= cluster:
        row = int(np.flatnonzero(on_barrier & (rank >= cluster))[0])
        raise TraceError(
            tr(
                "record {row} is on a barrier at {address:#x}, in CTA {rank} of a cluster of {cluster}: say how large"
                " the clusters are",
                row=row,
                address=int(address[row]),
                rank=int(rank[row]),
                cluster=cluster,
            )
        )
    home = cta - cta % cluster + rank
    order = order_by(cta, warp)
    agents, agent_of = _agents(records, cta, warp, order)
    barriers, barrier_of = _barriers(home, address, on_barrier)

    events = np.zeros(len(records), EVENT_DTYPE)
    for column in ("time", "token", "amount", "site", "kind", "parity", "flags"):
        events[column] = records[column][order]
    events["measured"] = events["time"]
    events["tile"] = events["stage"] = -1
    events["agent"] = agent_of[order]
    events["barrier"] = barrier_of[order]
    return Discovered(events, agents, barriers)


def _agents(
    records: NDArray[np.void], cta: Ints, warp: Ints, order: Ints
) -> tuple[tuple[Agent, ...], NDArray[np.int32]]:
    """Every warp that recorded something, by CTA, then each CTA's copy engine and tensor core if anything was asked of
    them; and the row of each record's warp."""
    key = (cta << 8 | warp)[order]
    first = np.flatnonzero(np.diff(key, prepend=-1) != 0)
    warps = [divmod(int(each), 256) for each in key[first]]
    several = len({of for of, _ in warps}) > 1
    kind = records["kind"]
    engines: dict[tuple[str, AgentRole], set[int]] = {
        ("tma", "copy_engine"): set(np.unique(cta[kind == EventKind.COPY_ISSUE]).tolist()),
        ("tensor_core", "tensor_core"): set(np.unique(cta[kind == EventKind.TENSOR_COMMIT]).tolist()),
    }
    agents: list[Agent] = []
    rows = []
    for place, (of, number) in enumerate(warps):
        prefix = f"CTA{of}." if several else ""
        rows.append(len(agents))
        agents.append(Agent(f"{prefix}warp{number}", "other", of, number, warpgroup=number // WARPGROUP))
        if place + 1 == len(warps) or warps[place + 1][0] != of:
            for (name, role), ctas in engines.items():
                if of in ctas:
                    agents.append(Agent(prefix + name, role, of, -1))
    agent_of = np.empty(len(records), np.int32)
    agent_of[order] = np.repeat(np.array(rows, np.int32), np.diff(np.append(first, len(key))))
    return tuple(agents), agent_of


def _barriers(
    home: Ints, address: NDArray[np.uint32], on_barrier: NDArray[np.bool_]
) -> tuple[tuple[Barrier, ...], NDArray[np.int32]]:
    """Every address that was used as a barrier, by CTA and address; and the row of each record's."""
    offset = (address & np.uint32((1 << RANK_SHIFT) - 1)).astype(np.int64)
    key = np.where(on_barrier, home << RANK_SHIFT | offset, -1)
    # A warp goes on with few barriers, so runs of equal ones are fewer than records.
    found = np.unique(key[np.flatnonzero(np.diff(key, prepend=-2) != 0)])
    found = found[found >= 0]
    rows = np.where(on_barrier, np.searchsorted(found, key), -1).astype(np.int32)
    several = len(found) > 0 and int(found[-1] >> RANK_SHIFT) > int(found[0] >> RANK_SHIFT)
    rank = np.zeros(len(found), np.int64)
    rank[rows[on_barrier]] = address[on_barrier] >> np.uint32(RANK_SHIFT)
    barriers = []
    for cta, place, ranked in zip(
        (found >> RANK_SHIFT).tolist(), (found & ((1 << RANK_SHIFT) - 1)).tolist(), rank.tolist(), strict=True
    ):
        name = f"CTA{cta}.{place:#x}" if several else f"{place:#x}"
        barriers.append(Barrier(name, cta, "other", -1, 0, place, address=ranked << RANK_SHIFT | place))
    return tuple(barriers), rows
