"""Orders events so that none precedes what it depends on, moving as few as possible by as little as possible.

A clock is read a little before or after the instruction takes effect, so a wait can seem to end before the arrival
that released it. Each event gets the earliest time that is neither before its own nor before its causes'.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, distinct, order_by
from visualizer.reconstruction.derive import Derived
from visualizer.reconstruction.logged import Rows
from visualizer.recording.facts import Reconcile
from visualizer.recording.schema import EventKind
from visualizer.recording.tables import Agent

_MOST_PASSES = 2_000
"""Longest chain of moves to follow; beyond it the evidence contradicts itself (times go up by 1 ps a pass)."""
_BY_PROGRAM, _BY_ARRIVALS, _BY_WAITS = 0, 1, 2
"""How sure a dependency is; what contradicts something surer is given up."""
_Dependencies = tuple[Rows, Rows, int]
"""Nodes, those which each of them comes strictly before, and how sure that is."""


@dataclass(frozen=True, eq=False)
class Moves:
    """How far reconciling went in one part of a recording. `unresolved` counts what contradicts surer dependencies."""

    distances: Ints  # ps, ascending, each once: most moves of a log of clocks are by 1 to 3 ps
    counts: Ints  # events moved so far
    unresolved: int

    @classmethod
    def of(cls, distances: Ints, unresolved: int = 0) -> Moves:
        """Of the distance of every event moved."""
        return cls(*np.unique(distances, return_counts=True), unresolved)


def summary(moves: Sequence[Moves]) -> Reconcile:
    """What Trace.meta.reconcile says about all parts; times in ns."""
    distances = np.concatenate([part.distances for part in moves])
    counts = np.concatenate([part.counts for part in moves])
    order = order_by(distances)
    up_to = np.cumsum(counts[order])
    moved = int(counts.sum())
    middle = distances[order][np.searchsorted(up_to, [(moved - 1) // 2, moved // 2], side="right")] if moved else [0]
    return {
        "moved": moved,
        "median_ns": float(np.mean(middle)) / 1000,
        "max_ns": float(distances.max(initial=0)) / 1000,
        "unresolved": sum(part.unresolved for part in moves),
    }


def reconcile(derived: Derived, agents: Sequence[Agent]) -> tuple[Ints, Moves]:
    """The time (ps) of every node of `derived`: its logged, then its landings; and how far nodes were moved."""
    measured = np.concatenate([derived.logged.time, derived.landings.time])
    agent = np.ascontiguousarray(derived.logged.agent)
    follows = np.zeros(len(measured), bool)  # the next node is the same agent's
    follows[: max(len(agent) - 1, 0)] = (agent[1:] == agent[:-1]) & ~derived.logged.by_engine[1:]
    time, unresolved = _settle(measured, follows, _dependencies(derived, agents))
    moved = np.flatnonzero(time != measured)
    return time, Moves.of(time[moved] - measured[moved], unresolved)


def _dependencies(derived: Derived, agents: Sequence[Agent]) -> list[_Dependencies]:
    """Pairs of nodes, the first strictly before the second, beyond each agent's own order."""
    arrivals, landings, completions = derived.arrivals, derived.landings, derived.completions
    pairs: list[_Dependencies] = [(*_publication(derived, agents), _BY_PROGRAM)]
    landing = len(derived.logged) + np.arange(len(landings.issue))
    pairs.append((landings.issue, landing, _BY_PROGRAM))
    same = landings.life[1:] == landings.life[:-1]
    pairs.append((landing[:-1][same], landing[1:][same], _BY_PROGRAM))
    same = arrivals.life[1:] == arrivals.life[:-1]
    pairs.append((arrivals.event[:-1][same], arrivals.event[1:][same], _BY_ARRIVALS))

    by_landing = completions.node != completions.arrival
    pairs.append((completions.arrival[by_landing], completions.node[by_landing], _BY_PROGRAM))
    early = completions.bytes_in >= 0
    pairs.append((completions.bytes_in[early], completions.node[early], _BY_WAITS))
    row_of = np.empty(len(derived.logged), arrivals.event.dtype)
    row_of[arrivals.event] = np.arange(len(arrivals.event), dtype=row_of.dtype)
    after = row_of[completions.arrival[by_landing]] + 1
    exists = after < len(arrivals.event)
    exists[exists] = arrivals.life[after[exists]] == completions.life[by_landing][exists]
    pairs.append((completions.node[by_landing][exists], arrivals.event[after[exists]], _BY_ARRIVALS))

    # The row of the completion that each wait passed on, or was refused before, if there is one.
    waits = derived.waits
    row, ends = derived.first.take(waits.life) + waits.phase, derived.first.take(waits.life + 1)
    is_known, has_passed = (waits.phase >= 0) & (row < ends), waits.end >= 0
    released = np.flatnonzero(is_known & has_passed)
    pairs.append((completions.node.take(row.take(released)), waits.end.take(released), _BY_WAITS))
    refused = np.flatnonzero(is_known & (waits.refused >= 0))
    pairs.append((waits.refused.take(refused), completions.node.take(row.take(refused)), _BY_WAITS))
    # A wait that passed did so before the next completion made its test false again.
    row += 1
    passed = np.flatnonzero(has_passed & (row < ends))
    pairs.append((waits.end.take(passed), completions.node.take(row.take(passed)), _BY_WAITS))
    # A test that failed was of a phase that had begun: the one before was complete.
    row -= 2
    failed = np.flatnonzero((waits.refused >= 0) & ~has_passed & (waits.phase > 0) & (row < ends))
    pairs.append((completions.node.take(row.take(failed)), waits.refused.take(failed), _BY_WAITS))
    pairs += _expectations(derived)
    promises = derived.logged.promises
    pairs.append((promises.promise, promises.arrival, _BY_PROGRAM))
    pairs.append((*_raised_after(derived), _BY_WAITS))
    return pairs


def _publication(derived: Derived, agents: Sequence[Agent]) -> tuple[Ints, Ints]:
    """From the last INIT or FENCE of each CTA to the first event of its other agents: a CTA-wide sync lies between."""
    cta = np.array([agent.cta for agent in agents], np.int64)
    agent, publishing = derived.logged.agent, derived.publishing
    last = np.full(int(cta.max(initial=0)) + 1, -1, np.int64)
    last[cta[agent[publishing]]] = publishing
    first = distinct(np.searchsorted(agent, np.arange(len(agents))))
    first = first[first < len(agent)]
    source = last[cta[agent[first]]]
    other = (source >= 0) & (agent[source] != agent[first])
    return source[other], first[other]


def _raised_after(derived: Derived) -> tuple[Ints, Ints]:
    """From the completion of a phase to each event that raises the pending count of the next one."""
    arrivals, first, promises = derived.arrivals, derived.first, derived.logged.promises
    if arrivals.raised is None:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    raised = np.flatnonzero(arrivals.raised >= 0)
    life, phase = arrivals.life[raised], arrivals.raised[raised]
    row = first[life] + phase
    begun = (phase > 0) & (row <= first[life + 1])
    promise_of = np.full(len(derived.logged), -1, np.int64)
    promise_of[promises.arrival] = promises.promise
    return derived.completions.node[row[begun] - 1], promise_of[arrivals.event[raised[begun]]]


def _expectations(derived: Derived) -> list[_Dependencies]:
    """Bytes are expected while their phase goes on."""
    expectations, completions, first = derived.expectations, derived.completions, derived.first
    alone = derived.logged.only(expectations.event).kind == EventKind.EXPECT_TX
    event, life, phase = (column[alone] for column in (expectations.event, expectations.life, expectations.phase))
    row = first[life] + phase
    ends, begins = row < first[life + 1], (phase > 0) & (row <= first[life + 1])
    return [
        (event[ends], completions.node[row[ends]], _BY_WAITS),
        (completions.node[row[begins] - 1], event[begins], _BY_WAITS),
    ]


def _settle(measured: Ints, follows: NDArray[np.bool_], pairs: Sequence[_Dependencies]) -> tuple[Ints, int]:
    """Least times with every dependency strict, by following only what still moves."""
    late = np.flatnonzero(follows[:-1] & (measured[1:] <= measured[:-1]))
    early = [source[measured.take(target) <= measured.take(source)] for source, target, _ in pairs]
    moving = distinct(np.concatenate([late, *early]))
    if not len(moving):
        return measured, 0
    time = measured.copy()
    source = np.concatenate([source for source, _, _ in pairs])
    target = np.concatenate([target for _, target, _ in pairs])
    rank = np.repeat([rank for _, _, rank in pairs], [len(source) for source, _, _ in pairs])
    order = order_by(source)
    source, target, rank = source[order], target[order], rank[order]
    begins = np.concatenate([[0], np.cumsum(np.bincount(source, minlength=len(time)))])
    dropped = np.zeros(len(target), bool)
    passes = unresolved = 0
    while len(moving):
        passes += 1
        counts = begins[moving + 1] - begins[moving]
        edge = np.repeat(begins[moving] - np.cumsum(counts) + counts, counts) + np.arange(int(counts.sum()))
        cause = np.repeat(moving, counts)
        on = ~dropped[edge]
        going = moving[follows[moving]]
        effects = np.concatenate([target[edge[on]], going + 1])
        earliest = np.concatenate([time[cause[on]], time[going]]) + 1
        late = earliest > time[effects]
        if passes >= _MOST_PASSES:
            least = _BY_WAITS if passes < 2 * _MOST_PASSES else _BY_ARRIVALS
            explicit = np.flatnonzero(on)
            give_up = late[: len(explicit)] & (rank[edge[explicit]] >= least)
            dropped[edge[explicit[give_up]]] = True
            late[: len(explicit)] &= ~give_up
            unresolved += int(give_up.sum())
        np.maximum.at(time, effects[late], earliest[late])
        moving = distinct(effects[late])
    return time, unresolved
