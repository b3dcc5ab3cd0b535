"""Which lanes are shown: collapsed CTAs, pins and the filter, alone and together."""

import pytest

from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.sources.simulator.simulate import simulate
from visualizer.views.timeline.lanes.lane_rows import LaneRows
from visualizer.views.timeline.lanes.lanes import build_lanes
from visualizer.views.timeline.lanes.layout import COMPACT, lay_out


@pytest.fixture
def rows():
    return LaneRows(build_lanes(simulate(lesson(LessonConfig(ctas=3, tiles=1, stages=1, consumer_warps=1)))))


def keys(rows):
    return [lane.key for lane in rows.shown]


def test_a_few_ctas_open_expanded_and_many_collapsed(rows):
    assert len(rows.shown) == 3 * 7
    many = LaneRows(build_lanes(simulate(lesson(LessonConfig(ctas=9, tiles=1)))))
    assert keys(many)[:2] == ["CTA0", "CTA0.producer"]
    assert keys(many)[-8:] == [f"CTA{cta}" for cta in range(1, 9)]


def test_a_collapsed_cta_is_one_lane_and_stands_for_its_lanes(rows):
    rows.toggle("CTA1")
    assert [key for key in keys(rows) if key.startswith("CTA1")] == ["CTA1"]
    assert rows.row_of("CTA1.full[0]") == rows.row_of("CTA1") == 7
    rows.toggle("CTA1")
    assert keys(rows)[rows.row_of("CTA1.full[0]")] == "CTA1.full[0]"
    rows.toggle("CTA99")
    assert len(rows.shown) == 21


def test_all_collapse_and_expand(rows):
    rows.collapse_all(True)
    assert keys(rows) == ["CTA0", "CTA1", "CTA2"]
    assert rows.all_collapsed
    rows.collapse_all(False)
    assert len(rows.shown) == 21


def test_pins_come_first_in_their_order_and_outlive_collapse_and_filter(rows):
    rows.toggle_pin("CTA2.full[0]")
    rows.toggle_pin("CTA0.producer")
    assert keys(rows)[:2] == ["CTA2.full[0]", "CTA0.producer"]
    assert rows.pinned == 2
    assert len(rows.shown) == 21  # none twice
    rows.collapse_all(True)
    rows.set_filter("nothing like it")
    assert keys(rows) == ["CTA2.full[0]", "CTA0.producer"]
    rows.toggle_pin("CTA2.full[0]")
    rows.toggle_pin("no such lane")
    assert keys(rows) == ["CTA0.producer"]


def test_the_filter_takes_every_word_and_looks_into_collapsed_ctas(rows):
    rows.collapse_all(True)
    rows.set_filter("barrier cta1")
    assert keys(rows) == ["CTA1.full[0]", "CTA1.empty[0]"]
    rows.set_filter("  FULL ")
    assert keys(rows) == ["CTA0.full[0]", "CTA1.full[0]", "CTA2.full[0]"]
    assert rows.row_of("CTA0.producer") is None
    rows.set_filter("")
    assert keys(rows) == ["CTA0", "CTA1", "CTA2"]


def test_a_recording_of_one_cta_has_nothing_to_collapse(lesson_trace):
    rows = LaneRows(build_lanes(lesson_trace))
    rows.collapse_all(True)
    assert len(rows.shown) == 14
    assert not rows.all_collapsed


def test_compact_lanes_fit_sixty_four_in_a_window():
    lanes = build_lanes(simulate(lesson(LessonConfig(ctas=5, tiles=1))))[:64]
    layout = lay_out(lanes, 15.0, 842.0, 3, COMPACT)
    assert layout.total <= 842
    assert layout.height.min() >= 11
    doubled = lay_out(lanes, 30.0, 842.0, 3, COMPACT)
    assert doubled.height.min() >= 2 * layout.height.min() - 2


def test_pinned_lanes_end_above_the_first_that_scrolls(lesson_trace):
    lanes = build_lanes(lesson_trace)
    layout = lay_out(lanes, 16.0, 300.0, 3, pinned=2)
    assert layout.top[1] + layout.height[1] < layout.pinned_edge < layout.top[2]
