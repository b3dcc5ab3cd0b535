"""A hang opens at the hang: the blocked wait and the last activity in view, what was before folded, waits left open."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from visualizer.diagnosis.diagnose import diagnose
from visualizer.playback.focus import Focus
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.programs.registry import find_program
from visualizer.recording.file import load
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.views.timeline.layers.chips_widget import folded_chip
from visualizer.views.timeline.time.hang import hang_at
from visualizer.views.timeline.timeline_widget import TimelineWidget

GPU = Path(__file__).parents[3] / "data" / "h200-faults"


def _blocked(trace: Trace) -> int:
    step = diagnose(History(trace)).findings[0].step
    assert step is not None
    return step


def _simulated(fault: str, **parameters: int) -> Trace:
    return simulate(find_program("lesson", parameters or None, fault))


@pytest.mark.parametrize("stages", [1, 3, 8])
def test_initialisation_takes_no_room_however_many_barriers(stages: int) -> None:
    trace = _simulated("F06", stages=stages)
    times = trace.events["time"]
    hang = hang_at(trace, _blocked(trace), round(trace.duration_ps * 1.1))
    assert hang.barriers == 2 * stages
    assert hang.begin > int(times[trace.events["kind"] == EventKind.FENCE].max())
    assert hang.events == 0
    assert hang.text == f"◀ folded: initialisation of {2 * stages} barriers"


@pytest.mark.parametrize("fault", ["F06", "F20", "F01"])
def test_a_watchdogs_wait_is_shown_by_its_beginning(fault: str) -> None:
    trace = load(GPU / f"{fault}.pscope")
    kinds, times = trace.events["kind"], trace.events["time"]
    step = _blocked(trace)
    hang = hang_at(trace, step, trace.duration_ps)
    before = np.flatnonzero(kinds == EventKind.TIMEOUT)[0]
    last = int(times[before - 1])
    assert hang.begin <= int(times[step]) <= last < hang.end
    assert hang.end - last <= max((last - hang.begin) // 3, 50_000)
    assert hang.end < trace.duration_ps / 100


def test_of_a_long_run_the_end_is_shown() -> None:
    trace = simulate(lesson(LessonConfig(tiles=200)))
    hang = hang_at(trace, len(trace) - 1, trace.duration_ps)
    shown = int((trace.events["time"] >= hang.begin).sum())
    assert 200 <= shown <= 210, "events at one time are not parted"
    assert hang.events > len(trace) - 250
    assert hang.text == f"◀ folded: initialisation of 6 barriers, {hang.events} events"


@pytest.fixture
def timeline(qtbot: QtBot) -> TimelineWidget:
    trace = _simulated("F06")
    widget = TimelineWidget()
    qtbot.addWidget(widget)
    widget.resize(1200, 600)
    widget.show()
    widget.set_history(History(trace))
    widget.set_focus(Focus(_blocked(trace), "producer"))
    widget.open_hang()
    widget.grab()
    return widget


def test_the_fold_says_so_and_a_click_unfolds_it(timeline: TimelineWidget, qtbot: QtBot) -> None:
    scene = timeline.scene
    assert scene is not None
    assert scene.focused is not None
    assert scene.view.contains(scene.focused.time)
    assert scene.view.pixel(scene.focused.time) < 0.2 * scene.view.width
    chip = folded_chip(scene, timeline._look())
    assert chip is not None
    assert "6 barriers" in chip[0]
    qtbot.mouseClick(timeline.viewport(), Qt.MouseButton.LeftButton, pos=chip[1].center().toPoint())
    assert scene.view.start <= 0
    assert scene.view.end >= scene.store.end
    assert folded_chip(scene, timeline._look()) is None
    timeline.undo_zoom()
    assert folded_chip(scene, timeline._look()) is not None


def test_the_hang_stays_in_view_on_another_width(timeline: TimelineWidget) -> None:
    scene = timeline.scene
    assert scene is not None
    assert scene.hang is not None
    for width in (700, 1500):
        timeline.resize(width, 600)
        assert scene.view.contains(scene.hang.begin)
        assert scene.view.contains(scene.hang.end)
    timeline.pan_left()
    moved = scene.view
    timeline.resize(900, 600)
    assert scene.view.ps_per_px == moved.ps_per_px, "a view that was moved keeps its scale"


def test_a_wait_that_never_ends_has_a_torn_edge(timeline: TimelineWidget) -> None:
    timeline.fit_all()
    scene = timeline.scene
    assert scene is not None
    picture = timeline.grab().toImage()
    x = scene.frame.lanes.left() + scene.view.pixel(scene.store.end)
    middle = scene.middle("producer")
    assert middle is not None
    column = [
        picture.pixelColor(QPointF(x - 2, y).toPoint()).name() for y in range(round(middle - 8), round(middle + 8))
    ]
    assert timeline._theme.panel in column
    assert len(set(column)) > 1
    lane = scene.lanes[scene.rows_shown.row_of("producer")]
    assert scene.store.waits_on(lane)


@pytest.mark.parametrize("program", ["lesson", "baseline"])
def test_the_open_edge_is_in_view_where_it_is_near(qtbot: QtBot, program: str) -> None:
    trace = simulate(find_program(program, fault="F06"))
    end = round(trace.duration_ps * 1.1)
    assert hang_at(trace, _blocked(trace), end).end == end
