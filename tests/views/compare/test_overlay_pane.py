"""The overlay in the Compare pane: the switch, the alignment, both focuses, clicks, keys, and what cannot be shown."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from pytestqt.qtbot import QtBot
from recording_files import shipped_history
from two_ring_traces import two_rings

from visualizer.diagnosis.comparison.compare import Comparison
from visualizer.diagnosis.comparison.compare_overlay import Anchor
from visualizer.diagnosis.comparison.overlay_text import overlay_text
from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.views.compare.compare_widget import CompareWidget
from visualizer.views.compare.overlay_scene import OverlayScene
from visualizer.views.compare.overlay_widget import OverlayTimeline
from visualizer.views.look.theme import load_theme


def shipped(a: str, b: str) -> Comparison:
    return Comparison(*(shipped_history(name) for name in (a, b)))


@pytest.fixture(scope="module")
def slow() -> Comparison:
    return shipped("lesson", "slow-consumer")


def shown(comparison: Comparison, qtbot: QtBot) -> CompareWidget:
    pane = CompareWidget()
    qtbot.addWidget(pane)
    pane.resize(1280, 800)
    pane.set_theme(load_theme("light"))
    pane.set_comparison(comparison, "lesson", "slow")
    pane.focus_requested.connect(pane.set_focus)  # as the window does
    pane.set_focus(Focus(66, "producer"))
    with qtbot.waitActive(pane):
        pane.show()
        pane.activateWindow()
    return pane


@pytest.fixture
def pane(slow: Comparison, qtbot: QtBot) -> CompareWidget:
    made = shown(slow, qtbot)
    made.show_overlay(True)
    return made


def scene_of(pane: CompareWidget) -> OverlayScene:
    scene = pane.overlay.timeline.scene
    assert scene is not None
    return scene


def place(scene: OverlayScene, lane: int, in_b: bool, time: int) -> QPoint:
    metrics = scene.fonts.metrics
    y = scene.top + scene.frame.lanes.top() + scene.model.row_tops(lane, metrics)[in_b] - scene.scroll
    x = scene.frame.lanes.left() + scene.view.pixel(time)
    return QPoint(round(x), round(y + scene.model.row_height(metrics) / 2))


def test_the_switch_goes_there_and_back_by_button_and_by_key(slow: Comparison, qtbot: QtBot) -> None:
    pane = shown(slow, qtbot)
    assert pane.overlay.timeline.scene is None  # nothing is worked out before it is seen
    qtbot.mouseClick(pane._buttons.button(1), Qt.MouseButton.LeftButton)
    assert pane.shows_overlay
    assert pane.overlay.isVisible()
    assert not pane.a.isVisible()
    pane.overlay.timeline.setFocus()
    qtbot.keyClick(pane.overlay.timeline, Qt.Key.Key_O)
    assert not pane.shows_overlay
    assert pane._buttons.button(0).isChecked()
    pane.show_overlay(True)
    pane.set_focus(Focus(90, "producer"))
    pane.show_overlay(False)
    assert pane.a.focused_step == 90
    assert pane.b.focused_step == slow.in_b(90)
    assert pane.a.isVisible()


def test_it_says_what_is_aligned_and_where_they_differ(pane: CompareWidget) -> None:
    head = pane.overlay.head.text()
    assert head.startswith("a: lesson · b: slow – aligned at tile 0 of CTA 0")
    timeline = pane.overlay.timeline
    assert timeline.accessibleName() == "Both runs over each other"
    assert timeline.accessibleDescription() == ". ".join(overlay_text(scene_of(pane).overlay))


def test_another_tile_or_use_may_be_chosen(pane: CompareWidget, qtbot: QtBot) -> None:
    choice = pane.overlay.choice
    assert not choice.ring.isVisible()
    assert not choice.cta.isVisible()
    choice.number.setValue(3)
    assert scene_of(pane).overlay.anchor == Anchor(3)
    choice.kind.setCurrentIndex(1)
    choice.kind.activated.emit(1)
    assert scene_of(pane).overlay.anchor == Anchor(3, by_use=True, ring=scene_of(pane).overlay.anchor.ring)
    assert "aligned at use 3" in pane.overlay.head.text()


def test_a_row_of_the_tiles_aligns_at_its_tile(pane: CompareWidget, slow: Comparison) -> None:
    pane.tiles.chosen.emit(5, 0)
    assert scene_of(pane).overlay.anchor.number == 5
    assert pane.overlay.choice.number.value() == 5
    moments = scene_of(pane).moments()
    assert moments == (scene_of(pane).overlay.at,) * 2  # the focus is where both have it
    assert [flag.text for flag in scene_of(pane).flags()] == ["tile 5", "a and b"]


def test_what_one_lacks_is_a_sentence_and_can_be_put_right(pane: CompareWidget) -> None:
    pane.overlay.choice.number.setValue(99)
    timeline = pane.overlay.timeline
    assert timeline.scene is None
    assert timeline.accessibleDescription() == "tile 99 of CTA 0 is not in a: choose one that both have"
    assert timeline.grab().toImage().width() > 0
    for key in timeline._keys.values():  # none of them minds
        key()
    pane.overlay.choice.number.setValue(2)
    assert scene_of(pane).overlay.anchor.number == 2


def test_both_focuses_are_flags_and_lines(pane: CompareWidget, slow: Comparison) -> None:
    pane.set_focus(Focus(120, "producer"))
    scene = scene_of(pane)
    a, b = slow.a.trace.events["time"], slow.b.trace.events["time"]
    assert scene.moments() == (int(a[120]), int(b[slow.in_b(120)]) + scene.overlay.shift)
    flags = scene.flags()
    assert [flag.text for flag in flags] == ["tile 0", "a", "b"]
    assert not any(one.box.intersects(other.box) for one in flags for other in flags if one is not other)
    image = pane.overlay.timeline.viewport().grab().toImage()
    accent = load_theme("light").accent
    for in_b, moment in enumerate(scene.moments()):
        at = place(scene, 0, bool(in_b), moment)
        assert any(image.pixelColor(at.x() + by, at.y()).name() == accent for by in (-1, 0, 1))


@pytest.mark.parametrize("in_b", [False, True])
def test_a_click_goes_to_the_rows_nearest_event(
    pane: CompareWidget, slow: Comparison, in_b: bool, qtbot: QtBot
) -> None:
    scene = scene_of(pane)
    lane = next(number for number, lane in enumerate(scene.overlay.lanes) if lane.name == "consumer.w2")
    history, shift = (slow.b, scene.overlay.shift) if in_b else (slow.a, 0)
    at = place(scene, lane, in_b, int((scene.overlay.lanes[lane].b if in_b else scene.overlay.lanes[lane].a).start[-3]))
    with qtbot.waitSignal(pane.focus_requested) as asked:
        qtbot.mouseClick(pane.overlay.timeline.viewport(), Qt.MouseButton.LeftButton, pos=at)
    events = history.trace.events
    own = np.flatnonzero(events["agent"] == history.trace.agent_index["consumer.w2"])
    clicked = scene.view.time(at.x() - scene.frame.lanes.left()) - shift
    nearest = int(np.abs(events["time"][own].astype(np.int64) - clicked).min())
    focus = asked.args[0]
    assert focus.lane == "consumer.w2"
    step = int(own[np.abs(events["time"][own].astype(np.int64) - clicked) == nearest][-1])
    assert focus.step == (slow.in_a(step) if in_b else step)


def test_a_click_on_a_name_chooses_the_lane(pane: CompareWidget, qtbot: QtBot) -> None:
    scene = scene_of(pane)
    at = QPoint(10, place(scene, 2, False, 0).y())
    with qtbot.waitSignal(pane.focus_requested) as asked:
        qtbot.mouseClick(pane.overlay.timeline.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert asked.args == [Focus(66, scene.overlay.lanes[2].name)]
    assert scene.focused_lane() == 2
    assert scene.click(QPointF(10, 2)) is None


def test_zoom_pan_fit_and_undo(pane: CompareWidget, qtbot: QtBot) -> None:
    timeline, scene = pane.overlay.timeline, scene_of(pane)
    whole = scene.view
    assert whole.start < scene.overlay.begin
    assert whole.end > scene.overlay.end
    at = scene.view.pixel(scene.moments()[0])
    qtbot.keyClick(timeline, Qt.Key.Key_W)
    assert scene.view.span == pytest.approx(whole.span / 1.5, rel=0.01)
    assert scene.view.pixel(scene.moments()[0]) == pytest.approx(at, abs=1)  # the focus stays where it is
    start = scene.view.start
    qtbot.keyClick(timeline, Qt.Key.Key_D)
    assert scene.view.start > start
    qtbot.keyClick(timeline, Qt.Key.Key_A)
    assert scene.view.start == pytest.approx(start, abs=2)
    qtbot.keyClick(timeline, Qt.Key.Key_S)
    qtbot.keyClick(timeline, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert scene.view == whole
    turn(timeline, 120, Qt.KeyboardModifier.ControlModifier)
    assert scene.view.span < whole.span
    start = scene.view.start
    turn(timeline, -120, Qt.KeyboardModifier.ShiftModifier)
    assert scene.view.start > start
    qtbot.keyClick(timeline, Qt.Key.Key_Backspace)
    qtbot.keyClick(timeline, Qt.Key.Key_F)
    assert all(scene.view.contains(moment) for moment in scene.moments())


def turn(timeline: OverlayTimeline, notch: int, modifier: Qt.KeyboardModifier) -> None:
    at = QPointF(600, 100)
    timeline.wheelEvent(
        QWheelEvent(
            at, at, QPoint(), QPoint(0, notch), Qt.MouseButton.NoButton, modifier, Qt.ScrollPhase.NoScrollPhase, False
        )
    )


def test_arrow_keys_go_from_difference_to_difference_and_end(pane: CompareWidget, qtbot: QtBot) -> None:
    timeline = pane.overlay.timeline
    pane.set_focus(Focus(0, "producer"))
    steps, differs = [], scene_of(pane).overlay.lanes[0].differs
    for _ in range(len(differs) + 3):
        with qtbot.waitSignal(pane.focus_requested, raising=False, timeout=50) as asked:
            qtbot.keyClick(timeline, Qt.Key.Key_Right)
        if not asked.signal_triggered:
            break
        steps.append(asked.args[0].step)
    assert 3 < len(steps) <= len(differs)
    assert not asked.signal_triggered  # the last one has been reached
    with qtbot.waitSignal(pane.focus_requested):
        qtbot.keyClick(timeline, Qt.Key.Key_Left)


def test_nothing_overlaps_and_many_lanes_scroll(qtbot: QtBot) -> None:
    pane = shown(shipped("gemm", "pingpong"), qtbot)
    pane.resize(900, 420)
    pane.show_overlay(True)
    scene, bar = scene_of(pane), pane.overlay.timeline.verticalScrollBar()
    assert len(scene.overlay.lanes) == 12
    assert bar.maximum() > 0
    bar.setValue(bar.maximum())
    last = place(scene, 11, True, scene.overlay.at)
    assert scene.row_at(last.toPointF()) == (11, True)
    assert last.y() < pane.overlay.timeline.viewport().height()


def test_of_several_rings_a_use_is_of_one(qtbot: QtBot) -> None:
    history = History(two_rings())
    pane = shown(Comparison(history, history), qtbot)
    pane.show_overlay(True)
    choice = pane.overlay.choice
    assert choice.ring.isVisible()
    assert [choice.ring.itemText(row) for row in range(choice.ring.count())] == ["first ring to have it", "K", "V"]
    choice.kind.setCurrentIndex(1)
    choice.kind.activated.emit(1)
    assert [choice.ring.itemText(row) for row in range(choice.ring.count())] == ["K", "V"]
    assert scene_of(pane).overlay.anchor == Anchor(0, True, 0, "K")
    choice.ring.setCurrentIndex(1)
    choice.ring.activated.emit(1)
    assert scene_of(pane).overlay.anchor.ring == "V"


def test_of_several_ctas_the_lanes_are_one_ctas(qtbot: QtBot) -> None:
    pane = shown(shipped("multicast", "multicast-pair"), qtbot)
    pane.show_overlay(True)
    assert scene_of(pane).overlay.anchor.by_use  # these kernels name no tiles
    assert pane.overlay.choice.cta.isVisible()
    pane.overlay.choice.cta.setValue(1)
    assert all(lane.name.startswith("CTA1.") for lane in scene_of(pane).overlay.lanes)
    pane.overlay.choice.kind.setCurrentIndex(0)
    pane.overlay.choice.kind.activated.emit(0)
    assert pane.overlay.timeline.accessibleDescription() == "a names no tiles: align at a use of a ring"


def test_it_can_be_emptied(pane: CompareWidget) -> None:
    pane.forget()
    assert pane.overlay.timeline.scene is None
    assert pane.overlay.head.text() == ""
    pane.set_focus(Focus(3))
    assert pane.overlay.timeline.grab().toImage().width() > 0
