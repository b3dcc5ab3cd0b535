"""From a log of clocks to the events they stand for: a record is a tile, the program says what an agent does with one.

What has no clock of its own takes the one before or after it in program order, or an estimate that says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.language import tr
from visualizer.recording.schema import EVENT_DTYPE, EventFlag, EventKind
from visualizer.recording.tables import Agent, Barrier, Site
from visualizer.recording.trace import TraceError
from visualizer.sources.lesson.raw_log import RawLog
from visualizer.sources.lesson.tile_clocks import Ints, TileClocks, consumer_clocks, producer_clocks


@dataclass(frozen=True, slots=True)
class PipelineShape:
    """What a PipelineTmaAsync program does with a tile, as far as its log of clocks leaves it out."""

    tiles: int
    copies: int  # per tile
    copy_bytes: int
    expected_bytes: int
    arrivals: int  # that a consumer warp makes per tile
    producer_delay_ps: int  # work before each wait of the producer


@dataclass(frozen=True, slots=True)
class _Step:
    """An event of every tile: what it is, on which barrier of the stage, and which of TileClocks tells its time."""

    kind: EventKind
    site: str
    clock: str
    barrier: str = ""  # "full", "empty" or none
    amount: int = 0
    has_parity: bool = False
    share: float = 0.0  # of the time from that clock to the end of the tile


@dataclass(frozen=True, eq=False)
class _Slice:
    """One warp of one CTA, with the rows of the tables it needs."""

    cta: int
    warp: int
    agent: int
    first: int  # where its cursor starts in two laps of the ring
    stages: int
    barriers: dict[str, Ints]  # "full" and "empty": row of each stage's
    sites: dict[str, int]


_Piece = tuple[NDArray[np.void], Ints]


def unfold(
    raw: RawLog,
    agents: Sequence[Agent],
    barriers: Sequence[Barrier],
    sites: Sequence[Site],
    shape: PipelineShape,
    ps_per_cycle: float,
    ctas: Sequence[int] | None = None,
) -> tuple[NDArray[np.void], Ints, Ints, int]:
    """Events of all CTAs or some, grouped by agent (EVENT_DTYPE, times 0); each one's SM clock and CTA; laps of the
    32-bit clock not placed.

    A gap between two clocks of a warp that is longer than 2^32 cycles (2.2 s) loses whole laps; the 64-bit clock at the
    warp's end tells how many. TraceError if the log has no such agents or barriers.
    """
    rows = {(agent.cta, agent.warp): row for row, agent in enumerate(agents) if agent.warp >= 0}
    if set(rows) != {(cta, warp) for cta in range(raw.ctas) for warp in range(raw.warps)}:
        raise TraceError(
            tr(
                "the log has {attempted} slices, the program {rows} warps: not the same program",
                attempted=len(raw.attempted),
                rows=len(rows),
            )
        )
    by_stage = _barriers_by_stage(raw.ctas, barriers)
    site_rows = {site.op: row for row, site in enumerate(sites)}
    delay = round(shape.producer_delay_ps / ps_per_cycle)
    found: dict[int, tuple[int, _Piece]] = {}
    missed = 0
    for cta in range(raw.ctas) if ctas is None else ctas:
        reused: Ints = np.zeros(0, np.int64)
        for warp in range(raw.warps):
            agent = rows[cta, warp]
            start = agents[agent].start
            first, stages = (start.index + start.stages * start.phase, start.stages) if start else (0, 1)
            slice_ = _Slice(cta, warp, agent, first, stages, by_stage[cta], site_rows)
            if warp == 0:
                clocks = producer_clocks(raw, cta, shape.tiles, delay)
                reused = clocks.passed[stages:]
                pieces = _producer(raw, slice_, clocks, shape, [b for b in barriers if b.cta == cta])
            else:
                clocks = consumer_clocks(raw, cta, warp, reused)
                pieces = _consumer(raw, slice_, clocks, shape)
            missed += clocks.missed_laps
            found[agent] = (
                cta,
                (np.concatenate([piece[0] for piece in pieces]), np.concatenate([piece[1] for piece in pieces])),
            )
    ordered = [found[agent] for agent in sorted(found)]
    events = np.concatenate([np.empty(0, EVENT_DTYPE), *(piece[0] for _, piece in ordered)])
    cta_of = np.repeat(np.array([cta for cta, _ in ordered], np.int64), [len(piece[0]) for _, piece in ordered])
    return events, np.concatenate([np.empty(0, np.int64), *(piece[1] for _, piece in ordered)]), cta_of, missed


def _producer(
    raw: RawLog, slice_: _Slice, clocks: TileClocks, shape: PipelineShape, barriers: list[Barrier]
) -> list[_Piece]:
    wait = [
        _Step(EventKind.WAIT_BEGIN, "producer_acquire", "begun", "empty", has_parity=True),
        _Step(EventKind.WAIT_END, "producer_acquire", "passed", "empty", has_parity=True),
    ]
    tile = [
        *wait,
        _Step(EventKind.ARRIVE_EXPECT_TX, "producer_acquire", "passed", "full", shape.expected_bytes),
        *(
            _Step(EventKind.COPY_ISSUE, "copy", "copying", "full", shape.copy_bytes, share=box / shape.copies)
            for box in range(shape.copies)
        ),
        _Step(EventKind.ADVANCE, "advance write", "ended", has_parity=True),
    ]
    tail_wait = [
        _Step(EventKind.WAIT_BEGIN, "producer_tail", "begun", "empty", has_parity=True),
        _Step(EventKind.WAIT_END, "producer_tail", "passed", "empty", has_parity=True),
    ]
    tail = [*tail_wait, _Step(EventKind.ADVANCE, "producer_tail", "ended", has_parity=True)]
    stored = len(clocks.passed)
    body = min(stored, shape.tiles)
    return [
        _initialising(raw, slice_, barriers),
        _tiles(slice_, tile, clocks, np.arange(body)),
        _tiles(slice_, tail, clocks, np.arange(body, stored), of_tile=False),
        _ending(raw, slice_, clocks, (wait if stored < shape.tiles else tail_wait)[0], shape.tiles, "producer exit"),
    ]


def _consumer(raw: RawLog, slice_: _Slice, clocks: TileClocks, shape: PipelineShape) -> list[_Piece]:
    tile = [
        _Step(EventKind.WAIT_BEGIN, "consumer_wait", "begun", "full", has_parity=True),
        _Step(EventKind.WAIT_END, "consumer_wait", "passed", "full", has_parity=True),
        _Step(EventKind.READ_BEGIN, "read", "passed"),
        _Step(EventKind.READ_END, "read", "ended"),
        _Step(EventKind.ARRIVE, "consumer_release", "ended", "empty", shape.arrivals),
        _Step(EventKind.ADVANCE, "advance read", "ended", has_parity=True),
    ]
    return [
        _tiles(slice_, tile, clocks, np.arange(len(clocks.passed))),
        _ending(raw, slice_, clocks, tile[0], shape.tiles, "consumer exit"),
    ]


def _tiles(slice_: _Slice, steps: list[_Step], clocks: TileClocks, tile: Ints, *, of_tile: bool = True) -> _Piece:
    """The steps of each of these tiles; waits that belong to no tile have `of_tile` false."""
    events = np.zeros((len(tile), len(steps)), EVENT_DTYPE)
    times = np.zeros(events.shape, np.int64)
    for column, step in enumerate(steps):
        mine = events[:, column]
        _fill(mine, slice_, step, tile if of_tile else np.full(len(tile), -1), tile)
        begin = getattr(clocks, step.clock)[tile]
        times[:, column] = begin + ((clocks.ended[tile] - begin) * step.share).astype(np.int64)
        if step.clock in clocks.estimated or step.share:
            mine["flags"] |= np.uint8(EventFlag.ESTIMATED)
        if step.kind == EventKind.WAIT_END:
            mine["flags"] |= np.where(clocks.blocked[tile], EventFlag.BLOCKED, 0).astype(np.uint8)
    return events.ravel(), times.ravel()


def _fill(events: NDArray[np.void], slice_: _Slice, step: _Step, tile: Ints, count: Ints) -> None:
    """All columns but the times of one step with the cursor at `count`; an advance leaves it one further."""
    advances = step.kind == EventKind.ADVANCE
    place = slice_.first + count + advances
    events["kind"], events["agent"], events["tile"] = step.kind, slice_.agent, tile
    events["amount"] = count + 1 if advances else step.amount
    events["site"] = slice_.sites.get(step.site, -1)
    events["stage"] = place % slice_.stages
    events["parity"] = (place // slice_.stages) & 1 if step.has_parity else -1
    events["barrier"] = slice_.barriers[step.barrier][place % slice_.stages] if step.barrier else -1


def _initialising(raw: RawLog, slice_: _Slice, barriers: list[Barrier]) -> _Piece:
    """The initialisation of the barriers and its fence, between the CTA's first anchor and the begin of its tiles."""
    clocks = initialising(raw, slice_.cta, slice_.stages)
    number = len(clocks)
    events = np.zeros(number, EVENT_DTYPE)
    events["agent"] = slice_.agent
    events["tile"] = events["barrier"] = events["parity"] = events["stage"] = -1
    events["flags"] = EventFlag.ESTIMATED
    if number:
        events["kind"] = [EventKind.INIT] * (number - 1) + [EventKind.FENCE]
        events["site"] = slice_.sites.get("init", -1)
        events["site"][-1] = slice_.sites.get("fence", -1)
        counts = {(str(barrier.kind), barrier.stage): barrier.init_count for barrier in barriers}
        order = [(kind, stage) for kind in ("full", "empty") for stage in range(slice_.stages)]
        events["amount"][:-1] = [counts[place] for place in order]
        events["stage"][:-1] = [stage for _, stage in order]
        events["barrier"][:-1] = [slice_.barriers[kind][stage] for kind, stage in order]
    return events, clocks


def initialising(raw: RawLog, cta: int, stages: int) -> Ints:
    """SM clocks of the initialisation of each barrier and of its fence; none if the CTA did not come to its tiles."""
    begin, end = int(raw.anchors["clock"][cta, 0]), int(raw.spans["begin"][cta * raw.warps])
    number = 2 * stages + 1 if end else 0
    return begin + (end - begin) * np.arange(1, number + 1, dtype=np.int64) // (number + 1)


def _ending(raw: RawLog, slice_: _Slice, clocks: TileClocks, wait: _Step, tiles: int, exit_site: str) -> _Piece:
    """What followed the last record: a wait that did not pass, whether it gave up, and that the warp left."""
    row = slice_.cta * raw.warps + slice_.warp
    span, count = raw.spans[row], len(clocks.passed)
    wanted = tiles if slice_.warp else tiles + slice_.stages
    steps: list[tuple[_Step, int]] = []
    if not raw.lost[row] and span["begin"]:
        # A record is stored as the next wait begins. Whether that is so, a full log of a warp still there cannot tell.
        if span["timeout"] or (count < min(wanted, raw.capacity) and not span["end"]):
            steps.append((wait, max(clocks.last, int(clocks.ended[-1]) if count else 0)))
        if span["timeout"]:
            timeout = _Step(EventKind.TIMEOUT, wait.site, "", wait.barrier, has_parity=True)
            steps.append((timeout, int(span["timeout"])))
        if span["end"]:
            steps.append((_Step(EventKind.EXIT, wait.site if span["timeout"] else exit_site, ""), int(span["end"])))
    events = np.zeros(len(steps), EVENT_DTYPE)
    for place, (step, _) in enumerate(steps):
        tile = -1 if step.kind == EventKind.EXIT or count >= tiles else count
        _fill(events[place : place + 1], slice_, step, np.array([tile]), np.array([count]))
        if step.kind == EventKind.EXIT:
            events["stage"][place] = -1
    return events, np.array([clock for _, clock in steps], np.int64)


def _barriers_by_stage(ctas: int, barriers: Sequence[Barrier]) -> list[dict[str, Ints]]:
    stages = max((barrier.stage for barrier in barriers), default=-1) + 1
    found = [{kind: np.full(stages, -1, np.int64) for kind in ("full", "empty")} for _ in range(ctas)]
    for row, barrier in enumerate(barriers):
        if barrier.cta < ctas and barrier.kind in ("full", "empty"):
            found[barrier.cta][barrier.kind][barrier.stage] = row
    if any((rows < 0).any() for by_kind in found for rows in by_kind.values()):
        raise TraceError(tr("the log names a barrier that the program does not have"))
    return found
