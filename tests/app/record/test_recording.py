"""How a run is recorded, as the panel chooses it: it reaches what Run asks for, or is refused as on the CLI."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSpinBox
from pytestqt.qtbot import QtBot
from recording_fields import OF_WINDOW, choose

from visualizer.app.record.titles import with_titles
from visualizer.app.window.main_window import MainWindow
from visualizer.cli.main import main
from visualizer.diagnosis.diagnose import diagnose
from visualizer.programs.cp_async import cp_async
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.file import load
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.errors import SourceError
from visualizer.sources.lesson.options import GpuOptions
from visualizer.sources.lesson.window import Window
from visualizer.sources.simulator.simulate import simulate

CHOICES: list[tuple[dict[str, object], GpuOptions]] = [
    ({}, GpuOptions()),
    ({"first": 2}, GpuOptions(window=Window(first=2))),
    ({"last": 0}, GpuOptions(window=Window(last=0))),
    ({"first": 2, "last": 5}, GpuOptions(window=Window(2, 5))),
    ({"keep_last": 3}, GpuOptions(window=Window(keep_last=3))),
    ({"every_cta": 2}, GpuOptions(window=Window(every_cta=2))),
    ({"roles": ("consumer",)}, GpuOptions(window=Window(roles=("consumer",)))),
    ({"level": "off"}, GpuOptions(level="off")),
    ({"level": "standard", "ab_pairs": 20}, GpuOptions(level="standard", ab_pairs=20)),
    ({"probe": "words"}, GpuOptions(probe="words")),
    ({"probe": "flips", "level": "full", "ab_pairs": 6}, GpuOptions(probe="flips", level="full", ab_pairs=6)),
]
"""Fields, on a run of 8 tiles and 4 CTAs, and what is asked of the source."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[GpuOptions]:
    """What the GPU was asked for; the stand-in for it records nothing."""
    options: list[GpuOptions] = []

    def record(config: Any, wanted: GpuOptions, **_: Any) -> Trace:
        options.append(wanted)
        raise SourceError("no GPU here")

    monkeypatch.setattr("visualizer.sources.lesson.launcher.record_gpu", record)
    return options


@pytest.mark.parametrize(("fields", "options"), CHOICES, ids=str)
def test_what_is_chosen_reaches_the_gpu_and_the_command(
    window: MainWindow,
    qtbot: QtBot,
    asked: list[GpuOptions],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fields: dict[str, object],
    options: GpuOptions,
) -> None:
    window.experiment.form.field("ctas").setValue(4)
    choose(window, "gpu", fields)
    with qtbot.waitSignal(window.jobs.failed):
        qtbot.mouseClick(window.experiment.run_button, Qt.MouseButton.LeftButton)
    assert window.messages.text == "no GPU here"
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(window.experiment.experiment().command())[1:]) == 2
    assert asked == [options, options]


@pytest.mark.parametrize("fields", [fields for fields, _ in CHOICES if set(fields) <= set(OF_WINDOW)], ids=str)
def test_the_simulator_records_the_window_and_its_command_does_too(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fields: dict[str, object]
) -> None:
    panel = window.experiment
    panel.form.field("ctas").setValue(4)
    choose(window, "simulator", fields)
    with qtbot.waitSignal(window.jobs.succeeded):
        panel.run_button.click()
    qtbot.waitUntil(lambda: not window.jobs.is_busy)
    trace = window.document.history.trace
    assert bool(trace.meta.window) == bool(fields)
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(trace.meta.command)[1:]) == 0
    again = load(tmp_path / "lesson.pscope")
    assert (again.meta.window, again.agents, again.barriers) == (trace.meta.window, trace.agents, trace.barriers)
    assert (again.events == trace.events).all()
    assert window.document.report == diagnose(History(again))
    for name, value in fields.items():
        field = panel.recording.field(name)
        assert (field.value() if isinstance(field, QSpinBox) else field.currentData()) == value, "kept for the next run"


@pytest.mark.parametrize(
    ("source", "parameters", "fault", "fields", "words"),
    [
        ("gpu", {}, None, {"probe": "words", "keep_last": 3}, "--probe words --keep-last 3"),
        ("gpu", {"ctas": 4}, None, {"probe": "flips", "every_cta": 2}, "--ctas 4 --probe flips --every-cta 2"),
        ("gpu", {}, None, {"probe": "words", "roles": ("producer",)}, "--probe words --roles producer"),
        ("gpu", {}, None, {"probe": "words", "level": "standard"}, "--probe words --level standard"),
        ("gpu", {}, None, {"ab_pairs": 5}, "--ab 5"),
        ("gpu", {}, "F20", {"level": "full"}, "--fault F20 --level full"),
        ("gpu", {}, None, {"first": 6, "last": 5}, None),
        ("simulator", {}, None, {"first": 3, "last": 9}, "--window 3:9"),
        ("simulator", {}, None, {"first": 8}, "--window 8:"),
        ("gpu", {}, None, {"last": 8}, "--window 0:8"),
        ("simulator", {}, None, {"first": 1, "last": 2, "keep_last": 2}, "--window 1:2 --keep-last 2"),
        ("gpu", {}, None, {"every_cta": 2}, "--every-cta 2"),
        ("simulator", {}, "F06", {"first": 1, "last": 2}, "--fault F06 --window 1:2"),
        ("simulator", {"consumer_arrivals": 95}, None, {"keep_last": 2}, "--consumer-arrivals 95 --keep-last 2"),
        ("simulator", {}, "F20", {"roles": ("consumer",)}, "--fault F20 --roles consumer"),
    ],
)
def test_what_does_not_go_together_is_refused_with_the_command_lines_sentence(
    window: MainWindow,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    source: str,
    parameters: dict[str, int],
    fault: str | None,
    fields: dict[str, object],
    words: str | None,
) -> None:
    window.workspaces.go_to("experiment")
    panel = window.experiment
    for name, value in parameters.items():
        panel.form.field(name).setValue(value)
    panel.fault.choose(fault)
    choose(window, source, fields)
    told = panel.problem.text()
    assert panel.problem.isVisible()
    if words is None:
        # The command line's own words for it are of its syntax, which the panel does not have.
        assert told == "Window 6:5 must lie within 0:7, the tiles of this run, lowest first"
    else:
        status = main(
            ["record", "--source", source, "--program", "lesson", *words.split(), "-o", str(tmp_path / "x.pscope")]
        )
        assert status == 2
        assert told == with_titles(capsys.readouterr().err.strip().removeprefix("phasescope: "))
    assert "--" not in told
    assert not panel.run_button.isEnabled()
    window.actions_by_id["play.run"].trigger()
    assert not window.jobs.is_busy
    assert panel.what_if.button.isEnabled(), "it asks about the program, however that is recorded"


def test_another_program_is_recorded_whole(window: MainWindow) -> None:
    panel = window.experiment
    choose(window, "simulator", {"keep_last": 2})
    panel.program.choose("cluster")
    assert panel.problem.text() == (
        "Window, Keep last tiles, Every k-th CTA and Roles need the lesson's tile numbers; Program cluster has none"
        " that are known: record all of it"
    )
    assert not panel.run_button.isEnabled()
    choose(window, "simulator", {"keep_last": 0})
    assert panel.run_button.isEnabled()


def test_a_problem_is_told_in_the_language_of_the_window(window: MainWindow) -> None:
    choose(window, "gpu", {"probe": "words", "level": "phases"})
    window.languages.toggle()
    told = window.experiment.problem.text()
    assert told.startswith("探针 words")
    assert "日志级别 phases" in told
    window.languages.toggle()
    assert told != window.experiment.problem.text()


def test_the_status_bar_says_what_the_pairs_of_runs_found(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def record_gpu(config: LessonConfig, options: GpuOptions, **_: Any) -> Trace:
        trace = simulate(lesson(config))
        cost = {
            "slowdown_percent": 3.1,
            "spread_percent": 0.4,
            "pairs": options.ab_pairs,
            "off_ns": 1e4,
            "on_ns": 1.1e4,
        }
        return replace(trace, meta=replace(trace.meta, source={"kind": "gpu", "gpu": "H200"}, cost=cost))

    monkeypatch.setattr("visualizer.sources.lesson.launcher.record_gpu", record_gpu)
    choose(window, "gpu", {"ab_pairs": 20})
    with qtbot.waitSignal(window.jobs.succeeded):
        window.experiment.run_button.click()
    assert window.status.text("trust").startswith("Recording slowed this kernel by 3.1% ± 0.4")
    assert "--ab 20" in window.document.history.trace.meta.command


def test_the_gpu_runs_the_pipeline_without_mbarriers_too(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def record_cp_async(config: LessonConfig, **_: Any) -> Trace:
        return simulate(cp_async(config))

    monkeypatch.setattr("visualizer.sources.cp_async.record.record_cp_async", record_cp_async)
    choose(window, "gpu", {})
    window.experiment.program.choose("cp-async")
    assert window.experiment.problem.text() == ""
    with qtbot.waitSignal(window.jobs.succeeded):
        window.experiment.run_button.click()
    assert window.document.history.trace.meta.program == "cp-async"
    choose(window, "gpu", {"level": "full"})
    assert "Program cp-async on a GPU is always recorded whole" in window.experiment.problem.text()
    assert not window.experiment.run_button.isEnabled()


def test_a_program_that_no_kernel_runs_is_refused_as_on_the_command_line(
    window: MainWindow, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    choose(window, "gpu", {})
    window.experiment.program.choose("cluster")
    output = tmp_path / "c.pscope"
    assert main(["record", "--source", "gpu", "--program", "cluster", "-o", str(output)]) == 2
    assert not output.exists()
    said = capsys.readouterr().err.strip().removeprefix("phasescope: ")
    assert window.experiment.problem.text() == with_titles(said)
    assert not window.experiment.run_button.isEnabled()
