"""The timeline on long recordings: collapse, filter, pin, overview, motion, lanes built in a thread, and cancel."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFont

from visualizer.playback.focus import Focus
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.views.timeline.lanes import builder_widget
from visualizer.views.timeline.lanes.builder_widget import LaneBuilder
from visualizer.views.timeline.lanes.lane_kinds import kind_of
from visualizer.views.timeline.lanes.lane_store import LaneStore
from visualizer.views.timeline.layers import layers_widget
from visualizer.views.timeline.layers.frame import RULER
from visualizer.views.timeline.timeline_widget import TimelineWidget


@pytest.fixture(scope="module")
def many_ctas():
    return History(simulate(lesson(LessonConfig(ctas=6, tiles=6))))


@pytest.fixture
def timeline(qtbot, many_ctas):
    widget = TimelineWidget()
    qtbot.addWidget(widget)
    widget.resize(1200, 600)
    widget.show()
    widget.set_history(many_ctas)
    widget.set_focus(Focus(0, "CTA2.full[0]"))
    widget.grab()
    return widget


def shown(timeline):
    return [lane.key for lane in timeline.scene.lanes]


def test_a_click_on_a_ctas_name_folds_it_and_unfolds_it(qtbot, timeline):
    timeline.verticalScrollBar().setValue(0)
    for folded in (True, False):
        name = QPoint(20, round(timeline.scene.middle("CTA0")))
        with qtbot.waitSignal(timeline.lanes_changed):
            qtbot.mouseClick(timeline.viewport(), Qt.MouseButton.LeftButton, pos=name)
        assert ("CTA0.producer" not in shown(timeline)) is folded
        timeline.verticalScrollBar().setValue(0)


def test_collapsing_the_focused_cta_keeps_the_focus_in_view(timeline):
    timeline.toggle_fold()
    assert "CTA2.full[0]" not in shown(timeline)
    assert timeline.scene.focused_row() == shown(timeline).index("CTA2")
    assert timeline.scene.focused_row() in timeline.scene.rows()
    timeline.toggle_all_folds()
    assert shown(timeline) == [f"CTA{cta}" for cta in range(6)]
    assert not timeline.grab().isNull()
    timeline.toggle_all_folds()
    assert len(shown(timeline)) == 6 * 15


def test_a_pinned_lane_stays_while_the_others_scroll(timeline):
    timeline.toggle_pin()
    assert shown(timeline)[0] == "CTA2.full[0]"
    place = timeline.scene.top(0)
    bar = timeline.verticalScrollBar()
    bar.setValue(bar.maximum())
    assert timeline.scene.top(0) == place
    assert timeline.scene.rows()[0] == 0
    assert timeline.scene.row_at(place + 3) == 0
    below = timeline.scene.frame.lanes.top() + timeline.scene.layout.pinned_edge + 2
    assert timeline.scene.row_at(below) > 10
    timeline.toggle_pin()
    assert shown(timeline)[0] == "CTA0"


def test_typing_in_the_filter_filters_and_escape_shows_all(qtbot, timeline):
    timeline.find_lanes()
    assert timeline.filter.isVisible()
    qtbot.keyClicks(timeline.filter, "full cta4")
    assert shown(timeline) == ["CTA4.full[0]", "CTA4.full[1]", "CTA4.full[2]"]
    qtbot.keyClick(timeline.filter, Qt.Key.Key_Return)
    assert timeline.filter.isVisible()
    timeline.find_lanes()
    qtbot.keyClick(timeline.filter, Qt.Key.Key_Escape)
    assert not timeline.filter.isVisible()
    assert len(shown(timeline)) == 6 * 15


def test_dragging_the_overview_moves_the_view(qtbot, timeline):
    for _ in range(5):
        timeline.zoom_in()
    strip, span = timeline.overview, timeline.view.span
    left, width = strip.overview.rectangle(timeline.view)
    start = QPoint(round(left + width / 2), strip.height() // 2)
    qtbot.mousePress(strip, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(strip, QPoint(strip.width() // 2, start.y()))
    qtbot.mouseRelease(strip, Qt.MouseButton.LeftButton, pos=QPoint(strip.width() // 2, start.y()))
    middle = timeline.view.start + timeline.view.span / 2
    assert middle == pytest.approx(timeline.scene.store.end / 2, rel=0.01)
    assert timeline.view.span == span


def test_the_overview_can_be_hidden_and_gives_its_room(timeline):
    height = timeline.viewport().height()
    timeline.toggle_overview()
    assert timeline.viewport().height() > height
    timeline.toggle_overview()
    assert timeline.viewport().height() == height


def test_compact_shows_twice_as_many_lanes(timeline):
    before = len(timeline.scene.rows())
    timeline.toggle_compact()
    assert len(timeline.scene.rows()) >= 2 * before
    assert not timeline.grab().isNull()


@pytest.mark.parametrize("scale", [1, 2, 3])
def test_everything_grows_with_the_font(qtbot, many_ctas, scale):
    widget = TimelineWidget()
    qtbot.addWidget(widget)
    base = QFont(widget.font())
    font = QFont(base)
    font.setPointSizeF(base.pointSizeF() * scale)
    widget.setFont(font)
    widget.resize(1200 * scale, 600 * scale)
    widget.show()
    widget.set_history(many_ctas)
    widget.set_focus(Focus(0))
    em = widget._fonts.em
    assert widget.scene.frame.ruler.height() == pytest.approx(RULER * em, abs=1)
    assert widget.scene.layout.height.min() == pytest.approx(1.3 * em, abs=1)
    assert widget.overview.height() == pytest.approx(1.9 * em, abs=3)
    assert widget._fonts.line == round(2 * widget._fonts.scale)
    assert not widget.grab().isNull()


def test_stepping_through_ctas_does_not_scroll_but_says_where_the_event_is(qtbot, timeline, many_ctas):
    timeline.verticalScrollBar().setValue(0)
    agents = many_ctas.trace.agent_cta[many_ctas.trace.events["agent"]]
    step = next(step for step in range(60, many_ctas.steps) if agents[step] == 5)
    timeline.set_focus(Focus(step - 1))
    timeline.verticalScrollBar().setValue(0)
    timeline.set_focus(Focus(step))
    assert timeline.verticalScrollBar().value() == 0
    assert timeline.scene.event_beyond() == 1
    from visualizer.views.timeline.layers.chips_widget import beyond_chip

    text, box = beyond_chip(timeline.scene, timeline._look())
    assert "CTA5." in text
    qtbot.mouseClick(timeline.viewport(), Qt.MouseButton.LeftButton, pos=box.center().toPoint())
    assert timeline.scene.event_beyond() == 0


def test_all_arrows_shows_more_than_the_focus_has(timeline, many_ctas):
    timeline.set_focus(Focus(many_ctas.steps // 2, "CTA2.full[0]"))
    for _ in range(5):
        timeline.zoom_in()
    before = len(timeline.scene.arrows())
    timeline.toggle_all_arrows()
    arrows = timeline.scene.arrows()
    assert len(arrows) > before
    timeline.toggle_all_arrows()
    assert len(timeline.scene.arrows()) == before


# Motion


@pytest.fixture
def slow(monkeypatch):
    """Every full picture counts as slow."""
    monkeypatch.setattr(layers_widget, "_SLOW_MS", -1.0)


def test_a_moving_view_is_coarse_and_a_resting_one_complete(qtbot, timeline, slow):
    timeline.zoom_in()
    timeline.grab()
    assert timeline._lanes.layer.coarse
    qtbot.waitUntil(lambda: not timeline._lanes.moves)
    timeline.grab()
    assert not timeline._lanes.layer.coarse


def test_a_pan_keeps_what_was_painted(qtbot, timeline, slow):
    for _ in range(4):
        timeline.zoom_in()
    qtbot.waitUntil(lambda: not timeline._lanes.moves)
    before = timeline.grab().toImage()
    timeline._pan_pixels(40)
    after = timeline.grab().toImage()
    assert timeline._lanes.layer.coarse
    lanes = timeline.scene.frame.lanes
    y = round(timeline.scene.middle("CTA2.stage[0]"))
    xs = range(round(lanes.left()) + 60, round(lanes.right()) - 60)
    moved = sum(before.pixel(x + 40, y) == after.pixel(x, y) for x in xs)
    assert moved > 0.95 * len(xs)


def test_panned_strips_agree_with_a_fresh_raster(qtbot, timeline, slow):
    """Panning to and fro must leave no seam: the picture is that of a raster of the same view."""
    for _ in range(3):
        timeline.zoom_in()
    timeline.grab()
    for pixels in (90, 35, -20):
        timeline._pan_pixels(pixels)
        timeline.grab()
    panned = timeline.grab().toImage()
    timeline._lanes.layer.forget()
    fresh = timeline.grab().toImage()
    lanes = timeline.scene.frame.lanes.toRect().adjusted(3, 3, -3, -3)
    points = [(x, y) for x in range(lanes.left(), lanes.right(), 3) for y in range(lanes.top(), lanes.bottom(), 5)]
    same = sum(panned.pixel(x, y) == fresh.pixel(x, y) for x, y in points)
    assert same > 0.97 * len(points)


# Lanes of long recordings


@pytest.fixture
def long_recordings(monkeypatch):
    """Every recording counts as long: its lanes are built in a thread."""
    monkeypatch.setattr(builder_widget, "_AT_ONCE", 0)


def test_lanes_are_built_in_a_thread_and_come_into_the_picture(qtbot, many_ctas, long_recordings):
    widget = TimelineWidget()
    qtbot.addWidget(widget)
    widget.resize(1200, 600)
    widget.show()
    widget.set_history(many_ctas)
    scene = widget.scene
    empty = widget.grab().toImage()
    qtbot.waitUntil(lambda: not widget.busy and widget.rests)
    assert all(scene.store.has(scene.lanes[row]) for row in scene.rows())
    assert widget.grab().toImage() != empty


def test_cancel_leaves_the_picture_and_moving_on_resumes(qtbot, many_ctas, long_recordings, monkeypatch):
    asked = []
    monkeypatch.setattr(builder_widget, "kind_of", lambda lane: asked.append(lane.key) or kind_of(lane))
    widget = TimelineWidget()
    qtbot.addWidget(widget)
    widget.resize(1200, 600)
    widget.show()
    widget.set_history(many_ctas)
    widget.cancel()
    widget.grab()
    widget._lanes._builder._thread.wait()
    before = len(asked)
    widget.grab()
    assert not widget.busy
    assert len(asked) == before
    widget.zoom_in()
    widget.grab()
    qtbot.waitUntil(lambda: not widget.busy and widget.rests)
    assert len(asked) > before


def test_lanes_without_answers_until_the_recording_is_read(qtbot, many_ctas):
    history = History(many_ctas.trace)
    widget = TimelineWidget()
    qtbot.addWidget(widget)
    widget.resize(1200, 600)
    widget.show()
    widget.show_lanes(history, answers=False)
    widget.set_focus(Focus(30))
    widget.grab()
    assert widget.scene.focused.state is None
    assert not {"barriers", "agents", "stages"} & set(vars(history))
    view = widget.view
    widget.set_history(history)  # it is read now
    assert widget.view == view
    assert widget.scene.focused.state.step == 30


def test_a_builder_forgets_what_was_wanted_before(qtbot, many_ctas, long_recordings):
    widget = TimelineWidget()
    qtbot.addWidget(widget)
    builder, store = LaneBuilder(widget), LaneStore(many_ctas)
    builder.want(store, store.lanes[:20])
    builder.want(store, store.lanes[40:41])
    builder._thread.wait()
    assert store.has(store.lanes[40])
    assert builder.waiting == 0
