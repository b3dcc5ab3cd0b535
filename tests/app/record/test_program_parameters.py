"""The form is the table of the program that is chosen, as the source that is chosen takes it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from recording_fields import choose

from visualizer.app.record.experiment_panel import ExperimentPanel
from visualizer.app.session.document import Document
from visualizer.app.session.record_job import Experiment
from visualizer.app.window.main_window import MainWindow
from visualizer.programs.registry import PROGRAMS, find_program, parameters_of
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.sources.source import Request


def shown(panel: ExperimentPanel) -> list[str]:
    """The titles of what the form shows."""
    rows = panel.form.layout()
    return [rows.itemAt(row, rows.ItemRole.LabelRole).widget().text() for row in range(rows.rowCount())]


def test_each_program_shows_its_own_table(window: MainWindow) -> None:
    panel = window.experiment
    for name in PROGRAMS:
        panel.program.choose(name)
        table = parameters_of(name)
        assert shown(panel) == [parameter.title for parameter in table]
        assert panel.form.isHidden() == panel.reset_button.isHidden() == (not table)
        assert panel.form.parameters() == {parameter.name: parameter.default for parameter in table}
        for parameter in table:
            if not parameter.is_switch:
                field = panel.form.field(parameter.name)
                assert (field.minimum(), field.maximum()) == (parameter.low, parameter.high)
        assert panel.run_button.isEnabled()


def test_tab_goes_through_the_fields_in_their_order(window: MainWindow, qtbot: QtBot) -> None:
    window.workspaces.go_to("experiment")
    panel = window.experiment
    for name in ("attention", "gemm", "lesson"):
        panel.program.choose(name)
        panel.seed.setFocus()
        wanted = [panel.form.field(parameter.name) for parameter in parameters_of(name)] + [panel.reset_button]
        qtbot.waitUntil(wanted[0].isVisible)
        for field in wanted:
            qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
            assert QApplication.focusWidget() is field


def test_a_kernel_is_simulated_with_other_stages(window: MainWindow, qtbot: QtBot) -> None:
    panel = window.experiment
    panel.program.choose("gemm")
    panel.form.field("stages").setValue(3)
    assert panel.form.field("stages").font().bold()
    assert panel.experiment() == Experiment("simulator", Request("gemm", {"stages": 3}, None, {"seed": 0}))
    with qtbot.waitSignal(window.jobs.succeeded):
        panel.run()
    meta = window.document.history.trace.meta
    assert (meta.program, meta.config) == ("gemm", {"stages": 3})
    assert meta.command.endswith("--program gemm --seed 0 --stages 3 -o gemm.pscope")
    assert panel.form.field("stages").value() == 3
    assert panel.reset_button.text() == "Reset to gemm"
    panel.reset_button.click()
    assert panel.form.field("stages").value() == 4
    assert not panel.form.field("stages").font().bold()


def test_stages_without_room_are_named_and_cannot_be_run(window: MainWindow) -> None:
    panel = window.experiment
    panel.program.choose("gemm")
    panel.form.field("stages").setValue(5)
    assert panel.problem.text().startswith("Stages 5: gemm needs 279552 bytes of shared memory")
    assert not panel.run_button.isEnabled()
    panel.program.choose("attention")
    assert panel.run_button.isEnabled()
    for name in ("k_stages", "v_stages"):
        panel.form.field(name).setValue(8)
    assert panel.problem.text().startswith("Stages of K 8 and Stages of V 8 with Tile 128x64: attention needs")


def test_each_program_keeps_what_was_set_of_it(window: MainWindow) -> None:
    panel = window.experiment
    panel.form.field("stages").setValue(2)
    panel.program.choose("pingpong")
    panel.form.field("stages").setValue(4)
    panel.program.choose("baseline")
    panel.program.choose("lesson")
    assert panel.form.field("stages").value() == 2
    panel.program.choose("pingpong")
    assert panel.form.field("stages").value() == 4


def test_what_a_fault_had_set_is_not_what_was_wanted(window: MainWindow) -> None:
    panel = window.experiment
    panel.form.field("consumer_arrivals").setValue(5)
    panel.fault.choose("F01")
    panel.program.choose("gemm")
    panel.fault.choose(None)
    panel.program.choose("lesson")
    assert panel.form.field("consumer_arrivals").value() == 5
    panel.fault.choose("F01")
    assert not panel.form.field("consumer_arrivals").isEnabled()


def test_a_gpu_asks_of_a_kernels_program_for_its_stages_alone(window: MainWindow) -> None:
    panel = window.experiment
    panel.program.choose("attention")
    panel.form.field("tiles").setValue(20)
    panel.form.field("k_stages").setValue(1)
    choose(window, "gpu", {})
    assert shown(panel) == ["Stages of K", "Stages of V"]
    assert panel.experiment().command() == (
        "phasescope record --source gpu --program attention --k-stages 1 -o attention.pscope"
    )
    assert panel.run_button.isEnabled()
    panel.form.field("v_stages").setValue(6)
    assert panel.problem.text().startswith("Stages of K 1 Stages of V 6: attention needs 263168 bytes"), "its kernel's"
    panel.form.field("v_stages").setValue(2)
    choose(window, "simulator", {})
    values = {name: panel.form.parameters()[name] for name in ("tiles", "k_stages", "v_stages")}
    assert values == {"tiles": 20, "k_stages": 1, "v_stages": 2}
    panel.program.choose("cluster")
    choose(window, "gpu", {})
    assert panel.form.isHidden()
    assert "a GPU runs the kernels of" in panel.problem.text()


def test_opening_a_recording_offers_its_program_and_parameters(window: MainWindow) -> None:
    trace = simulate(find_program("attention", {"v_stages": 2}, "F20"))
    window.show_document(Document(History(trace), path=None, saved=True))
    panel = window.experiment
    assert panel.program.program() == "attention"
    assert panel.fault.fault() == "F20"
    assert panel.form.parameters()["v_stages"] == 2


def test_one_stage_fewer_can_be_asked_of_a_kernel(window: MainWindow, qtbot: QtBot) -> None:
    panel = window.experiment
    panel.program.choose("gemm")
    row = panel.what_if
    assert "Stages 5: gemm needs" in row.button.toolTip()
    row.choice.setCurrentIndex(1)
    with qtbot.waitSignal(row.jobs.succeeded):
        row.button.click()
    assert "With one stage fewer:" in row.answer.text()
