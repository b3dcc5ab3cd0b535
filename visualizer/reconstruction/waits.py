"""The waits that agents logged, paired up, with the phase each was meant for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, group_starts, order_by
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.tables import Barrier


@dataclass(frozen=True, eq=False)
class Waits:
    """Every wait in the order of the events. All shapes (n,)."""

    begin: Ints  # row of the WAIT_BEGIN
    end: Ints  # row of the WAIT_END; -1: it did not pass, or not within the recording
    barrier: Ints
    parity: Ints  # as if the recording began with phase 0
    meant: Ints  # the phase it was meant for, by the waiter's laps, counted from the begin; -1: a fresh barrier's
    blocked: NDArray[np.bool_]  # it passed, and its first test was false
    refused: Ints  # row of an event after which the test was still false; -1: none


def find_waits(events: NDArray[np.void], barriers: Sequence[Barrier]) -> Waits:
    """The waits among `events` (EVENT_DTYPE, grouped by agent, each agent's in program order).

    An agent takes a barrier's phases one after another, so its n-th wait there means phase n; one later, -1 first,
    if it starts with parity 1, as producers do.
    """
    kind = np.ascontiguousarray(events["kind"])
    begin = np.flatnonzero(kind == EventKind.WAIT_BEGIN)
    agent, barrier = events["agent"][begin].astype(np.int64), events["barrier"][begin].astype(np.int64)
    parity = events["parity"][begin].astype(np.int64)
    if len(begin):
        parity ^= np.array([b.first_phase & 1 for b in barriers], np.int64)[barrier]
    order = order_by(agent, barrier)
    group = agent[order] * (int(barrier.max(initial=0)) + 1) + barrier[order]
    starts = group_starts(group)
    meant = np.empty(len(begin), np.int64)
    meant[order] = np.arange(len(begin)) - starts - parity[order][starts]

    following = np.minimum(begin + 1, max(len(events) - 1, 0))
    same = (events["agent"][following] == agent) & (following > begin)
    ended = same & (kind[following] == EventKind.WAIT_END)
    timed_out = same & (kind[following] == EventKind.TIMEOUT)
    blocked = ended & ((events["flags"][following] & EventFlag.BLOCKED) != 0)
    refused = np.where(blocked, begin, np.where(timed_out, following, -1))
    return Waits(begin, np.where(ended, following, -1), barrier, parity, meant, blocked, refused)
