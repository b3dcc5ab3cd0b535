"""Which CTAs of a log of clocks are complete, and their clocks laid out in program order.

Complete: the program's usual tables, nothing lost, no wait that gave up, a record for every tile, and every warp left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.trace.clock import ClockFit
from visualizer.trace.clocks import Ints, consumer_clocks, producer_clocks
from visualizer.trace.raw import RawLog
from visualizer.trace.tables import Agent, Barrier
from visualizer.trace.unfold import PipelineShape, initialising

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
    """How many of what a regular CTA has."""

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

    def producer_tiles(self, producer: NDArray[np.generic]) -> NDArray[np.generic]:
        """A view of the part of the producer's events that belongs to tiles, (tiles, producer_steps)."""
        steps = self.producer_steps
        return producer[self.prologue : self.prologue + self.tiles * steps].reshape(self.tiles, steps)

    def tail(self, producer: NDArray[np.generic]) -> NDArray[np.generic]:
        """A view of the producer's last waits, (stages, TAIL_STEPS)."""
        return producer[-1 - self.stages * TAIL_STEPS : -1].reshape(self.stages, TAIL_STEPS)

    def consumer_tiles(self, consumers: NDArray[np.generic]) -> NDArray[np.generic]:
        """A view of the consumers' events that belong to tiles, (consumers, tiles, CONSUMER_STEPS)."""
        return consumers[:, :-1].reshape(self.consumers, self.tiles, CONSUMER_STEPS)


@dataclass(frozen=True, eq=False)
class RegularCta:
    """What the agents of a complete CTA logged: times (ps) in program order."""

    grid: Grid
    producer: Ints  # (producer_events,)
    consumers: Ints  # (consumers, consumer_events)
    acquire_blocked: Bools  # (tiles + stages,): the producer's waits
    wait_blocked: Bools  # (consumers, tiles)
    missed_laps: int

    @property
    def logged(self) -> int:
        """Events that agents logged."""
        return self.grid.logged

    @property
    def most_events(self) -> int:
        """As Evidence.most_events: enough for either way."""
        return self.grid.events + 2 * self.grid.tiles

    @property
    def earliest(self) -> int:
        return min(int(self.producer.min()), int(self.consumers.min()))

    @property
    def latest(self) -> int:
        return max(int(self.producer.max()), int(self.consumers.max()))

    @property
    def landing_times(self) -> Ints:
        """As Evidence.landing_times."""
        seen = self.wait_blocked.any(axis=0)
        issue = self.grid.producer_tiles(self.producer)[seen, -2]
        times: Ints = self.grid.consumer_tiles(self.consumers)[:, seen, WAIT_END].min(axis=0) - 1 - issue
        return times

    def count_from(self, origin: int) -> None:
        """Make times count from `origin`, in place."""
        np.subtract(self.producer, origin, out=self.producer)
        np.subtract(self.consumers, origin, out=self.consumers)


def regular_ctas(raw: RawLog, agents: Sequence[Agent], barriers: Sequence[Barrier], shape: PipelineShape) -> list[int]:
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


def read_cta(raw: RawLog, cta: int, stages: int, shape: PipelineShape, clock: ClockFit) -> RegularCta:
    """A complete CTA's clocks; times on the scale of `clock`."""
    grid = Grid(shape.tiles, stages, shape.copies, raw.warps - 1)
    tiles = grid.tiles
    sm = int(raw.anchors["smid"][cta, 0])
    own = raw.spans[cta * raw.warps : (cta + 1) * raw.warps]
    clocks = producer_clocks(raw, cta, tiles, 0)
    missed = clocks.missed_laps
    producer = np.empty(grid.producer_events, np.int64)
    producer[: grid.prologue] = initialising(raw, cta, stages)
    per_tile = grid.producer_tiles(producer)
    per_tile[:, WAIT_BEGIN] = clocks.begun[:tiles]
    per_tile[:, WAIT_END] = per_tile[:, EXPECT] = clocks.passed[:tiles]
    copying, ended = clocks.copying[:tiles], clocks.ended[:tiles]
    for copy in range(grid.copies):
        per_tile[:, FIRST_COPY + copy] = copying + ((ended - copying) * (copy / grid.copies)).astype(np.int64)
    per_tile[:, -1] = ended
    grid.tail(producer)[:] = np.stack([clocks.begun[tiles:], clocks.passed[tiles:], clocks.ended[tiles:]], axis=1)
    producer[-1] = own["end"][0]
    reused = clocks.passed[stages:]

    marks = np.empty((grid.consumers, 2 * tiles + 2), np.int64)  # begin and end of each wait, the last end, the exit
    wait_blocked = np.empty((grid.consumers, tiles), bool)
    for row in range(grid.consumers):
        waits = consumer_clocks(raw, cta, row + 1, reused)
        marks[row, :-2:2], marks[row, 1:-2:2] = waits.begun, waits.passed
        marks[row, -2], marks[row, -1] = waits.ended[-1], own["end"][row + 1]
        wait_blocked[row] = waits.blocked
        missed += waits.missed_laps
    marks = clock.of_sm(marks.astype(np.uint64), sm)
    consumers = np.empty((grid.consumers, grid.consumer_events), np.int64)
    steps = grid.consumer_tiles(consumers)
    steps[..., WAIT_BEGIN] = marks[:, :-2:2]
    steps[..., WAIT_END : WAIT_END + 2] = marks[:, 1:-2:2, None]
    steps[..., WAIT_END + 2 :] = marks[:, 2:-1:2, None]
    consumers[:, -1] = marks[:, -1]
    return RegularCta(grid, clock.of_sm(producer.astype(np.uint64), sm), consumers, clocks.blocked, wait_blocked, missed)
