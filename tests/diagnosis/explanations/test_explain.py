"""Explanations: the right numbers at every step of good, slow, deadlocked, timed-out and cut recordings."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from visualizer.diagnosis.explanations.explain import explain
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import EVENT_DTYPE, EventFlag, EventKind
from visualizer.recording.tables import Agent, Barrier, Ending, Meta
from visualizer.recording.trace import Trace
from visualizer.replay.history import BarrierState, History
from visualizer.semantics import word
from visualizer.semantics.mbarrier import Token
from visualizer.sources.simulator.simulate import simulate


def run(**config: Any) -> Trace:
    return simulate(lesson(LessonConfig(**config)))


def cut(trace: Trace, events: int) -> Trace:
    return replace(trace, events=trace.events[:events].copy())


def timed_out(trace: Trace) -> Trace:
    """A deadlocked run in which the producer's last wait gives up and the producer leaves."""
    wait = trace.events[trace.events["agent"] == 0][-1]
    added = np.array([wait, wait], EVENT_DTYPE)
    added["kind"] = [EventKind.TIMEOUT, EventKind.EXIT]
    added["time"] = trace.duration_ps + 1_000_000
    return replace(trace, events=np.concatenate([trace.events, added]))


def handmade(*events: dict[str, int]) -> History:
    """Events of one agent on one barrier that belongs to no stage."""
    rows = np.zeros(len(events), EVENT_DTYPE)
    for name in ("tile", "site", "stage", "parity"):
        rows[name] = -1
    rows["time"] = np.arange(len(events)) * 1000
    for row, event in zip(rows, events, strict=True):
        for name, value in event.items():
            row[name] = value
    meta = Meta("handmade", {}, {"kind": "simulator"}, Ending("completed"))
    return History(Trace(meta, [Agent("a", "other", 0, 0)], [Barrier("b", 0, "other", -1, 1, -1)], [], rows))


TRACES = {
    "lesson": run(),
    "slow consumer": run(consumer_delay=3000),
    "slow producer": run(producer_delay=3000),
    "one stage, two CTAs": run(stages=1, ctas=2, tiles=3),
    "two copies a tile": run(tile_columns=128, tiles=4),
    "deadlock: start phase": run(producer_phase=0),
    "deadlock: arrivals": run(producer_arrivals=32),
    "too few bytes": run(transaction_bytes=8192),
    "too many bytes": run(transaction_bytes=32768),
    "consumer starts with phase 1": run(consumer_phase=1),
    "timeout": timed_out(run(producer_phase=0)),
    "cut": cut(run(), 90),
}


@pytest.fixture(params=TRACES.values(), ids=TRACES.keys())
def history(request: pytest.FixtureRequest) -> History:
    return History(request.param)


def steps_of(history: History, *kinds: EventKind) -> list[int]:
    return [int(step) for step in np.flatnonzero(np.isin(history.kinds, kinds))]


def around(history: History, step: int) -> tuple[BarrierState, BarrierState]:
    row = int(history.trace.events["barrier"][step])
    return history.barrier_at(row, step - 1), history.barrier_at(row, step)


def test_every_step_has_one_or_two_sentences_that_name_agent_and_barrier(history: History) -> None:
    trace = history.trace
    for step, event in enumerate(trace.events):
        text = explain(history, step)
        assert text.endswith(".")
        assert "  " not in text
        assert 1 <= len(re.split(r"\. (?=[A-Z])", text)) <= 2, text
        kind = event["kind"]
        if kind in (EventKind.COMPLETE_TX, EventKind.COPY_DONE, EventKind.PHASE_COMPLETE):
            assert f"tile {event['tile']}" in text or kind == EventKind.PHASE_COMPLETE
        else:
            assert text.startswith(trace.agents[event["agent"]].name)
        if event["barrier"] >= 0 and kind not in (EventKind.COPY_DONE, EventKind.EXIT):
            assert trace.barriers[event["barrier"]].name in text


def test_waits_say_operand_phase_and_how_far_the_barrier_is(history: History) -> None:
    for step in steps_of(history, EventKind.WAIT_BEGIN, EventKind.TIMEOUT):
        text, (_, now) = explain(history, step), around(history, step)
        operand = int(history.trace.events["parity"][step])
        assert f"with parity {operand}" in text
        assert f"phase #{now.phase} (parity {now.phase & 1})" in text
        if history.kinds[step] == EventKind.TIMEOUT:
            assert f"{now.arrived} of {now.needed} arrival" in text
        elif now.parity == operand:
            assert f"must wait: {now.arrived} of {now.needed} arrival" in text
            assert (f"{now.tx} bytes outstanding" in text) == (now.tx > 0)
        else:
            assert "it passes" in text


def test_arrivals_and_bytes_say_both_counts_and_whether_the_phase_completes(history: History) -> None:
    for step in steps_of(history, EventKind.ARRIVE, EventKind.ARRIVE_EXPECT_TX, EventKind.COMPLETE_TX):
        text, (before, after) = explain(history, step), around(history, step)
        kind = history.kinds[step]
        if kind != EventKind.COMPLETE_TX:
            assert f"arrived {before.arrived} -> {before.needed - after.pending} of {before.needed}" in text
        if kind != EventKind.ARRIVE:
            assert f"landed {_landed(history, step, after.tx)}" in text
            assert f"{history.trace.events['amount'][step]} bytes" in text
        completes = after.pending == 0 and after.tx == 0
        assert (f"so phase #{after.phase} completes" in text) == completes
        assert ("no flip" in text) == (not completes)
        if step + 1 < history.steps:
            assert completes == (history.kinds[step + 1] == EventKind.PHASE_COMPLETE)


def test_a_wait_that_passed_names_the_completion_and_its_numbers(history: History) -> None:
    events = history.trace.events
    for step in steps_of(history, EventKind.WAIT_END):
        text = explain(history, step)
        assert ("at once" in text) == (not events["flags"][step] & EventFlag.BLOCKED)
        named = re.search(r"phase #(\d+) completed at step (\d+), with (\d+) arrival", text)
        if named is None:
            assert "fresh" in text
            assert not [
                d for d in history.completion_steps if d < step and events["barrier"][d] == events["barrier"][step]
            ]
            continue
        phase, completion, arrivals = map(int, named.groups())
        assert events["kind"][completion] == EventKind.PHASE_COMPLETE
        assert events["amount"][completion] == phase
        assert arrivals == around(history, completion - 1)[1].needed


def test_back_pressure_is_claimed_only_while_the_stage_holds_a_tile(history: History) -> None:
    trace = history.trace
    for step in steps_of(history, EventKind.WAIT_BEGIN):
        text = explain(history, step)
        barrier = trace.barriers[trace.events["barrier"][step]]
        state, tile = history.stages.one(barrier.cta * trace.stages + barrier.stage, step)
        if "Back-pressure" in text:
            assert state
            assert f"with tile {tile}" in text
        elif barrier.kind == "empty" and "must wait" in text:
            assert not state


def test_a_stage_is_called_full_only_when_every_byte_is_in(history: History) -> None:
    events = history.trace.events
    for step in [s for s in history.completion_steps if history.trace.barriers[events["barrier"][s]].kind == "full"]:
        until = events[: step + 1]
        same = until[(until["barrier"] == events["barrier"][step])]
        issued = int(same["amount"][same["kind"] == EventKind.COPY_ISSUE].sum())
        landed = int(same["amount"][same["kind"] == EventKind.COMPLETE_TX].sum())
        text = explain(history, int(step))
        if landed < issued:
            assert f"although {issued - landed} bytes have not landed" in text
        assert (" is full with tile" in text) == (landed == issued and "no copy" not in text)


def _landed(history: History, step: int, tx: int) -> str:
    """The phase's bytes that are in of those expected so far, counted over the events."""
    events = history.trace.events[: step + 1]
    own = events[events["barrier"] == events["barrier"][step]]
    flips = np.flatnonzero(own["kind"] == EventKind.PHASE_COMPLETE)
    own = own[flips[-1] + 1 :] if len(flips) else own
    landed = int(own["amount"][own["kind"] == EventKind.COMPLETE_TX].sum())
    in_kib = landed % 1024 == 0 and (landed + tx) % 1024 == 0 and landed + tx
    return f"{landed // 1024}/{(landed + tx) // 1024} KiB" if in_kib else f"{landed:,}/{landed + tx:,} B"


def test_the_lessons_sentences(lesson_history: History) -> None:
    texts = [explain(lesson_history, step) for step in range(lesson_history.steps)]

    def has(*parts: str) -> bool:
        return any(all(part in text for part in parts) for text in texts)

    assert has("producer waits on empty[0] with parity 1", "phase #0 (parity 0)", "passes on the fresh barrier")
    assert has("producer passes its wait on empty[0]", "at once", "That is why a producer starts with phase 1")
    assert has("arrived 0 -> 1 of 1 and landed 0/16 KiB: no flip, because bytes are outstanding")
    assert has("producer waits on empty[0] with parity 0", "so it must wait", "Back-pressure: stage 0")
    assert has("arrives 32 times on empty[0]: arrived 64 -> 96 of 96: all 96 arrivals are in, so phase #0 completes")
    assert has("Phase #0 of full[0] completes: parity 0 -> 1, arrived begins anew: 0/1.", "Stage 0 is full with tile 0")
    assert has("Stage 0 is full with tile 0", "consumer.w3")
    assert has("Phase #0 of empty[0] completes", "Stage 0 is free again; this lets producer pass")
    assert has("index 2 -> 0 wraps around the ring, so the phase flips 1 -> 0; count 2 -> 3")
    assert has("producer, before it may leave, waits on")
    assert "producer leaves the kernel: every stage has been released." in texts


def test_the_deadlocks_sentences() -> None:
    start_phase = History(TRACES["deadlock: start phase"])
    producer = next(s for s in steps_of(start_phase, EventKind.WAIT_BEGIN) if start_phase.trace.events["agent"][s] == 0)
    assert explain(start_phase, producer) == (
        "producer waits on empty[0] with parity 0; the barrier is in phase #0 (parity 0), so it must wait: 0 of 96"
        " arrivals so far. Stage 0 is empty, but nobody has released it: only parity 1 passes on a fresh barrier; it"
        " does not pass in this recording."
    )
    timeout = History(TRACES["timeout"])
    assert "gives up its wait on empty[0] with parity 0" in explain(timeout, timeout.steps - 2)
    assert "still in phase #0 (parity 0), with 0 of 96 arrivals so far" in explain(timeout, timeout.steps - 2)
    assert "because its wait gave up" in explain(timeout, timeout.steps - 1)
    assert f"it gives up at step {timeout.steps - 2}" in explain(timeout, producer)
    arrivals = History(TRACES["deadlock: arrivals"])
    assert "still needs 31 arrivals" in explain(arrivals, steps_of(arrivals, EventKind.COMPLETE_TX)[-1])


def test_estimated_times_are_called_so(lesson_trace: Trace) -> None:
    events = lesson_trace.events.copy()
    derived = np.isin(events["kind"], [EventKind.COMPLETE_TX, EventKind.COPY_DONE, EventKind.PHASE_COMPLETE])
    events["flags"][derived] |= np.uint8(EventFlag.DERIVED | EventFlag.ESTIMATED)
    history = History(replace(lesson_trace, events=events))
    for step in range(history.steps):
        assert ("estimated" in explain(history, step)) == derived[step]


def test_a_try_that_answered_false_early_is_told(lesson_trace: Trace) -> None:
    events = lesson_trace.events.copy()
    history = History(lesson_trace)
    begin = next(
        s for s in steps_of(history, EventKind.WAIT_BEGIN) if "so phase #0 has completed" in explain(history, s)
    )
    end = history.agents.acts.after(int(events["agent"][begin]), begin)
    events["flags"][end] |= EventFlag.BLOCKED
    assert explain(History(replace(lesson_trace, events=events)), begin).endswith("answered false all the same.")


def test_operations_the_lesson_does_not_use() -> None:
    token = word.encode(Token(1, 2, 4096))
    history = handmade(
        {"kind": EventKind.INIT, "amount": 3},
        {"kind": EventKind.ARRIVE_DROP, "amount": 1},
        {"kind": EventKind.EXPECT_TX, "amount": 64},
        {"kind": EventKind.COMPLETE_TX, "amount": 128},
        {"kind": EventKind.WORD_SAMPLE, "token": token},
        {"kind": EventKind.ARRIVE, "amount": 3},
        {"kind": EventKind.INVAL},
        {"kind": EventKind.WAIT_BEGIN, "parity": 0},
    )
    texts = [explain(history, step) for step in range(history.steps)]
    assert texts[0] == "a initialises b for 3 arrivals per phase: phase #0, arrived 0/3."
    assert "later phases expect 2: arrived 0 -> 1 of 3" in texts[1]
    assert "landed 0/64 B, and arrived stays 1/3 because this is no arrival" in texts[2]
    assert "b has landed 128/64 B" in texts[3]
    assert "64 bytes have landed before they were expected" in texts[3]
    assert "parity 1, arrived 1/3, 4096 bytes to come" in texts[4]
    assert "1 arrival more than phase #0 takes, which is undefined" in texts[5]
    assert texts[6] == "a invalidates b: only another init may follow."
    assert "not initialised, so what the wait does is undefined" in texts[7]


def test_a_step_outside_the_recording_is_an_index_error(lesson_history: History) -> None:
    with pytest.raises(IndexError, match="outside"):
        explain(lesson_history, lesson_history.steps)
