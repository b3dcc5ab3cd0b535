"""Lays nodes out as the events of a Trace: in time order, each with the rows for what it completed beside it.

Most events stay as they were logged, so a part's layout is an order of rows of the log and, beside them, the few rows
that are made. They are put together when they are merged.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import Ints, distinct, in_order, order_by
from visualizer.reconstruction.derive import Derived, Landed
from visualizer.reconstruction.event_memory import ROW
from visualizer.reconstruction.logged import Rows
from visualizer.reconstruction.reconcile import Moves
from visualizer.recording.schema import EVENT_DTYPE, EventFlag, EventKind


@dataclass(frozen=True, eq=False)
class EventRows:
    """A part's events in order of time. Event i is row `source[i]` of the log, or row `~source[i]` of `made`."""

    time: Ints  # (n,), ps; what the rows themselves say of it does not count
    source: Rows  # 32 bits wide if the log is short enough
    made: NDArray[np.void]  # EVENT_DTYPE


@dataclass(frozen=True, eq=False)
class LaidOut:
    """A part's events as rows of a Trace, and what goes into its meta."""

    events: EventRows | None  # None: they are in a shortcut's Columns
    moves: Moves
    landed: Landed
    slow: bool = False  # as Evidence.slow


def event_rows(derived: Derived, time: Ints) -> EventRows:
    """All events of the nodes at these times. A node whose arrivals or bytes span phases becomes a row for each."""
    logged, landings, completions = derived.logged, derived.landings, derived.completions
    size = len(logged)

    # Most nodes are one row. Those that complete phases have a row for each piece, with a completion after each that
    # completes one; a landing has COPY_DONE behind it.
    by_node = order_by(completions.node, completions.phase)
    node, share = completions.node[by_node], completions.share[by_node]
    by_arrival = node < size
    kind, amount = np.full(len(node), EventKind.COMPLETE_TX, np.uint8), np.empty(len(node), np.int64)
    arrivals = logged.only(node[by_arrival])
    kind[by_arrival], amount[by_arrival] = arrivals.kind, arrivals.amount
    amount[~by_arrival] = landings.amount[node[~by_arrival] - size]
    one_arrival = kind == EventKind.ARRIVE_EXPECT_TX
    amount[one_arrival] = 1
    several = np.concatenate([distinct(node[by_arrival]), np.arange(size, len(time))])  # nodes of more than one row ...
    number = np.full(len(time), -1, np.int32)  # ... by node
    number[several] = np.arange(len(several))
    of = number.take(node)  # and which of them each piece belongs to
    landed = slice(len(several) - len(landings.time), None)
    completed = np.bincount(of, minlength=len(several))
    remains = (np.diff(node, append=-1) != 0) & (share < amount)
    rows = np.maximum(2 * completed, 1)
    rows[of[remains]] += 1
    rows[landed] += 1

    order, sorted_time = in_order(time)
    at = np.flatnonzero((number >= 0).take(order))
    which = number.take(order.take(at))
    repeats = np.ones(len(time), np.int64)
    repeats[at] = rows[which]
    place = np.empty(len(several), np.int64)
    more = rows[which] - 1
    place[which] = at + np.cumsum(more) - more
    narrow = np.int32 if len(logged.log) < 1 << 30 else np.int64  # twice as many nodes as rows at the most
    origin = np.repeat(order.astype(narrow), repeats)
    times = np.repeat(sorted_time, repeats)
    rank = np.arange(len(node)) - np.searchsorted(node, node)
    piece = place[of] + 2 * rank
    before = np.where(rank > 0, np.roll(share, 1), 0)
    last = (place + 2 * completed)[of[remains]]
    parted = (rank > 0) | (share - before != amount)

    is_made = origin >= size
    is_made[piece + 1] = is_made[piece[parted]] = is_made[last] = True
    if logged.engine is not None:
        is_made |= logged.by_engine.take(origin, mode="clip")
    places = np.flatnonzero(is_made)
    origins = origin[places]
    made = np.empty(len(places), EVENT_DTYPE)
    of_logged, of_landing = np.flatnonzero(origins < size), np.flatnonzero(origins >= size)
    made.view(ROW)[of_logged] = logged.events(origins[of_logged]).view(ROW)
    made.view(ROW)[of_landing] = _complete_tx(derived).view(ROW)[origins[of_landing] - size]
    origin[places] = 0
    source: Rows = logged.rows(origin).astype(narrow, copy=False)
    source[places] = (~np.arange(len(places))).astype(narrow)
    done = ~source[(place + rows - 1)[landed]]

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
    return EventRows(times, source, made)


def _complete_tx(derived: Derived) -> NDArray[np.void]:
    """The COMPLETE_TX of each landing, at its time before reconciling."""
    landings = derived.landings
    rows = derived.logged.events(landings.issue)
    rows["kind"] = EventKind.COMPLETE_TX
    rows["agent"] = landings.agent
    rows["amount"] = landings.amount
    rows["measured"] = landings.time
    rows["site"] = -1
    rows["flags"] = np.where(landings.estimated, EventFlag.DERIVED | EventFlag.ESTIMATED, EventFlag.DERIVED)
    return rows


def _without_token(made: NDArray[np.void], rows: Rows) -> None:
    """Later pieces of an arrival have none: the token is the state before the first."""
    made["token"][rows] = 0
    made["flags"][rows] &= ~np.uint8(EventFlag.HAS_TOKEN)
