"""The first steps of a newcomer: the cards, a mistake that opens at its fault, and a GPU that is not there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QTextBrowser, QWidget
from pytestqt.qtbot import QtBot

from visualizer.app.record.running import lesson_faults
from visualizer.app.settings.settings import Settings
from visualizer.app.window.first_steps import FirstSteps
from visualizer.app.window.main_window import MainWindow
from visualizer.playback.focus import Focus
from visualizer.recording.trace import Trace
from visualizer.sources.errors import SourceError


@pytest.fixture
def newcomer(settings: Settings, make_window: Callable[[], MainWindow], lesson_file: Path, qtbot: QtBot) -> MainWindow:
    """A window as it opens for the first time, on the lesson."""
    settings.first_steps = True
    window = make_window()
    window.resize(1600, 1000)
    window.workspaces.reset()
    with qtbot.waitSignal(window.jobs.succeeded):
        window.files.open(lesson_file)
    return window


class Hand:
    """Clicks as a person does, and counts."""

    def __init__(self, qtbot: QtBot) -> None:
        self._qtbot = qtbot
        self.clicks = 0

    def click(self, widget: QWidget, at: QPoint | None = None) -> None:
        assert widget.isVisible()
        self.clicks += 1
        self._qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=at or widget.rect().center())


def _place_of(text: QTextBrowser, words: str) -> QPoint:
    """Where words stand in a text, in its viewport."""
    found = text.document().find(words)
    assert not found.isNull(), words
    found.setPosition(found.selectionStart() + 1)
    text.setTextCursor(found)
    return text.cursorRect().center()


def test_a_newcomer_comes_to_the_fault_its_line_and_its_chapter_in_four_clicks(
    newcomer: MainWindow, qtbot: QtBot
) -> None:
    hand, cards = Hand(qtbot), newcomer.first_steps
    hand.click(cards.faults)
    (wanted,) = [action for action in cards.menu.actions() if "producer starts with parity 0" in action.text()]
    with qtbot.waitSignal(newcomer.jobs.succeeded):
        hand.click(cards.menu, cards.menu.actionGeometry(wanted).center())
    qtbot.waitUntil(lambda: newcomer.document is not None and newcomer.document.report is not None)
    inspector = newcomer.panes["inspector"]
    assert not inspector.visibleRegion().isEmpty()
    said = inspector.text.toPlainText()
    assert "The producer must start inverted, with phase 1" in said
    source = newcomer.document.history.trace.source_files["kernels/async_pipeline.cu"].splitlines()
    (line,) = [number for number, text in enumerate(source, start=1) if "auto pipe_write = make_producer" in text]
    assert f"kernels/async_pipeline.cu:{line} make_producer_start_state" in said
    focus = newcomer.navigator.focus
    assert focus is not None
    assert focus.lane == "producer"
    code = newcomer.panes["code"]
    symptom = code.view.marks.focused_line
    assert [chip.role for chip in code.view.marks.chips[line]] == ["fix"]
    assert [chip.role for chip in code.view.marks.chips[symptom]] == ["error", "producer"]
    assert symptom != line
    code.view.verticalScrollBar().setValue(0)
    text = inspector.text
    hand.click(text.viewport(), _place_of(text, f".cu:{line}"))
    assert code.view.textCursor().blockNumber() == line - 1
    hand.click(text.viewport(), _place_of(text, "Broken: the producer starts in phase zero"))
    assert newcomer.lectures.lecture is not None
    told = newcomer.lectures.lecture.presentation
    assert told.story.chapters[told.beat.chapter].id == "start-phase-broken"
    assert hand.clicks <= 4
    newcomer.lectures.leave()


def test_an_address_is_looked_at_first(newcomer: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    with qtbot.waitSignal(newcomer.jobs.succeeded):
        newcomer.running.break_it("F06")
    path = tmp_path / "stuck.pscope"
    assert newcomer.files.save(path)
    with qtbot.waitSignal(newcomer.jobs.succeeded):
        newcomer.files.open(path, Focus(2))
    qtbot.waitUntil(lambda: newcomer.document.report is not None)
    assert newcomer.document.needs_diagnosis
    assert newcomer.navigator.focus.step == 2


def test_the_cards_stay_until_they_are_dismissed(newcomer: MainWindow, make_window: Callable[[], MainWindow]) -> None:
    assert newcomer.first_steps.isVisible()
    newcomer.first_steps.close_button.click()
    assert not newcomer.first_steps.isVisible()
    newcomer.close()
    assert not make_window().first_steps.isVisible()


def test_every_card_does_what_it_says(qtbot: QtBot, newcomer: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(newcomer.lectures, "present", lambda path: done.append(path.stem))
    monkeypatch.setattr(newcomer.attaching, "ask", lambda: done.append("record"))
    newcomer.first_steps.lesson.click()
    newcomer.first_steps.record.click()
    newcomer.first_steps.course.click()
    assert done == ["lesson", "record", "course"]


def test_every_mistake_of_the_lesson_is_offered_by_what_it_is(qtbot: QtBot, settings: Settings) -> None:
    cards = FirstSteps(settings)
    qtbot.addWidget(cards)
    cards.show()
    asked: list[str] = []
    cards.fault_wanted.connect(asked.append)
    cards.faults.click()
    for action in cards.menu.actions():
        action.trigger()
    cards.menu.close()
    assert asked == [fault for fault, _ in lesson_faults()]
    assert {"F06", "F20"} <= set(asked)


def test_a_low_window_has_the_buttons_alone(newcomer: MainWindow) -> None:
    assert newcomer.first_steps.legend.isVisible()
    newcomer.resize(1280, 400)
    assert not newcomer.first_steps.legend.isVisible()
    assert newcomer.first_steps.lesson.isVisible()


def test_the_legend_wraps_where_it_is_narrow(qtbot: QtBot, settings: Settings) -> None:
    cards = FirstSteps(settings)
    qtbot.addWidget(cards)
    cards.legend.resize(2000, 20)
    wide = cards.legend.sizeHint().height()
    cards.legend.resize(260, 20)
    assert cards.legend.sizeHint().height() > wide


def test_without_a_gpu_one_click_runs_the_same_in_the_simulator(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def record_gpu(*_: object, **__: object) -> Trace:
        raise SourceError("There is no NVIDIA driver.")

    monkeypatch.setattr("visualizer.sources.lesson.launcher.record_gpu", record_gpu)
    window.experiment.source.setCurrentIndex(window.experiment.source.findData("gpu"))
    window.experiment.form.field("stages").setValue(2)
    with qtbot.waitSignal(window.jobs.failed):
        window.experiment.run()
    assert window.messages.text == "There is no NVIDIA driver."
    assert window.messages.offer.text() == "Run in the simulator"
    with qtbot.waitSignal(window.jobs.succeeded):
        qtbot.mouseClick(window.messages.offer, Qt.MouseButton.LeftButton)
    meta = window.document.history.trace.meta
    assert (meta.source["kind"], meta.config["stages"]) == ("simulator", 2)


def test_a_file_that_cannot_be_read_offers_no_simulator(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "x.pscope"
    path.write_text("no recording")
    with qtbot.waitSignal(window.jobs.failed):
        window.files.open(path)
    assert window.messages.isVisible()
    assert not window.messages.offer.isVisible()
