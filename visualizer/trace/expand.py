"""Lays nodes out as the events of a Trace: in time order, each with the rows for what it completed beside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from visualizer.trace.arrivals import Ints
from visualizer.trace.derive import Derived
from visualizer.trace.schema import EVENT_DTYPE, EventFlag, EventKind
from visualizer.trace.tables import Barrier

_ROW = np.dtype((np.void, EVENT_DTYPE.itemsize))
"""An event as a block of bytes: numpy copies structured rows column by column, several times slower."""


def expand(derived: Derived, time: Ints, barriers: Sequence[Barrier]) -> NDArray[np.void]:
    """All events, EVENT_DTYPE, by time from 0. A node whose arrivals or bytes span phases becomes a row for each."""
    logged, landings, completions = derived.events, derived.landings, derived.completions
    size = len(logged)
    nodes = np.concatenate([logged.view(_ROW), _complete_tx(derived).view(_ROW)]).view(EVENT_DTYPE)
    nodes["time"] = time

    # Rows of each node: its pieces, a completion after each piece that completes, COPY_DONE after a landing.
    by_node = np.lexsort((completions.phase, completions.node))
    node, share = completions.node[by_node], completions.share[by_node]
    amount = np.where(nodes["kind"] == EventKind.ARRIVE_EXPECT_TX, 1, nodes["amount"]).astype(np.int64)
    completed = np.bincount(node, minlength=len(nodes))
    is_last = np.diff(node, append=-1) != 0
    remains = np.zeros(len(nodes), np.int64)
    remains[node[is_last]] = share[is_last] < amount[node[is_last]]
    rows = np.maximum(2 * completed + remains, 1)
    rows[size:] += 1

    order = np.argsort(time, kind="stable")
    place = np.empty(len(nodes), np.int64)
    place[order] = np.cumsum(rows[order]) - rows[order]
    events = np.zeros(int(rows.sum()) * EVENT_DTYPE.itemsize, np.uint8).view(EVENT_DTYPE)
    events.view(_ROW)[place] = nodes.view(_ROW)

    rank = np.arange(len(node)) - np.searchsorted(node, node)
    piece = place[node] + 2 * rank
    before = np.where(rank > 0, np.roll(share, 1), 0)
    flip = nodes.view(_ROW)[node].view(EVENT_DTYPE)
    events.view(_ROW)[piece] = flip.view(_ROW)
    splits = nodes["kind"][node] != EventKind.ARRIVE_EXPECT_TX
    events["amount"][piece[splits]] = (share - before)[splits]
    _without_token(events, piece[rank > 0])
    rest = node[is_last & (remains[node] > 0)]
    last = place[rest] + 2 * completed[rest]
    events[last] = nodes[rest]
    events["amount"][last] = amount[rest] - share[is_last & (remains[node] > 0)]
    _without_token(events, last)

    flip["kind"] = EventKind.PHASE_COMPLETE
    first_phase = np.array([barrier.first_phase for barrier in barriers], np.int64)
    phase = completions.phase[by_node] + first_phase[completions.barrier[by_node]] if len(node) else node
    flip["amount"] = phase
    flip["parity"] = phase & 1
    flip["flags"] = EventFlag.DERIVED | (flip["flags"] & EventFlag.ESTIMATED)
    flip["token"] = 0
    events.view(_ROW)[piece + 1] = flip.view(_ROW)

    done = nodes[size:].copy()
    done["kind"] = EventKind.COPY_DONE
    done["amount"] = landings.amount
    events.view(_ROW)[place[size:] + rows[size:] - 1] = done.view(_ROW)
    if len(events):
        start = int(events["time"][0])
        events["time"] -= start
        events["measured"] -= start
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
