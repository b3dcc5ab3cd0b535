"""From raw records to measured agent events: SM cycles become picoseconds on one scale, ids become table rows.

Nothing is added and nothing is reordered here: what hardware did is derived, and order is repaired, afterwards.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from visualizer.language import tr
from visualizer.reconstruction.agent_events import AgentEvents, earliest_of, split
from visualizer.reconstruction.clock_fit import ClockFit, fit_clock
from visualizer.reconstruction.cta_spans import FROM_THE_START, NEVER, spans_of
from visualizer.reconstruction.event_memory import ROW, EventMemory
from visualizer.reconstruction.logged import EventLog, Logged
from visualizer.reconstruction.shortcut import Shortcut
from visualizer.recording.tables import Agent, Barrier, Site
from visualizer.recording.trace import TraceError
from visualizer.sources.lesson.complete_ctas.columns import CompleteColumns
from visualizer.sources.lesson.complete_ctas.complete_clocks import complete_ctas, read_ctas
from visualizer.sources.lesson.complete_ctas.shared_rows import shared_rows
from visualizer.sources.lesson.raw_log import BARRIER_EMPTY, BARRIER_FULL, NONE, TILE_WORDS, RawLog
from visualizer.sources.lesson.tile_events import PipelineShape, unfold

_OR_NONE = np.arange(256, dtype=np.int16)
_OR_NONE[NONE] = -1
"""At a small number of a record: the same, or -1 for NONE."""


@dataclass(frozen=True, eq=False)
class Decoded:
    """What the agents logged, on one time scale. Copy engines log nothing.

    `lost` has shape (agents,): records each agent had no room for; they are always its last ones. `missed_laps` counts
    laps of the 32-bit clock that lie in gaps nobody knows: times after such a gap are too early by 2^32 cycles each.
    """

    parts: AgentEvents
    lost: NDArray[np.int64]
    clock: ClockFit
    origin: int  # ps on the clock's scale of the earliest event, the events' 0
    missed_laps: int = 0

    @property
    def events(self) -> NDArray[np.void]:
        """All events in one new array, for those who want to choose among them: see AgentEvents.whole."""
        return self.parts.whole


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
    agent_of_slice = _agent_rows(raw, agents)
    clock = fit_clock(raw.anchors, raw.calibration)
    if raw.level in TILE_WORDS:
        if shape is None:
            raise TraceError(tr("a log of level {level!r} holds clocks alone: say of which pipeline", level=raw.level))
        return _decode_clocks(raw, agents, barriers, sites, shape, clock)
    stored = raw.stored
    smid = raw.anchors["smid"][:, 0]
    spans = spans_of(agents, barriers)
    in_order = np.argsort(agent_of_slice, kind="stable")
    edges = np.searchsorted(agent_of_slice[in_order], [span.agents.start for span in spans] + [len(agents)])
    slices = [in_order[begin:end].tolist() for begin, end in itertools.pairwise(edges)]

    def at(rows: NDArray[np.integer], which: NDArray[np.int64]) -> NDArray[np.int64]:
        return clock.to_ps(raw.records["clock"][rows, which], smid[rows // raw.warps])

    # A warp's records are in order, so its first is its earliest.
    wrote = np.flatnonzero(stored)
    origin = int(at(wrote, np.zeros(len(wrote), np.int64)).min()) if len(wrote) else 0
    complete_until = None
    if len(losing := np.flatnonzero(raw.lost)):
        last = np.where(stored[losing] > 0, at(losing, np.maximum(stored[losing] - 1, 0)) - origin, FROM_THE_START)
        complete_until = earliest_of(last, losing // raw.warps, 1 + max(agent.cta for agent in agents))

    barrier_rows = _barrier_rows(barriers)
    site_rows = _site_rows(sites)

    sizes = [int(stored[own].sum()) for own in slices]
    memory = EventMemory(sizes)
    log = EventLog(memory.events)

    def logged(part: int) -> Logged:
        events, end = memory.events[memory.of(part)], 0
        for slice_ in slices[part]:
            records = raw.records[slice_, : stored[slice_]]
            own = events[end : (end := end + len(records))]
            if not len(own):
                continue
            cta = slice_ // raw.warps
            time = clock.of_sm(records["clock"], int(smid[cta]))
            time -= origin
            own["time"] = own["measured"] = time
            own["token"] = records["token"]
            own["tile"] = records["tile"].view(np.int32)  # NO_TILE becomes -1
            own["amount"] = records["amount"]
            own["barrier"] = _look_up(barrier_rows, cta, records)
            own["agent"] = agent_of_slice[slice_]
            own["site"] = site_rows[records["line"]]
            own["stage"] = _OR_NONE[records["stage"]]
            own["kind"] = records["kind"]
            own["parity"] = _OR_NONE[records["parity"]]
            own["flags"] = records["flags"]
            own["ring"] = 0
        return Logged(log, memory.of(part), spans[part])

    lost = np.zeros(len(agents), dtype=np.int64)
    lost[agent_of_slice] = raw.lost
    return Decoded(AgentEvents(spans, sizes, log, logged, complete_until), lost, clock, origin)


def _decode_clocks(
    raw: RawLog,
    agents: Sequence[Agent],
    barriers: Sequence[Barrier],
    sites: Sequence[Site],
    shape: PipelineShape,
    clock: ClockFit,
) -> Decoded:
    """Complete CTAs are left as clocks, which is most of the way to their events; the others' events are unfolded."""
    lost = np.zeros(len(agents), dtype=np.int64)
    lost[_agent_rows(raw, agents)] = raw.lost
    rate = float(np.median(clock.ps_per_cycle))
    ctas = complete_ctas(raw, agents, barriers, shape)
    stages = max((barrier.stage for barrier in barriers), default=-1) + 1
    found = read_ctas(raw, ctas, stages, shape, clock)
    regular = dict(zip(ctas, found, strict=True))

    others = [cta for cta in range(raw.ctas) if cta not in regular]
    events, cycles, cta_of, missed = unfold(raw, agents, barriers, sites, shape, rate, others)
    time = clock.to_ps(cycles.astype(np.uint64), raw.anchors["smid"][:, 0][cta_of])
    earliest = [int(time.min(initial=NEVER)), *(part.earliest for part in found)]
    origin = min(earliest) if len(time) or found else 0
    events["time"] = events["measured"] = time - origin
    whole = split(events, lost, agents, barriers)
    missed += sum(part.missed_laps for part in found)
    if not regular:
        return Decoded(whole, lost, clock, origin, missed)
    for part in found:
        part.count_from(origin)

    def unfolded(part: int) -> NDArray[np.void]:
        if part not in regular:
            own = whole.logged(part).events(np.arange(whole.sizes[part]))
            own["time"] = own["measured"]
            return own
        own, cycles, _, _ = unfold(raw, agents, barriers, sites, shape, rate, [part])
        own["time"] = clock.of_sm(cycles.astype(np.uint64), int(raw.anchors["smid"][part, 0])) - origin
        own["measured"] = own["time"]
        return own

    sizes = [regular[part].grid.logged if part in regular else size for part, size in enumerate(whole.sizes)]
    memory = EventMemory(sizes)  # of the parts that have to go the general way
    log = EventLog(memory.events)

    def logged(part: int) -> Logged:
        memory.events[memory.of(part)].view(ROW)[:] = unfolded(part).view(ROW)
        return Logged(log, memory.of(part), whole.spans[part])

    example = Logged(EventLog(unfolded(ctas[0])), slice(0, sizes[ctas[0]]), whole.spans[ctas[0]])
    shared = shared_rows(found[0].grid, example, shape.copy_bytes)
    shortcut = Shortcut(dict(regular), partial(CompleteColumns, shared))
    parts = replace(whole, sizes=sizes, log=log, logged=logged, shortcut=shortcut)
    return Decoded(parts, lost, clock, origin, missed)


def _agent_rows(raw: RawLog, agents: Sequence[Agent]) -> NDArray[np.int64]:
    """The agents row of each slice, (slices,)."""
    rows = {(agent.cta, agent.warp): row for row, agent in enumerate(agents) if agent.warp >= 0}
    wanted = [(cta, warp) for cta in range(raw.ctas) for warp in range(raw.warps)]
    if len(wanted) != len(raw.attempted) or set(wanted) != set(rows):
        raise TraceError(
            tr(
                "the log has {attempted} slices, the program {rows} warps: not the same program",
                attempted=len(raw.attempted),
                rows=len(rows),
            )
        )
    return np.array([rows[key] for key in wanted], dtype=np.int64)


def _barrier_rows(barriers: Sequence[Barrier]) -> NDArray[np.int32]:
    """The barriers row at [cta, BARRIER_*, stage], -1 where there is none."""
    which = {"full": BARRIER_FULL, "empty": BARRIER_EMPTY}
    ctas = max((barrier.cta for barrier in barriers), default=0) + 1
    table = np.full((ctas, 3, 256), -1, dtype=np.int32)
    for row, barrier in enumerate(barriers):
        if barrier.kind in which:
            table[barrier.cta, which[barrier.kind], barrier.stage] = row
    return table


def _look_up(barrier_rows: NDArray[np.int32], cta: int, records: NDArray[np.void]) -> NDArray[np.int32]:
    """The barriers row of each record of a CTA; -1 for records of no barrier."""
    which = np.ascontiguousarray(records["barrier"])
    if int(which.max()) > BARRIER_EMPTY or cta >= len(barrier_rows):
        raise TraceError(tr("the log names a barrier that the program does not have"))
    rows: NDArray[np.int32] = barrier_rows[cta].ravel()[which * np.int16(256) + records["stage"]]
    if (rows[which > 0] < 0).any():
        raise TraceError(tr("the log names a barrier of a stage that the program does not have"))
    return rows


def _site_rows(sites: Sequence[Site]) -> NDArray[np.int16]:
    """The sites row at each source line, -1 for a line that is no site."""
    table = np.full(65536, -1, dtype=np.int16)
    for row, site in enumerate(sites):
        table[site.line] = row
    return table
