"""Lanes that fold others: groups of warps and rings beside CTAs. Which there are, what is shown, what they sum up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from stranger_traces import stranger
from timeline_pictures import METRICS, hover_note, lane_picture, lane_value
from two_ring_traces import two_rings

from visualizer.playback import navigate
from visualizer.playback.focus import Focus
from visualizer.programs.attention import attention
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import EventKind
from visualizer.replay.history import AgentActivity, History, StageState
from visualizer.sources.simulator.simulate import simulate
from visualizer.views.timeline.lanes.lane_rows import LaneRows
from visualizer.views.timeline.lanes.lane_store import LaneStore
from visualizer.views.timeline.lanes.lanes import build_lanes, lanes_of_folds
from visualizer.views.timeline.lanes.lanes_picture import lanes_picture
from visualizer.views.timeline.lanes.raster import raster_picture
from visualizer.views.timeline.lanes.text import Value, own_name, said_title
from visualizer.views.timeline.layers.lecture_widget import Lecture
from visualizer.views.timeline.shapes.picture import Layer
from visualizer.views.timeline.time.scale import View, fit

GROUP = "warpgroup1.consumer"


@pytest.fixture(scope="module")
def store() -> LaneStore:
    return LaneStore(History(stranger()))


@pytest.fixture
def rows(store: LaneStore) -> LaneRows:
    return LaneRows(store.lanes)


def keys(rows: LaneRows) -> list[str]:
    return [lane.key for lane in rows.shown]


def test_a_stranger_of_twelve_warps_opens_with_its_warps_folded(store: LaneStore, rows: LaneRows) -> None:
    assert [said_title(lane) for lane in rows.shown] == [
        "warp0.producer", "warpgroup0.consumer ×3", "warpgroup1.consumer ×4", "warpgroup2.consumer ×4", "tma",
        "ring0: 2 stages", "ring0.stage[0]", "ring0.stage[1]",
        "ring0.full[0]", "ring0.full[1]", "ring0.empty[0]", "ring0.empty[1]",
        "ring1: 3 stages", "ring1.stage[0]", "ring1.stage[1]", "ring1.stage[2]",
        "ring1.full[0]", "ring1.full[1]", "ring1.full[2]", "ring1.empty[0]", "ring1.empty[1]", "ring1.empty[2]",
    ]  # fmt: skip
    assert [rows.depth(lane) for lane in rows.shown] == [0] * 6 + [1] * 6 + [0] + [1] * 9
    assert own_name(store.lanes[store.row_of["0x428"]]) == "0x428"
    assert [own_name(store.lanes[store.row_of[key]]) for key in ("warp0", "tma", "ring[ring0]")] == [""] * 3


def test_a_told_program_of_several_rings_heads_each_and_folds_no_few_warps() -> None:
    lanes = build_lanes(simulate(attention(tiles=2)))
    assert [(lane.key, said_title(lane)) for lane in lanes if lane.folds] == [
        ("ring[k]", "k: 2 stages"), ("ring[v]", "v: 3 stages"), ("ring[q]", "q: 1 stage"), ("barriers", "barriers"),
    ]  # fmt: skip
    assert [lane.key for lane in lanes if lane.parent == "ring[k]"] == [
        "k.stage[0]", "k.stage[1]", "k_full[0]", "k_full[1]", "k_empty[0]", "k_empty[1]",
    ]  # fmt: skip
    assert [lane.key for lane in lanes[:4]] == ["producer", "consumer.wg1", "consumer.wg2", "tma"]
    assert len(LaneRows(lanes).shown) == len(lanes)


def test_groups_of_a_cta_stand_below_it() -> None:
    lanes = build_lanes(stranger(ctas=2))
    by_key = {lane.key: lane for lane in lanes}
    assert by_key["CTA1.warp5"].parent == f"CTA1.{GROUP}"
    assert by_key[f"CTA1.{GROUP}"].parent == by_key["CTA1.tma"].parent == "CTA1"
    assert by_key["CTA1.0x410"].parent == "CTA1.ring[ring1]"
    assert by_key["CTA1.0x410"].name == "CTA1.ring1.full[0]"
    members = lanes_of_folds(lanes)
    assert [lane.key for lane in members[f"CTA1.{GROUP}"]] == [f"CTA1.warp{n}" for n in range(4, 8)]
    assert members["CTA1"] == [lane for lane in lanes if lane.cta == 1 and not lane.folds]
    rows = LaneRows(lanes)
    assert rows.depth(by_key["CTA1.tma"]) == 1
    rows.toggle("CTA1.tma")
    assert [key for key in keys(rows) if key.startswith("CTA1")] == ["CTA1"]
    assert rows.row_of("CTA1.warp5") == rows.row_of("CTA1.0x410") == rows.row_of("CTA1")
    assert not any(lane.cta for lane in rows.single())


def test_barriers_of_no_ring_have_a_head_of_their_own() -> None:
    trace = two_rings(4)
    loose = [replace(b, stage=-1, kind="other") if b.name.startswith("V.empty") else b for b in trace.barriers]
    store = LaneStore(History(replace(trace, barriers=loose)))
    head = store.lanes[store.row_of["barriers"]]
    assert [lane.key for lane in store.members["barriers"]] == ["V.empty[0]", "V.empty[1]"]
    assert said_title(head) == "barriers"
    assert value(store, 40, "barriers") == Value("", "")
    flips = len(store.steps(head))
    assert flips
    assert hover_note(store, head, View(0, float(store.end + 1), 1), 0.0, 0.5) == [
        f"barriers · {flips} phases complete"
    ]


def test_folding_and_unfolding(rows: LaneRows) -> None:
    rows.toggle(GROUP)
    assert [key for key in keys(rows) if key.startswith("warp")] == [
        "warp0", "warpgroup0.consumer", GROUP, "warp4", "warp5", "warp6", "warp7", "warpgroup2.consumer",
    ]  # fmt: skip
    rows.toggle("warp6")
    assert rows.is_collapsed(GROUP)
    assert rows.row_of("warp6") == rows.row_of(GROUP) == 2
    rows.toggle("0x400")
    assert keys(rows)[5:7] == ["ring[ring0]", "ring[ring1]"]
    rows.toggle("tma")  # is part of nothing
    assert len(rows.shown) == 16


def test_all_groups_fold_where_there_is_one_cta(rows: LaneRows) -> None:
    assert not rows.all_collapsed
    rows.collapse_all(True)
    assert keys(rows) == [
        "warp0", "warpgroup0.consumer", GROUP, "warpgroup2.consumer", "tma", "ring[ring0]", "ring[ring1]",
    ]  # fmt: skip
    assert rows.all_collapsed
    rows.collapse_all(False)
    assert len(rows.shown) == len(rows.lanes)


def test_the_filter_finds_lanes_by_what_they_are_part_of_or_called(rows: LaneRows) -> None:
    rows.set_filter("warpgroup0 consumer")
    assert keys(rows) == ["warpgroup0.consumer", "warp1", "warp2", "warp3"]
    assert not rows.is_collapsed("warpgroup0.consumer")  # its warps are shown
    rows.set_filter("ring1 full")
    assert keys(rows) == ["0x410", "0x418", "0x420"]
    rows.set_filter("0x420")
    assert keys(rows) == ["0x420"]
    rows.set_filter("")
    assert rows.is_collapsed("warpgroup0.consumer")


def test_single_lanes_of_folded_groups_count_as_shown(rows: LaneRows) -> None:
    assert len(rows.single()) == len([lane for lane in rows.lanes if not lane.folds])
    rows.set_filter(GROUP)
    assert [lane.key for lane in rows.single()] == ["warp4", "warp5", "warp6", "warp7"]
    rows.toggle_pin("0x400")
    assert rows.pins == ("0x400",)


def test_a_lecture_keeps_groups_for_their_warps(store: LaneStore) -> None:
    every, with_agents, alone = Lecture(frozenset({"warp5", "0x400"})).lanes_to_try(store.lanes)
    assert not every
    assert with_agents == {"warp0", "warpgroup0.consumer", GROUP, "warpgroup2.consumer", "warp5", "0x400"}
    assert alone == {"warp5", "0x400"}


def test_a_group_shows_its_warps_shares_and_a_ring_its_stages(store: LaneStore) -> None:
    edges = np.array([-10, store.end + 10])
    for key, states, kind in ((GROUP, AgentActivity, "agent"), ("ring[ring1]", StageState, "stage")):
        summary = store.summary(store.lanes[store.row_of[key]])
        members = [lane for lane in store.members[key] if lane.kind == kind]
        for state, spent in zip(summary.mix.states, np.diff(summary.mix.spent(edges)[0])[:, 0], strict=True):
            spans = [store.intervals(lane).spans for lane in members]
            own = [int((one.end - one.start)[one.state == state].sum()) for one in spans]
            assert spent == pytest.approx(np.mean(own)), states(state)


def test_a_ring_flips_when_its_barriers_do_and_warps_never(store: LaneStore) -> None:
    history = store.history
    steps = store.steps(store.lanes[store.row_of["ring[ring1]"]])
    expected = [
        step
        for step in np.flatnonzero(history.kinds == EventKind.PHASE_COMPLETE).tolist()
        if int(history.structure.ring_of[history.trace.events["barrier"][step]]) == 1
    ]
    assert steps.tolist() == expected
    assert store.summary(store.lanes[store.row_of[GROUP]]).flips is None
    warps = store.steps(store.lanes[store.row_of[GROUP]])
    acted = np.isin(history.trace.events["agent"][warps], range(4, 8))
    assert acted.all()
    assert (np.diff(warps) > 0).all()


def value(store: LaneStore, step: int, key: str) -> Value:
    return lane_value(store, store.history.state_at(step), store.lanes[store.row_of[key]])


def test_values_and_notes_count_what_is_folded(store: LaneStore) -> None:
    middle = store.history.steps // 2
    assert value(store, middle, GROUP) == Value("3 waiting · 1 running", "")
    assert value(store, middle, "warp4") == Value("waiting ring1.full[0] p1", "waiting")
    assert value(store, middle, "ring[ring0]") == Value("1 filling · 1 full", "")
    view = View(0, float(store.end + 1), 1)

    def note(key: str) -> list[str]:
        return hover_note(store, store.lanes[store.row_of[key]], view, 0.0, 0.5)

    assert note(GROUP)[0] == "warpgroup1.consumer · warp4 warp5 warp6 warp7"
    flips = len(store.steps(store.lanes[store.row_of["ring[ring0]"]]))
    assert note("ring[ring0]")[0] == f"ring0: 2 stages · {flips} phases complete"
    assert note("ring[ring0]")[-1].endswith("% sure")
    assert note("0x428")[0].startswith("ring0.empty[0] (0x428) · ")


def test_the_note_on_many_warps_names_the_first_and_the_last() -> None:
    store = LaneStore(History(simulate(lesson(LessonConfig(consumer_warps=12, tiles=2)))))
    lane = store.lanes[store.row_of["warps.consumer"]]
    note = hover_note(store, lane, fit(store.end, 100), 50.0, 0.5)
    assert note[0] == "warps.consumer · consumer.w1 … consumer.w12"


def test_a_folded_hang_says_how_many_are_never_released() -> None:
    store = LaneStore(History(simulate(lesson(LessonConfig(consumer_warps=12, producer_arrivals=32)))))
    last = store.history.steps - 1
    assert value(store, last, "warps.consumer") == Value("stuck: 12 waiting", "error")
    assert value(store, 0, "warps.consumer").role == ""
    view = fit(store.end, 600)
    picture = lane_picture(store, "warps.consumer", view)
    assert [label.text for label in picture.labels] == ["⚠ 12 warps never released"]
    (marks,) = [rects for style, rects in picture.batches() if style.layer == Layer.MARK]
    assert len(marks) == 1  # where they begin; all along it would hide the others
    narrow = lane_picture(store, "warps.consumer", fit(store.end, 90))
    assert [label.text for label in narrow.labels] == ["⚠ 12"]
    coarse = raster_picture(store, [(store.lanes[store.row_of["warps.consumer"]], 0.0, 30.0)], view, 0, 599)
    (marks,) = [rects for style, rects in coarse.batches() if style.layer == Layer.MARK]
    assert len(marks) == 1


def test_a_moving_view_shows_the_same_shares(store: LaneStore) -> None:
    view = fit(store.end, 400)
    places = [(store.lanes[store.row_of[key]], 40.0 * row, 30.0) for row, key in enumerate((GROUP, "ring[ring0]"))]
    rest, moving = lanes_picture(store, places, view, METRICS), raster_picture(store, places, view, 0, 399)

    def by_top(columns: list) -> dict[tuple[float, int], np.ndarray]:
        return {(one.top, len(one.parts)): one.heights for one in columns}

    at_rest, in_motion = by_top(rest.columns), by_top(moving.columns)
    assert at_rest.keys() == in_motion.keys()
    for place, heights in at_rest.items():
        assert np.abs(heights - in_motion[place]).max() <= 1, place


@pytest.mark.parametrize("key", [GROUP, "ring[ring0]", "CTA1"])
def test_keys_walk_through_what_is_folded(key: str) -> None:
    history = History(stranger(tiles=8, ctas=2 if key == "CTA1" else 1))
    focus, seen = Focus(0, key), []
    while (after := navigate.transition(history, focus, 1)) is not None:
        focus = after
        seen.append(focus.step)
    assert focus.lane == key
    back = [focus.step]
    while (before := navigate.transition(history, focus, -1)) is not None and before.step > 0:
        focus = before
        back.append(focus.step)
    assert back[::-1][-len(seen) :] == seen
    events = history.trace.events[seen]
    if key == GROUP:
        assert set(events["agent"].tolist()) == {4, 5, 6, 7}
    elif key == "CTA1":
        assert {history.trace.agents[agent].cta for agent in events["agent"]} == {1}
    else:
        assert set(history.structure.ring_of[events["barrier"]].tolist()) == {0}


def test_the_same_kind_again_in_a_group() -> None:
    history = History(stranger())
    first = navigate.transition(history, Focus(history.steps // 2, GROUP), 1)
    assert first is not None
    again = navigate.same_kind(history, first, 1)
    assert again is not None
    assert history.kinds[again.step] == history.kinds[first.step]
    assert int(history.trace.events["agent"][again.step]) in range(4, 8)


def test_a_copy_without_a_tile_names_none(store: LaneStore) -> None:
    lane = store.lanes[store.row_of["tma"]]
    start = int(store.copies(lane).rows[0].spans.start[0])
    view = View(start, 1.0, 100)
    assert hover_note(store, lane, view, 50.0, 0.0)[0] == "tma · copying"


def test_a_stage_without_a_tile_is_called_by_what_it_holds(store: LaneStore) -> None:
    intervals = store.intervals(store.lanes[store.row_of["ring0.stage[0]"]])
    said = {StageState(int(state)): intervals.texts(row) for row, state in enumerate(intervals.spans.state)}
    assert said[StageState.EMPTY] == ["empty"]
    assert said[StageState.FILLING] == ["filling", "↓"]
    assert said[StageState.FULL] == ["full", "●"]


def test_one_cta_is_unfolded_alone() -> None:
    rows = LaneRows(LaneStore(History(stranger(2, ctas=9))).lanes)
    assert rows.is_collapsed("CTA7")
    rows.unfold_cta("CTA7.warp6")
    assert [lane.cta for lane in rows.shown if lane.kind == "cta" and not rows.is_collapsed(lane.key)] == [0, 7]
    assert any(lane.kind == "warps" and lane.cta == 7 and rows.is_collapsed(lane.key) for lane in rows.shown)
    before = keys(rows)
    rows.unfold_cta("CTA7.warp6")
    assert keys(rows) == before
