"""Groups of warps and rings under mouse and keys: folding, unfolding, and a focus on a lane that is folded."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot
from stranger_traces import stranger

from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.views.look.theme import load_theme
from visualizer.views.timeline.layers.chips_widget import beyond_chip
from visualizer.views.timeline.layers.frame import FOLDED, PINNED, UNFOLDED, heading
from visualizer.views.timeline.timeline_widget import TimelineWidget

GROUP = "warpgroup1.consumer"


@pytest.fixture(scope="module")
def twelve_warps() -> History:
    return History(stranger())


@pytest.fixture
def timeline(qtbot: QtBot, twelve_warps: History) -> TimelineWidget:
    widget = TimelineWidget()
    qtbot.addWidget(widget)
    widget.resize(900, 420)
    widget.show()
    widget.set_history(twelve_warps)
    widget.set_focus(Focus(twelve_warps.steps // 2))
    widget.grab()
    return widget


def shown(timeline: TimelineWidget) -> list[str]:
    return [lane.key for lane in timeline.scene.lanes]


def click(qtbot: QtBot, timeline: TimelineWidget, x: float, key: str) -> None:
    at = QPoint(round(x), round(timeline.scene.middle(key)))
    qtbot.mouseClick(timeline.viewport(), Qt.MouseButton.LeftButton, pos=at)


@pytest.mark.parametrize(("key", "member"), [(GROUP, "warp5"), ("ring[ring0]", "0x408")])
def test_a_click_on_a_groups_name_folds_and_unfolds_it(
    qtbot: QtBot, timeline: TimelineWidget, key: str, member: str
) -> None:
    before = member in shown(timeline)
    for expected in (not before, before):
        with qtbot.waitSignal(timeline.lanes_changed):
            click(qtbot, timeline, 20, key)
        assert (member in shown(timeline)) is expected
        assert not timeline.grab().isNull()


def test_a_click_into_a_folded_group_goes_to_an_event_of_its_warps(qtbot: QtBot, timeline: TimelineWidget) -> None:
    with qtbot.waitSignal(timeline.focus_requested) as asked:
        click(qtbot, timeline, timeline.scene.frame.lanes.center().x(), GROUP)
    focus = asked.args[0]
    assert focus.lane == GROUP
    assert int(timeline.scene.history.trace.events["agent"][focus.step]) in range(4, 8)


def test_the_key_folds_what_the_selected_lane_is_part_of(timeline: TimelineWidget) -> None:
    timeline.set_focus(Focus(9, GROUP))
    timeline.toggle_fold()
    assert "warp5" in shown(timeline)
    timeline.set_focus(Focus(9, "warp5"))
    timeline.toggle_fold()
    assert "warp5" not in shown(timeline)
    assert timeline.scene.lanes[timeline.scene.focused_row()].key == GROUP
    timeline.toggle_fold()
    assert timeline.scene.lanes[timeline.scene.focused_row()].key == "warp5"


def test_all_groups_fold_at_once(timeline: TimelineWidget) -> None:
    timeline.toggle_all_folds()
    assert len(shown(timeline)) == 7
    timeline.toggle_all_folds()
    assert len(shown(timeline)) == len(timeline.scene.store.lanes)


def test_lanes_are_selected_one_by_one_past_what_is_folded(qtbot: QtBot, timeline: TimelineWidget) -> None:
    timeline.set_focus(Focus(9, GROUP))
    with qtbot.waitSignal(timeline.focus_requested) as asked:
        timeline.select_lane(1)
    assert asked.args[0] == Focus(9, "warpgroup2.consumer")


def test_an_event_of_a_folded_warp_is_in_view_where_its_group_is(timeline: TimelineWidget) -> None:
    step = int(timeline.scene.store.steps(timeline.scene.store.lanes[timeline.scene.store.row_of["warp5"]])[5])
    timeline.set_focus(Focus(step, "warp5"))
    assert timeline.scene.middle("warp5") == timeline.scene.middle(GROUP)
    assert timeline.scene.event_beyond() == 0


def test_what_is_beyond_is_called_as_its_lane_is(timeline: TimelineWidget, twelve_warps: History) -> None:
    flips = timeline.scene.store.steps(timeline.scene.store.lanes[timeline.scene.store.row_of["ring[ring1]"]])
    timeline.set_focus(Focus(int(flips[0]), GROUP))
    chip = beyond_chip(timeline.scene, timeline._look())
    assert chip is not None
    assert chip[0] == "▼ ring1.full[0]"


def test_names_say_how_lanes_stand(timeline: TimelineWidget) -> None:
    scene = timeline.scene
    lane, ring = (scene.store.lanes[scene.store.row_of[key]] for key in (GROUP, "ring[ring0]"))
    assert heading(lane, scene.rows_shown) == f"{FOLDED} warpgroup1.consumer ×4"
    assert heading(ring, scene.rows_shown) == f"{UNFOLDED} ring0: 2 stages"
    timeline.set_focus(Focus(9, GROUP))
    timeline.toggle_pin()
    assert heading(lane, scene.rows_shown) == f"{PINNED} {FOLDED} warpgroup1.consumer ×4"


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_every_name_has_room(timeline: TimelineWidget, theme: str) -> None:
    timeline.set_theme(load_theme(theme))
    timeline.toggle_all_folds()
    timeline.toggle_all_folds()  # all unfolded
    scene, fonts = timeline.scene, timeline._fonts
    for lane in scene.lanes:
        indent = fonts.em * 0.6 * scene.rows_shown.depth(lane)
        assert 8 + fonts.em * 0.3 + indent + fonts.width(heading(lane, scene.rows_shown)) <= scene.frame.names.right()
    assert not timeline.grab().isNull()


def test_a_lecture_leaves_the_group_of_a_stressed_warp_undimmed(timeline: TimelineWidget) -> None:
    timeline.resize(900, 900)
    row = timeline.scene.rows_shown.row_of("warp5")
    before = timeline.grab().toImage()
    timeline.set_emphasis(["warp5"])
    after = timeline.grab().toImage()
    lit = round(timeline.scene.middle("warp5"))
    dimmed = round(timeline.scene.middle("warpgroup2.consumer"))
    x = round(timeline.scene.frame.lanes.left()) + 140
    assert timeline.scene.rows_shown.row_of("warp5") == row
    assert after.pixel(x, lit) == before.pixel(x, lit)
    assert after.pixel(x, dimmed) != before.pixel(x, dimmed)
