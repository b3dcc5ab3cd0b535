"""Arrivals and what copies bring, against plain loops over the events."""

from __future__ import annotations

import pytest
from any_recording import EVENTS, TABLES, recording
from hypothesis import given, settings
from naive_replay import cut, handmade, run

from visualizer.recording.schema import ARRIVAL_KINDS, EventKind
from visualizer.recording.tables import Barrier
from visualizer.recording.trace import Trace
from visualizer.replay.history import History

TRACES = {
    "lesson": run(),
    "two CTAs, two copies a tile": run(ctas=2, tiles=4, tile_columns=128),
    "half the bytes expected": run(transaction_bytes=8192),
    "deadlock": run(producer_arrivals=32),
    "cut": cut(run(), 70),
}


def check_arrivals(trace: Trace) -> None:
    history, arrivals = History(trace), History(trace).arrivals
    found = {
        int(step): (int(agent), int(barrier), int(phase), int(count))
        for step, agent, barrier, phase, count in zip(
            arrivals.step, arrivals.agent, arrivals.barrier, arrivals.phase, arrivals.count, strict=True
        )
    }
    expected = {}
    for step, event in enumerate(trace.events):
        if event["kind"] in ARRIVAL_KINDS and event["barrier"] >= 0:
            barrier = int(event["barrier"])
            count = 1 if event["kind"] == EventKind.ARRIVE_EXPECT_TX else int(event["amount"])
            expected[step] = (int(event["agent"]), barrier, history.barrier_at(barrier, step - 1).phase, count)
    assert found == expected
    order = list(zip(arrivals.barrier.tolist(), arrivals.step.tolist(), strict=True))
    assert order == sorted(order)


@pytest.mark.parametrize("trace", TRACES.values(), ids=TRACES.keys())
def test_arrivals_are_what_a_loop_over_the_events_finds(trace: Trace) -> None:
    check_arrivals(trace)


@settings(max_examples=60, deadline=None)
@given(EVENTS, TABLES)
def test_arrivals_of_any_recording(events: list[dict[str, int]], barriers: tuple[Barrier, ...]) -> None:
    check_arrivals(recording(events, barriers))


@pytest.mark.parametrize("trace", TRACES.values(), ids=TRACES.keys())
def test_a_copy_tells_what_its_issue_does_and_the_phase_its_last_bytes_came_in(trace: Trace) -> None:
    history, events = History(trace), trace.events
    copies = history.copies
    assert len(copies)
    for row, (issue, landed) in enumerate(zip(copies.issued.tolist(), copies.landed.tolist(), strict=True)):
        event = events[issue]
        told = copies.agent[row], copies.barrier[row], copies.tile[row], copies.amount[row]
        assert told == (event["agent"], event["barrier"], event["tile"], event["amount"])
        assert copies.place[row] == history.event_places.at(issue)
        came = [
            step
            for step in range(issue + 1, max(landed, issue + 1))
            if events["kind"][step] == EventKind.COMPLETE_TX and events["barrier"][step] == event["barrier"]
        ]
        phase = history.barrier_at(int(event["barrier"]), came[-1] - 1).phase if landed >= 0 and came else -1
        assert history.copy_phases[row] == phase


def test_bytes_of_the_next_phase_are_not_of_the_one_a_copy_was_issued_in() -> None:
    issue = {"kind": EventKind.COPY_ISSUE, "barrier": 0, "amount": 64, "tile": 0}
    arrive = {"kind": EventKind.ARRIVE, "barrier": 0, "amount": 1}
    history = History(
        handmade(
            {"kind": EventKind.INIT, "barrier": 0, "amount": 1},
            issue,
            arrive,
            {"kind": EventKind.PHASE_COMPLETE, "barrier": 0, "amount": 0, "parity": 0},
            {"kind": EventKind.COMPLETE_TX, "barrier": 0, "amount": 64, "tile": 0, "agent": 1},
            {"kind": EventKind.COPY_DONE, "barrier": 0, "amount": 64, "tile": 0, "agent": 1},
            issue,
            {**issue, "barrier": -1},
            {"kind": EventKind.COPY_DONE, "barrier": -1, "amount": 64, "tile": 0, "agent": 1},
            agents=2,
        )
    )
    assert history.copies.landed.tolist() == [5, -1, 8]
    assert history.copy_phases.tolist() == [1, -1, -1]
