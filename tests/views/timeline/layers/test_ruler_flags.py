"""Flags in the ruler: none over another, over the event count, or over a part of a time."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.views.look.theme import load_theme
from visualizer.views.timeline.lanes.lane_rows import LaneRows
from visualizer.views.timeline.lanes.lanes import build_lanes
from visualizer.views.timeline.layers.chrome import cursor_flag, cursor_time, divergence_flag, ruler_labels
from visualizer.views.timeline.layers.frame import make_frame
from visualizer.views.timeline.layers.marks import Marks, upper_flags
from visualizer.views.timeline.layers.overlay_widget import lower_flags, steps_text
from visualizer.views.timeline.painting.paint import Fonts
from visualizer.views.timeline.time.scale import View
from visualizer.views.timeline.timeline_widget import TimelineWidget


@pytest.fixture(scope="module")
def fonts(qapp: QApplication) -> Fonts:
    return Fonts(qapp.font())


@pytest.fixture
def timeline(qtbot: QtBot, lesson_history: History) -> TimelineWidget:
    widget = TimelineWidget()
    qtbot.addWidget(widget)
    widget.resize(1280, 420)
    widget.show()
    widget.set_history(lesson_history)
    widget.set_theme(load_theme("dark"))
    return widget


def _boxes(timeline: TimelineWidget) -> list[QRectF]:
    scene, look = timeline.scene, timeline._look()
    upper = upper_flags(scene.history.trace, scene.frame, scene.view, timeline.marks, look.fonts)
    assert all(flag.text for flag in upper)
    return [flag.box for flag in upper] + lower_flags(scene, timeline._divergence, look)


@pytest.mark.parametrize("step", [0, 59, 60, 61, 130, 261])
@pytest.mark.parametrize("divergence", [None, 60, 260])
def test_no_flag_covers_another_or_a_part_of_a_time(
    timeline: TimelineWidget, qtbot: QtBot, step: int, divergence: int | None
) -> None:
    timeline.set_focus(Focus(step, "producer"))
    timeline._divergence = divergence
    timeline.set_marks("bookmark", np.array([0, 59, 64, 120, 261]), ["1", "2", "3", "the pipeline is full now", "5"])
    boxes, frame = _boxes(timeline), timeline.scene.frame
    assert len(boxes) == 6 + (divergence is not None)
    for number, box in enumerate(boxes):
        assert frame.ruler.adjusted(-1, 0, 1, 0).contains(box)
        assert not any(box.intersects(other) for other in boxes[number + 1 :])
    image = timeline.viewport().grab().toImage()
    ground = image.pixel(round(frame.ruler.left()) - 3, 2)
    for _, label in ruler_labels(frame, timeline.scene.view, timeline._look().fonts):
        over = [box for box in boxes if box.left() < label.right() and label.left() < box.right()]
        if over:
            assert not _written(image, label, [box.adjusted(-3, -3, 3, 3) for box in over], ground)


def _written(image: QImage, area: QRectF, but: list[QRectF], ground: int) -> bool:
    """Whether anything shows in the area outside of some boxes."""
    for x in range(round(area.left()) + 1, round(area.right())):
        for y in range(2, round(area.bottom())):
            beside_stems = not any(abs(x - box.left()) < 4 or box.contains(x, y) for box in but)
            if beside_stems and image.pixel(x, y) != ground:
                return True
    return False


@given(
    steps=st.lists(st.integers(0, 261), max_size=30, unique=True).map(sorted),
    words=st.lists(st.text("abc 12", min_size=1, max_size=40), min_size=30, max_size=30),
    start=st.integers(-2_000_000, 20_000_000),
    scale=st.floats(10.0, 40_000.0),
)
def test_labels_keep_apart_and_by_their_stems(
    lesson_history: History, fonts: Fonts, steps: list[int], words: list[str], start: int, scale: float
) -> None:
    rows = LaneRows(build_lanes(lesson_history.trace, lesson_history.structure))
    frame = make_frame(1280, 420, fonts, rows)
    view = View(start, scale, round(frame.lanes.width()))
    marks = {"bookmark": Marks(np.array(steps, np.int64), words[: len(steps)])}
    flags = upper_flags(lesson_history.trace, frame, view, marks, fonts)
    boxes = [flag.box for flag in flags if flag.text]
    assert all(before.right() < after.left() for before, after in pairwise(boxes))
    assert all(frame.ruler.left() <= box.left() and box.right() <= frame.ruler.right() for box in boxes)
    for flag in flags:
        if flag.text:
            assert flag.box.left() - 2 * fonts.em - 1 <= flag.x <= flag.box.right() + 8
    below = cursor_flag(frame, view.width / 2, "888.88 µs", fonts)
    beside = divergence_flag(frame, frame.lanes.left() + view.width / 2, below, fonts)[1]
    assert not any(box.intersects(low) for box in boxes for low in (below, beside))


@given(start=st.integers(-20, 10**13), scale=st.floats(0.05, 1e9), at=st.floats(0.0, 1.0))
def test_the_cursors_time_has_the_rulers_unit(
    lesson_history: History, fonts: Fonts, start: int, scale: float, at: float
) -> None:
    frame = make_frame(1280, 420, fonts, LaneRows(build_lanes(lesson_history.trace, lesson_history.structure)))
    view = View(start, scale, round(frame.lanes.width()))
    times = [text for text, _ in ruler_labels(frame, view, fonts)]
    flagged = cursor_time(view, max(view.time(at * view.width), 0))
    assert len({text.split()[-1] for text in (*times, flagged)}) == 1
    assert len(set(times)) == len(times)


@pytest.mark.parametrize("count", [1, 236, 10_000_264])
def test_the_number_of_events_stays_before_the_times(count: int, fonts: Fonts) -> None:
    whole = f"{count} events"
    assert steps_text(count, fonts.width(whole), fonts) == whole
    assert steps_text(count, fonts.width(whole) - 1, fonts) == str(count)
    assert steps_text(count, fonts.width(str(count)) - 1, fonts) == ""
