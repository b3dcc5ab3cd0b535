"""The timeline under the mouse: what clicks, drags, wheel and commands do; the focus never repaints the lanes."""

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QFont, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication
from stranger_traces import stranger

from visualizer.playback.focus import Focus
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.views.look.pane import Pane
from visualizer.views.look.theme import load_theme
from visualizer.views.timeline.timeline_widget import TimelineWidget


@pytest.fixture
def timeline(qtbot, lesson_history):
    widget = TimelineWidget()
    qtbot.addWidget(widget)
    widget.resize(1200, 600)
    widget.show()
    widget.set_history(lesson_history)
    widget.set_focus(Focus(20, "producer"))
    widget.grab()
    return widget


@pytest.fixture(scope="module")
def many_ctas():
    return History(simulate(lesson(LessonConfig(ctas=6, tiles=3))))


def at(timeline, lane, time):
    """The viewport's point of a lane and time (ps)."""
    scene = timeline._scene
    x = scene.frame.lanes.left() + scene.view.pixel(time)
    return QPoint(round(x), round(scene.middle(lane)))


def wheel(timeline, point, turn, modifiers=Qt.KeyboardModifier.NoModifier):
    where = QPointF(point)
    event = QWheelEvent(
        where, timeline.viewport().mapToGlobal(where), QPoint(), turn, Qt.MouseButton.NoButton, modifiers,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(timeline.viewport(), event)


def test_it_is_a_pane_with_an_accessible_name(timeline):
    assert isinstance(timeline, Pane)
    assert timeline.accessibleName() == "Timeline"


@pytest.mark.parametrize("lane", ["producer", "consumer.w2", "tma", "stage[1]", "full[2]", "empty[0]"])
def test_a_click_focuses_the_nearest_event_of_the_lane(qtbot, timeline, lane, lesson_history):
    scene = timeline._scene
    times = lesson_history.trace.events["time"][scene.store.steps(scene.lanes[scene.store.row_of[lane]])]
    time = int(times[len(times) // 2])
    with qtbot.waitSignal(timeline.focus_requested) as asked:
        qtbot.mouseClick(timeline.viewport(), Qt.MouseButton.LeftButton, pos=at(timeline, lane, time))
    focus = asked.args[0]
    assert focus.lane == lane
    found = int(lesson_history.trace.events["time"][focus.step])
    assert abs(timeline.view.pixel(found) - timeline.view.pixel(time)) <= 1


def test_a_click_on_a_name_selects_the_lane_and_keeps_the_step(qtbot, timeline):
    with qtbot.waitSignal(timeline.focus_requested) as asked:
        qtbot.mouseClick(
            timeline.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(20, round(timeline._scene.middle("full[1]")))
        )
    assert asked.args[0] == Focus(20, "full[1]")


def test_moving_the_focus_does_not_repaint_the_lanes(timeline):
    layer = timeline._lanes.layer.pixmap
    assert layer is not None
    for step in range(21, 60):
        timeline.set_focus(Focus(step, "full[0]"))
        timeline.grab()
        assert timeline._lanes.layer.pixmap is layer


def test_moving_the_pointer_does_not_repaint_the_lanes(qtbot, timeline):
    layer = timeline._lanes.layer.pixmap
    before = timeline.grab().toImage()
    qtbot.mouseMove(timeline.viewport(), at(timeline, "stage[1]", 1_000_000))
    assert timeline.grab().toImage() != before  # the hover cursor and note
    assert timeline._lanes.layer.pixmap is layer


def test_a_focus_out_of_view_is_panned_to(timeline, lesson_history):
    for _ in range(8):
        timeline.zoom_in()
    scale = timeline.view.ps_per_px
    last = lesson_history.steps - 1
    assert not timeline.view.contains(lesson_history.trace.duration_ps)
    timeline.set_focus(Focus(last))
    assert timeline.view.contains(lesson_history.trace.duration_ps)
    assert timeline.view.ps_per_px == scale


def test_a_focused_lane_out_of_view_is_scrolled_to(timeline, many_ctas):
    timeline.set_history(many_ctas)
    timeline.set_focus(Focus(0, "CTA0.producer"))
    assert timeline.verticalScrollBar().value() == 0
    timeline.set_focus(Focus(0, "CTA5.empty[2]"))
    scene = timeline._scene
    row = scene.store.row_of["CTA5.empty[2]"]
    assert row in scene.rows()
    assert scene.top(row) + scene.height(row) <= scene.frame.lanes.bottom()
    timeline.set_focus(Focus(1, "CTA0.producer"))
    assert scene.store.row_of["CTA0.producer"] in scene.rows()


def test_ctrl_wheel_zooms_at_the_pointer(timeline):
    timeline.zoom_in()
    point = at(timeline, "stage[0]", 2_000_000)
    scene, before = timeline._scene, timeline.view
    time = before.time(point.x() - scene.frame.lanes.left())
    wheel(timeline, point, QPoint(0, 120), Qt.KeyboardModifier.ControlModifier)
    assert timeline.view.ps_per_px == pytest.approx(before.ps_per_px / 1.5)
    assert scene.frame.lanes.left() + timeline.view.pixel(time) == pytest.approx(point.x(), abs=0.1)
    wheel(timeline, point, QPoint(0, -120), Qt.KeyboardModifier.ControlModifier)
    assert timeline.view.ps_per_px == pytest.approx(before.ps_per_px)


def test_shift_wheel_and_sideways_wheel_pan(timeline):
    timeline.zoom_in()
    timeline.zoom_in()
    point, start = at(timeline, "stage[0]", 2_000_000), timeline.view.start
    wheel(timeline, point, QPoint(0, -120), Qt.KeyboardModifier.ShiftModifier)
    later = timeline.view.start
    assert later > start
    wheel(timeline, point, QPoint(120, 0))
    assert timeline.view.start == pytest.approx(start, abs=2)


def test_wheel_scrolls_the_lanes(timeline, many_ctas):
    timeline.set_history(many_ctas)
    view = timeline.view
    wheel(timeline, QPoint(600, 300), QPoint(0, -120))
    assert timeline.verticalScrollBar().value() > 0
    assert timeline._scene.scroll == timeline.verticalScrollBar().value()
    assert timeline.view == view


def test_keys_zoom_about_the_focused_event(timeline, lesson_history):
    timeline.mouse.pointer = None
    time = int(lesson_history.trace.events["time"][20])
    timeline.zoom_in()
    timeline.zoom_in()
    x = timeline.view.pixel(time)
    timeline.zoom_in()
    assert timeline.view.pixel(time) == pytest.approx(x, abs=0.1)


def test_pan_fit_and_undo(timeline):
    whole = timeline.view
    timeline.centre_or_fit_focus()
    timeline.zoom_in()
    zoomed = timeline.view
    timeline.pan_right()
    assert timeline.view.start > zoomed.start
    timeline.pan_left()
    assert timeline.view == zoomed
    timeline.fit_all()
    assert timeline.view == whole
    timeline.undo_zoom()
    assert timeline.view == zoomed


def test_centre_then_fit_the_interval_at_the_focus(timeline, lesson_history):
    kinds = lesson_history.kinds
    step = next(i for i in range(100, 200) if kinds[i] == EventKind.READ_BEGIN)
    lane = lesson_history.trace.agents[int(lesson_history.trace.events["agent"][step])].name
    time = int(lesson_history.trace.events["time"][step])
    timeline.set_focus(Focus(step, lane))
    for _ in range(3):
        timeline.zoom_in()
    timeline.pan_right()
    timeline.centre_or_fit_focus()
    assert timeline.view.pixel(time) == pytest.approx(timeline.view.width / 2, abs=1)
    timeline.centre_or_fit_focus()
    spans = lesson_history.agent_spans(lesson_history.trace.agent_index[lane])
    holding = (spans.start <= time) & (time <= spans.end)
    widest = (spans.end - spans.start)[holding].max()
    assert timeline.view.span == pytest.approx(1.2 * widest, rel=0.01)


def test_middle_drag_pans(qtbot, timeline):
    for _ in range(3):
        timeline.zoom_in()
    before = timeline.view
    start = QPoint(600, 300)
    qtbot.mousePress(timeline.viewport(), Qt.MouseButton.MiddleButton, pos=start)
    qtbot.mouseMove(timeline.viewport(), start + QPoint(50, 0))
    qtbot.mouseRelease(timeline.viewport(), Qt.MouseButton.MiddleButton, pos=start + QPoint(50, 0))
    assert timeline.view.start == pytest.approx(before.start - 50 * before.ps_per_px, abs=before.ps_per_px)


def measure(qtbot, timeline, x, to_x, modifiers=Qt.KeyboardModifier.NoModifier):
    left = round(timeline._scene.frame.lanes.left())
    qtbot.mousePress(timeline.viewport(), Qt.MouseButton.LeftButton, modifiers, QPoint(left + x, 5))
    if to_x != x:
        event_at = QPoint(left + to_x, 5)
        move = _move(timeline, event_at, modifiers)
        QApplication.sendEvent(timeline.viewport(), move)
    qtbot.mouseRelease(timeline.viewport(), Qt.MouseButton.LeftButton, modifiers, QPoint(left + to_x, 5))


def _move(timeline, point, modifiers):
    where = QPointF(point)
    return QMouseEvent(
        QEvent.Type.MouseMove, where, timeline.viewport().mapToGlobal(where), Qt.MouseButton.NoButton,
        Qt.MouseButton.LeftButton, modifiers,
    )  # fmt: skip


def test_a_drag_on_the_ruler_measures_between_events(qtbot, timeline, lesson_history):
    measure(qtbot, timeline, 200, 500)
    times = set(lesson_history.trace.events["time"].tolist())
    assert timeline.measured is not None
    assert {timeline.measured.begin, timeline.measured.end} <= times
    assert timeline.measured.length == timeline.measured.end - timeline.measured.begin


def test_alt_measures_freely(qtbot, timeline):
    measure(qtbot, timeline, 200, 500, Qt.KeyboardModifier.AltModifier)
    assert timeline.measured is not None
    assert timeline.measured.begin == timeline.view.time(200)
    assert timeline.measured.end == timeline.view.time(500)


@pytest.mark.parametrize("way", ["click", "escape"])
def test_a_measurement_goes_away(qtbot, timeline, way):
    measure(qtbot, timeline, 200, 500)
    assert timeline.measured is not None
    if way == "click":
        measure(qtbot, timeline, 300, 300)
    else:
        qtbot.keyClick(timeline, Qt.Key.Key_Escape)
    assert timeline.measured is None


def test_the_same_picture_whichever_way_a_step_is_reached(timeline):
    timeline.set_focus(Focus(50))
    there = timeline.grab().toImage()
    for step in (51, 90, 10, 50):
        timeline.set_focus(Focus(step))
    assert timeline.grab().toImage() == there


def test_a_theme_changes_the_lanes(timeline):
    dark = timeline.grab().toImage()
    timeline.set_theme(load_theme("light"))
    light = timeline.grab().toImage()
    assert light != dark
    assert light.pixelColor(round(timeline.scene.frame.names.width()) - 3, 300).lightness() > 100


def test_lanes_grow_with_the_font(timeline):
    before = timeline._scene.layout.height.sum(), timeline._scene.frame.names.width()
    font = QFont(timeline.font())
    font.setPointSizeF(font.pointSizeF() * 2)
    timeline.setFont(font)
    assert timeline._scene.frame.names.width() > before[1] * 1.5
    assert timeline._scene.layout.height.sum() > before[0]


def test_without_a_recording_every_command_is_harmless(qtbot):
    widget = TimelineWidget()
    qtbot.addWidget(widget)
    widget.resize(600, 300)
    widget.show()
    widget.set_history(None)
    for command in (
        widget.zoom_in, widget.zoom_out, widget.pan_left, widget.pan_right, widget.fit_all,
        widget.centre_or_fit_focus, widget.undo_zoom,
    ):  # fmt: skip
        command()
    qtbot.mouseClick(widget.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(300, 100))
    wheel(widget, QPoint(300, 100), QPoint(0, 120), Qt.KeyboardModifier.ControlModifier)
    assert widget.view is None
    assert not widget.grab().isNull()


def test_another_recording_starts_afresh(qtbot, timeline, many_ctas):
    timeline.zoom_in()
    measure(qtbot, timeline, 200, 500)
    timeline.set_history(many_ctas)
    assert timeline.measured is None
    assert timeline.view.contains(0)
    assert timeline.view.contains(many_ctas.trace.duration_ps)
    timeline.set_history(None)
    assert not timeline.grab().isNull()


def test_a_narrow_window_keeps_time_and_drops_the_values(timeline):
    timeline.resize(400, 300)
    assert timeline._scene.frame.values.width() == 0
    assert timeline._scene.frame.lanes.width() > 150
    assert not timeline.grab().isNull()


def test_a_recording_opens_at_the_cta_in_focus(qtbot):
    history = History(stranger(2, ctas=9))
    step = next(s for s in range(history.steps) if history.trace.agent_cta[history.trace.events["agent"][s]] == 7)
    timeline = TimelineWidget()
    qtbot.addWidget(timeline)
    timeline.resize(1000, 300)
    timeline.show()
    timeline.set_history(history)
    timeline.set_focus(Focus(step))
    scene = timeline.scene
    assert not scene.rows_shown.is_collapsed("CTA7")
    assert scene.frame.lanes.top() <= scene.middle(scene.focused.home) <= scene.frame.lanes.bottom()
