"""From raw records to measured agent events: SM cycles become picoseconds on one scale, ids become table rows.

Nothing is added and nothing is reordered here: what hardware did is derived, and order is repaired, afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.trace.clock import ClockFit, fit_clock
from visualizer.trace.raw import BARRIER_EMPTY, BARRIER_FULL, NONE, TILE_WORDS, RawLog
from visualizer.trace.schema import EVENT_DTYPE
from visualizer.trace.tables import Agent, Barrier, Site
from visualizer.trace.trace import TraceError
from visualizer.trace.unfold import PipelineShape, unfold


@dataclass(frozen=True, eq=False)
class Decoded:
    """What the agents logged, on one time scale.

    `events` has dtype EVENT_DTYPE, shape (n,), grouped by agent in the order of the agents table and, within an
    agent, in the order it logged them. `time` equals `measured`: ps from the earliest event. Copy engines have none.
    `lost` has shape (agents,): records each agent had no room for; they are always its last ones. `missed_laps` counts
    laps of the 32-bit clock that lie in gaps nobody knows: times after such a gap are too early by 2^32 cycles each.
    """

    events: NDArray[np.void]
    lost: NDArray[np.int64]
    clock: ClockFit
    missed_laps: int = 0


def decode(
    raw: RawLog,
    agents: Sequence[Agent],
    barriers: Sequence[Barrier],
    sites: Sequence[Site],
    shape: PipelineShape | None = None,
) -> Decoded:
    """The records of `raw` as events. TraceError if the log is not one of these agents' and barriers'.

    A log of clocks needs the program's `shape`, which says what its records stand for.
    """
    clock = fit_clock(raw.anchors, raw.calibration)
    if raw.level in TILE_WORDS:
        if shape is None:
            raise TraceError(f"a log of level {raw.level!r} holds clocks alone: say of which pipeline")
        return _decode_clocks(raw, agents, barriers, sites, shape, clock)
    stored = raw.stored
    records = raw.records[np.arange(raw.capacity) < stored[:, None]]
    slices = np.repeat(np.arange(len(stored)), stored)
    cta = slices // raw.warps

    agent_of_slice = _agent_rows(raw, agents)
    # Slices are in table order already unless the table lists warps otherwise; a stable sort costs little.
    order = np.argsort(agent_of_slice[slices], kind="stable")
    records, slices, cta = records[order], slices[order], cta[order]

    events = np.zeros(len(records), dtype=EVENT_DTYPE)
    time = clock.to_ps(records["clock"], raw.anchors["smid"][:, 0][cta])
    time -= time.min() if len(time) else 0
    events["time"] = events["measured"] = time
    events["token"] = records["token"]
    events["tile"] = records["tile"].astype(np.int32)  # NO_TILE wraps to -1
    events["amount"] = records["amount"]
    events["barrier"] = _barrier_rows(records, cta, barriers)
    events["agent"] = agent_of_slice[slices]
    events["site"] = _site_rows(records["line"], sites)
    events["stage"] = _or_none(records["stage"])
    events["kind"] = records["kind"]
    events["parity"] = _or_none(records["parity"])
    events["flags"] = records["flags"]
    lost = np.zeros(len(agents), dtype=np.int64)
    lost[agent_of_slice] = raw.lost
    return Decoded(events, lost, clock)


def _decode_clocks(
    raw: RawLog,
    agents: Sequence[Agent],
    barriers: Sequence[Barrier],
    sites: Sequence[Site],
    shape: PipelineShape,
    clock: ClockFit,
) -> Decoded:
    rate = float(np.median(clock.ps_per_cycle))
    events, cycles, cta, missed = unfold(raw, agents, barriers, sites, shape, rate)
    time = clock.to_ps(cycles.astype(np.uint64), raw.anchors["smid"][:, 0][cta])
    time -= time.min() if len(time) else 0
    events["time"] = events["measured"] = time
    lost = np.zeros(len(agents), dtype=np.int64)
    lost[_agent_rows(raw, agents)] = raw.lost
    return Decoded(events, lost, clock, missed)


def _agent_rows(raw: RawLog, agents: Sequence[Agent]) -> NDArray[np.int64]:
    """The agents row of each slice, (slices,)."""
    rows = {(agent.cta, agent.warp): row for row, agent in enumerate(agents) if agent.warp >= 0}
    wanted = [(cta, warp) for cta in range(raw.ctas) for warp in range(raw.warps)]
    if len(wanted) != len(raw.attempted) or set(wanted) != set(rows):
        raise TraceError(
            f"the log has {len(raw.attempted)} slices, the program {len(rows)} warps: not the same program"
        )
    return np.array([rows[key] for key in wanted], dtype=np.int64)


def _barrier_rows(records: NDArray[np.void], cta: NDArray[np.int64], barriers: Sequence[Barrier]) -> NDArray[np.int32]:
    """The barriers row of each record, -1 for records of no barrier."""
    which = {"full": BARRIER_FULL, "empty": BARRIER_EMPTY}
    ctas = max((barrier.cta for barrier in barriers), default=0) + 1
    table = np.full((ctas, 3, 256), -1, dtype=np.int32)
    for row, barrier in enumerate(barriers):
        if barrier.kind in which:
            table[barrier.cta, which[barrier.kind], barrier.stage] = row
    if len(records) and (int(records["barrier"].max()) > BARRIER_EMPTY or int(cta.max()) >= ctas):
        raise TraceError("the log names a barrier that the program does not have")
    rows: NDArray[np.int32] = table[cta, records["barrier"], records["stage"]]
    if (rows[records["barrier"] > 0] < 0).any():
        raise TraceError("the log names a barrier of a stage that the program does not have")
    return rows


def _site_rows(lines: NDArray[np.uint16], sites: Sequence[Site]) -> NDArray[np.int16]:
    """The sites row of each source line, -1 for a line that is no site."""
    table = np.full(65536, -1, dtype=np.int16)
    for row, site in enumerate(sites):
        table[site.line] = row
    return table[lines]


def _or_none(values: NDArray[np.uint8]) -> NDArray[np.int16]:
    return np.where(values == NONE, np.int16(-1), values.astype(np.int16))
