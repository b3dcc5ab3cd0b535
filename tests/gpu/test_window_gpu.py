"""Parts of a run, and what recording costs, on a GPU: the same events as the simulator's, however long the run is."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import pytest
from agent_events import events_by_agent

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.trust.trust import trust_sentence
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.reconstruction.violations import violations
from visualizer.recording.file import load, save
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.lesson.launcher import record_gpu
from visualizer.sources.lesson.options import GpuOptions
from visualizer.sources.lesson.window import Window, cut
from visualizer.sources.simulator.simulate import simulate

TILES, CTAS = 100, 4


def recorded(window: Window, tiles: int = TILES, ctas: int = CTAS, **config: int) -> Trace:
    check = "exact" if tiles <= TILES else "off"
    trace = record_gpu(LessonConfig(tiles=tiles, ctas=ctas, **config), GpuOptions(check=check, window=window))
    assert trace.meta.ending.kind == "completed"
    assert trace.meta.records_lost == 0
    assert not any(violations(trace).values()), violations(trace)
    return trace


@pytest.mark.parametrize(
    "window",
    [Window(50, 59), Window(2, 4), Window(90), Window(0, 3), Window(keep_last=7), Window(10, 19, every_cta=3)],
    ids=str,
)
@pytest.mark.parametrize("stages", [1, 3])
def test_a_window_has_the_simulators_events(window: Window, stages: int) -> None:
    config = LessonConfig(tiles=TILES, ctas=CTAS, stages=stages)
    trace = recorded(window, stages=stages)
    assert events_by_agent(trace) == events_by_agent(cut(simulate(lesson(config)), window, TILES, CTAS))
    assert diagnose(History(trace)).findings == ()


@pytest.mark.parametrize("role", ["producer", "consumer"])
def test_one_role_alone(role: str) -> None:
    trace = recorded(Window(50, 59, roles=(role,)), consumer_delay=2000)
    assert trace.meta.window["roles_left_out"] == ["consumer" if role == "producer" else "producer"]
    assert diagnose(History(trace)).findings == ()


@pytest.mark.parametrize("window", [Window(keep_last=100, every_cta=4), Window(500_000, 500_099, every_cta=4)], ids=str)
def test_a_million_tiles_on_every_sm(window: Window, tmp_path: Path) -> None:
    began = perf_counter()
    trace = recorded(window, tiles=1_000_000, ctas=132)
    took = perf_counter() - began
    save(trace, tmp_path / "long.pscope")
    history = History(load(tmp_path / "long.pscope"))
    state = history.state_at(history.steps - 1)
    last = 1_000_000 if window.keep_last else 500_100
    assert {int(count) for count in state.cursor_count if count >= 0} <= {last, last + 3}
    assert diagnose(history).findings == ()
    assert took < 60


def test_the_cost_of_recording_is_measured_and_said() -> None:
    trace = record_gpu(LessonConfig(tiles=1024, ctas=132), GpuOptions(check="checksum", ab_pairs=12))
    cost = trace.meta.cost
    assert cost["pairs"] == 12
    assert -3 < cost["slowdown_percent"] < 40
    assert 0 <= cost["spread_percent"] < 10
    assert 0 < cost["record_ns"] < 1000
    assert cost["off_ns"] > 100_000
    assert "clock error under" in trust_sentence(trace.meta)
