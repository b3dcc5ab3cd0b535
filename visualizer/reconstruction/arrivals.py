"""Which phase of its barrier each logged arrival belongs to: clocks say it roughly, the tokens of the hardware exactly.

A token is the barrier's word before the arrival, so its parity and pending count are a position within two phases;
time only has to be right to one phase to tell which two phases are meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, group_starts, order_by, running_total
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.tables import Barrier
from visualizer.semantics.word import decode


@dataclass(frozen=True, eq=False)
class Arrivals:
    """Every arrival, sorted by barrier and, on each barrier, in the order the barrier saw them. All shapes (n,)."""

    event: Ints  # row of the logged event
    barrier: Ints
    position: Ints  # arrivals the barrier had before it since its init
    amount: Ints  # arrivals it makes


def order_arrivals(events: NDArray[np.void], barriers: Sequence[Barrier]) -> Arrivals:
    """The arrivals among `events` (EVENT_DTYPE, grouped by agent, each agent's in program order)."""
    kind = np.ascontiguousarray(events["kind"])
    event = np.flatnonzero((kind == EventKind.ARRIVE) | (kind == EventKind.ARRIVE_EXPECT_TX))
    time = events["time"][event]
    barrier = events["barrier"][event].astype(np.int64)
    amount = np.where(kind[event] == EventKind.ARRIVE, events["amount"][event], 1).astype(np.int64)
    init = np.array([b.init_count for b in barriers], np.int64)[barrier]

    by_time = order_by(barrier, time)
    position = np.empty(len(event), np.int64)
    position[by_time] = running_total(barrier[by_time], amount[by_time])

    has_token = (events["flags"][event] & EventFlag.HAS_TOKEN) != 0
    if has_token.any():
        parity, pending, _ = decode(events["token"][event])
        # Positions count from the recording's begin, so parities must too.
        parity ^= np.array([b.first_phase & 1 for b in barriers], np.int64)[barrier]
        usable = has_token & (pending >= 1) & (pending <= init)
        within = parity * init + init - pending  # position within an even and an odd phase
        laps = (position - within + init) // (2 * init)  # nearest whole number of phase pairs
        position = np.where(usable, np.maximum(laps, 0) * 2 * init + within, position)
    position = _in_program_order(position, barrier, events["agent"][event].astype(np.int64))

    order = order_by(barrier, position, time)
    barrier, amount = barrier[order], amount[order]
    return Arrivals(event[order], barrier, running_total(barrier, amount), amount)


def _in_program_order(position: Ints, barrier: Ints, agent: Ints) -> Ints:
    """Raise positions until no arrival of an agent lies before its previous one on the same barrier."""
    if not len(position):
        return position
    key = agent * (int(barrier.max()) + 1) + barrier
    order = order_by(key)
    group = group_starts(key[order])
    span = int(position.max()) + 1
    raised = position.copy()
    raised[order] = np.maximum.accumulate(position[order] + group * span) - group * span
    return raised
