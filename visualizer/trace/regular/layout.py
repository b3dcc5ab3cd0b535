"""Lays a regular CTA out as events of a Trace, in time order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visualizer.trace.derive import Landed, Pace
from visualizer.trace.expand import LaidOut
from visualizer.trace.ordering import order_by
from visualizer.trace.pool import ROW
from visualizer.trace.reconcile import Moves
from visualizer.trace.regular.cta import RegularCta
from visualizer.trace.regular.rows import RegularRows
from visualizer.trace.regular.settle import land, settle


def lay_out(cta: RegularCta, rows: RegularRows, pace: Pace, room: NDArray[np.void]) -> LaidOut | None:
    """All events, written to the beginning of `room`.

    None if the CTA is not as regular as it looked: the general way has to be gone.
    """
    landings, seen = land(cta, pace)
    if int(landings.max()) > pace.horizon_ps:
        return None
    settled = settle(cta, landings)
    moves = settled and settled.moves(cta, landings)
    if settled is None or moves is None:
        return None
    time = rows.spread(settled.producer, settled.consumers, settled.landings)
    rows.flips(time)[settled.rank < cta.grid.consumers - 1] = int(time.max()) + 1
    events = room[: cta.grid.events]
    order = order_by(time)[: len(events)]
    # "clip" because every row is there, and checking makes a copy.
    np.take(rows.events, order, out=events.view(ROW), mode="clip")
    events["time"] = time[order]
    events["measured"] = rows.spread(cta.producer, cta.consumers, landings)[order]
    events["flags"] = rows.flags_of(cta.acquire_blocked, cta.wait_blocked, seen)[order]
    observed = int(seen.sum())
    landed = Landed(observed, probed=0, estimated=landings.size - observed)
    return LaidOut(events, Moves.of(moves), landed)
