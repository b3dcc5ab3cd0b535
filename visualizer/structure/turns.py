"""Ordered sequences: peers that take turns, each waiting on its own barrier and arriving on the next one's.

A ring without copies looks the same to two agents: one waits on what the other arrives on. What tells them apart is
that peers do the same work, and so wait for the same data.
"""

from __future__ import annotations

import numpy as np

from visualizer.structure.barrier_arrays import BarrierArray
from visualizer.structure.facts import Facts
from visualizer.structure.uses import Action


def find_turns(facts: Facts, arrays: list[BarrierArray]) -> list[tuple[int, ...]]:
    """The sequences, each in the order of its turns from the one that may begin."""
    readers = [array.union(facts, "waiters") for array in arrays if array.landed(facts)]
    follows = {
        place: after
        for place, known in enumerate(facts.barriers)
        if known.waiters and known.arrivers and not (known.landed or known.committed)
        for after in [_next_turn(facts, readers, place)]
        if after is not None
    }
    sequences: list[tuple[int, ...]] = []
    seen: set[int] = set()
    for first in follows:
        chain = [first]
        while (after := follows.get(chain[-1])) is not None and after not in chain:
            chain.append(after)
        if (
            after != first
            or seen & set(chain)
            or not _peers(readers, [facts.barriers[place].waiters for place in chain])
        ):
            continue
        seen.update(chain)
        begins = [place for place in chain if facts.barriers[place].first_parity == 1]
        if len(begins) == 1:
            at = chain.index(begins[0])
            sequences.append((*chain[at:], *chain[:at]))
    return sequences


def _next_turn(facts: Facts, readers: list[frozenset[int]], place: int) -> int | None:
    """The barrier of their peers on which those who wait here arrive next."""
    known = facts.barriers[place]
    soonest: dict[int, float] = {}
    for after, other in enumerate(facts.barriers):
        alike = other.count == known.count and other.arrivers <= known.waiters and not (other.landed or other.committed)
        if after == place or not alike or not other.waiters or not _peers(readers, [known.waiters, other.waiters]):
            continue
        gaps = [gap for agent in other.arrivers if (gap := _gap(facts, agent, place, after)) is not None]
        if gaps:
            soonest[after] = sum(gaps) / len(gaps)
    ordered = sorted(soonest, key=lambda after: soonest[after])
    if not ordered or (len(ordered) > 1 and soonest[ordered[0]] == soonest[ordered[1]]):
        return None
    return ordered[0]


def _gap(facts: Facts, agent: int, waited: int, arrived: int) -> float | None:
    """How much the agent does between its wait on one and its arrival on the other; None if they do not alternate."""
    wait, arrive = facts.of(Action.WAIT, agent), facts.of(Action.ARRIVE, agent)
    if wait is None or arrive is None:
        return None
    waits, arrives = wait.place[wait.barrier == waited], arrive.place[arrive.barrier == arrived]
    if not len(arrives) or not len(arrives) <= len(waits) <= len(arrives) + 1:
        return None
    gaps = arrives - waits[: len(arrives)]
    return float(np.mean(gaps)) if (gaps > 0).all() else None


def _peers(readers: list[frozenset[int]], groups: list[frozenset[int]]) -> bool:
    """Whether the groups share no agent and wait on the same data; `readers`: who waits on each array of loads."""
    apart = sum(map(len, groups)) == len(frozenset().union(*groups))
    return apart and any(all(who & group for group in groups) for who in readers)
