"""Several rings in one CTA: each has stages, cursors, copies and a table of its own. And kernels nobody told of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from naive_replay import NaiveReplay, handmade
from two_ring_traces import BYTES, STAGES, two_rings, unknowing

from visualizer.programs.builder import Builder
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.tables import Barrier
from visualizer.recording.trace import Trace
from visualizer.replay.agent_columns import AgentActivity
from visualizer.replay.causality import Causality
from visualizer.replay.cta_part import CtaParts
from visualizer.replay.history import History, StageState
from visualizer.replay.step_document import step_document
from visualizer.replay.tile_table import tile_table
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.find import structure_of


def check_every_step(history: History) -> None:
    naive = NaiveReplay(history.trace, told=history.structure)
    for step in range(history.steps):
        naive.take(history.trace.events[step])
        naive.agrees(history, step)


@pytest.mark.parametrize("ctas", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_state_with_two_rings_equals_a_replay_through_the_specification(ctas: int, seed: int) -> None:
    check_every_step(History(two_rings(5, seed=seed, ctas=ctas)))


def test_state_equals_a_replay_where_nothing_is_told() -> None:
    check_every_step(unknowing(two_rings(5)))


def test_each_ring_has_its_own_stages() -> None:
    history = History(two_rings(6, ctas=2))
    assert history.structure.places == 2 * sum(STAGES.values())
    lap = [StageState.EMPTY, StageState.FILLING, StageState.FULL, StageState.READING]
    for ring, stages in STAGES.items():
        for stage in range(stages):
            spans = history.stage_spans(history.structure.place(1, ring, stage))
            tiles = range(stage, 6, stages)
            assert spans.state.tolist() == lap * len(tiles) + [StageState.EMPTY]
            assert spans.tile.tolist() == [tile for t in tiles for tile in (-1, t, t, t)] + [-1]


def test_each_ring_has_its_own_cursors_and_table() -> None:
    history = History(two_rings(6))
    last = history.steps - 1
    assert history.cursors_at(last)[0].tolist() == [0, 1, 6]
    assert history.cursors_at(last, "V")[0].tolist() == [0, 0, 6]
    assert (history.cursors_at(last, "elsewhere") == -1).all()
    for ring, stages in STAGES.items():
        rows = list(tile_table(history, 0, ring))
        assert [row.tile for row in rows] == list(range(6))
        assert [row.stage for row in rows] == [tile % stages for tile in range(6)]
        assert [row.pipe_read.count for row in rows] == list(range(6))
        assert [row.full_phase.step for row in rows] == sorted(row.full_phase.step for row in rows)
    assert [row.as_json() for row in tile_table(history)] == [row.as_json() for row in tile_table(history, 0, "K")]
    with pytest.raises(IndexError, match="no ring 'Q'"):
        tile_table(history, 0, "Q")


def test_the_document_of_a_step_names_rings() -> None:
    document = step_document(History(two_rings(2)), 40)
    assert [(row["ring"], row["stage"]) for row in document["stages"]] == [
        (ring, stage) for ring, stages in STAGES.items() for stage in range(stages)
    ]
    assert set(document["agents"]["producer"]["more_cursors"]) == {"V"}


def test_a_ctas_part_knows_the_rings_of_the_whole() -> None:
    whole = History(two_rings(4, ctas=2))
    part = CtaParts(whole)[1]
    assert part.history.structure is whole.structure
    for place in range(5, 10):
        mine, all_ = part.history.stage_spans(place), whole.stage_spans(place)
        np.testing.assert_array_equal(mine.state, all_.state)
        np.testing.assert_array_equal(mine.start, all_.start)


def test_copies_are_paired_where_no_stage_is_known() -> None:
    told, bare = History(two_rings(6)), unknowing(two_rings(6))
    assert bare.structure.places == 0
    np.testing.assert_array_equal(told.copies.landed, bare.copies.landed)
    assert (bare.copies.landed >= 0).all()
    spans = bare.copy_spans(0)
    assert len(spans) == 12
    assert sorted(bare.trace.events["amount"][spans.first_step].tolist()) == [BYTES["V"]] * 6 + [BYTES["K"]] * 6


def test_a_multicast_copy_has_its_destinations() -> None:
    issue = {"kind": EventKind.COPY_ISSUE, "amount": 64, "tile": 1}
    trace = handmade(
        {"kind": EventKind.INIT, "barrier": 0, "amount": 1},
        {"kind": EventKind.INIT, "barrier": 1, "amount": 1},
        {**issue, "barrier": 0},
        {**issue, "barrier": 1, "agent": 1},
        {**issue, "barrier": 1, "flags": EventFlag.SAME_COPY},
        {**issue, "barrier": 0},
        {"kind": EventKind.COPY_DONE, "barrier": 1, "agent": 1, "tile": 1, "amount": 64},
        {"kind": EventKind.COPY_DONE, "barrier": 1, "agent": 1, "tile": 1, "amount": 64},
        barriers=2,
        agents=2,
    )
    trace = replace(trace, barriers=[trace.barriers[0], replace(trace.barriers[1], cta=1)])
    history = History(trace)
    causality = Causality(history)
    assert [causality.destinations(step) for step in (2, 3, 4, 5)] == [[2, 4], [3], [2, 4], [5]]
    assert [history.copies.landing_of(step) for step in (2, 3, 4, 5)] == [None, 6, 7, None]
    assert history.copy_spans(1).first_step.tolist() == [3, 4]
    check_every_step(History(trace))


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        (EventKind.SYNC_BEGIN, EventKind.SYNC_END),
        (EventKind.CLUSTER_WAIT_BEGIN, EventKind.CLUSTER_WAIT_END),
        (EventKind.WGMMA_WAIT_BEGIN, EventKind.WGMMA_WAIT_END),
        (EventKind.STORE_WAIT_BEGIN, EventKind.STORE_WAIT_END),
    ],
)
def test_an_agent_waits_for_other_things_than_mbarriers(begin: EventKind, end: EventKind) -> None:
    trace = handmade({"kind": EventKind.FENCE}, {"kind": begin}, {"kind": EventKind.WORD_SAMPLE}, {"kind": end})
    check_every_step(History(trace))
    history = History(trace)
    assert [history.state_at(step).agent_activity[0] for step in range(4)] == [
        AgentActivity.RUNNING,
        AgentActivity.WAITING,
        AgentActivity.WAITING,
        AgentActivity.RUNNING,
    ]
    assert history.agent_spans(0).barrier.tolist() == [-1, -1, -1]


def test_what_an_agent_writes_itself_fills_a_stage() -> None:
    trace = handmade(
        {"kind": EventKind.INIT, "barrier": 0, "amount": 1},
        {"kind": EventKind.WRITE, "stage": 0, "tile": 3, "amount": 512},
        {"kind": EventKind.ARRIVE, "barrier": 0, "amount": 1},
        {"kind": EventKind.PHASE_COMPLETE, "barrier": 0, "tile": 3},
    )
    trace = replace(trace, barriers=[Barrier("full[0]", 0, "full", 0, 1, 0)])
    check_every_step(History(trace))
    assert History(trace).stage_spans(0).state.tolist() == [StageState.EMPTY, StageState.FILLING, StageState.FULL]


def test_a_barrier_initialised_before_the_recording_counts_from_what_the_program_gives_it() -> None:
    events = [
        {"kind": EventKind.FENCE},
        {"kind": EventKind.ARRIVE, "barrier": 0, "amount": 1},
        {"kind": EventKind.ARRIVE_DROP, "barrier": 0, "amount": 1},
        {"kind": EventKind.ARRIVE, "barrier": 0, "amount": 2},
        {"kind": EventKind.PHASE_COMPLETE, "barrier": 0, "amount": 6},
        {"kind": EventKind.ARRIVE, "barrier": 0, "amount": 1},
        {"kind": EventKind.TEST_FAILED, "barrier": 0, "parity": 1},
    ]
    trace = replace(handmade(*events), barriers=[Barrier("b", 0, "other", -1, 4, -1, first_phase=6)])
    check_every_step(History(trace))
    history = History(trace)
    seen = [history.barrier_at(0, step) for step in range(-1, 7)]
    assert [state.valid for state in seen] == [True] * 8
    assert [state.phase for state in seen] == [6, 6, 6, 6, 6, 7, 7, 7]
    assert [state.pending for state in seen] == [4, 4, 3, 2, 0, 3, 2, 2]
    assert [state.expected for state in seen] == [4, 4, 4, 3, 3, 3, 3, 3]
    assert [state.arrived for state in seen] == [0, 0, 1, 2, 4, 0, 1, 1]


def test_a_count_that_is_not_known_is_not_made_up() -> None:
    events = [
        {"kind": EventKind.ARRIVE, "barrier": 0, "amount": 32},
        {"kind": EventKind.EXPECT_TX, "barrier": 0, "amount": 64},
        {"kind": EventKind.COMPLETE_TX, "barrier": 0, "amount": 64},
        {"kind": EventKind.PHASE_COMPLETE, "barrier": 0, "amount": 0},
        {"kind": EventKind.ARRIVE, "barrier": 0, "amount": 32},
    ]
    trace = replace(handmade(*events), barriers=[Barrier("b", 0, "other", -1, 0, -1)])
    check_every_step(History(trace))
    seen = [History(trace).barrier_at(0, step) for step in range(5)]
    assert [(state.phase, state.pending, state.expected, state.tx) for state in seen] == [
        (0, 0, 0, 0),
        (0, 0, 0, 64),
        (0, 0, 0, 0),
        (1, 0, 0, 0),
        (1, 0, 0, 0),
    ]


def test_an_init_that_is_recorded_says_the_count_itself() -> None:
    events = [
        {"kind": EventKind.INIT, "barrier": 0, "amount": 3},
        {"kind": EventKind.ARRIVE, "barrier": 0, "amount": 1},
        {"kind": EventKind.ARRIVE_DROP, "barrier": 0, "amount": 1},
    ]
    trace = replace(handmade(*events), barriers=[Barrier("b", 0, "other", -1, 0, -1)])
    check_every_step(History(trace))
    state = History(trace).barrier_at(0, 2)
    assert (state.pending, state.expected, state.needed, state.arrived) == (1, 2, 3, 2)


@pytest.mark.parametrize("row", range(len(STAGES)))
def test_a_ring_that_was_renamed_by_hand_keeps_its_stages_cursors_and_tiles(row: int) -> None:
    trace = two_rings(6)
    name = list(STAGES)[row]
    told, renamed = History(trace), History(trace, structure_of(trace, [{"ring": name, "name": "mine"}]))
    assert not renamed.structure.problems
    for step in range(0, told.steps, 7):
        assert np.array_equal(renamed.state_at(step).stage_state, told.state_at(step).stage_state)
        assert np.array_equal(renamed.state_at(step).stage_tile, told.state_at(step).stage_tile)
    assert list(tile_table(renamed, 0, "mine")) == list(tile_table(told, 0, name))


@pytest.mark.parametrize(
    "entry",
    [
        {"ring": "last", "full": ["K.full[2]"], "empty": ["K.empty[2]"]},
        {"ring": "all", "full": [f"{ring}.full[{s}]" for ring, n in STAGES.items() for s in range(n)]},
    ],
)
def test_stages_laid_out_by_hand_hold_what_their_full_barriers_guard(entry: dict[str, Any]) -> None:
    trace = two_rings(6)
    told, by_hand = History(trace), History(trace, structure_of(trace, [entry]))
    assert not by_hand.structure.problems
    full = [ring.full[stage][0] for ring in told.structure.rings for stage in range(ring.stages)]
    now = np.append(by_hand.structure.place_of[full], -1)
    steps = np.arange(told.steps)
    expected = now[told.event_places.of(steps)]
    barrier = trace.events["barrier"]
    expected[(barrier >= 0) & (by_hand.structure.place_of[barrier] < 0)] = -1  # an empty barrier that guards none now
    assert np.array_equal(by_hand.event_places.of(steps), expected)
    assert [by_hand.event_places.at(step) for step in range(50)] == expected[:50].tolist()


def shared_stages(tiles: int = 7, parts: int = 2, empties: int = 1, seed: int = 0) -> Trace:
    """K and V share a stage: each has a full barrier of its own, and `empties` empty ones are to complete."""
    b = Builder("shared")
    full = [b.barriers(f"full{part}", 2, count=1, kind="full") for part in range(parts)]
    empty = [b.barriers(f"empty{part}", 2, count=1, kind="empty") for part in range(empties)]
    producer = b.agent("producer", role="producer", stages=2, phase=1)
    producer.init_all()
    producer.sync()
    for _ in producer.tiles(tiles):
        for one in empty:
            producer.wait(one[producer.index], producer.phase)
        for part, one in enumerate(full):
            producer.arrive_expect_tx(one[producer.index], 1024 << 4 * part)
            producer.copy(one[producer.index], producer.index, 1024 << 4 * part)
        producer.advance()
    for number in range(empties):
        consumer = b.agent(f"consumer{number}", role="consumer", stages=2)
        consumer.sync()
        for _ in consumer.tiles(tiles):
            for one in full:
                consumer.wait(one[consumer.index], consumer.phase)
            consumer.read(consumer.index, 1024)
            consumer.arrive(empty[number][consumer.index])
            consumer.delay(700 * number)
            consumer.advance()
    return simulate(b.build(), seed=seed)


@pytest.mark.parametrize(("parts", "empties"), [(2, 1), (3, 1), (1, 2), (2, 2)])
def test_of_several_barriers_the_last_one_fills_or_frees_a_stage(parts: int, empties: int) -> None:
    for seed in range(3):
        trace = shared_stages(parts=parts, empties=empties, seed=seed)
        history = History(trace)
        check_every_step(history)
        spans = history.stage_spans(0)
        lap = [StageState.EMPTY, StageState.FILLING, StageState.FULL, StageState.READING]
        assert spans.state.tolist() == lap * 4 + [StageState.EMPTY]


def test_in_mid_run_a_stage_is_full_only_when_the_recording_finds_all_its_barriers_full() -> None:
    trace = shared_stages(tiles=4)
    begun = {"full0[0]": 2, "full1[0]": 1, "empty0[0]": 1, "full0[1]": 2, "full1[1]": 2, "empty0[1]": 1}
    barriers = [replace(barrier, first_phase=begun[barrier.name]) for barrier in trace.barriers]
    history = History(replace(trace, barriers=barriers, events=trace.events[:0]))
    assert history.stages.first_state.tolist() == [StageState.EMPTY, StageState.FULL]
    assert history.stages.first_tile.tolist() == [-1, 3]
