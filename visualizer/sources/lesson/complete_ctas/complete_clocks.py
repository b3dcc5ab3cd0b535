"""Which CTAs of a log of clocks are complete, and their clocks laid out in program order.

Complete: the program's usual tables, nothing lost, no wait that gave up, a record for every tile, and every warp left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.reconstruction.clock_fit import ClockFit
from visualizer.recording.tables import Agent, Barrier
from visualizer.sources.lesson.raw_log import RawLog
from visualizer.sources.lesson.tile_clocks import LAP, Ints, producer_clocks, unwrap
from visualizer.sources.lesson.tile_events import PipelineShape, initialising

Bools = NDArray[np.bool_]

CONSUMER_STEPS = 6
"""Events of a consumer warp per tile: wait begins and ends, read begins and ends, arrive, advance."""
WAIT_BEGIN, WAIT_END, RELEASE = 0, 1, 4
"""Which of them are the wait and the arrival; a producer's wait is its first two events of a tile as well."""
EXPECT, FIRST_COPY = 2, 3
"""Of the producer's events of a tile: arrive.expect_tx, and the first copy's issue; the last is the advance."""
TAIL_STEPS = 3


@dataclass(frozen=True, slots=True)
class Grid:
    """How many of what a complete CTA has."""

    tiles: int
    stages: int
    copies: int  # per tile
    consumers: int  # warps

    @property
    def producer_steps(self) -> int:
        """Events of the producer per tile."""
        return FIRST_COPY + self.copies + 1

    @property
    def prologue(self) -> int:
        """The producer's events before its tiles: a barrier's initialisation each, and the fence."""
        return 2 * self.stages + 1

    @property
    def producer_events(self) -> int:
        return self.prologue + self.tiles * self.producer_steps + self.stages * TAIL_STEPS + 1

    @property
    def consumer_events(self) -> int:
        """Of one warp."""
        return self.tiles * CONSUMER_STEPS + 1

    @property
    def logged(self) -> int:
        """Events that agents log."""
        return self.producer_events + self.consumers * self.consumer_events

    @property
    def events(self) -> int:
        """All events: with a completion of both barriers per tile, and each copy's landing."""
        return self.logged + 2 * self.tiles + 2 * self.tiles * self.copies

    def producer_tiles(self, producer: NDArray[Any]) -> NDArray[Any]:
        """A view of the part of the producer's events that belongs to tiles, (tiles, producer_steps)."""
        steps = self.producer_steps
        return producer[self.prologue : self.prologue + self.tiles * steps].reshape(self.tiles, steps)

    def tail(self, producer: NDArray[Any]) -> NDArray[Any]:
        """A view of the producer's last waits, (stages, TAIL_STEPS)."""
        return producer[-1 - self.stages * TAIL_STEPS : -1].reshape(self.stages, TAIL_STEPS)

    def consumer_tiles(self, consumers: NDArray[Any]) -> NDArray[Any]:
        """A view of the consumers' events that belong to tiles, (consumers, tiles, CONSUMER_STEPS)."""
        return consumers[:, :-1].reshape(self.consumers, self.tiles, CONSUMER_STEPS)


@dataclass(frozen=True, eq=False)
class CompleteClocks:
    """What the agents of a complete CTA logged: times (ps) in program order."""

    grid: Grid
    producer: Ints  # (producer_events,)
    consumers: Ints  # (consumers, consumer_events)
    acquire_blocked: Bools  # (tiles + stages,): the producer's waits
    wait_blocked: Bools  # (consumers, tiles)
    missed_laps: int

    @property
    def logged_events(self) -> int:
        """How many events agents logged."""
        return self.grid.logged

    @property
    def earliest(self) -> int:
        return min(int(self.producer.min()), int(self.consumers.min()))

    @property
    def latest(self) -> int:
        return max(int(self.producer.max()), int(self.consumers.max()))

    @property
    def seen(self) -> Bools:
        """Whether a wait saw the last copy of a tile land, (tiles,)."""
        seen: Bools = np.logical_or.reduce(self.wait_blocked, axis=0)
        return seen

    @property
    def landing_times(self) -> Ints:
        """As Evidence.landing_times."""
        seen = self.seen
        issue = self.grid.producer_tiles(self.producer)[seen, -2]
        times: Ints = self.grid.consumer_tiles(self.consumers)[:, seen, WAIT_END].min(axis=0) - 1 - issue
        return times

    def count_from(self, origin: int) -> None:
        """Make times count from `origin`, in place."""
        np.subtract(self.producer, origin, out=self.producer)
        np.subtract(self.consumers, origin, out=self.consumers)


def complete_ctas(raw: RawLog, agents: Sequence[Agent], barriers: Sequence[Barrier], shape: PipelineShape) -> list[int]:
    """The complete CTAs of `raw`; none at levels that leave clocks out."""
    if raw.level != "full" or raw.lost.any() or not _is_usual(raw, agents, barriers, shape):
        return []
    stages = len(barriers) // (2 * raw.ctas)
    stored, spans = raw.stored.reshape(raw.ctas, raw.warps), raw.spans.reshape(raw.ctas, raw.warps)
    complete = (stored[:, 0] == shape.tiles + stages) & (stored[:, 1:] == shape.tiles).all(axis=1)
    complete &= ((spans["begin"] > 0) & (spans["end"] > 0) & (spans["timeout"] == 0)).all(axis=1)
    found: list[int] = np.flatnonzero(complete).tolist()
    return found


def _is_usual(raw: RawLog, agents: Sequence[Agent], barriers: Sequence[Barrier], shape: PipelineShape) -> bool:
    """Whether each CTA has a producer, consumers and a copy engine, a pair of barriers a stage, in this order, and the
    amounts of a tile add up to a phase of each."""
    ctas, warps = raw.ctas, raw.warps
    stages = len(barriers) // (2 * max(ctas, 1))
    if min(ctas, stages, shape.tiles, shape.copies, shape.copy_bytes, warps - 1) < 1:
        return False
    if len(agents) != ctas * (warps + 1) or len(barriers) != ctas * 2 * stages:
        return False
    if shape.expected_bytes != shape.copies * shape.copy_bytes:
        return False
    for row, agent in enumerate(agents):
        cta, warp = divmod(row, warps + 1)
        if agent.cta != cta or agent.warp != (warp if warp < warps else -1):
            return False
        if warp == warps and agent.role != "copy_engine":
            return False
        start = agent.start
        if warp < warps and (
            start is None or (start.stages, start.index, start.phase) != (stages, 0, 0 if warp else 1)
        ):
            return False
    for row, barrier in enumerate(barriers):
        cta, place = divmod(row, 2 * stages)
        kind, count = ("full", 1) if place < stages else ("empty", (warps - 1) * shape.arrivals)
        wanted = (cta, kind, place % stages, count, 0)
        if (barrier.cta, barrier.kind, barrier.stage, barrier.init_count, barrier.first_phase) != wanted:
            return False
    return True


def read_ctas(
    raw: RawLog, ctas: Sequence[int], stages: int, shape: PipelineShape, clock: ClockFit
) -> list[CompleteClocks]:
    """The clocks of complete CTAs; times on the scale of `clock`."""
    grid = Grid(shape.tiles, stages, shape.copies, raw.warps - 1)
    # All together in large blocks, which go back to the system as soon as they are done with.
    producers = np.empty((len(ctas), grid.producer_events), np.int64)
    consumers = np.empty((len(ctas), grid.consumers, grid.consumer_events), np.int64)

    def read(row: int) -> CompleteClocks:
        sm = int(raw.anchors["smid"][ctas[row], 0])
        acquire_blocked, missed = _read_producer(raw, ctas[row], grid, producers[row])
        producers[row] = clock.of_sm(producers[row].view(np.uint64), sm)
        marks, wait_blocked, missed_waiting = _read_consumers(raw, ctas[row], grid)
        marks = clock.of_sm(marks.view(np.uint64), sm)
        steps = grid.consumer_tiles(consumers[row])
        steps[..., WAIT_BEGIN] = marks[:, :-2:2]
        steps[..., WAIT_END : WAIT_END + 2] = marks[:, 1:-2:2, None]
        steps[..., WAIT_END + 2 :] = marks[:, 2:-1:2, None]
        consumers[row, :, -1] = marks[:, -1]
        return CompleteClocks(
            grid, producers[row], consumers[row], acquire_blocked, wait_blocked, missed + missed_waiting
        )

    return [read(row) for row in range(len(ctas))]  # steps too short for threads to take turns


def _read_producer(raw: RawLog, cta: int, grid: Grid, producer: Ints) -> tuple[Bools, int]:
    """Write the SM clocks of its events; which of its waits blocked, and missed laps."""
    tiles = grid.tiles
    clocks = producer_clocks(raw, cta, tiles, 0)
    producer[: grid.prologue] = initialising(raw, cta, grid.stages)
    own, tail = grid.producer_tiles(producer), grid.tail(producer)
    own[:, WAIT_BEGIN], tail[:, WAIT_BEGIN] = clocks.begun[:tiles], clocks.begun[tiles:]
    own[:, WAIT_END], tail[:, WAIT_END] = clocks.passed[:tiles], clocks.passed[tiles:]
    own[:, EXPECT] = clocks.passed[:tiles]
    copying, ended = clocks.copying[:tiles], clocks.ended[:tiles]
    for copy in range(grid.copies):
        own[:, FIRST_COPY + copy] = copying + ((ended - copying) * (copy / grid.copies)).astype(np.int64)
    own[:, -1], tail[:, -1] = ended, clocks.ended[tiles:]
    producer[-1] = raw.spans["end"][cta * raw.warps]
    return clocks.blocked, clocks.missed_laps


def _read_consumers(raw: RawLog, cta: int, grid: Grid) -> tuple[Ints, Bools, int]:
    """Per warp, SM clocks of its waits' begins and ends, last tile's end and exit; which waits blocked; missed laps."""
    marks = np.empty((grid.consumers, 2 * grid.tiles + 2), np.int64)
    spans = raw.spans[cta * raw.warps + 1 : (cta + 1) * raw.warps]
    words = raw.consumer_clocks(cta)[:, : grid.tiles]
    # When a warp was done with its last tile: unknown if 0, and then taken to be when it began to read it.
    done = np.where(spans["begun"] > 0, spans["begun"], words[:, -1, 1])
    marks[:, :-1] = unwrap(spans["begin"].astype(np.int64), words.reshape(grid.consumers, -1), done[:, None])
    marks[:, -1] = spans["end"]
    missed = np.maximum(marks[:, -1] - marks[:, -2], 0) // LAP * (spans["begun"] > 0)
    return marks, (words[..., 1] & 1).astype(bool), int(missed.sum())
