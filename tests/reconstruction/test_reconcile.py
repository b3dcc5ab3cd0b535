"""Reconciling moves what contradicts its causes, nothing else, and says how far."""

from __future__ import annotations

import numpy as np
from measured import flips, logged, rebuilt, simulated

from visualizer.reconstruction.violations import violations
from visualizer.recording.schema import EventKind


def test_a_wait_logged_before_its_release_moves_just_after_it() -> None:
    trace = simulated(consumer_delay=3000, tiles=12)
    events = logged(trace, jitter=0)
    blocked = np.flatnonzero((events["kind"] == EventKind.WAIT_END) & (events["stage"] == 0) & (events["flags"] == 1))
    empty = [row for row in blocked if trace.barriers[events["barrier"][row]].kind == "empty"]
    assert empty
    for row in empty:
        events["time"][row] -= 80_000  # more than the wake-up takes
        events["time"][row] = max(events["time"][row], events["time"][row - 1])
    events["measured"] = events["time"]
    result = rebuilt(trace, events)
    assert not any(violations(result).values())
    assert flips(result) == flips(trace)
    assert result.meta.reconcile["max_ns"] < 100
    assert result.meta.reconcile["moved"] > 0


def test_times_are_at_or_after_what_was_measured() -> None:
    trace = simulated(tiles=20, ctas=2)
    result = rebuilt(trace, logged(trace, 3))
    shift = result.events["time"] - result.events["measured"]
    assert shift.min() >= 0
    assert (shift > 0).sum() >= result.meta.reconcile["moved"] > 0
    assert result.events["time"][0] == 0


def test_contradicting_evidence_still_ends() -> None:
    trace = simulated(tiles=20, consumer_arrivals=10)
    result = rebuilt(trace, logged(trace, 0))
    assert len(result) > 0
    assert result.meta.reconcile["unresolved"] > 0


def test_violations_sees_a_wait_moved_before_its_release() -> None:
    trace = simulated(producer_delay=3000)
    events = trace.events.copy()
    flip = int(np.flatnonzero((events["kind"] == EventKind.PHASE_COMPLETE) & (events["barrier"] == 0))[0])
    wait = int(np.flatnonzero((events["kind"] == EventKind.WAIT_END) & (events["barrier"] == 0))[0])
    events["time"][wait] = events["time"][flip - 1] - 1
    order = np.argsort(events["time"], kind="stable")
    broken = type(trace)(trace.meta, trace.agents, trace.barriers, trace.sites, events[order])
    assert violations(broken)["wait_not_due"] == 1
    assert not any(violations(trace).values())
