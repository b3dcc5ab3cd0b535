"""Lays nodes out as the events of a Trace: in time order, each with the rows for what it completed beside it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visualizer.trace.derive import Derived
from visualizer.trace.ordering import Ints, order_by
from visualizer.trace.pool import ROW
from visualizer.trace.schema import EVENT_DTYPE, EventFlag, EventKind


def expand(derived: Derived, time: Ints, room: NDArray[np.void]) -> NDArray[np.void]:
    """All events, EVENT_DTYPE, by time, written to the beginning of `room` (see `most_events`).

    A node whose arrivals or bytes span phases becomes a row for each.
    """
    logged, landings, completions = derived.events, derived.landings, derived.completions
    size = len(logged)
    nodes = np.concatenate([logged.view(ROW), _complete_tx(derived).view(ROW)]).view(EVENT_DTYPE)
    nodes["time"] = time

    # Rows of each node: its pieces, a completion after each piece that completes, COPY_DONE after a landing.
    by_node = order_by(completions.node, completions.phase)
    node, share = completions.node[by_node], completions.share[by_node]
    amount = np.where(nodes["kind"][node] == EventKind.ARRIVE_EXPECT_TX, 1, nodes["amount"][node]).astype(np.int64)
    completed = np.bincount(node, minlength=len(nodes))
    is_last = np.diff(node, append=-1) != 0
    remains = is_last & (share < amount)
    rows = np.maximum(2 * completed, 1)
    rows[node[remains]] += 1
    rows[size:] += 1

    order = order_by(time)
    ends = np.cumsum(rows[order])
    place = np.empty(len(nodes), np.int64)
    place[order] = ends - rows[order]
    origin = np.repeat(order, rows[order])
    events = room[: len(origin)]
    # "clip" because every origin is there, and checking makes a copy.
    nodes.view(ROW).take(origin, out=events.view(ROW), mode="clip")

    rank = np.arange(len(node)) - np.searchsorted(node, node)
    piece = place[node] + 2 * rank
    before = np.where(rank > 0, np.roll(share, 1), 0)
    flip = nodes.view(ROW)[node].view(EVENT_DTYPE)
    splits = nodes["kind"][node] != EventKind.ARRIVE_EXPECT_TX
    events["amount"][piece[splits]] = (share - before)[splits]
    _without_token(events, piece[rank > 0])
    last = (place + 2 * completed)[node[remains]]
    events["amount"][last] = (amount - share)[remains]
    _without_token(events, last)

    flip["kind"] = EventKind.PHASE_COMPLETE
    flip["amount"] = completions.phase[by_node]
    flip["parity"] = completions.phase[by_node] & 1
    flip["flags"] = EventFlag.DERIVED | (flip["flags"] & EventFlag.ESTIMATED)
    flip["token"] = 0
    events.view(ROW)[piece + 1] = flip.view(ROW)

    done = nodes[size:].copy()
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
