"""When copies landed and what must be moved in a regular CTA: derive's and reconcile's rules, tile against tile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from visualizer.trace.clocks import Ints
from visualizer.trace.derive import Pace
from visualizer.trace.regular.cta import EXPECT, FIRST_COPY, RELEASE, WAIT_BEGIN, WAIT_END, Bools, Grid, RegularCta

_MOST_ROUNDS = 20
_LONGEST_RUN = 50
"""More rounds, or more events in a row that move, are left to reconcile: it may have to give some evidence up."""


@dataclass(frozen=True, eq=False)
class Settled:
    """Times (ps) after reconciling, as in RegularCta, with those of the landings."""

    producer: Ints
    consumers: Ints
    landings: Ints  # (tiles, copies)
    last: Ints  # (tiles,): the consumer that arrives last and so completes the empty barrier's phase


def land(cta: RegularCta, pace: Pace) -> tuple[Ints, Bools]:
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


def settle(cta: RegularCta, landings: Ints) -> Settled | None:
    """The least times with every dependency strict; None if laps overlap or it takes too long, for reconcile to judge.

    reconcile._dependencies says why each is one.
    """
    grid, stages = cta.grid, cta.grid.stages
    releases = grid.consumer_tiles(cta.consumers)[..., RELEASE]
    order = np.argsort(releases.T, axis=1, kind="stable").T if grid.consumers > 1 else np.zeros((1, grid.tiles), int)
    arrived = np.take_along_axis(releases, order, axis=0)
    if (arrived[-1, :-stages] >= arrived[0, stages:]).any():
        return None
    found = Settled(cta.producer.copy(), cta.consumers.copy(), landings.copy(), order[-1])
    producer_steps, consumer_steps = np.arange(len(cta.producer)), np.arange(grid.consumer_events)
    for _ in range(_MOST_ROUNDS):
        _in_order(found.producer, producer_steps)
        _raise(found.consumers[:, 0], found.producer[grid.prologue - 1] + 1)  # the fence
        _in_order(found.consumers, consumer_steps)
        _land_after(cta, found)
        if not (_filled(grid, found) | _freed(cta, found, order)):
            return found if _short(cta.producer, found.producer) and _short(cta.consumers, found.consumers) else None
    return None


def _in_order(times: Ints, steps: Ints) -> None:
    """Raise times until each is above the one before it along the last axis."""
    times -= steps
    np.maximum.accumulate(times, axis=-1, out=times)
    times += steps


def _land_after(cta: RegularCta, found: Settled) -> None:
    """Raise landings above their issue, the expectation of their bytes, the waits that they ended, and each other."""
    grid, landings = cta.grid, found.landings
    own, waits = grid.producer_tiles(found.producer), grid.consumer_tiles(found.consumers)
    np.maximum(landings, own[:, FIRST_COPY:-1] + 1, out=landings)
    last = landings[:, -1]
    refused = np.where(cta.wait_blocked, waits[..., WAIT_BEGIN], -1).max(axis=0)
    np.maximum(last, np.maximum(refused, own[:, EXPECT]) + 1, out=last)
    for stage in range(grid.stages):
        laps = landings[stage :: grid.stages]
        times = laps.ravel()
        _in_order(times, np.arange(len(times)))
        laps[:] = times.reshape(laps.shape)


def _filled(grid: Grid, found: Settled) -> bool:
    """Raise what a completed full barrier comes before; whether something had to be."""
    own, waits = grid.producer_tiles(found.producer), grid.consumer_tiles(found.consumers)
    after = found.landings[:, -1] + 1
    raised = _raise(own[grid.stages :, EXPECT], after[: -grid.stages])
    return _raise(waits[..., WAIT_END], after) or raised


def _freed(cta: RegularCta, found: Settled, order: Ints) -> bool:
    """Raise arrivals above each other and refused waits, and waits above the last arrival; whether something was."""
    grid, stages = cta.grid, cta.grid.stages
    own, tail = grid.producer_tiles(found.producer), grid.tail(found.producer)
    releases = grid.consumer_tiles(found.consumers)[..., RELEASE]
    arrived = np.take_along_axis(releases, order, axis=0)
    raised = False
    for row in range(1, grid.consumers):
        raised |= _raise(arrived[row], arrived[row - 1] + 1)
    # The waits for the stage of tile t to be free again are those of tile t + stages, or the last ones.
    begins = np.concatenate([own[:, WAIT_BEGIN], tail[:, WAIT_BEGIN]])[stages:]
    raised |= _raise(arrived[-1], np.where(cta.acquire_blocked[stages:], begins, -1) + 1)
    raised |= _raise(arrived[0, stages:], arrived[-1, :-stages] + 1)
    if raised:
        np.put_along_axis(releases, order, arrived, axis=0)
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


def _short(measured: Ints, times: Ints) -> bool:
    """Whether no long run of events moved."""
    still = np.flatnonzero((measured == times).ravel())
    return int(np.diff(still, prepend=-1, append=times.size).max()) <= _LONGEST_RUN
