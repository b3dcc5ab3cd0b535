"""The ring as data: exact pictures at chosen steps of the recording written by hand."""

from __future__ import annotations

from dataclasses import replace
from time import process_time

import numpy as np
import pytest
from pane_testing import CONFIG, LAST, hand_history, two_cta_history
from two_ring_traces import two_rings, unknowing, untold

from visualizer.diagnosis.arrived import NO_BYTES, Landed
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.structure.find import structure_of
from visualizer.views.ring.ring_model import phase_bytes, ring
from visualizer.views.ring.ring_picture import Ring, RingBarrier, RingCursor, RingStage


def test_golden_while_a_tile_is_landing() -> None:
    assert ring(hand_history(), 18) == Ring(
        cta=0,
        title="",
        stages=(
            RingStage(
                index=0,
                lane="stage[0]",
                state="filling",
                tile=0,
                filled=0.25,
                barriers=(
                    RingBarrier("full[0]", "full", 0, True, 0, 1, 1, 0, 12288, Landed(4096, 16384), focused=True),
                    RingBarrier("empty[0]", "empty", 0, True, 0, 0, 64, 64, 0, NO_BYTES, focused=False),
                ),
                focused=True,
            ),
            RingStage(
                index=1,
                lane="stage[1]",
                state="filling",
                tile=1,
                filled=0.0,
                barriers=(
                    RingBarrier("full[1]", "full", 1, True, 0, 1, 1, 0, 16384, Landed(0, 16384), focused=False),
                    RingBarrier("empty[1]", "empty", 1, True, 0, 0, 64, 64, 0, NO_BYTES, focused=False),
                ),
                focused=False,
            ),
        ),
        producers=(RingCursor("producer", (("producer", "waiting"),), ("producer",), 0, 0, 2, focused=False),),
        consumers=(
            RingCursor("consumer", (("w1 w2", "waiting"),), ("consumer.w1", "consumer.w2"), 0, 0, 0, focused=False),
        ),
    )


def test_consumers_part_when_one_has_moved_on() -> None:
    shown = ring(hand_history(), 29)
    assert [(cursor.groups, cursor.state_text, cursor.focused) for cursor in shown.consumers] == [
        ((("w2", "reading"),), "stage 0, phase 0, tile 0", False),
        ((("w1", "waiting"),), "stage 1, phase 0, tile 1", True),
    ]
    assert [stage.state for stage in shown.stages] == ["reading", "filling"]
    assert shown.stages[0].barriers[1].arrived_text == "32/64"


def test_consumers_at_one_place_are_one_cursor_whatever_they_do() -> None:
    (cursor,) = ring(hand_history(), 24).consumers
    assert cursor.lines == ("w1 reading", "w2 running")
    assert not cursor.waits


def test_an_empty_stage_and_a_phase_that_flipped() -> None:
    shown = ring(hand_history(), 32)
    stage = shown.stages[0]
    assert (stage.state, stage.tile, stage.filled) == ("empty", -1, 0.0)
    assert [(barrier.phase, barrier.digit, barrier.arrived_text) for barrier in stage.barriers] == [
        (1, "1", "0/1"),
        (1, "1", "0/64"),
    ]


def test_barriers_before_their_init_say_so() -> None:
    shown = ring(hand_history(), 0)
    assert [barrier.arrived_text for stage in shown.stages for barrier in stage.barriers] == ["0/1", "-", "-", "-"]


@pytest.mark.parametrize("step", [10, 38 + 10])
def test_the_focused_events_cta_is_shown(step: int) -> None:
    shown = ring(two_cta_history(), step)
    cta = step // 38
    assert shown.title == f"CTA {cta} of 2"
    assert shown.stages[1].lane == f"CTA{cta}.stage[1]"
    assert shown.stages[0].barriers[0].name == f"CTA{cta}.full[0]"
    assert shown.stages[0].state == "filling"


def test_advance_points_at_no_stage() -> None:
    """Its stage is where the cursor went, not a buffer that was touched."""
    assert not any(stage.focused for stage in ring(hand_history(), 11).stages)


def test_summary_reads_the_whole_ring() -> None:
    assert ring(hand_history(), 18).summary() == (
        "stage 0 filling, tile 0: full is in phase #0 (parity 0), arrived 1/1, landed 4/16 KiB; "
        "empty is in phase #0 (parity 0), arrived 0/64. "
        "stage 1 filling, tile 1: full is in phase #0 (parity 0), arrived 1/1, landed 0/16 KiB; "
        "empty is in phase #0 (parity 0), arrived 0/64. "
        "producer waiting at stage 0, phase 0, tile 2. w1 w2 waiting at stage 0, phase 0, tile 0"
    )


def test_a_program_with_other_parameters_shows_no_byte_totals() -> None:
    history = hand_history(config={"unknown": 1})
    assert phase_bytes(history.trace) == 0
    assert ring(history, LAST).stages[0].barriers[0].landed == NO_BYTES
    assert phase_bytes(hand_history().trace) == CONFIG.tile_bytes


def test_the_ring_is_that_of_the_focused_event() -> None:
    history = History(two_rings(6))
    kinds, rings = history.kinds, history.trace.events["ring"]
    copies = np.flatnonzero(kinds == EventKind.COPY_ISSUE)
    of_k, of_v = int(copies[rings[copies] == 0][0]), int(copies[rings[copies] == 1][0])
    k, v = ring(history, of_k), ring(history, of_v)
    assert [(shown.name, len(shown.stages), shown.title) for shown in (k, v)] == [
        ("K", 3, "ring K"),
        ("V", 2, "ring V"),
    ]
    assert [stage.lane for stage in v.stages] == ["V.stage[0]", "V.stage[1]"]
    assert {box.name for stage in v.stages for box in stage.barriers} <= set(history.trace.barrier_index)
    about_none = int(np.flatnonzero(kinds == EventKind.EXIT)[0])
    assert ring(history, about_none, name="V").name == "V"
    assert ring(history, about_none).name == "K"


def test_where_no_ring_is_known_none_is_made_up_and_one_that_was_inferred_says_so() -> None:
    assert (ring(unknowing(two_rings(6)), 20).name, ring(unknowing(two_rings(6)), 20).stages) == (None, ())
    inferred = History(untold(two_rings(6)))
    assert "% sure" in ring(inferred, 20).title


def test_several_full_barriers_of_a_stage_are_told_apart_by_name() -> None:
    trace = two_rings(6)
    names = {kind: [[f"K.{kind}[{s}]", f"V.{kind}[{s}]"] for s in range(2)] for kind in ("full", "empty")}
    history = History(trace, structure_of(trace, [{"ring": "both", **names}]))
    shown = ring(history, 20, name="both")
    assert [[box.title for box in stage.barriers] for stage in shown.stages] == [
        [f"{ring}.{kind}[{stage}]" for kind in ("full", "empty") for ring in "KV"] for stage in range(2)
    ]
    assert "K.full[0] is in phase #" in shown.summary()
    assert [box.title for box in ring(history, 20, name="K").stages[0].barriers] == ["full[0]", "empty[0]"]


def test_a_barrier_before_its_init_is_said_to_be_none() -> None:
    assert "full is not initialised; empty is not initialised" in ring(hand_history(), 0).summary()


def test_a_stage_with_thousands_of_barriers_takes_time_by_their_number() -> None:
    """Each is told from its likes by its own name: looked for once, not by each among all."""
    history = hand_history()
    trace = history.trace
    like = next(barrier for barrier in trace.barriers if barrier.kind == "full")
    more = tuple(replace(like, name=f"more{number}", offset=-1, address=-1) for number in range(10_000))
    many = History(replace(trace, barriers=(*trace.barriers, *more)))
    many.state_at(18)
    began = process_time()
    (stage, *_) = ring(many, 18).stages
    assert process_time() - began < 3
    assert len(stage.barriers) == 10_002
    assert [box.own_name for box in stage.barriers if box.kind == "full"][-1] == "more9999"
    assert [box.own_name for box in stage.barriers if box.kind == "empty"] == [""]


def test_where_nobody_knows_how_many_arrive_it_says_so() -> None:
    box = RingBarrier("full[0]", "full", 0, True, 0, 3, 0, -3, 0, NO_BYTES, focused=False)
    assert box.arrived_text == "3/?"
