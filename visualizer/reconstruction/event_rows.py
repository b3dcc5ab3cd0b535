"""Lays nodes out as the events of a Trace: in time order, each with the rows for what it completed beside it."""

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
class LaidOut:
    """A part's events as rows of a Trace, and what goes into its meta."""

    events: NDArray[np.void] | None  # EVENT_DTYPE, by time; None: they are in a shortcut's Columns
    moves: Moves
    landed: Landed


def expand(derived: Derived, time: Ints, room: NDArray[np.void]) -> NDArray[np.void]:
    """All events, EVENT_DTYPE, by time, written to the beginning of `room` (see `most_events`).

    A node whose arrivals or bytes span phases becomes a row for each.
    """
    logged, landings, completions = derived.events, derived.landings, derived.completions
    size = len(logged)

    # Rows of each node: its pieces, a completion after each piece that completes, COPY_DONE after a landing.
    by_node = order_by(completions.node, completions.phase)
    node, share = completions.node[by_node], completions.share[by_node]
    by_arrival = node < size
    kind, amount = np.full(len(node), EventKind.COMPLETE_TX, np.uint8), np.empty(len(node), np.int64)
    kind[by_arrival] = logged["kind"][node[by_arrival]]
    amount[by_arrival] = logged["amount"][node[by_arrival]]
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
    events = room[: len(origin)]
    if size:
        # "clip" because checking makes a copy; rows of landings, which it takes from anywhere, come next.
        logged.view(ROW).take(origin, out=events.view(ROW), mode="clip")
    landed = np.flatnonzero(origin >= size)
    events.view(ROW)[landed] = _complete_tx(derived).view(ROW)[origin[landed] - size]
    events["time"] = time[origin]
    done = events.view(ROW)[place[size:]].view(EVENT_DTYPE)

    rank = np.arange(len(node)) - np.searchsorted(node, node)
    piece = place[node] + 2 * rank
    before = np.where(rank > 0, np.roll(share, 1), 0)
    flip = events.view(ROW)[piece].view(EVENT_DTYPE)
    events["amount"][piece[~one_arrival]] = (share - before)[~one_arrival]
    _without_token(events, piece[rank > 0])
    last = (place + 2 * completed)[node[remains]]
    events["amount"][last] = (amount - share)[remains]
    _without_token(events, last)

    flip["kind"] = EventKind.PHASE_COMPLETE
    phase = completions.phase[by_node] + derived.lives.first_phase[completions.life[by_node]]
    flip["amount"] = phase
    flip["parity"] = phase & 1
    flip["flags"] = EventFlag.DERIVED | (flip["flags"] & EventFlag.ESTIMATED)
    flip["token"] = 0
    events.view(ROW)[piece + 1] = flip.view(ROW)

    done["kind"] = EventKind.COPY_DONE
    done["amount"] = landings.amount
    events.view(ROW)[place[size:] + rows[size:] - 1] = done.view(ROW)
    return events


def _complete_tx(derived: Derived) -> NDArray[np.void]:
    """The COMPLETE_TX of each landing, at its time before reconciling."""
    landings = derived.landings
    rows = derived.events[landings.issue]
    rows["kind"] = EventKind.COMPLETE_TX
    rows["agent"] = landings.agent
    rows["amount"] = landings.amount
    rows["measured"] = landings.time
    rows["site"] = -1
    rows["flags"] = np.where(landings.estimated, EventFlag.DERIVED | EventFlag.ESTIMATED, EventFlag.DERIVED)
    return rows


def _without_token(events: NDArray[np.void], rows: Ints) -> None:
    """Later pieces of an arrival have none: the token is the state before the first."""
    events["token"][rows] = 0
    events["flags"][rows] &= ~np.uint8(EventFlag.HAS_TOKEN)
