"""The timeline's picture as data: what is drawn where, in which colour role, and that nothing vanishes when folded."""

import numpy as np
import pytest
from timeline_pictures import HEIGHT, lane_picture
from timeline_traces import CONSUMER, EMPTY, FULL, ONE_TILE, PRODUCER, TMA, make_trace, one_tile
from two_ring_traces import two_rings

from visualizer.programs.builder import Builder
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.views.timeline.lanes.lane_store import LaneStore
from visualizer.views.timeline.shapes.picture import Layer, Style
from visualizer.views.timeline.time.scale import View, fit

NS = 1000
ONE_NS_A_PIXEL = View(0, 1000.0, 1000)


@pytest.fixture(scope="module")
def store():
    return LaneStore(History(one_tile()))


def labels(picture):
    return [label.text for label in picture.labels]


def test_a_consumer_waits_then_reads(store):
    assert lane_picture(store, "consumer.w1", ONE_NS_A_PIXEL).lines() == [
        "body_edge reading.outline 520.0 0.0 380.0 40.0",
        "body_edge running.outline 900.0 0.0 100.0 40.0",
        "body_edge waiting.outline 50.0 0.0 470.0 40.0",
        "body reading.fill 521.0 1.0 378.0 38.0",
        "body running.fill 901.0 1.0 98.0 38.0",
        "body waiting.fill 51.0 1.0 468.0 38.0",
        "hatch waiting.hatch 51.0 1.0 468.0 38.0",
        "label waiting 50.0 0.0 'waits full[0] · tile 0'",
        "label reading 520.0 0.0 'reads tile 0'",
        "label running 900.0 0.0 'tile 0'",
    ]


def test_a_stage_is_empty_filling_full_read_empty(store):
    picture = lane_picture(store, "stage[0]", ONE_NS_A_PIXEL)
    boxes = {
        style.role: rects[:, [0, 2]].tolist() for style, rects in picture.batches() if style.layer == Layer.BODY_EDGE
    }
    assert boxes == {
        "empty": [[0, 100], [900, 100]],
        "filling": [[100, 400]],
        "full": [[500, 20]],
        "reading": [[520, 380]],
    }
    assert labels(picture) == ["empty", "filling · tile 0", "0", "reading · tile 0", "empty"]


def test_a_copy_lasts_from_issue_to_landing_and_an_estimated_landing_is_dashed(store):
    picture = lane_picture(store, "tma", ONE_NS_A_PIXEL)
    assert picture.lines() == [
        "body_edge tma.outline 100.0 0.0 400.0 40.0",
        "body tma.fill 101.0 1.0 398.0 38.0",
        "label tma 100.0 0.0 'tile 0'",
        "dash tma 500.0",
    ]


def test_a_full_barrier_is_a_wave_with_digits_and_counts(store):
    picture = lane_picture(store, "full[0]", ONE_NS_A_PIXEL)
    assert labels(picture) == [
        "phase #0 (0)", "phase #1 (1)", "0/1", "1/1 · 0/4 KiB", "1/1 · 2/4 KiB", "arrived 0/1",
    ]  # fmt: skip
    drawn = {style: rects.tolist() for style, rects in picture.batches()}
    wave = drawn[Style(Layer.CURVE, "phase_odd", "outline")]
    wave_height = round(HEIGHT * 0.46)
    assert wave == [[0, wave_height - 2, 500, 2], [500, 0, 500, 2]]  # low in phase 0, high in phase 1
    tx = drawn[Style(Layer.CURVE, "tx", "colour")]
    levels = [(x, y) for x, y, width, _ in tx if width > 2]
    base, top = HEIGHT - 3, wave_height + 3
    assert [x for x, _ in levels] == [0, 100, 300, 500]
    assert levels[0][1] == base
    assert levels[1][1] == base
    assert top < levels[2][1] < base  # half of the bytes
    assert levels[3][1] == base


def test_texts_shrink_with_room_and_then_go(store):
    wide = fit(1000 * NS, 1000)
    assert "waits full[0] · tile 0" in labels(lane_picture(store, "consumer.w1", wide))
    assert "full[0]" in labels(lane_picture(store, "consumer.w1", View(0, 6000.0, 200)))
    assert labels(lane_picture(store, "consumer.w1", View(0, 60_000.0, 200))) == []


def test_a_label_stays_in_the_part_in_view(store):
    picture = lane_picture(store, "consumer.w1", View(300 * NS, 1000.0, 300))
    waiting = next(label for label in picture.labels if label.role == "waiting")
    assert (waiting.x, waiting.width) == (0, 220)


def test_boxes_are_clipped_to_what_qt_can_draw(store):
    picture = lane_picture(store, "stage[0]", View(600 * NS, 2.0, 500))
    rects = np.concatenate([rects for _, rects in picture.batches()])
    assert rects[:, 0].min() >= -2
    assert (rects[:, 0] + rects[:, 2]).max() <= 502


@pytest.mark.parametrize("role", ["consumer.w1", "producer"])
def test_a_wait_without_end_is_an_error_beyond_the_recording(role):
    stuck = [row for row in ONE_TILE if row[0] <= 100]
    if role == "producer":
        wait = {"barrier": EMPTY, "parity": 0, "stage": 0, "tile": 0}
        stuck = [*ONE_TILE[:2], (10, EventKind.WAIT_BEGIN, PRODUCER, wait)]
    store = LaneStore(History(make_trace(stuck, "deadlock")))
    assert store.end > store.history.trace.duration_ps
    picture = lane_picture(store, role, fit(store.end, 1000))
    assert [label.role for label in picture.labels][-1] == "error"
    assert picture.labels[-1].text.startswith("⚠")
    assert store.is_stuck(store.lanes[store.row_of[role]], store.history.steps - 1)
    assert not store.is_stuck(store.lanes[store.row_of[role]], 0)


def test_a_wait_that_gave_up_is_an_error():
    rows = [row for row in ONE_TILE if row[0] <= 100]
    rows += [
        (400, EventKind.TIMEOUT, CONSUMER, {"barrier": FULL, "parity": 0, "stage": 0, "tile": 0}),
        (450, EventKind.EXIT, CONSUMER, {}),
        (700, EventKind.EXIT, PRODUCER, {}),
    ]
    store = LaneStore(History(make_trace(rows, "timeout")))
    assert labels(lane_picture(store, "consumer.w1", fit(store.end, 1000)))[-1] == "⚠ gave up on full[0]"


def test_copies_that_overlap_get_a_row_per_stage(lesson_history):
    store = LaneStore(lesson_history)
    copies = store.copies(store.lanes[store.row_of["tma"]])
    assert len(copies.rows) == 3
    for row in copies.rows:
        assert (row.spans.start[1:] >= row.spans.end[:-1]).all()
    tiles = sorted(tile for row in copies.rows for tile in row.spans.tile.tolist())
    assert tiles == list(range(8))


def test_copies_that_never_overlap_share_one_row():
    store = LaneStore(History(simulate(lesson(LessonConfig(producer_delay=20_000)))))
    assert len(store.copies(store.lanes[store.row_of["tma"]]).rows) == 1


def test_several_copies_of_a_tile_are_drawn_as_one():
    store = LaneStore(History(simulate(lesson(LessonConfig(tile_columns=256, tile_rows=64, tiles=4)))))
    rows = store.copies(store.lanes[store.row_of["tma"]]).rows
    assert sorted(tile for row in rows for tile in row.spans.tile.tolist()) == [0, 1, 2, 3]


@pytest.fixture(scope="module")
def long_store():
    return LaneStore(History(simulate(lesson(LessonConfig(tiles=1500)))))


def test_folded_columns_sum_to_the_time_in_state(long_store):
    """The picture of 6000 intervals has exactly the shares that the intervals have."""
    view = fit(long_store.end, 500)
    intervals = long_store.intervals(long_store.lanes[long_store.row_of["consumer.w2"]])
    picture = lane_picture(long_store, "consumer.w2", view)
    (columns,) = picture.columns
    spans = intervals.spans
    drawn = columns.heights.sum(axis=1) / columns.heights.sum()
    for part, share in zip(columns.parts, drawn, strict=True):
        state = next(
            value for value, role in intervals.roles.items() if role == part.role and value in intervals.mix.states
        )
        mine = spans.state == state
        expected = (spans.end - spans.start)[mine].sum() / (spans.end - spans.start).sum()
        assert share == pytest.approx(expected, abs=0.03)
    assert labels(picture) == [f"{len(spans)} intervals folded"]


def test_a_single_flip_never_vanishes():
    """Phases of a second each, and one that lasts a picosecond."""
    rows = ONE_TILE[:2]
    rows = [*rows, *(phase(5_000_000, 0)), *(phase(5_000_000, 1)), (10_000_000, EventKind.EXIT, PRODUCER, {})]
    store = LaneStore(History(make_trace(rows)))
    picture = lane_picture(store, "full[0]", fit(store.end, 800))
    marks = [rects for style, rects in picture.batches() if style.layer == Layer.MARK]
    assert marks
    assert any(abs(rect[0] - fit(store.end, 800).pixel(5_000_000 * NS)) <= 2 for rects in marks for rect in rects)


def phase(ns, number):
    where = {"barrier": FULL, "stage": 0, "tile": number}
    return [
        (ns, EventKind.ARRIVE, PRODUCER, {**where, "amount": 1}),
        (ns, EventKind.PHASE_COMPLETE, PRODUCER, {**where, "amount": number, "parity": number & 1}),
    ]


def test_a_single_error_never_vanishes():
    """Thousands of reads, and one wait that gave up, of no length, in the middle."""
    rows = list(ONE_TILE[:2])
    for tile in range(3000):
        rows += [
            (100 + 20 * tile, EventKind.READ_BEGIN, CONSUMER, {"stage": 0, "tile": tile}),
            (110 + 20 * tile, EventKind.READ_END, CONSUMER, {"stage": 0, "tile": tile}),
        ]
        if tile == 1500:
            time = 110 + 20 * tile
            where = {"barrier": FULL, "stage": 0, "tile": tile, "parity": 0}
            rows += [(time, EventKind.TIMEOUT, CONSUMER, where), (time, EventKind.READ_END, CONSUMER, {})]
    store = LaneStore(History(make_trace(rows)))
    view = fit(store.end, 400)
    picture = lane_picture(store, "consumer.w1", view)
    (mark,) = [rects for style, rects in picture.batches() if style.layer == Layer.MARK]
    assert len(mark) == 1
    assert mark[0][2] >= 3  # pixels
    assert abs(mark[0][0] - view.pixel((110 + 20 * 1500) * NS)) <= 3


def test_a_dense_view_has_few_items(long_store):
    picture = lane_picture(long_store, "full[0]", fit(long_store.end, 300), height=48)
    assert sum(len(rects) for _, rects in picture.batches()) < 2000
    assert {part.role for columns in picture.columns for part in columns.parts} >= {"tx", "pending"}


def test_lanes_are_built_once_and_clicks_find_their_nearest_event(store):
    lane = store.lanes[store.row_of["consumer.w1"]]
    assert store.intervals(lane) is store.intervals(lane)
    assert store.nearest_step(lane, 60 * NS) == 2
    assert store.nearest_step(lane, 515 * NS) == 10  # of WAIT_END and READ_BEGIN at 520 ns the later
    assert store.nearest_step(lane, -5) == 2
    assert store.nearest_step(lane, 10**9) == 14
    barrier = store.lanes[store.row_of["full[0]"]]
    assert store.nearest_step(barrier, 480 * NS) == 7  # the flip, not the bytes that made it


def test_an_agent_without_events_has_an_empty_lane():
    rows = [row for row in ONE_TILE if row[2] != CONSUMER and row[0] < 500 and row[2] != TMA]
    store = LaneStore(History(make_trace(rows)))
    lane = store.lanes[store.row_of["consumer.w1"]]
    assert lane_picture(store, "consumer.w1", fit(1000 * NS, 500)).lines() == []
    assert store.nearest_step(lane, 0) is None


def test_a_wait_for_another_thing_than_an_mbarrier_is_called_by_its_instruction():
    b = Builder("groups")
    a, other = b.agent("A"), b.agent("B")
    other.delay(400)
    for agent in (a, other):
        agent.syncthreads()
    b.barriers("full", 1, count=1)
    a.read_async(0, 4096, work=400)
    a.wgmma_commit()
    a.wgmma_wait()
    history = History(simulate(b.build()))
    picture = lane_picture(LaneStore(history), "A", fit(history.trace.duration_ps, 2000))
    waits = [label.text for label in picture.labels if label.role == "waiting"]
    assert waits == ["waits bar.sync", "waits wgmma"]


def test_a_barrier_that_is_waited_for_keeps_the_name_of_its_ring():
    history = History(two_rings(ctas=2))
    store = LaneStore(history)
    picture = lane_picture(store, "CTA1.consumer0", fit(history.trace.duration_ps, 20_000))
    waits = {label.text.removeprefix("waits ").split()[0] for label in picture.labels if label.role == "waiting"}
    assert waits <= {f"{ring}.full[{stage}]" for ring in "KV" for stage in range(3)}
    assert any(name.startswith("K.") for name in waits)
