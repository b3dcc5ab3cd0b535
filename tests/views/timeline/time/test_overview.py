"""The overview: where events are, marks, the view's frame, and dragging it."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from visualizer.views.look.theme import load_theme
from visualizer.views.timeline.time.overview_model import Overview, steps_at
from visualizer.views.timeline.time.overview_widget import OverviewStrip
from visualizer.views.timeline.time.scale import View


def test_steps_at_agrees_with_numpy(lesson_trace):
    times = np.array(lesson_trace.events["time"])
    wanted = np.concatenate((times[::7], times[::5] + 1, [-5, 0, times[-1], times[-1] + 1]))
    np.testing.assert_array_equal(steps_at(lesson_trace, wanted), np.searchsorted(times, wanted))


def test_density_counts_every_event_once(lesson_trace):
    overview = Overview(lesson_trace.duration_ps + 1, 200)
    shares = overview.density(lesson_trace)
    counts, _ = np.histogram(lesson_trace.events["time"], 200, (0, overview.end))
    assert counts.sum() == len(lesson_trace)
    assert ((shares > 0) == (counts > 0)).mean() > 0.97  # borders are rounded to ticks
    assert shares.max() == 1


def test_the_frame_of_a_tiny_view_can_still_be_grabbed():
    overview = Overview(1_000_000_000, 800)
    for start in (0, 500_000_000, 999_999_000):
        left, width = overview.rectangle(View(start, 2.0, 500))
        assert width >= 6
        assert 0 <= left <= 800 - width


def test_marks_have_a_column_each(lesson_trace):
    overview = Overview(lesson_trace.duration_ps, 101)
    for steps in ([], [0, 1, len(lesson_trace) - 1], list(range(0, len(lesson_trace), 7))):
        times = lesson_trace.events["time"][np.array(steps, np.int64)]
        wanted = sorted(set((times / overview.end * 100).astype(int).tolist()))
        assert overview.columns(lesson_trace, np.array(steps, np.int64)).tolist() == wanted
    assert overview.columns(lesson_trace, np.array([0, len(lesson_trace) - 1])).tolist() == [0, 100]


@pytest.fixture
def strip(qtbot, lesson_trace):
    widget = OverviewStrip()
    qtbot.addWidget(widget)
    widget.resize(1000, 30)
    widget.show()
    widget.set_trace(lesson_trace, lesson_trace.duration_ps)
    widget.set_view(View(0, lesson_trace.duration_ps / 4 / 500, 500))
    return widget


def test_an_error_is_drawn_in_the_colour_of_errors(strip, lesson_trace):
    before = strip.grab().toImage()
    strip.set_marks("error", [len(lesson_trace) // 2])
    image = strip.grab().toImage()
    assert image != before
    time = int(lesson_trace.events["time"][len(lesson_trace) // 2])
    x = round(strip.overview.x(time))
    colours = {image.pixelColor(at, 3).name() for at in range(x - 3, x + 4)}
    assert load_theme("dark").error.fill in colours
    strip.set_marks("error", [])
    assert strip.grab().toImage() == before


def test_bookmarks_and_hits_are_marks_too(strip):
    images = [strip.grab().toImage()]
    for kind in ("bookmark", "hit"):
        strip.set_marks(kind, [100, 150])
        images.append(strip.grab().toImage())
    assert images[0] != images[1] != images[2]


def test_dragging_the_frame_moves_the_view_by_as_much(qtbot, strip, lesson_trace):
    asked = []
    strip.centre_requested.connect(asked.append)
    left, width = strip.overview.rectangle(View(0, lesson_trace.duration_ps / 4 / 500, 500))
    grip = QPoint(round(left + width / 4), 15)
    qtbot.mousePress(strip, Qt.MouseButton.LeftButton, pos=grip)
    qtbot.mouseMove(strip, grip + QPoint(200, 0))
    qtbot.mouseRelease(strip, Qt.MouseButton.LeftButton, pos=grip + QPoint(200, 0))
    middle = strip.overview.time(left + width / 2)
    assert asked[0] == pytest.approx(middle, abs=lesson_trace.duration_ps / 500)
    assert asked[-1] - asked[0] == pytest.approx(lesson_trace.duration_ps / 5, rel=0.02)
    qtbot.mouseMove(strip, grip)
    assert len(asked) == 2  # the button is up


def test_a_click_elsewhere_goes_there(qtbot, strip, lesson_trace):
    with qtbot.waitSignal(strip.centre_requested) as asked:
        qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(750, 15))
    assert asked.args[0] == pytest.approx(lesson_trace.duration_ps * 0.75, rel=0.01)


def test_without_a_recording_it_is_empty_and_still(qtbot):
    widget = OverviewStrip()
    qtbot.addWidget(widget)
    widget.resize(300, 30)
    widget.show()
    widget.centre_requested.connect(lambda _: pytest.fail("nothing to move"))
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=QPoint(100, 15))
    assert not widget.grab().isNull()
