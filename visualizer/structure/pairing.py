"""Which array of empty barriers guards the buffers of which full ones: by who uses both, and in what order."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from visualizer.structure.barrier_arrays import BarrierArray, could_go_on
from visualizer.structure.facts import FILLS, RELEASES, Facts, Stream
from visualizer.structure.uses import Action

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a pair: agents that wait for empty before they fill, and agents that read before they release."""

    producers: bool
    consumers: bool
    sure: bool  # how long they are: one came round by itself, or nothing beside them could be one more stage


@dataclass(frozen=True, slots=True)
class Pair:
    """Arrays of equal length. `proved`: each came round by itself, so that its length is sure."""

    fulls: tuple[BarrierArray, ...]  # several: each stage is loaded in as many parts, and freed at once
    empty: BarrierArray
    evidence: Evidence
    proved: bool


def find_pairs(facts: Facts, arrays: list[BarrierArray]) -> tuple[list[Pair], list[BarrierArray]]:
    """Pairs, and the arrays that could be in none. What could be paired in more than one way is in neither."""
    pairs: list[Pair] = []
    gone: set[BarrierArray] = set()
    unsure: set[int] = set()
    options: dict[BarrierArray, dict[BarrierArray, Evidence]] = {}
    for empty in arrays:
        fits = {full: found for full in arrays if (found := _fit(facts, full, empty)) is not None}
        if fits:
            options[empty] = fits
    while options:
        sure = [empty for empty, fits in options.items() if len(fits) == 1]
        fulls = [next(iter(options[empty])) for empty in sure]
        if not sure and (shared := _shared(options)):
            pairs += shared
            break
        if not sure or len(set(fulls)) < len(fulls) or set(fulls) & set(sure):
            unsure.update(p for empty, fits in options.items() for array in (empty, *fits) for p in array.members)
            break
        for empty, full in zip(sure, fulls, strict=True):
            evidence = options.pop(empty)[full]
            gone |= {full, empty}
            if evidence.sure:
                proved = full.wrapped and empty.wrapped
                pairs.append(Pair((_at_most(facts, full, empty),), _at_most(facts, empty, full), evidence, proved))
            else:
                unsure.update(full.members + empty.members)
        options = {
            empty: {full: found for full, found in fits.items() if full not in gone}
            for empty, fits in options.items()
            if empty not in gone
        }
        options = {empty: fits for empty, fits in options.items() if fits}
    placed = unsure.union(*(array.members for pair in pairs for array in (*pair.fulls, pair.empty)))
    return pairs, [array for array in arrays if not placed & set(array.members)]


def _shared(options: dict[BarrierArray, dict[BarrierArray, Evidence]]) -> list[Pair]:
    """The one empty array that guards several full ones, as of K and V that are loaded by stage and freed together. Of
    two empty arrays that fit the same full ones, either could guard either: none.
    """
    if len(options) != 1:
        return []
    ((empty, fits),) = options.items()
    sure = len(empty) > 1 and empty.wrapped and all(full.wrapped for full in fits)
    both_sides = all(found.producers and found.consumers for found in fits.values())
    return [Pair(tuple(fits), empty, Evidence(True, True, True), True)] if sure and both_sides else []


def _fit(facts: Facts, full: BarrierArray, empty: BarrierArray) -> Evidence | None:
    """What speaks for the pair; None if nothing does, or something speaks against it."""
    if full is empty:
        return None
    full, empty = _at_most(facts, full, empty), _at_most(facts, empty, full)
    if len(full) != len(empty) or set(full.members) & set(empty.members) or empty.landed(facts):
        return None
    if not full.landed(facts) and full.first_parity(facts) != 0:
        return None
    wait_empty, release = empty.union(facts, "waiters"), empty.union(facts, "arrivers")
    fill, wait_full = full.union(facts, "fillers"), full.union(facts, "waiters")
    if (fill and not wait_empty - facts.followers <= fill) or (wait_full and not release <= wait_full):
        return None
    first_parity = empty.first_parity(facts)
    first_lap_free = first_parity == 0 and bool(wait_empty)  # agents fill each stage once before they first wait
    producers = [_alternate(facts, agent, empty, full, FILLS, int(first_lap_free)) for agent in wait_empty & fill]
    consumers = [_alternate(facts, agent, full, empty, RELEASES, 0) for agent in wait_full & release]
    if not all(producers) or not all(consumers) or not (producers or consumers):
        return None
    by_agents = not full.landed(facts) and not any(facts.barriers[place].committed for place in full.members)
    if by_agents and (not producers or not consumers or wait_empty & wait_full):
        return None
    sure = full.wrapped or empty.wrapped or (facts.sited and not could_go_on(facts, full.members + empty.members))
    return Evidence(bool(producers), bool(consumers), sure)


def _at_most(facts: Facts, array: BarrierArray, partner: BarrierArray) -> BarrierArray:
    """The array without what nobody has used of it beyond the length of a partner that came round."""
    beyond = array.members[len(partner) :]
    if array.wrapped or not partner.wrapped or any(facts.barriers[place].used for place in beyond):
        return array
    return replace(array, members=array.members[: len(partner)])


def _alternate(
    facts: Facts, agent: int, waited: BarrierArray, then: BarrierArray, actions: tuple[Action, ...], ahead: int
) -> bool:
    """Whether the agent, at every stage, waits on the one before it acts on the other, and does not wait again before
    it has. `ahead`: how often it acts before the first wait.
    """
    wait = facts.of(Action.WAIT, agent)
    act = next((s for s in _of_agent(facts, agent, actions) if np.isin(s.barrier, then.members).any()), None)
    if wait is None or act is None:
        return False
    met = False
    for barrier, other in zip(waited.members, then.members, strict=True):
        waits, acts = wait.place[wait.barrier == barrier], act.place[act.barrier == other][ahead:]
        if facts.begun and len(waits) and len(acts):
            acts = acts[acts > waits[0]]
            waits = waits[max(np.searchsorted(waits, acts[0]) - 1, 0) :] if len(acts) else waits
        if not len(acts) <= len(waits) <= len(acts) + 2:
            return False
        pairs = min(len(waits), len(acts))
        later = min(len(waits) - 1, len(acts))
        if (waits[:pairs] > acts[:pairs]).any() or (later > 0 and (acts[:later] > waits[1 : later + 1]).any()):
            return False
        met |= pairs > 0
    return met and _in_step(wait, act, waited, then, fills=actions is FILLS)


def _in_step(wait: Stream, act: Stream, waited: BarrierArray, then: BarrierArray, *, fills: bool) -> bool:
    """Whether the agent acts on stages in the order in which it waited for them; and if it fills them, on each before
    it waits for the next.

    Who frees Q after a K that it waited for later, or acquires K and V before it fills either, goes round two arrays,
    though they lie side by side like one.
    """
    waits = np.sort(wait.place[np.isin(wait.barrier, waited.members)])
    answered, acts = [], []  # by act: which of the waits, and its place
    for barrier, other in zip(waited.members, then.members, strict=True):
        own, place = wait.place[wait.barrier == barrier], act.place[act.barrier == other]
        latest = np.searchsorted(own, place) - 1
        place, latest = place[latest >= 0], latest[latest >= 0]  # others are a lap ahead of the waits
        answered.append(np.searchsorted(waits, own[latest]))
        acts.append(place)
    order = np.argsort(np.concatenate(acts))
    of_wait = np.concatenate(answered)[order]
    if (of_wait[1:] < of_wait[:-1]).any():
        return False
    following = np.append(waits, np.iinfo(np.int64).max)[of_wait + 1]
    return not fills or bool((np.concatenate(acts)[order] < following).all())


def _of_agent(facts: Facts, agent: int, actions: tuple[Action, ...]) -> list[Stream]:
    return [stream for action in actions if (stream := facts.of(action, agent)) is not None]
