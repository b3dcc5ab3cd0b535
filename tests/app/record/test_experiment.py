"""The experiment panel: its form is the parameter table, and Run really records - or says why not."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from endless import Endless
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QLabel
from pytestqt.qtbot import QtBot
from recording_fields import choose

from visualizer.app.record.experiment_panel import ExperimentPanel
from visualizer.app.session.record_job import Experiment
from visualizer.app.window.main_window import MainWindow
from visualizer.cli.main import main
from visualizer.programs.parameters import PARAMETERS, LessonConfig
from visualizer.recording.file import load
from visualizer.recording.trace import Trace
from visualizer.sources.errors import SourceError
from visualizer.sources.source import Request


def test_the_form_has_every_parameter_with_its_limits_unit_and_help(window: MainWindow) -> None:
    form = window.experiment.form
    labels = {label.text() for label in form.findChildren(QLabel)}
    for parameter in PARAMETERS:
        field = form.field(parameter.name)
        assert parameter.title in labels
        assert parameter.help in field.toolTip()
        assert parameter.option in field.toolTip()
        if isinstance(field, QCheckBox):
            assert parameter.is_switch
            continue
        assert (field.minimum(), field.maximum()) == (parameter.low, parameter.high)
        assert field.suffix().strip() == parameter.unit
    assert form.parameters() == LessonConfig().as_dict()


def test_run_records_what_the_panel_says(window: MainWindow, qtbot: QtBot) -> None:
    window.workspaces.go_to("experiment")
    before = window.document
    window.experiment.form.field("stages").setValue(2)
    window.experiment.form.field("arrive_per_warp").setChecked(True)
    window.experiment.seed.setValue(11)
    with qtbot.waitSignal(window.jobs.succeeded):
        qtbot.mouseClick(window.experiment.run_button, Qt.MouseButton.LeftButton)
        assert window.document is before, "the old picture stays until the new one is ready"
        assert not window.experiment.run_button.isEnabled()
        assert window.experiment.cancel_button.isEnabled()
        assert window.experiment.progress.isVisible()
    qtbot.waitUntil(lambda: not window.jobs.is_busy)
    trace = window.document.history.trace
    assert trace.meta.config == LessonConfig(stages=2, arrive_per_warp=True).as_dict()
    assert trace.meta.source["seed"] == 11
    assert window.isWindowModified()
    assert window.navigator.focus.step == 0
    assert window.transport.scrubber.maximum() == len(trace) - 1
    assert window.experiment.run_button.isEnabled()
    assert not window.experiment.progress.isVisible()


def test_the_recording_names_the_command_that_makes_it_again(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = window.experiment.form
    form.field("tile_columns").setValue(128)
    form.field("tiles").setValue(5)
    form.field("arrive_per_warp").setChecked(True)
    with qtbot.waitSignal(window.jobs.succeeded):
        window.actions_by_id["play.run"].trigger()
    trace = window.document.history.trace
    command = shlex.split(trace.meta.command)
    assert command[0] == "phasescope"
    monkeypatch.chdir(tmp_path)
    assert main(command[1:]) == 0
    again = load(tmp_path / "lesson.pscope")
    assert again.meta.config == trace.meta.config
    assert (again.events == trace.events).all()


def test_the_gpu_command_has_no_seed(window: MainWindow) -> None:
    panel = window.experiment
    panel.seed.setValue(3)
    panel.form.field("tiles").setValue(9)
    choose(window, "gpu", {})
    assert panel.experiment().command() == (
        "phasescope record --source gpu --program lesson --tiles 9 -o lesson.pscope"
    )


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"tile_columns": 100}, "Tile: 100 columns is not a multiple of 64"),
        ({"tile_rows": 9}, "Tile: 9 rows"),
        ({"stages": 8, "tile_rows": 256, "tile_columns": 512}, "Stages 8 with Tile 256x512 needs"),
    ],
)
def test_what_does_not_go_together_is_named_and_cannot_be_run(
    window: MainWindow, values: dict[str, int], named: str
) -> None:
    window.workspaces.go_to("experiment")
    panel = window.experiment
    for name, value in values.items():
        panel.form.field(name).setValue(value)
    assert named in panel.problem.text()
    assert panel.problem.isVisible()
    assert not panel.run_button.isEnabled()
    window.actions_by_id["play.run"].trigger()
    assert not window.jobs.is_busy
    panel.reset_button.click()
    assert not panel.problem.isVisible()
    assert panel.run_button.isEnabled()


def test_reset_keeps_source_and_seed(window: MainWindow) -> None:
    panel = window.experiment
    choose(window, "gpu", {})
    panel.seed.setValue(5)
    panel.form.field("ctas").setValue(4)
    panel.reset_button.click()
    assert panel.experiment() == Experiment("gpu", Request("lesson", LessonConfig().as_dict()))
    assert panel.seed.value() == 5


def test_values_that_differ_from_the_lesson_are_marked(window: MainWindow) -> None:
    field = window.experiment.form.field("stages")
    field.setValue(4)
    assert field.property("changed") is True
    field.setValue(3)
    assert field.property("changed") is False


def test_a_program_too_long_for_the_simulator_is_a_message(window: MainWindow, qtbot: QtBot) -> None:
    before = window.document
    window.experiment.form.field("tiles").setValue(10_000_000)
    with qtbot.waitSignal(window.jobs.failed):
        window.experiment.run_button.click()
    assert window.messages.isVisible()
    assert "simulator" in window.messages.text
    assert window.document is before


def test_a_missing_gpu_is_a_message_and_the_app_goes_on(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def record_gpu(*_: object, **__: object) -> Trace:
        raise SourceError("There is no NVIDIA driver: install one, or choose the simulator.")

    monkeypatch.setattr("visualizer.sources.lesson.launcher.record_gpu", record_gpu)
    before = window.document
    choose(window, "gpu", {})
    assert not window.experiment.seed.isEnabled()
    with qtbot.waitSignal(window.jobs.failed):
        window.experiment.run_button.click()
    assert window.messages.text == "There is no NVIDIA driver: install one, or choose the simulator."
    assert window.document is before
    window.experiment.source.setCurrentIndex(0)
    with qtbot.waitSignal(window.jobs.succeeded):
        window.experiment.run_button.click()
    assert not window.messages.isVisible()


def test_a_defect_in_a_source_is_a_message_too(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def record_gpu(*_: object, **__: object) -> Trace:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("visualizer.sources.lesson.launcher.record_gpu", record_gpu)
    choose(window, "gpu", {})
    with qtbot.waitSignal(window.jobs.failed):
        window.experiment.run_button.click()
    assert "ZeroDivisionError: oops" in window.messages.text


@pytest.mark.parametrize("how", ["button", "command"])
def test_cancel_keeps_the_picture(window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    monkeypatch.setattr("visualizer.sources.lesson.launcher.record_gpu", Endless("waiting for the kernel"))
    before = window.document
    choose(window, "gpu", {})
    with qtbot.waitSignal(window.jobs.progressed):
        window.experiment.run_button.click()
    assert window.experiment.progress.value() == 250
    assert window.experiment.stage_of_work.text() == "waiting for the kernel"
    with qtbot.waitSignal(window.jobs.cancelled):
        if how == "button":
            window.experiment.cancel_button.click()
        else:
            window.actions_by_id["play.cancel"].trigger()
    qtbot.waitUntil(lambda: not window.jobs.is_busy)
    assert window.document is before
    assert window.messages.text == "Cancelled."
    assert window.experiment.run_button.isEnabled()


def test_a_real_simulation_is_cancelled_midway(window: MainWindow, qtbot: QtBot) -> None:
    before = window.document
    window.experiment.form.field("tiles").setValue(20_000)
    with qtbot.waitSignal(window.jobs.progressed, check_params_cb=lambda done, what: done > 0, timeout=60_000):
        window.experiment.run_button.click()
    with qtbot.waitSignal(window.jobs.cancelled, timeout=60_000):
        window.experiment.cancel_button.click()
    assert window.document is before


def test_closing_while_recording_ends_the_thread(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = Endless("waiting for the kernel")
    monkeypatch.setattr("visualizer.sources.lesson.launcher.record_gpu", endless)
    choose(window, "gpu", {})
    window.experiment.run_button.click()
    assert endless.started.wait(30)
    assert window.close()
    assert not window.jobs.is_busy


def test_opening_a_recording_offers_its_parameters(window: MainWindow, make_document: Callable) -> None:
    config = LessonConfig(stages=4, consumer_delay=500)
    window.show_document(make_document(config))
    assert window.experiment.form.parameters() == config.as_dict()


def test_a_recording_of_another_program_leaves_the_form_alone(window: MainWindow, make_document: Callable) -> None:
    window.experiment.form.field("stages").setValue(5)
    window.show_document(make_document(LessonConfig(), {"rings": 7}))
    assert window.experiment.form.field("stages").value() == 5


def test_the_wheel_does_not_change_a_value_in_passing(qtbot: QtBot) -> None:
    panel = ExperimentPanel()
    qtbot.addWidget(panel)
    assert panel.form.field("stages").focusPolicy() == Qt.FocusPolicy.StrongFocus
