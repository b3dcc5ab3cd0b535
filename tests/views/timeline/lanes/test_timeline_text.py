"""The value column, the hover note and the arrows, in the recording's own words."""

import pytest
from timeline_pictures import hover_note, lane_value
from timeline_traces import ONE_TILE, make_trace, one_tile

from visualizer.export.lane_tracks import tracks
from visualizer.export.selection import select
from visualizer.programs.builder import Builder
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import EventKind
from visualizer.replay.causality import Causality
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.views.timeline.lanes.lane_store import LaneStore
from visualizer.views.timeline.lanes.text import Value
from visualizer.views.timeline.painting.arrows_model import causes, place
from visualizer.views.timeline.time.scale import View, fit

NS = 1000


@pytest.fixture(scope="module")
def store():
    return LaneStore(History(one_tile()))


def value(store, step, key):
    return lane_value(store, store.history.state_at(step), store.lanes[store.row_of[key]])


@pytest.mark.parametrize(
    ("step", "lane", "expected"),
    [
        (0, "full[0]", Value("phase #0 (0) · 0/1", "phase_even")),
        (0, "empty[0]", Value("not initialised", "")),
        (0, "consumer.w1", Value("not started", "")),
        (2, "consumer.w1", Value("waiting full[0] p0", "waiting")),
        (2, "stage[0]", Value("empty", "empty")),
        (3, "full[0]", Value("phase #0 (0) · 1/1 · 0/4 KiB", "phase_even")),
        (3, "tma", Value("idle", "")),
        (4, "tma", Value("copying tile 0", "tma")),
        (4, "stage[0]", Value("filling · tile 0", "filling")),
        (5, "full[0]", Value("phase #0 (0) · 1/1 · 2/4 KiB", "phase_even")),
        (7, "full[0]", Value("phase #1 (1) · 0/1", "phase_odd")),
        (8, "stage[0]", Value("full · tile 0", "full")),
        (10, "consumer.w1", Value("reading stage[0] · tile 0", "reading")),
        (10, "stage[0]", Value("reading · tile 0", "reading")),
        (11, "consumer.w1", Value("running · tile 0", "running")),
        (15, "consumer.w1", Value("exited", "")),
    ],
)
def test_value_at_the_focus(store, step, lane, expected):
    assert value(store, step, lane) == expected


def test_a_deadlocked_agent_is_stuck_from_its_last_wait_on():
    store = LaneStore(History(simulate(lesson(LessonConfig(producer_arrivals=32)))))
    last = store.history.steps - 1
    assert value(store, last, "consumer.w1") == Value("stuck: waiting full[0] p0", "error")
    assert value(store, 0, "consumer.w1") == Value("not started", "")


def note(store, key, ns, view=None, sub_row=0.5):
    view = view or fit(1000 * NS, 1000)
    return hover_note(store, store.lanes[store.row_of[key]], view, view.pixel(ns * NS), sub_row)


def test_hover_says_what_and_how_long(store):
    assert note(store, "consumer.w1", 200) == [
        "consumer.w1 · waits full[0] · tile 0", "470 ns · from 50 ns to 520 ns",
    ]  # fmt: skip
    assert note(store, "stage[0]", 300) == ["stage[0] · filling · tile 0", "400 ns · from 100 ns to 500 ns"]
    assert note(store, "tma", 300) == ["tma · tile 0", "400 ns · from 100 ns to 500 ns"]
    assert note(store, "tma", 800) == ["tma · idle"]
    assert note(store, "consumer.w1", 10) == ["consumer.w1 · not running"]
    assert note(store, "full[0]", 200) == [
        "full[0] · phase #0 (parity 0) · 500 ns", "arrived 1/1 · landed 0/4 KiB", "pending 0, tx 4096 bytes",
    ]  # fmt: skip


def test_hover_on_a_wait_without_end():
    store = LaneStore(History(make_trace([row for row in ONE_TILE if row[0] <= 100], "deadlock")))
    assert note(store, "consumer.w1", 90) == ["consumer.w1 · ⚠ never released: waits full[0]", "since 50 ns"]


def test_hover_counts_what_is_folded(store):
    view = View(-(10**9), 10_000_000.0, 300)
    lines = note(store, "stage[0]", 1, view)
    assert lines[0] == "stage[0] · 5 intervals folded"
    assert "reading" in lines[1]
    assert note(store, "full[0]", 1, view) == ["full[0] · 2 phases folded"]


def test_arrows_of_a_wait_come_from_what_released_it(store):
    arrows = causes(Causality(store.history), 9)
    assert [(cause.from_lane, cause.to_lane, cause.role) for cause in arrows] == [
        ("producer", "full[0]", "released_by"),
        ("tma", "full[0]", "released_by"),
        ("tma", "full[0]", "released_by"),
        ("full[0]", "consumer.w1", "released_by"),
    ]
    assert causes(Causality(store.history), 2) == arrows  # the wait's begin shows the same


def test_arrows_of_an_arrival_go_to_whom_it_woke(store):
    arrows = causes(Causality(store.history), 3)
    assert [(cause.from_lane, cause.to_lane, cause.role) for cause in arrows] == [
        ("producer", "full[0]", "wakes"),
        ("full[0]", "consumer.w1", "wakes"),
    ]
    assert (arrows[0].from_time, arrows[0].to_time) == (100 * NS, 500 * NS)


def test_arrows_out_of_view_are_left_out(store):
    found = causes(Causality(store.history), 9)
    everywhere = place(found, fit(1000 * NS, 500), lambda lane: 10.0)
    assert len(everywhere) == 4
    assert place(found, View(600 * NS, 10.0, 500), lambda lane: 10.0) == []
    assert place(found, fit(1000 * NS, 500), lambda lane: None) == []


def test_a_cta_says_what_its_warps_do():
    history = History(simulate(lesson(LessonConfig(ctas=2, tiles=4))))
    store = LaneStore(history)
    seen = set()
    for step in range(0, history.steps, 7):
        state = history.state_at(step)
        text = lane_value(store, state, store.lanes[store.row_of["CTA1"]]).text
        agents = history.trace.agents
        warps = [row for row, agent in enumerate(agents) if agent.cta == 1 and agent.role != "copy_engine"]
        waiting = sum(state.agent_activity[row] == 2 for row in warps)
        assert (f"{waiting} waiting" in text) == (waiting > 0)
        seen |= set(text.split())
    assert {"waiting", "reading", "running"} <= seen


def test_the_note_on_a_cta_counts_its_flips():
    store = LaneStore(History(simulate(lesson(LessonConfig(ctas=2, tiles=4)))))
    lane = store.lanes[store.row_of["CTA0"]]
    view = View(0, float(store.end + 1), 1)
    note = hover_note(store, lane, view, 0.0, 0.5)
    assert note[0] == f"CTA0 · {len(store.summary(lane).flips.times)} phases complete"
    assert "waiting" in note[1]


def test_what_is_read_without_a_tile_names_none():
    """Q of an attention kernel is loaded once, before the first tile."""
    b = Builder("once")
    (q_full,) = b.barriers("q_full", 1, count=1, kind="full", ring="q")
    k_full = b.barriers("k_full", 1, count=1, kind="full", ring="k")
    p = b.agent("producer", role="producer")
    p.init_all()
    p.sync()
    for barrier in (q_full, k_full[0]):
        p.arrive_expect_tx(barrier, 1024)
        p.copy(barrier, 0, 1024)
    w = b.agent("consumer", role="consumer")
    w.sync()
    w.wait(q_full, 0)
    w.read(0, 1024, ring="q")
    store = LaneStore(History(simulate(b.build())))
    reading = store.history.stages.index.steps(store.history.structure.place(0, "q", 0))[-1]
    assert value(store, reading, "q.stage[0]") == Value("reading", "reading")
    assert value(store, reading, "consumer") == Value("reading stage[0]", "reading")
    read = store.intervals(store.lanes[store.row_of["q.stage[0]"]])
    assert [read.texts(row)[0] for row in range(len(read.spans))] == ["empty", "filling", "full", "reading"]
    warps = store.intervals(store.lanes[store.row_of["consumer"]])
    assert warps.texts(1) == ["reading"]
    track = next(track for track in tracks(select(store.history)) if track.lane.key == "consumer")
    assert "reads" in track.slices.texts
    assert not any("-1" in text for text in track.slices.texts)


def test_the_note_on_a_barrier_that_was_initialised_again_has_the_length_of_its_phase():
    flips = [(0, EventKind.INIT, 0, {"barrier": 0, "amount": 1})]
    for at in (100, 200):
        flips += [
            (at, EventKind.ARRIVE, 0, {"barrier": 0, "amount": 1}),
            (at, EventKind.PHASE_COMPLETE, 0, {"barrier": 0, "amount": at // 100 - 1, "parity": at // 100 - 1}),
        ]
    flips += [
        (300, EventKind.INVAL, 0, {"barrier": 0}),
        (350, EventKind.INIT, 0, {"barrier": 0, "amount": 1}),
        (900, EventKind.EXIT, 0, {}),
    ]
    again = LaneStore(History(make_trace(flips)))
    assert note(again, "full[0]", 600)[0] == "full[0] · phase #0 (parity 0) · 550 ns"
