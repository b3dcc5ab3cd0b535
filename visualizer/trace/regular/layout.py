"""Lays a regular CTA out as events of a Trace, in time order."""

from __future__ import annotations

from visualizer.trace.derive import Landed, Pace
from visualizer.trace.expand import LaidOut
from visualizer.trace.ordering import order_by
from visualizer.trace.reconcile import Moves
from visualizer.trace.regular.columns import RegularColumns
from visualizer.trace.regular.cta import RegularCta
from visualizer.trace.regular.settle import land, settle


def lay_out(cta: RegularCta, pace: Pace, columns: RegularColumns, part: int) -> LaidOut | None:
    """All events, written to the row `part` of `columns`.

    None if the CTA is not as regular as it looked: the general way has to be gone.
    """
    landings, seen = land(cta, pace)
    if int(landings.max()) > pace.horizon_ps:
        return None
    settled = settle(cta, landings)
    if settled is None or (moves := settled.moves(cta, landings)) is None:
        return None
    rows = columns.rows
    time = rows.spread(settled.producer, settled.consumers, settled.landings)
    rows.flips(time)[settled.rank < cta.grid.consumers - 1] = int(time.max()) + 1
    order = order_by(time)[: cta.grid.events]
    measured = rows.spread(cta.producer, cta.consumers, landings)
    columns.put(part, order, time, measured, rows.flags_of(cta.acquire_blocked, cta.wait_blocked, seen))
    observed = int(seen.sum())
    landed = Landed(observed, probed=0, estimated=landings.size - observed)
    return LaidOut(None, Moves.of(moves), landed)
