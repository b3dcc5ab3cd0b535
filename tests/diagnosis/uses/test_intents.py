"""What a wait means is counted by its agent's uses of the barrier, whatever phase it met."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from any_recording import BARRIERS, recording

from visualizer.diagnosis.uses.intents import Intents, find_intents
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History

CONSUMER = {"agent": 1, "stage": -1, "tile": -1, "flags": 0}


def intents_of(*parities: int, between: tuple[EventKind, ...] = (), kind: str = "full") -> Intents:
    """Of a consumer that waits on one barrier with these parities, one wait after the other."""
    events: list[dict[str, Any]] = [{**CONSUMER, "kind": EventKind.INIT, "barrier": 0, "amount": 1}]
    for parity in parities:
        for step in (EventKind.WAIT_BEGIN, EventKind.WAIT_END):
            events.append({**CONSUMER, "kind": step, "barrier": 0, "parity": parity})
        events += [{**CONSUMER, "kind": other, "barrier": -1} for other in between]
    barrier = replace(BARRIERS[0], kind=kind, stage=0 if kind == "full" else -1)
    return find_intents(History(recording(events, (barrier,))))


def test_each_use_of_a_stages_barrier_means_the_next_phase() -> None:
    found = intents_of(0, 1, 0)
    assert found.wanted.tolist() == [0, 1, 2]
    assert found.due.tolist() == [0, 1, 0]
    assert found.strict.all()


def test_two_waits_with_nothing_between_look_at_the_same_phase() -> None:
    assert intents_of(0, 0, 1).wanted.tolist() == [0, 0, 1]


@pytest.mark.parametrize("between", [(EventKind.FENCE,), (EventKind.SYNC_BEGIN, EventKind.SYNC_END)])
def test_two_waits_with_work_or_a_sync_between_are_two_uses(between: tuple[EventKind, ...]) -> None:
    found = intents_of(0, 0, 1, between=between)
    assert found.wanted.tolist() == [0, 1, 2]
    assert found.waits.barrier.tolist() == [0, 0, 0]


def test_a_wait_on_a_barrier_of_no_stage_means_what_the_hardware_makes_of_it() -> None:
    found = intents_of(0, 1, 1, between=(EventKind.FENCE,), kind="other")
    assert found.wanted.tolist() == [0, -1, -1]
    assert not found.strict.any()


@pytest.mark.parametrize(("released", "wanted"), [(False, [0, 0]), (True, [0, 1])])
def test_lanes_that_parted_wait_each_for_the_same_tile_until_it_is_released(released: bool, wanted: list[int]) -> None:
    """One lane fills another stage between the others' wait and its own, as CUTLASS's KernelTma does [H200]."""
    kinds = EventKind
    events: list[dict[str, Any]] = [{**CONSUMER, "kind": kinds.INIT, "barrier": row, "amount": 1} for row in (0, 1)]
    events += [{**CONSUMER, "kind": kinds.ARRIVE, "barrier": 0, "amount": 1}]
    events += [{**CONSUMER, "kind": kinds.PHASE_COMPLETE, "barrier": 0, "parity": 0}]
    wait = [{**CONSUMER, "kind": kind, "barrier": 0, "parity": 0} for kind in (kinds.WAIT_BEGIN, kinds.WAIT_END)]
    release = [{**CONSUMER, "kind": kinds.ARRIVE, "barrier": 1, "amount": 1}] if released else []
    events += [*wait, {**CONSUMER, "kind": kinds.FENCE, "barrier": -1}, *release, *wait]
    barriers = (replace(BARRIERS[0], init_count=1), replace(BARRIERS[1], init_count=1))
    assert find_intents(History(recording(events, barriers))).wanted.tolist() == wanted
