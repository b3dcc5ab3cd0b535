"""Arrivals for which the pending count went up first: cp.async.mbarrier.arrive without .noinc [PTX].

Together with the increase they count for nothing, so phases are found by all other arrivals; but the phase in which it
went up ends no sooner than the last of these came. When that was nobody logs: they are put at the end of their phase.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from visualizer.arrays.ordering import order_by
from visualizer.reconstruction.arrivals import ArrivedPhases, LoggedArrivals
from visualizer.reconstruction.copies import phases_open_at
from visualizer.reconstruction.lives import Lives
from visualizer.reconstruction.logged import Logged
from visualizer.recording.schema import EventKind


def with_raised(
    logged: Logged, lives: Lives, arrivals: LoggedArrivals, phases: ArrivedPhases
) -> tuple[LoggedArrivals, ArrivedPhases]:
    """`arrivals`, and the phases that they complete, with those among them for which the pending count went up."""
    promises = logged.promises
    raises = logged.kind[promises.promise] == EventKind.CP_ASYNC_ARRIVE
    raises &= lives.of_event[promises.promise] >= 0
    if not raises.any():
        return arrivals, phases
    promise, event = promises.promise[raises], promises.arrival[raises]
    life = lives.of_event[promise]
    phase = phases_open_at(logged, promise, lives, arrivals, phases)
    row = phases.first[life] + phase
    complete = row < phases.first[life + 1]
    ends = arrivals.position + arrivals.amount
    total = np.zeros(len(lives), np.int64)
    np.maximum.at(total, arrivals.life, ends)
    end = np.where(complete, np.append(phases.end, 0)[np.where(complete, row, -1)], total[life])

    # Behind the arrival that completes the phase without them, unless that goes on into the next one.
    key = np.concatenate([ends, end])
    order = order_by(
        np.concatenate([arrivals.life, life]),
        key,
        np.concatenate([np.zeros(len(ends), np.int64), np.ones(len(end), np.int64)]),
    )
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    last = place[phases.arrival]
    goes_on = ends[phases.arrival] != phases.end
    added = place[len(ends) :]
    closing = last.copy()
    np.maximum.at(closing, row[complete], added[complete])
    # One that counts for nothing has its phase by the position before the end.
    merged = LoggedArrivals(
        np.concatenate([arrivals.event, event])[order],
        np.concatenate([arrivals.life, life])[order],
        np.concatenate([arrivals.position, np.where(complete, end - 1, end)])[order],
        np.concatenate([arrivals.amount, complete.astype(np.int64)])[order],
        np.concatenate([np.full(len(arrivals.event), -1), phase])[order],
    )
    return merged, replace(phases, arrival=np.where(goes_on, last, closing))
