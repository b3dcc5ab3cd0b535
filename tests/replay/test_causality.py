"""Causality: releases and wakings are each other's inverse, and agree with a search through all events."""

from __future__ import annotations

import numpy as np
import pytest
from naive_replay import cut, handmade, run, with_watchdog

from visualizer.recording.schema import ARRIVAL_KINDS, EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.causality import Causality, Link
from visualizer.replay.history import History

TRACES = {
    "lesson": run(),
    "slow consumer": run(consumer_delay=2000),
    "one stage": run(stages=1, tiles=4),
    "two CTAs, two copies a tile": run(ctas=2, tiles=4, tile_columns=128),
    "deadlock": run(producer_arrivals=32),
    "timeout": with_watchdog(run(producer_phase=0)),
    "half the bytes expected": run(transaction_bytes=8192),
    "cut": cut(run(), 70),
}
CONTRIBUTIONS = (*ARRIVAL_KINDS, EventKind.COMPLETE_TX, EventKind.EXPECT_TX)


@pytest.fixture(params=TRACES.values(), ids=TRACES.keys())
def trace(request: pytest.FixtureRequest) -> Trace:
    return request.param


def steps_of(trace: Trace, *kinds: EventKind) -> list[int]:
    return [int(step) for step in np.flatnonzero(np.isin(trace.events["kind"], kinds))]


def test_a_release_is_the_latest_completion_with_the_operands_parity(trace: Trace) -> None:
    causality = Causality(History(trace))
    events = trace.events
    for step in steps_of(trace, EventKind.WAIT_END):
        wait = events[step]
        completions = [
            done
            for done in steps_of(trace, EventKind.PHASE_COMPLETE)
            if done < step and events[done]["barrier"] == wait["barrier"] and events[done]["parity"] == wait["parity"]
        ]
        release = causality.release_of(step)
        assert release is not None
        assert release.fresh == (not completions)
        if completions:
            assert release.completion == completions[-1]
            assert release.phase == events[completions[-1]]["amount"]
            assert all(events[arrival]["kind"] in ARRIVAL_KINDS for arrival in release.arrivals)
            assert max(release.arrivals + release.bytes_landed) == release.completion - 1


def test_only_the_end_of_a_wait_has_a_release(lesson_history: History) -> None:
    causality = Causality(lesson_history)
    for step in range(lesson_history.steps):
        is_end = lesson_history.kinds[step] == EventKind.WAIT_END
        assert (causality.release_of(step) is not None) == is_end


def test_the_lessons_phases_are_made_of_all_their_arrivals_and_bytes(lesson_history: History) -> None:
    causality, events = Causality(lesson_history), lesson_history.trace.events
    for step in lesson_history.completion_steps:
        phase = causality.phase_of(int(step))
        assert phase is not None
        assert phase.completion == step
        assert phase.number == events["amount"][step]
        if lesson_history.trace.barriers[phase.barrier].kind == "full":
            assert len(phase.arrivals) == 1
            assert events["amount"][list(phase.bytes_landed)].sum() == 16384
        else:
            assert events["amount"][list(phase.arrivals)].sum() == 96
            assert not phase.bytes_landed


def test_whom_an_event_woke_is_who_was_released_by_it(trace: Trace) -> None:
    causality = Causality(History(trace))
    released: dict[int, list[int]] = {}
    for step in steps_of(trace, EventKind.WAIT_END):
        release = causality.release_of(step)
        if release is not None and release.completion is not None:
            for cause in (release.completion, *release.arrivals, *release.bytes_landed):
                released.setdefault(cause, []).append(step)
    for step in steps_of(trace, *CONTRIBUTIONS, EventKind.PHASE_COMPLETE):
        assert causality.woken_by(step) == released.get(step, [])
    for step in steps_of(trace, EventKind.INIT, EventKind.READ_BEGIN, EventKind.ADVANCE, EventKind.WAIT_END):
        assert causality.woken_by(step) == []


def test_arrows_point_forward_and_a_copys_arrows_carry_all_its_bytes(trace: Trace) -> None:
    history = History(trace)
    causality, events = Causality(history), trace.events
    for step in range(history.steps):
        links = causality.links(step)
        assert all(link.from_step < link.to_step for link in links)
        assert len(set(links)) == len(links)
    landed = set(steps_of(trace, EventKind.COPY_DONE))
    for step in steps_of(trace, EventKind.COPY_ISSUE):
        done = history.copies.landing_of(step)
        bytes_ = [link.to_step for link in causality.links(step) if link.kind == "copy"]
        assert (done is not None) == bool(landed and done in landed)
        if done is not None and trace.meta.config["tile_columns"] == 64:
            assert events["amount"][bytes_].sum() == events["amount"][step]
            assert causality.issue_of(done) == step
            assert all(causality.issue_of(landing) == step for landing in bytes_)


def test_the_arrows_of_a_wait_are_its_phase_and_its_release(lesson_history: History) -> None:
    causality = Causality(lesson_history)
    trace = lesson_history.trace
    producer = trace.agent_index["producer"]
    begin = next(
        step
        for step in steps_of(trace, EventKind.WAIT_BEGIN)
        if trace.events["agent"][step] == producer and trace.events["tile"][step] == 3
    )
    end = causality.wait_end(begin)
    assert end is not None
    release = causality.release_of(end)
    assert release is not None
    assert release.completion is not None
    expected = {Link(arrival, release.completion, "arrival") for arrival in release.arrivals}
    expected.add(Link(release.completion, end, "release"))
    assert len(release.arrivals) == 3
    assert set(causality.links(end)) == set(causality.links(begin)) == expected
    assert causality.wait_begin(end) == begin


def test_following_causes_leads_to_the_start_and_effects_to_an_end(trace: Trace) -> None:
    history = History(trace)
    causality = Causality(history)
    for step in range(history.steps):
        cause, effect = causality.previous_cause(step), causality.next_effect(step)
        assert cause is None or cause < step
        assert effect is None or effect > step
    at: int | None = history.steps - 1
    visited = []
    while at is not None:
        visited.append(at)
        at = causality.previous_cause(at)
    assert history.kinds[visited[-1]] in (EventKind.INIT, EventKind.WAIT_BEGIN)


def test_the_cause_of_the_wait_behind_the_lessons_arrivals() -> None:
    history = History(run())
    causality = Causality(history)
    completion = int(history.completion_steps[0])
    wait_end = causality.next_effect(completion)
    assert wait_end is not None
    assert causality.previous_cause(wait_end) == completion
    assert causality.previous_cause(completion) == completion - 1
    issue = causality.previous_cause(completion - 1)
    assert issue is not None
    assert history.kinds[issue] == EventKind.COPY_ISSUE


def test_phases_of_a_barrier_before_it_was_initialised_again_do_not_count() -> None:
    trace = handmade(
        {"kind": EventKind.INIT, "barrier": 0, "amount": 1},
        {"kind": EventKind.ARRIVE, "barrier": 0, "amount": 1},
        {"kind": EventKind.PHASE_COMPLETE, "barrier": 0, "amount": 0, "parity": 0},
        {"kind": EventKind.ARRIVE, "barrier": 0, "amount": 1},
        {"kind": EventKind.PHASE_COMPLETE, "barrier": 0, "amount": 1, "parity": 1},
        {"kind": EventKind.INVAL, "barrier": 0},
        {"kind": EventKind.INIT, "barrier": 0, "amount": 1},
        {"kind": EventKind.WAIT_BEGIN, "barrier": 0, "parity": 1},
        {"kind": EventKind.WAIT_END, "barrier": 0, "parity": 1},
    )
    causality = Causality(History(trace))
    release = causality.release_of(8)
    assert release is not None
    assert release.fresh
    assert causality.woken_by(4) == []


def test_what_a_warp_lands_while_it_waits_does_not_end_its_wait() -> None:
    """Without a copy engine of its own, a CTA's landings are events of the warp that issued the copy."""
    done = {"kind": EventKind.COPY_DONE, "barrier": 0, "amount": 64}
    wait = {"barrier": 0, "parity": 1}
    trace = handmade({"kind": EventKind.WAIT_BEGIN, **wait}, done, {"kind": EventKind.WAIT_END, **wait})
    causality = Causality(History(trace))
    assert (causality.wait_end(0), causality.wait_begin(2)) == (2, 0)


def test_a_step_outside_the_recording_is_an_index_error(lesson_history: History) -> None:
    with pytest.raises(IndexError):
        Causality(lesson_history).links(lesson_history.steps)
