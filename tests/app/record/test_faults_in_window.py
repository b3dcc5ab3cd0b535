"""Programs, faults and "what if" in the experiment panel: what is offered, what runs, and what is answered."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from endless import Endless
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot
from recording_fields import choose

from visualizer.app.session.record_job import Experiment
from visualizer.app.window.main_window import MainWindow
from visualizer.programs.errors import ProgramError
from visualizer.programs.faults import FAULTS, fault_on_gpu
from visualizer.programs.parameters import LessonConfig
from visualizer.sources.explorer.what_if import WHAT_IFS
from visualizer.sources.source import Request

_PROGRAM = """from visualizer.programs.builder import Builder


def program():
    b = Builder("mine")
    full = b.barriers("full", 1, count=1)[0]
    p = b.agent("P", role="producer", stages=1, phase=1)
    p.init_all()
    p.sync()
    p.arrive_expect_tx(full, 64)
    p.copy(full, 0, 64)
    c = b.agent("C0", role="consumer", stages=1)
    c.sync()
    c.wait(full, 0)
    return b.build()
"""


def _offered(box: QComboBox, enabled_only: bool = False) -> list[str]:
    return [
        box.itemData(index)
        for index in range(1, box.count())
        if not enabled_only or box.model().flags(box.model().index(index, 0)) & Qt.ItemFlag.ItemIsEnabled
    ]


def _on_gpu(fault: str) -> bool:
    try:
        fault_on_gpu(FAULTS[fault], LessonConfig())
    except ProgramError:
        return False
    return True


def test_the_chosen_fault_is_told_and_the_recording_names_it(window: MainWindow, qtbot: QtBot) -> None:
    panel = window.experiment
    assert not panel.story.isVisible()
    panel.fault.choose("F20")
    assert panel.fault.currentText() == f"F20 - {FAULTS['F20'].title}"
    assert FAULTS["F20"].did in panel.story.text()
    assert FAULTS["F20"].happens in panel.story.text()
    panel.form.field("stages").setValue(2)
    with qtbot.waitSignal(window.jobs.succeeded):
        panel.run_button.click()
    meta = window.document.history.trace.meta
    assert meta.config == {**LessonConfig(stages=2).as_dict(), "fault": "F20"}
    assert meta.ending.kind == "deadlock"
    assert "--fault F20" in meta.command
    assert panel.fault.fault() == "F20", "the recording's own fault is offered for the next run"


def test_what_a_fault_sets_is_shown_and_locked(window: MainWindow) -> None:
    panel = window.experiment
    phase, arrivals = panel.form.field("producer_phase"), panel.form.field("consumer_arrivals")
    arrivals.setValue(5)
    panel.fault.choose("F06")
    assert (phase.value(), phase.isEnabled()) == (0, False)
    assert arrivals.isEnabled()
    assert "producer_phase" not in panel.experiment().request.parameters
    panel.fault.choose("F01")
    assert (phase.value(), phase.isEnabled()) == (1, True)
    assert (arrivals.value(), arrivals.isEnabled()) == (97, False)
    panel.form.field("consumer_warps").setValue(2)
    assert arrivals.value() == 65
    assert panel.run_button.isEnabled()
    panel.fault.choose(None)
    assert (arrivals.value(), arrivals.isEnabled()) == (5, True)


def test_the_faults_follow_the_program(window: MainWindow, tmp_path: Path) -> None:
    panel = window.experiment
    assert _offered(panel.fault) == [fault.id for fault in FAULTS.values() if fault.fits_lesson]
    assert "F31" not in _offered(panel.fault)
    panel.program.choose("baseline")
    assert _offered(panel.fault) == list(FAULTS)
    assert not panel.form.isEnabled(), "its parameters are the lesson's"
    panel.fault.choose("F31")
    assert panel.experiment() == Experiment("simulator", Request("baseline", {}, "F31", {"seed": 0}))
    assert panel.run_button.isEnabled()
    panel.program.choose("lesson")
    assert panel.fault.fault() is None
    panel.fault.choose("F06")
    panel.program.choose("baseline")
    assert panel.fault.fault() == "F06", "a fault that both can have stays"
    panel.program.choose(str(tmp_path / "mine.py"))
    assert panel.fault.fault() is None
    assert not panel.fault.isEnabled()


def test_the_faults_follow_the_source(window: MainWindow) -> None:
    panel = window.experiment
    everything = _offered(panel.fault)
    panel.fault.choose("F12")
    choose(window, "gpu", {})
    assert _offered(panel.fault) == everything
    assert _offered(panel.fault, enabled_only=True) == [fault for fault in everything if _on_gpu(fault)]
    assert "F12 is not among the mistakes that the GPU's kernel can make" in panel.problem.text()
    assert "--" not in panel.problem.text(), "the panel does not speak of options"
    assert not panel.run_button.isEnabled()
    reason = panel.fault.itemData(panel.fault.findData("F12"), Qt.ItemDataRole.ToolTipRole)
    assert "F12 is not among the mistakes" in reason
    panel.source.setCurrentIndex(0)
    assert _offered(panel.fault, enabled_only=True) == everything
    assert panel.run_button.isEnabled()


def test_the_gpu_runs_no_other_program(window: MainWindow) -> None:
    panel = window.experiment
    choose(window, "gpu", {})
    panel.program.choose("baseline")
    assert "Program baseline needs the simulator" in panel.problem.text()
    assert not panel.run_button.isEnabled()


def test_a_fault_reaches_the_gpu(window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    from visualizer.programs.lesson import lesson
    from visualizer.sources.simulator.simulate import simulate

    asked: list[tuple[LessonConfig, int]] = []

    def record_gpu(config: LessonConfig, *_: object, fault: int = 0, **__: object) -> object:
        asked.append((config, fault))
        return simulate(lesson(config))

    monkeypatch.setattr("visualizer.sources.lesson.launcher.record_gpu", record_gpu)
    choose(window, "gpu", {})
    window.experiment.fault.choose("F20")
    with qtbot.waitSignal(window.jobs.succeeded):
        window.experiment.run_button.click()
    assert asked == [(LessonConfig(), 20)]
    assert window.document.history.trace.meta.config["fault"] == "F20"
    assert "--source gpu --program lesson --fault F20" in window.document.history.trace.meta.command


def test_a_program_file_is_opened_and_run(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = window.experiment
    path = tmp_path / "mine.py"
    path.write_text(_PROGRAM)
    monkeypatch.setattr(panel.program, "choose_file", lambda: None)
    panel.program.open_button.click()
    assert panel.program.program() == "lesson"
    monkeypatch.setattr(panel.program, "choose_file", lambda: path)
    panel.program.open_button.click()
    assert panel.program.names.currentText() == "mine.py"
    assert not panel.form.isEnabled()
    with qtbot.waitSignal(window.jobs.succeeded):
        panel.run_button.click()
    meta = window.document.history.trace.meta
    assert meta.program == "mine"
    words = shlex.split(meta.command)
    assert words[words.index("--program") + 1] == str(path)
    assert words[-1] == "mine.pscope"
    panel.program.open_button.click()
    names = panel.program.names
    assert [names.itemText(row) for row in range(names.count())].count("mine.py") == 1, "a file is listed once"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("def program(:\n", ":1: not valid Python"),
        ("x = 1\n\n\ndef program():\n    return 1 / 0\n", ":5: ZeroDivisionErr"),
    ],
)
def test_a_broken_program_file_is_a_message_and_the_app_goes_on(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, text: str, line: str
) -> None:
    panel, before = window.experiment, window.document
    path = tmp_path / "broken.py"
    path.write_text(text)
    panel.program.choose(str(path))
    with qtbot.waitSignal(window.jobs.failed):
        panel.run_button.click()
    assert f"{path}{line}" in window.messages.text
    assert window.document is before
    with qtbot.waitSignal(panel.what_if.jobs.failed):
        panel.what_if.choice.setCurrentIndex(2)
        panel.what_if.button.click()
    assert f"{path}{line}" in panel.what_if.answer.text()
    panel.program.choose("lesson")
    with qtbot.waitSignal(window.jobs.succeeded):
        panel.run_button.click()
    assert window.document is not before


@pytest.mark.parametrize("index", range(len(WHAT_IFS)))
def test_what_if_answers_without_touching_the_picture(window: MainWindow, qtbot: QtBot, index: int) -> None:
    window.workspaces.go_to("experiment")
    panel, before = window.experiment, window.document
    panel.fault.choose("F06")
    row = panel.what_if
    row.choice.setCurrentIndex(index)
    with qtbot.waitSignal(row.jobs.succeeded):
        row.button.click()
    assert row.answer.isVisible()
    assert row.answer.text().startswith("As it is: 100 of 100 schedules with a deadlock.")
    assert WHAT_IFS[index].title in row.answer.text()
    assert window.document is before
    panel.form.field("stages").setValue(4)
    assert not row.answer.isVisible(), "an answer to another question goes"


def test_what_if_refuses_what_cannot_be(window: MainWindow) -> None:
    panel = window.experiment
    row = panel.what_if
    panel.form.field("stages").setValue(8)
    row.choice.setCurrentIndex(0)
    assert not row.button.isEnabled()
    assert "Stages is 9; it must be 1..8" in row.button.toolTip()
    panel.form.field("stages").setValue(1)
    assert row.button.isEnabled()
    assert not row.choice.model().item(1).isEnabled()
    panel.program.choose("baseline")
    assert "no parameter that counts the stages" in row.button.toolTip()
    panel.program.choose("lesson")
    panel.form.field("tile_columns").setValue(100)
    row.choice.setCurrentIndex(2)
    assert not row.button.isEnabled()


def test_what_if_is_stopped_by_its_button_and_by_closing(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = window.experiment.what_if
    endless = Endless("exploring")
    monkeypatch.setattr("visualizer.app.record.what_if_row.ask", endless)
    with qtbot.waitSignal(row.jobs.progressed):
        row.button.click()
    assert row.button.text() == "Stop"
    assert row.answer.text() == "exploring: 25%"
    with qtbot.waitSignal(row.jobs.cancelled):
        row.button.click()
    assert row.answer.text() == "Cancelled."
    assert row.button.text() == "Ask"
    endless.started.clear()
    row.button.click()
    assert endless.started.wait(30)
    assert window.close()
    assert not row.jobs.is_busy
