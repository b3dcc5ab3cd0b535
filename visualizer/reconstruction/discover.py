"""The door for kernels that nobody described: agents and barriers are found from the addresses in their records.

A barrier is an address in a CTA's shared memory, an agent is a warp. In a cluster an address carries the rank of the
CTA whose memory it is in its upper byte, also for the CTA's own [measured on H200]; without one that byte is 0.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.columns import read_columns
from visualizer.arrays.ordering import Ints, distinct, order_by
from visualizer.arrays.parallel import each
from visualizer.language import tr
from visualizer.reconstruction.agent_events import AgentEvents, earliest_of, latest_of
from visualizer.reconstruction.cta_spans import FROM_THE_START, SIDES, Span
from visualizer.reconstruction.engine_arrivals import KEPT_BY
from visualizer.reconstruction.logged import Logged, Rows
from visualizer.recording.schema import EVENT_DTYPE, EventKind
from visualizer.recording.tables import Agent, AgentRole, Barrier
from visualizer.recording.trace import TraceError
from visualizer.semantics.shared_storage import RANK_SHIFT as RANK_SHIFT  # the source attach asks here

NO_ADDRESS = 0xFFFFFFFF
WARPGROUP = 4
"""Warps of a warpgroup: contiguous, the first one's number a multiple of it [PTX]."""

RECORD_DTYPE = np.dtype(
    [
        ("time", "<i8"),  # ps, on one scale for all CTAs
        ("token", "<u8"),  # as the event's
        ("cta", "<i4"),
        ("amount", "<i4"),  # as the event's
        ("address", "<u4"),  # of the barrier, as the kernel uses it; NO_ADDRESS: none
        ("warp", "<i4"),
        ("site", "<i2"),  # row of the sites table; -1: none
        ("reserved", "<i2"),
        ("kind", "u1"),  # EventKind
        ("parity", "i1"),  # -1: none
        ("flags", "u1"),  # EventFlag
        ("unused", "u1"),
    ]
)
"""40 bytes a record of an agent's event; in any order of warps, each warp's own in program order.

Laid out as EVENT_DTYPE is from `measured` on, so that a record becomes an event as one block of bytes."""


_SLOT = 8
"""Bytes of an mbarrier, and what its address is a multiple of [PTX]."""


_EVENTS_A_PART = 1 << 18
"""Clusters are worked on together until they have so many: numpy's fixed costs stay small, its columns in cache."""
_RECORD = np.dtype((np.void, RECORD_DTYPE.itemsize))
_EVENT_OF_RECORD = np.dtype(
    {"names": ["record"], "formats": [_RECORD], "offsets": [8], "itemsize": EVENT_DTYPE.itemsize}
)
"""An event as the record it was made of, and its time before that."""
_ENGINES: dict[AgentRole, str] = {"copy_engine": "tma", "tensor_core": "tensor_core"}
"""The engines that a CTA may have, and their names."""
_ASKED: dict[EventKind, AgentRole] = {EventKind.COPY_ISSUE: "copy_engine", **KEPT_BY}
"""The engine of its CTA that such an event asks something of."""


@dataclass(frozen=True, eq=False)
class Discovered:
    """Agents' events as `assemble_events` takes them, a part for some clusters each, and the tables of their ids."""

    parts: AgentEvents
    agents: tuple[Agent, ...]
    barriers: tuple[Barrier, ...]


@dataclass(frozen=True, eq=False)
class _Part:
    """What the records of some clusters name."""

    rows: slice  # of the records
    order: Ints | None  # of them, by warp; None: they are in order
    warps: Ints  # every warp, as CTA << 8 | warp, ascending
    begins: Ints  # where runs of records of one warp begin ...
    warp: Ints  # ... and which of `warps` that is
    asked: dict[AgentRole, set[int]]  # the CTAs that asked something of each engine
    homes: Ints  # of every barrier, ascending: its CTA ...
    offsets: Ints  # ... and where it lies there
    barrier: NDArray[np.signedinteger[Any]]  # which of them each record names; -1: none. As narrow as can be


class _RecordLog:
    """Records as a Log, with the rows of the tables that they name."""

    def __init__(self, records: NDArray[np.void], agents: int, barriers: int) -> None:
        self._records = records
        # Side by side, so that a row's come from memory together.
        ids = np.empty(len(records), [("agent", _id_type(agents)), ("barrier", _id_type(barriers))])
        self._ids, self.agent, self.barrier = ids, ids["agent"], ids["barrier"]

    def __len__(self) -> int:
        return len(self._records)

    def column(self, name: str, rows: slice | Rows) -> NDArray[Any]:
        """As Log.column, of those that records have."""
        own = {"agent": self.agent, "barrier": self.barrier}
        return np.ascontiguousarray((own[name] if name in own else self._records[name])[rows])

    def columns(self, rows: slice, *names: str) -> list[NDArray[Any]]:
        """As Log.columns, of those that records have."""
        return read_columns(self._records[rows], *names)

    def write(self, rows: Rows, target: NDArray[np.void]) -> None:
        """As Log.write."""
        if not len(self._records):
            return
        # "clip" because checking makes a copy.
        target.view(_EVENT_OF_RECORD)["record"] = self._records.view(_RECORD).take(rows, mode="clip")
        ids = self._ids.take(rows, mode="clip")
        target["agent"], target["barrier"] = ids["agent"], ids["barrier"]
        target["tile"] = target["stage"] = -1
        target["ring"] = 0


def discover(
    records: NDArray[np.void],
    cluster: int = 1,
    lost: Mapping[tuple[int, int], int] | None = None,
    headless: Collection[tuple[int, int]] = (),
) -> Discovered:
    """The events of `records` (RECORD_DTYPE, shape (n,)). `cluster`: CTAs of a cluster, which is CTAs 0, 1, ...; the
    next one the following. `lost`: records missing at the end of a warp's, by CTA and warp. `headless`: the CTAs and
    warps whose first records are missing.

    TraceError if a record's barrier lies in no CTA of its cluster.
    """
    cta = _ctas(records)
    if (cta[1:] < cta[:-1]).any():
        order = order_by(cta)
        records, cta = records[order], cta[order]
    found = each(lambda rows: _look(records[rows], cta[rows], rows, cluster), _parts(cta, cluster))
    several = bool(len(cta)) and int(cta[-1]) > int(cta[0])
    agents: list[Agent] = []
    barriers: list[Barrier] = []
    spans, agent_rows = [], []
    for part in found:
        begun = len(agents), len(barriers)
        agent_rows.append(_add_agents(agents, part, several=several))
        for home, offset in zip(part.homes.tolist(), part.offsets.tolist(), strict=True):
            prefix = f"CTA{home}." if several else ""
            address = home % cluster << RANK_SHIFT | offset
            barriers.append(Barrier(f"{prefix}{offset:#x}", home, "other", -1, 0, offset, address=address))
        spans.append(Span(slice(begun[0], len(agents)), slice(begun[1], len(barriers))))
    log = _RecordLog(records, len(agents), len(barriers))
    sizes = [len(part.barrier) for part in found]
    unused = dict(enumerate(found))
    del found

    def logged(number: int) -> Logged:
        part, first = unused.pop(number), spans[number].barriers.start
        log.agent[part.rows] = np.repeat(agent_rows[number][part.warp], np.diff(part.begins, append=sizes[number]))
        own = part.barrier.astype(log.barrier.dtype, copy=False)
        log.barrier[part.rows] = own + (own >= 0) * own.dtype.type(first)
        return Logged(log, part.rows if part.order is None else part.rows.start + part.order, spans[number])

    until = _complete_until(records, cta, cluster, lost or {})
    since = _complete_from(records, cta, cluster, headless)
    parts = AgentEvents(spans, sizes, log, logged, until, since)
    return Discovered(parts, tuple(agents), tuple(barriers))


def _ctas(records: NDArray[np.void]) -> NDArray[np.int32]:
    """The CTA of every record, contiguous."""
    cta = np.empty(len(records), np.int32)

    def read(begin: int) -> None:
        cta[begin : begin + _EVENTS_A_PART] = records["cta"][begin : begin + _EVENTS_A_PART]

    each(read, range(0, len(records), _EVENTS_A_PART))
    return cta


def _parts(cta: NDArray[np.int32], cluster: int) -> list[slice]:
    """The rows of whole clusters, about _EVENTS_A_PART each. `cta`: of every row, ascending."""
    begins = distinct(np.searchsorted(cta, cta[::_EVENTS_A_PART] // cluster * cluster))
    return [slice(*edges) for edges in itertools.pairwise([*begins.tolist(), len(cta)])]


def _look(records: NDArray[np.void], cta: NDArray[np.int32], rows: slice, cluster: int) -> _Part:
    """What the records in `rows`, these and of these CTAs, name."""
    number, kind, address = read_columns(records, "warp", "kind", "address")
    changes = (number[1:] != number[:-1]) | (cta[1:] != cta[:-1])
    begins = np.flatnonzero(np.concatenate([[True], changes]))
    warp = cta[begins].astype(np.int64) << 8 | number[begins]
    order = order_by(cta, number) if (warp[1:] < warp[:-1]).any() else None
    warps = distinct(warp)
    asked: dict[AgentRole, set[int]] = {role: set() for role in _ENGINES}
    for asks, role in _ASKED.items():
        asked[role].update(distinct(cta[np.flatnonzero(kind == asks)]).tolist())
    clusters = begins[np.diff(cta[begins] // cluster, prepend=-1) != 0]
    barriers = _barriers(cta, address, cluster, clusters)
    return _Part(rows, order, warps, begins, np.searchsorted(warps, warp), asked, *barriers)


def _barriers(
    cta: NDArray[np.int32], address: NDArray[np.uint32], cluster: int, begins: Ints
) -> tuple[Ints, Ints, NDArray[np.signedinteger[Any]]]:
    """Every barrier's CTA and its offset there, ascending; and which of them each record names, -1: none. `begins`: the
    first record of each cluster."""
    names = address != NO_ADDRESS
    rank = address >> np.uint32(RANK_SHIFT)
    if len(beyond := np.flatnonzero(names & (rank >= cluster))):
        row = int(beyond[0])
        raise TraceError(
            tr(
                "CTA {cta} uses a barrier at {address:#x}, in CTA {rank} of a cluster of {cluster}: say how large the"
                " clusters are",
                cta=int(cta[row]),
                address=int(address[row]),
                rank=int(rank[row]),
                cluster=cluster,
            )
        )
    # Offsets and clusters are numbered among those there are, so that a table of all pairs is small.
    slot = np.where(names, (address & np.uint32((1 << RANK_SHIFT) - 1)) // np.uint32(_SLOT), 0).astype(np.intp)
    slots = np.flatnonzero(np.bincount(slot))
    number = np.zeros(int(slots[-1]) + 1, np.int64)
    number[slots] = np.arange(len(slots))
    lengths = np.diff(begins, append=len(cta))
    cell = np.repeat(np.arange(len(begins)) * (cluster * len(slots)), lengths)
    if cluster > 1:
        cell += np.where(names, rank, 0) * np.int64(len(slots))
    cell += number.take(slot)
    nowhere = len(begins) * cluster * len(slots)
    cell[np.flatnonzero(~names)] = nowhere
    used = np.flatnonzero(np.bincount(cell, minlength=nowhere)[:nowhere])
    barrier = np.full(nowhere + 1, -1, _id_type(len(used)))
    barrier[used] = np.arange(len(used))
    home, place = np.divmod(used, len(slots))
    group, of_group = np.divmod(home, cluster)
    homes = cta[begins[group]].astype(np.int64) // cluster * cluster + of_group
    return homes, slots[place] * np.int64(_SLOT), barrier.take(cell)


def _id_type(rows: int) -> type[np.signedinteger[Any]]:
    """The type that holds the rows of a table of so many, and -1."""
    return np.int16 if rows <= 1 << 15 else np.int32


def _add_agents(agents: list[Agent], part: _Part, *, several: bool) -> NDArray[np.int32]:
    """Add the part's warps, and behind those of each CTA its engines; the row of each warp."""
    rows = []
    for place, key in enumerate(part.warps.tolist()):
        cta, warp = divmod(key, 256)
        prefix = f"CTA{cta}." if several else ""
        rows.append(len(agents))
        agents.append(Agent(f"{prefix}warp{warp}", "other", cta, warp, warpgroup=warp // WARPGROUP))
        if place + 1 == len(part.warps) or int(part.warps[place + 1]) >> 8 != cta:
            for role, name in _ENGINES.items():
                if cta in part.asked[role]:
                    agents.append(Agent(f"{prefix}{name}", role, cta, -1))
    return np.array(rows, np.int32)


def _complete_until(
    records: NDArray[np.void], cta: NDArray[np.int32], cluster: int, lost: Mapping[tuple[int, int], int]
) -> Ints | None:
    """AgentEvents.complete_until: the last record of the first of a cluster's warps whose records end too early. `cta`:
    ascending."""
    losing = [of for of, count in lost.items() if count]
    if not losing:
        return None
    ctas = 1 + max(int(cta[-1]) if len(cta) else 0, *(of_cta for of_cta, _ in losing))
    ends = []
    for of_cta, warp in losing:
        own = records[slice(*(int(cta.searchsorted(np.int32(of_cta), side)) for side in SIDES))]
        times = own["time"][own["warp"] == warp]
        ends.append(int(times[-1]) if len(times) else FROM_THE_START)
    group = np.array([of_cta // cluster for of_cta, _ in losing])
    return np.repeat(earliest_of(np.array(ends), group, -(-ctas // cluster)), cluster)


def _complete_from(
    records: NDArray[np.void], cta: NDArray[np.int32], cluster: int, headless: Collection[tuple[int, int]]
) -> Ints | None:
    """AgentEvents.complete_from: when the last of a cluster's warps begins whose first records are missing."""
    if not headless or not len(cta):
        return None
    warp = cta.astype(np.int64) << 8 | records["warp"]
    rows = np.flatnonzero(np.isin(warp, [of_cta << 8 | number for of_cta, number in headless]))
    first = np.unique(warp[rows], return_index=True)[1]
    of = rows[first]
    group = cta[of].astype(np.int64) // cluster
    return np.repeat(latest_of(records["time"][of], group, int(cta[-1]) // cluster + 1), cluster)
