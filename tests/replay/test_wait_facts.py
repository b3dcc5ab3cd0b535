"""Waits: against a plain loop over the events, and what a wait's end and the phase it met are where records are odd."""

from __future__ import annotations

import numpy as np
import pytest
from any_recording import EVENTS, TABLES, recording
from hypothesis import given, settings
from naive_replay import cut, handmade, run, with_watchdog

from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.tables import Barrier
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.replay.waits import OF_WAITS

TRACES = {
    "lesson": run(),
    "one stage": run(stages=1, tiles=4),
    "two CTAs": run(ctas=2, tiles=4),
    "deadlock": run(producer_arrivals=32),
    "timeout": with_watchdog(run(producer_phase=0)),
    "cut": cut(run(), 70),
}
FRESH = {"kind": EventKind.INIT, "barrier": 0, "amount": 1}


def completes(phase: int) -> tuple[dict[str, int], dict[str, int]]:
    arrival = {"kind": EventKind.ARRIVE, "barrier": 0, "amount": 1, "agent": 1}
    return arrival, {"kind": EventKind.PHASE_COMPLETE, "barrier": 0, "amount": phase, "parity": phase & 1, "agent": 1}


def begin(parity: int, **more: int) -> dict[str, int]:
    return {"kind": EventKind.WAIT_BEGIN, "barrier": 0, "parity": parity, **more}


def end(parity: int, **more: int) -> dict[str, int]:
    return {"kind": EventKind.WAIT_END, "barrier": 0, "parity": parity, **more}


def check(trace: Trace) -> None:
    """Every WAIT_BEGIN is a wait, over with the agent's next event of a wait if that is an end; see Waits."""
    events = trace.events
    history = History(trace)
    waits = history.waits
    known = waits.kind == EventKind.WAIT_BEGIN
    rows = {int(step): row for row, step in enumerate(waits.begin) if known[row]}
    begins = np.flatnonzero(events["kind"] == EventKind.WAIT_BEGIN).tolist()
    assert sorted(rows) == begins
    assert (np.lexsort((waits.begin, waits.agent)) == np.arange(len(waits))).all()
    uses: dict[tuple[int, int], int] = {}
    for step in begins:
        row, event = rows[step], events[step]
        own = (s for s in range(step + 1, len(trace)) if events["agent"][s] == event["agent"])
        after = next((s for s in own if OF_WAITS[events["kind"][s]]), -1)
        kind = events["kind"][after] if after >= 0 else 0
        assert waits.end[row] == (after if kind == EventKind.WAIT_END else -1)
        assert waits.over[row] == (after if kind in (EventKind.WAIT_END, EventKind.TIMEOUT) else -1)
        assert (waits.agent[row], waits.barrier[row], waits.tile[row]) == (
            event["agent"],
            event["barrier"],
            event["tile"],
        )
        if event["barrier"] >= 0:
            lane = int(event["agent"]), int(event["barrier"])
            assert waits.use[row] == uses.get(lane, 0)
            uses[lane] = uses.get(lane, 0) + 1
        if waits.end[row] < 0 or event["barrier"] < 0:
            assert (waits.met[row], waits.completion[row]) == (-1, -1)
            continue
        assert waits.met[row] == history.barrier_at(int(event["barrier"]), after).phase
        before = range(after - 1, -1, -1)
        mine = [s for s in before if events["barrier"][s] == event["barrier"]]
        completion = -1
        for s in mine:
            if events["kind"][s] == EventKind.INIT:
                break
            if events["kind"][s] == EventKind.PHASE_COMPLETE and events["amount"][s] & 1 == waits.parity[row]:
                completion = s
                break
        assert waits.completion[row] == completion
    for agent in range(len(trace.agents)):
        alone, all_ = history.waits_of(agent), waits.keep(waits.rows(agent))
        for name in ("kind", "barrier", "parity", "tile", "begin", "end", "over", "met", "completion"):
            np.testing.assert_array_equal(getattr(alone, name), getattr(all_, name))


@pytest.mark.parametrize("trace", TRACES.values(), ids=TRACES.keys())
def test_waits_are_what_a_loop_over_the_events_finds(trace: Trace) -> None:
    check(trace)


@settings(max_examples=60, deadline=None)
@given(EVENTS, TABLES)
def test_waits_of_any_recording(events: list[dict[str, int]], barriers: tuple[Barrier, ...]) -> None:
    check(recording(events, barriers))


def test_a_landing_by_the_waiting_warp_does_not_end_its_wait() -> None:
    """Without a copy engine of its own, a CTA's landings are events of the warp that issued the copy."""
    done = {"kind": EventKind.COPY_DONE, "barrier": 0, "amount": 64}
    waits = History(handmade(FRESH, begin(0), done, *completes(0), end(0, flags=EventFlag.BLOCKED), agents=2)).waits
    assert (waits.end.tolist(), waits.completion.tolist(), waits.met.tolist()) == ([5], [4], [1])


def test_a_wait_on_a_fresh_barrier_had_no_completion() -> None:
    waits = History(handmade(FRESH, begin(1), end(1))).waits
    assert (waits.end.tolist(), waits.completion.tolist(), waits.met.tolist()) == ([2], [-1], [0])


def test_phases_before_another_init_let_nobody_pass() -> None:
    again = (*completes(0), *completes(1), {"kind": EventKind.INVAL, "barrier": 0}, FRESH)
    waits = History(handmade(FRESH, *again, begin(1), end(1), agents=2)).waits
    assert (waits.completion.tolist(), waits.met.tolist()) == ([-1], [0])


def test_a_wait_whose_parity_is_not_the_latest_phases_met_the_one_before() -> None:
    """As where its record is late: it passed before the flip that stands before its end."""
    waits = History(handmade(FRESH, *completes(0), *completes(1), begin(0), end(0), agents=2)).waits
    assert (waits.completion.tolist(), waits.met.tolist()) == ([2], [2])


def test_waits_for_other_things_have_no_barrier() -> None:
    sync = {"kind": EventKind.SYNC_BEGIN}, {"kind": EventKind.SYNC_END}
    waits = History(handmade(FRESH, *sync, begin(1), end(1), *sync)).waits
    assert waits.kind.tolist() == [EventKind.SYNC_BEGIN, EventKind.WAIT_BEGIN, EventKind.SYNC_BEGIN]
    assert waits.barrier.tolist() == [-1, 0, -1]
    assert waits.end.tolist() == [2, 4, 6]
    assert waits.on_barriers.begin.tolist() == [3]
    assert waits.use.tolist() == [0, 0, 1]


def test_a_recording_without_events_has_no_waits() -> None:
    trace = run()
    history = History(cut(trace, 0))
    assert len(history.waits) == len(history.arrivals) == len(history.copy_phases) == 0
    assert len(history.waits.use) == 0
