"""When copies landed and what must be moved in a complete CTA: derive's and reconcile's rules, tile against tile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from visualizer.reconstruction.pace import Pace
from visualizer.sources.lesson.complete_ctas.complete_clocks import (
    EXPECT,
    FIRST_COPY,
    RELEASE,
    WAIT_BEGIN,
    WAIT_END,
    Bools,
    CompleteClocks,
    Grid,
)
from visualizer.sources.lesson.tile_clocks import Ints

_MOST_ROUNDS = 20
_LONGEST_RUN = 50
"""More rounds, or so many events in a row that move, are left to reconcile: it may have to give some evidence up."""
_FEW = 8
"""Up to one in so many events out of order, and so many in a row, are put in order one by one."""


@dataclass(frozen=True, eq=False)
class Settled:
    """Times (ps) after reconciling, as in CompleteClocks, with those of the landings."""

    producer: Ints
    consumers: Ints
    landings: Ints  # (tiles, copies)
    rank: Ints  # (consumers, tiles): which to arrive each is, from 0; the last one completes the empty barrier's phase

    def moves(self, cta: CompleteClocks, landings: Ints) -> Ints | None:
        """How far (ps) each event that moved did; None if a long run of an agent's events moved."""
        distances = []
        pairs = ((cta.producer, self.producer), (cta.consumers, self.consumers), (landings, self.landings))
        for before, after in pairs:
            rows = np.flatnonzero(after != before)
            far = _LONGEST_RUN - 1
            if after is not self.landings and (rows[far:] - rows[:-far] == far).any():
                return None
            distances.append(after.take(rows) - before.take(rows))
        return np.concatenate(distances)


def land(cta: CompleteClocks, pace: Pace) -> tuple[Ints, Bools]:
    """When each copy landed, (tiles, copies), before reconciling; and whether a wait saw the last of a tile, (tiles,).
    derive._land has the same rules for any program."""
    grid = cta.grid
    waits = grid.consumer_tiles(cta.consumers)
    issue = grid.producer_tiles(cta.producer)[:, FIRST_COPY:-1]
    upper = waits[..., WAIT_END].min(axis=0) - 1
    lower = np.where(cta.wait_blocked, waits[..., WAIT_BEGIN], -1).max(axis=0) + 1
    seen = cta.seen
    estimate = np.minimum(np.maximum(issue[:, -1] + pace.landing_ps, lower), upper)
    time = np.empty(issue.shape, np.int64)
    time[:, -1] = np.maximum(np.where(seen, upper, estimate), issue[:, -1] + 1)
    if grid.copies > 1:
        # The others land before what closes their tile or a later one of the stage, 1 ps apart, in order of issue.
        place = np.arange(grid.tiles) // grid.stages * grid.copies
        close = time[:, -1] - place - (grid.copies - 1)
        for stage in range(grid.stages):
            laps = close[stage :: grid.stages]
            laps[:] = np.minimum.accumulate(laps[::-1])[::-1]
        limit = (close + place)[:, None] + np.arange(grid.copies - 1)
        time[:, :-1] = np.maximum(np.minimum(issue[:, :-1] + pace.landing_ps, limit), issue[:, :-1] + 1)
    return time, seen


def settle(cta: CompleteClocks, landings: Ints) -> Settled | None:
    """The least times with every dependency strict; None if laps overlap or it takes too long, for reconcile to judge.

    reconcile._dependencies says why each is one.
    """
    grid, stages = cta.grid, cta.grid.stages
    releases = grid.consumer_tiles(cta.consumers)[..., RELEASE]
    rank = _rank(releases)
    # Where the arrivals are among all events of the consumers, tile by tile in the order in which they arrive.
    places = np.empty_like(rank)
    own = grid.consumer_tiles(np.arange(cta.consumers.size).reshape(cta.consumers.shape))[..., RELEASE]
    places[rank, np.arange(grid.tiles)] = own
    arrived = cta.consumers.ravel()[places]
    if (arrived[-1, :-stages] >= arrived[0, stages:]).any():
        return None
    found = Settled(cta.producer.copy(), cta.consumers.copy(), landings.copy(), rank)
    for _ in range(_MOST_ROUNDS):
        _in_order(found.producer)
        _raise(found.consumers[:, 0], found.producer[grid.prologue - 1] + 1)  # the fence
        for warp in found.consumers:
            _in_order(warp)
        _land_after(cta, found)
        if not (_filled(grid, found) | _freed(cta, found, places)):
            return found
    return None


def _rank(releases: Ints) -> Ints:
    """Which to arrive each is of its tile, from 0, (consumers, tiles). Of equal ones the first consumer is."""
    rank = np.zeros(releases.shape, np.int64)
    for later in range(1, len(releases)):
        for earlier in range(later):
            after = releases[later] >= releases[earlier]
            rank[later] += after
            rank[earlier] += ~after
    return rank


def _in_order(times: Ints) -> None:
    """Raise times until each is above the one before it."""
    is_late = times[1:] <= times[:-1]
    if np.count_nonzero(is_late) <= len(times) // _FEW:
        late = np.flatnonzero(is_late)
        for _ in range(_FEW):
            if not len(late):
                return
            times[late + 1] = times[late] + 1
            late = late[late < len(times) - 2] + 1
            late = late[times[late + 1] <= times[late]]
    steps = np.arange(len(times))
    times -= steps
    np.maximum.accumulate(times, out=times)
    times += steps


def _land_after(cta: CompleteClocks, found: Settled) -> None:
    """Raise landings above their issue, the expectation of their bytes, the waits that they ended, and each other."""
    grid, landings = cta.grid, found.landings
    own, waits = grid.producer_tiles(found.producer), grid.consumer_tiles(found.consumers)
    np.maximum(landings, own[:, FIRST_COPY:-1] + 1, out=landings)
    last = landings[:, -1]
    refused = np.where(cta.wait_blocked, waits[..., WAIT_BEGIN], -1).max(axis=0)
    np.maximum(last, np.maximum(refused, own[:, EXPECT]) + 1, out=last)
    for stage in range(grid.stages):
        laps = landings[stage :: grid.stages]
        times = laps.flatten()
        _in_order(times)
        laps[:] = times.reshape(laps.shape)


def _filled(grid: Grid, found: Settled) -> bool:
    """Raise what a completed full barrier comes before; whether something had to be."""
    own, waits = grid.producer_tiles(found.producer), grid.consumer_tiles(found.consumers)
    after = found.landings[:, -1] + 1
    raised = _raise(own[grid.stages :, EXPECT], after[: -grid.stages])
    return _raise(waits[..., WAIT_END], after) or raised


def _freed(cta: CompleteClocks, found: Settled, places: Ints) -> bool:
    """Raise arrivals above each other and refused waits, and waits above the last arrival; whether something was."""
    grid, stages = cta.grid, cta.grid.stages
    own, tail = grid.producer_tiles(found.producer), grid.tail(found.producer)
    consumers = found.consumers.reshape(-1)
    arrived = consumers[places]
    raised = False
    for row in range(1, grid.consumers):
        raised |= _raise(arrived[row], arrived[row - 1] + 1)
    # The waits for the stage of tile t to be free again are those of tile t + stages, or the last ones.
    begins = np.concatenate([own[:, WAIT_BEGIN], tail[:, WAIT_BEGIN]])[stages:]
    raised |= _raise(arrived[-1], np.where(cta.acquire_blocked[stages:], begins, -1) + 1)
    raised |= _raise(arrived[0, stages:], arrived[-1, :-stages] + 1)
    if raised:
        consumers[places] = arrived
    after, split = arrived[-1] + 1, max(grid.tiles - stages, 0)
    raised |= _raise(own[stages:, WAIT_END], after[:split])
    raised |= _raise(tail[max(stages - grid.tiles, 0) :, WAIT_END], after[split:])
    return bool(raised)


def _raise(times: Ints, least: Ints) -> bool:
    """Raise times that are below; whether any was."""
    if not (times < least).any():
        return False
    np.maximum(times, least, out=times)
    return True
