"""The diagnosis in the window: made once a recording is shown, looked at when it matters, counted in the status bar."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from visualizer.app.session.document import Document
from visualizer.app.session.record_job import Experiment, diagnose_work, open_work, record_work
from visualizer.app.window.main_window import MainWindow
from visualizer.diagnosis.report_text import count_text
from visualizer.playback.focus import Focus
from visualizer.playback.notes_file import notes_path
from visualizer.recording.file import save
from visualizer.sources.source import Request


def _made(experiment: Experiment) -> Document:
    document = record_work(experiment)(lambda share, what: None, lambda: False)
    return replace(document, saved=True)


@pytest.fixture(scope="module")
def deadlock() -> Document:
    return _made(Experiment("simulator", Request(fault="F20", program="lesson")))


@pytest.fixture(scope="module")
def clean() -> Document:
    return _made(Experiment("simulator", Request("lesson")))


def _is_raised(window: MainWindow) -> bool:
    return not window.panes["diagnosis"].visibleRegion().isEmpty()


def test_a_deadlock_opens_at_the_agent_that_is_blocked(
    make_window: Callable[[], MainWindow], deadlock: Document, qtbot: QtBot
) -> None:
    window = make_window()
    window.docks["inspector"].hide()
    window.show_document(deadlock)
    assert deadlock.report is not None
    finding = deadlock.report.findings[0]
    assert window.navigator.focus == Focus(finding.step or 0, finding.agent)
    inspector = window.panes["inspector"]
    qtbot.waitUntil(lambda: not inspector.visibleRegion().isEmpty())
    assert inspector.sections[0].alarm
    assert inspector.sections[0].text == finding.cause
    assert window.status.text("findings") == "⚠ 1 cause, 4 findings"


def test_a_diagnosis_that_comes_late_takes_nobody_away(
    make_window: Callable[[], MainWindow], deadlock: Document
) -> None:
    window = make_window()
    window.show_document(replace(deadlock, report=None))
    window.navigator.go_to(Focus(3))
    window.reading.document_read.emit(deadlock)
    assert window.navigator.focus == Focus(3)
    assert window.panes["inspector"].sections[-1].title != "Finding"


def test_a_clean_run_raises_nothing_and_says_so(
    make_window: Callable[[], MainWindow], clean: Document, qtbot: QtBot
) -> None:
    window = make_window()
    window.show_document(clean)
    assert window.status.text("findings") == "no findings"
    assert not _is_raised(window)
    window.show_pane("diagnosis")
    qtbot.waitUntil(lambda: _is_raised(window))
    assert window.panes["diagnosis"].headline.text().startswith("Completed: no findings.")


def test_findings_lead_there_and_back_again(
    make_window: Callable[[], MainWindow], deadlock: Document, qtbot: QtBot
) -> None:
    window = make_window()
    window.show_document(deadlock)
    window.show_pane("diagnosis")
    qtbot.waitUntil(lambda: _is_raised(window))
    findings = window.panes["diagnosis"].findings
    for row in (0, 1):
        findings.setCurrentRow(row)
        findings.itemActivated.emit(findings.item(row))
    assert deadlock.report is not None
    first, second = (Focus(f.step or 0, f.agent) for f in deadlock.report.every[:2])
    assert window.navigator.focus == second
    window.actions_by_id["step.back"].trigger()
    assert (window.navigator.focus, findings.currentRow()) == (first, 0)
    window.actions_by_id["step.forward"].trigger()
    assert (window.navigator.focus, findings.currentRow()) == (second, 1)


def test_a_file_is_loaded_first_and_diagnosed_then(tmp_path: Path, deadlock: Document) -> None:
    path = tmp_path / "stuck.pscope"
    save(deadlock.history.trace, path)
    told: list[str] = []
    document = open_work(path, notes_path(path))(lambda share, what: told.append(what), lambda: False)
    assert (document.report, document.awaits_diagnosis) == (None, True)
    assert told[-1] == "reading the recording"
    document = diagnose_work(document)(lambda share, what: told.append(what), lambda: False)
    assert (document.report, document.awaits_diagnosis) == (deadlock.report, False)
    assert told[-1] == "diagnosing the run"


def test_a_file_that_is_opened_shows_its_findings(
    window: MainWindow, tmp_path: Path, deadlock: Document, qtbot: QtBot
) -> None:
    save(deadlock.history.trace, tmp_path / "stuck.pscope")
    window.files.open(tmp_path / "stuck.pscope")
    qtbot.waitUntil(lambda: window.document.report is not None)
    assert window.document.report == deadlock.report
    assert deadlock.report is not None
    assert window.status.text("findings").endswith(count_text(deadlock.report))
    assert window.navigator.focus.step == next(f.step for f in deadlock.report.every if f.step is not None)


def test_what_is_saved_while_it_is_diagnosed_stays_saved(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    """The diagnosis is of the document as it was before."""
    document = window.document
    awaiting = replace(document, awaits_diagnosis=True, saved=False)
    window.show_document(awaiting)
    assert window.files.save(tmp_path / "kept.pscope")
    qtbot.waitUntil(lambda: window.document.report is not None)
    assert (window.document.path, window.document.saved) == (tmp_path / "kept.pscope", True)


def test_a_window_that_closes_at_once_diagnoses_nothing(window: MainWindow) -> None:
    window.show_document(replace(window.document, awaits_diagnosis=True))
    assert window.close()
    QApplication.processEvents()
    assert not window.reading.is_busy


def test_a_defect_of_the_diagnosis_does_not_lose_the_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(history: object, program: object) -> None:
        raise IndexError("too far")

    monkeypatch.setattr("visualizer.diagnosis.diagnose.diagnose", broken)
    document = record_work(Experiment("simulator", Request("lesson")))(lambda share, what: None, lambda: False)
    assert document.report is None
    assert document.note == "not diagnosed, for phasescope has a defect: IndexError: too far"
    assert not document.needs_diagnosis
