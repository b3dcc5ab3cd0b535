"""What a recording leaves out is drawn: hatched beside its first and last tile, and counted under the lanes."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QImage

from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.lesson.window import Window, cut
from visualizer.sources.simulator.simulate import simulate
from visualizer.views.look.theme import load_theme
from visualizer.views.timeline.layers.left_out import after_text, before_text, footer_text
from visualizer.views.timeline.timeline_widget import TimelineWidget

TILES = 40


@pytest.fixture(scope="module")
def whole() -> Trace:
    return simulate(lesson(LessonConfig(tiles=TILES, ctas=2)))


def recorded(whole: Trace, window: Window) -> Trace:
    return cut(whole, window, TILES, 2)


def test_the_words(whole: Trace) -> None:
    window = recorded(whole, Window(10, 20, every_cta=2)).meta.window
    assert before_text(window) == "tiles 0–9 not recorded"
    assert after_text(window) == "tiles 21–39 not recorded"
    assert footer_text(window) == "1 of 2 CTAs was not recorded."
    assert before_text({}) == after_text({}) == footer_text({}) == ""
    ring = recorded(whole, Window(keep_last=TILES - 1)).meta.window
    assert (before_text(ring), after_text(ring), footer_text(ring)) == ("tile 0 not recorded", "", "")


def picture(qtbot, trace: Trace) -> tuple[np.ndarray, TimelineWidget]:
    widget = TimelineWidget()
    qtbot.addWidget(widget)
    widget.resize(1000, 500)
    widget.set_theme(load_theme("dark"))
    widget.set_history(History(trace))
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width())
    return pixels.copy(), widget


@pytest.mark.parametrize(
    ("window", "hatched"),
    [
        (Window(10, 20), (True, True)),
        (Window(0, 20), (False, True)),
        (Window(10), (True, False)),
        (Window(), (False, False)),
    ],
)
def test_the_hatch_lies_where_tiles_are_missing(
    qtbot, whole: Trace, window: Window, hatched: tuple[bool, bool]
) -> None:
    pixels, widget = picture(qtbot, recorded(whole, window))
    scene = widget._scene
    assert scene is not None
    lanes = scene.frame.lanes
    begin, end = lanes.left() + scene.view.pixel(0), lanes.left() + scene.view.pixel(scene.store.end)
    columns = {"before": (lanes.left() + 2, begin - 2), "after": (end + 3, lanes.right() - 2)}
    seen = []
    for left, right in columns.values():
        # Below the lanes' text, where the words never are.
        strip = pixels[int(lanes.bottom()) - 40 : int(lanes.bottom()) - 10, int(left) : int(right)]
        seen.append(len(np.unique(strip)) > 1)
    assert tuple(seen) == hatched


def test_the_lanes_of_ctas_left_out_are_not_there(qtbot, whole: Trace) -> None:
    trace = recorded(whole, Window(10, 20, every_cta=2))
    _, widget = picture(qtbot, trace)
    assert {lane.cta for lane in widget._scene.lanes} == {0}
    assert widget._scene.layout.total > widget._scene.bottom() - widget._scene.frame.lanes.top()
