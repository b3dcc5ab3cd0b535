"""Lays nodes out as the events of a Trace: in time order, each with the rows for what it completed beside it.

Most events stay as they were logged, so a part's layout is an order of its logged rows and, beside them, the few rows
that are made. They are put together when they are merged: memory that is written once costs half of what two copies do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, order_by
from visualizer.reconstruction.derive import Derived, Landed
from visualizer.reconstruction.event_memory import ROW
from visualizer.reconstruction.reconcile import Moves
from visualizer.recording.schema import EVENT_DTYPE, EventFlag, EventKind


@dataclass(frozen=True, eq=False)
class EventRows:
    """A part's events in order of time. Event i is row `source[i]` of `logged`, or row `~source[i]` of `made`."""

    time: Ints  # (n,), ps; what the rows themselves say of it does not count
    source: NDArray[np.int32]
    logged: NDArray[np.void]  # EVENT_DTYPE
    made: NDArray[np.void]  # EVENT_DTYPE

    def __len__(self) -> int:
        return len(self.time)

    def write(self, begin: int, end: int, target: NDArray[np.void]) -> None:
        """Write the events from `begin` to `end` to `target`, ROW; their times are left as they are."""
        source = self.source[begin:end]
        made = np.flatnonzero(source < 0)
        if len(self.logged):
            # "clip" because checking makes a copy; the made rows come next.
            self.logged.view(ROW).take(source, out=target, mode="clip")
        target[made] = self.made.view(ROW)[~source[made]]


@dataclass(frozen=True, eq=False)
class LaidOut:
    """A part's events as rows of a Trace, and what goes into its meta."""

    events: EventRows | None  # None: they are in a shortcut's Columns
    moves: Moves
    landed: Landed


def event_rows(derived: Derived, time: Ints) -> EventRows:
    """All events of the nodes at these times. A node whose arrivals or bytes span phases becomes a row for each."""
    logged, landings, completions = derived.logged, derived.landings, derived.completions
    size = len(logged)

    # Rows of each node: its pieces, a completion after each piece that completes, COPY_DONE after a landing.
    by_node = order_by(completions.node, completions.phase)
    node, share = completions.node[by_node], completions.share[by_node]
    by_arrival = node < size
    kind, amount = np.full(len(node), EventKind.COMPLETE_TX, np.uint8), np.empty(len(node), np.int64)
    kind[by_arrival] = logged.kind[node[by_arrival]]
    amount[by_arrival] = logged.amount[node[by_arrival]]
    amount[~by_arrival] = landings.amount[node[~by_arrival] - size]
    one_arrival = kind == EventKind.ARRIVE_EXPECT_TX
    amount[one_arrival] = 1
    completed = np.bincount(node, minlength=len(time))
    remains = (np.diff(node, append=-1) != 0) & (share < amount)
    rows = np.maximum(2 * completed, 1)
    rows[node[remains]] += 1
    rows[size:] += 1

    order = order_by(time)
    ordered_rows = rows[order]
    place = np.empty(len(time), np.int64)
    place[order] = np.cumsum(ordered_rows) - ordered_rows
    origin = np.repeat(order, ordered_rows)
    rank = np.arange(len(node)) - np.searchsorted(node, node)
    piece = place[node] + 2 * rank
    before = np.where(rank > 0, np.roll(share, 1), 0)
    last = (place + 2 * completed)[node[remains]]
    parted = (rank > 0) | (share - before != amount)

    is_made = origin >= size
    is_made[piece + 1] = is_made[piece[parted]] = is_made[last] = True
    places = np.flatnonzero(is_made)
    source = origin.astype(np.int32)
    source[places] = ~np.arange(len(places), dtype=np.int32)
    made = np.empty(len(places), EVENT_DTYPE)
    of_logged = np.flatnonzero(origin[places] < size)
    made.view(ROW)[of_logged] = logged.rows.view(ROW)[origin[places[of_logged]]]
    of_landing = np.flatnonzero(origin[places] >= size)
    made.view(ROW)[of_landing] = _complete_tx(derived).view(ROW)[origin[places[of_landing]] - size]
    done = ~source[place[size:] + rows[size:] - 1]

    flip = ~source[piece + 1]
    at = ~source[piece[parted]]
    made["amount"][at] = np.where(one_arrival[parted], made["amount"][at], (share - before)[parted])
    _without_token(made, ~source[piece[rank > 0]])
    made["amount"][~source[last]] = (amount - share)[remains]
    _without_token(made, ~source[last])

    made["kind"][flip] = EventKind.PHASE_COMPLETE
    phase = completions.phase[by_node] + derived.lives.first_phase[completions.life[by_node]]
    made["amount"][flip] = phase
    made["parity"][flip] = phase & 1
    made["flags"][flip] = EventFlag.DERIVED | (made["flags"][flip] & EventFlag.ESTIMATED)
    made["token"][flip] = 0

    made["kind"][done] = EventKind.COPY_DONE
    made["amount"][done] = landings.amount
    return EventRows(time[origin], source, logged.rows, made)


def _complete_tx(derived: Derived) -> NDArray[np.void]:
    """The COMPLETE_TX of each landing, at its time before reconciling."""
    landings = derived.landings
    rows = derived.logged.rows[landings.issue]
    rows["kind"] = EventKind.COMPLETE_TX
    rows["agent"] = landings.agent
    rows["amount"] = landings.amount
    rows["measured"] = landings.time
    rows["site"] = -1
    rows["flags"] = np.where(landings.estimated, EventFlag.DERIVED | EventFlag.ESTIMATED, EventFlag.DERIVED)
    return rows


def _without_token(made: NDArray[np.void], rows: NDArray[np.int32]) -> None:
    """Later pieces of an arrival have none: the token is the state before the first."""
    made["token"][rows] = 0
    made["flags"][rows] &= ~np.uint8(EventFlag.HAS_TOKEN)
