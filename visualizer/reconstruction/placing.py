"""Where a barrier was when the recording began: its count, its phase's parity and the arrivals that it already had.

Whoever keeps the last records of each agent loses the inits. What comes after tells: a wait with parity p passes while
its barrier is in a phase of the other parity, so between two waits of an agent of which the parity turned one phase
ended; and in every phase the same agents arrive. Of all counts and places that these allow, one must be left over. If
none is, or several are, the barrier's phases are not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from visualizer.arrays.ordering import Ints

_MOST_ROUNDS = 8  # times that whoever arrives least often may arrive in one phase
_LEAST_TURNS = 2  # turns of parity that a count must explain: one is explained by too many
_BY_LUCK = 2  # phases in which clocks that were read early or late may tell against a place
_SLACK = 8  # a wait may be at odds by this part of a phase: clocks are read before or after


@dataclass(frozen=True, eq=False)
class BarrierUse:
    """What the recording holds of one barrier. Times in ps. Arrivals in order of time."""

    arrived: Ints  # (arrivals,): when ...
    whose: Ints  # ... by whom, counted from 0 ...
    amount: Ints  # ... and how many
    passed: Ints  # (passes,): when waits had passed, agent by agent in program order ...
    passing: Ints  # ... whose each was ...
    parity: Ints  # ... and its parity
    refused: Ints  # (refusals,): when a test was false ...
    refused_parity: Ints  # ... and its parity
    late: bool  # bytes, an engine or arrivals from other CTAs, which come later than known, may hold its phases open


@dataclass(frozen=True, slots=True)
class Place:
    """Of a barrier when the recording begins."""

    count: int  # arrivals of a phase; 0: not known, and no phase ends in the recording
    parity: int  # of the first phase all of whose arrivals are recorded
    skip: int  # arrivals that belong to the phase before that one

    def current(self, positions: Ints) -> Ints:
        """The phase that the barrier is in after so many arrivals, counted from the first whole one."""
        return (positions - self.skip) // self.count if self.count else np.zeros(len(positions), np.int64)

    def later(self) -> Place:
        """The same, of a recording that begins a phase later."""
        return Place(self.count, self.parity ^ 1, self.skip + self.count)


UNKNOWN = Place(0, 0, 0)


@dataclass(frozen=True, slots=True)
class _Option:
    """A place that the clocks allow."""

    place: Place
    odds: int  # phase ends near which waits contradict it unless clocks were read early or late
    uneven: int  # by how much what each agent gives differs from phase to phase
    whole: int  # phases that are recorded whole

    @property
    def clear(self) -> bool:
        """Whether enough phases are alike to believe a count that nothing tells."""
        return not self.uneven and self.whole >= _LEAST_TURNS


def place(use: BarrierUse, told: int) -> Place | None:
    """The place of a barrier; None: it cannot be told. `told`: its count where an init says it; 0: none does."""
    if not len(use.arrived):
        parities = np.concatenate([use.parity ^ 1, use.refused_parity])
        same = len(parities) > 0 and bool((parities == parities[0]).all())
        return Place(told, int(parities[0]), 0) if same else None
    if not told and _turns(use) < _LEAST_TURNS:
        return None
    guessed = (option for count in _counts(use) for option in _options(use, count) if option.clear)
    found = list(_options(use, told) if told else guessed)
    if told:
        found = [option for option in found if not option.uneven] or found
    least = min((option.odds for option in found), default=0)
    if told and least and any(option.odds < least and option.place.count < told for option in guessed):
        return None  # drops that are not recorded may have lowered its count
    best = [option for option in found if option.odds <= least + _BY_LUCK]
    # As many waits fit a count of which theirs is an odd multiple, if nobody waited for two phases in three.
    count = max((option.place.count for option in best), default=0)
    if any(count % option.place.count or count // option.place.count % 2 == 0 for option in best):
        return None
    best = [option for option in best if option.place.count == count]
    if len(best) > 1:
        # Who waits is mostly who lets the next phase begin: then nobody has arrived for it when a wait passes.
        best = [option for option in best if _ahead(use, option.place) <= _BY_LUCK]
    return best[0].place if len(best) == 1 else None


def _turns(use: BarrierUse) -> int:
    """How often the parity turned, for the agent for which it did so most often."""
    turns = (np.diff(use.parity) != 0) & (np.diff(use.passing) == 0)
    return int(np.bincount(use.passing[1:][turns]).max(initial=0))


def _counts(use: BarrierUse) -> list[int]:
    """Counts that could be: multiples of what comes together if each agent arrives once in a phase, or as often as it
    does beside the others."""
    times = np.bincount(use.whose)
    usual = np.bincount(use.whose, use.amount) / times
    together = {int(np.rint(often @ usual)) for often in (np.ones(len(times)), np.rint(times / times.min()))}
    most = int(use.amount.sum()) // _LEAST_TURNS
    counts = {rounds * some for some in together for rounds in range(1, _MOST_ROUNDS + 1)}
    return sorted(count for count in counts if 0 < count <= most)


def _options(use: BarrierUse, count: int) -> Iterator[_Option]:
    """The places that a count allows."""
    ends = np.cumsum(use.amount)
    skips = np.concatenate([[0], ends[ends < count]])
    for skip in skips.tolist():
        phases = int(ends[-1] - skip) // count
        wanted = skip + count * np.arange(0 if skip else 1, phases + 1)
        at = np.searchsorted(ends, wanted)
        if (ends[np.minimum(at, len(ends) - 1)] != wanted).any():
            continue  # an arrival would belong to two phases
        flips = use.arrived[at]
        # In which phase it was, counted from the one that is open at the beginning: -1 or 0.
        base = -1 if skip else 0
        bits = (base + np.searchsorted(flips, use.passed, side="right")) & 1
        slack = int(np.median(np.diff(flips))) // _SLACK if len(flips) > 1 else 0
        # A clock is read before an arrival, which may be on its way when a test is still false.
        refused, by_then = ((base + np.searchsorted(flips, use.refused - ago)) & 1 for ago in (0, slack))
        for parity in (0, 1):
            odd = use.passed[(bits ^ parity) == use.parity]
            if not use.late:
                false = ((refused ^ parity) != use.refused_parity) & ((by_then ^ parity) != use.refused_parity)
                odd = np.concatenate([odd, use.refused[false]])
            if len(odd) and not len(flips):
                continue
            nearest = _nearest(flips, odd) if len(odd) else odd
            if (np.abs(odd - flips[nearest]) > slack).any():
                continue
            found = Place(count, parity, skip)
            yield _Option(found, len(np.unique(nearest)), *_unevenness(use, found))


def _ahead(use: BarrierUse, option: Place) -> int:
    """In how many phases somebody arrived for it before a wait passed on the one before."""
    ends = np.append(0, np.cumsum(use.amount))
    at = ends[np.searchsorted(use.arrived, use.passed, side="right")] - option.skip
    ahead = at[(at >= 0) & (at % option.count > 0)]
    return len(np.unique(ahead // option.count))


def _nearest(flips: Ints, times: Ints) -> Ints:
    """The flip that each time is nearest to."""
    after = np.searchsorted(flips, times)
    before = np.maximum(after - 1, 0)
    after = np.minimum(after, len(flips) - 1)
    return np.where(times - flips[before] <= np.abs(flips[after] - times), before, after)


def _unevenness(use: BarrierUse, option: Place) -> tuple[int, int]:
    """By how much what each agent gives differs from phase to phase, of which those that are not whole may lack some;
    and how many are whole."""
    phase = option.current(np.cumsum(use.amount) - use.amount) + 1
    given = np.zeros((int(phase.max()) + 1, int(use.whose.max()) + 1), np.int64)
    np.add.at(given, (phase, use.whose), use.amount)
    whole = given.sum(axis=1) == option.count
    if not whole.any():
        return 0, 0
    usual = np.median(given[whole], axis=0).astype(np.int64)
    uneven = np.abs(given[whole] - usual).sum() + np.maximum(given[~whole] - usual, 0).sum()
    return int(uneven), int(whole.sum())
